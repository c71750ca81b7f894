//! Data of scripts that outlives their VM.

use std::fmt;

/// A Lua value without functions, threads, userdata, metatables and cycles. Unlike
/// [`Value`](crate::Value) it has tables with any scalar key.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    /// A truth value.
    Bool(bool),
    /// A number.
    Num(f64),
    /// Bytes, mostly text.
    Text(Vec<u8>),
    /// Pairs in ascending order of the keys, so that equal tables are walked equally.
    Table(Vec<(PlainKey, Plain)>),
}

/// A key of a plain table.
#[derive(Clone, Debug, PartialEq)]
pub enum PlainKey {
    /// A truth value.
    Bool(bool),
    /// A number.
    Num(f64),
    /// Bytes, mostly text.
    Text(Vec<u8>),
}

impl fmt::Display for PlainKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(flag) => write!(f, "[{flag}]"),
            Self::Num(num) => write!(f, "[{num}]"),
            Self::Text(bytes) => write!(f, ".{}", crate::excerpt(bytes)),
        }
    }
}
