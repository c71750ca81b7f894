//! The agents' memories as plain data, which outlives scripts, VMs and threads.

use phalanx_game::AgentId;
use std::fmt;

/// The memory of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The agent.
    pub agent: AgentId,
    /// The role that wrote it last.
    pub role: String,
    /// The version of the memory that this role declared; 0 if it declared none.
    pub version: u32,
    /// The memory, or the path to the value that is not plain data.
    pub data: Result<Plain, String>,
}

/// A Lua value without functions, threads, userdata, metatables and cycles. Unlike
/// [`Value`](phalanx_game::Value) it has tables with any scalar key.
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
            Self::Text(bytes) => write!(f, ".{}", phalanx_game::excerpt(bytes)),
        }
    }
}
