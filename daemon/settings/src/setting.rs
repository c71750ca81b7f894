//! Sections that are tables of plain values, made from one declaration of each key.

use crate::environment::Environment;
use crate::key::{DeclaredKey, KeyDoc, Kind};
use crate::node::Node;
use crate::parse;
use crate::section::{Expected, Reader, Section};
use std::fmt::Debug;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A section of plain values.
pub(crate) trait SettingsTable: Sized {
    /// Its name in the file.
    const TABLE: &'static str;
    /// Its keys, in the order of the sample.
    const KEYS: &'static [DeclaredKey];

    /// Reads the section; wrong values are noted.
    fn read(section: &Section<'_>) -> Self;

    /// The values as people read them, by key.
    fn values(&self) -> Vec<(&'static str, String)>;

    /// The declared defaults.
    fn declared() -> Self {
        let keys: Vec<KeyDoc> = Self::KEYS.iter().map(|(doc, _)| *doc).collect();
        let environment = Environment::default();
        Self::read(&Section::absent(&Reader::new(&keys, &environment), Self::TABLE))
    }
}

/// The type of a key's value.
pub(crate) trait SettingValue: Default {
    fn parse(node: &Node, kind: Kind) -> Result<Self, Expected>;

    fn shown(&self, kind: Kind) -> String;
}

/// Declares a section: its type, its keys, and how it is read and shown.
macro_rules! settings_table {
    (
        $(#[$meta:meta])*
        pub struct $name:ident = $table:literal {
            $($field:ident: $type:ty, $kind:expr, $default:expr, $example:literal, $change:expr,
                $doc:literal;)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $(#[doc = $doc] pub $field: $type,)*
        }

        impl crate::setting::SettingsTable for $name {
            const TABLE: &'static str = $table;
            const KEYS: &'static [crate::key::DeclaredKey] = &[$(crate::key::key(
                concat!($table, ".", stringify!($field)), $kind, $default, $example, $change, $doc,
            ),)*];

            fn read(section: &crate::section::Section<'_>) -> Self {
                use crate::setting::SettingValue as _;
                Self { $($field: section
                    .optional(stringify!($field), <$type>::parse)
                    .unwrap_or_default(),)* }
            }

            fn values(&self) -> Vec<(&'static str, String)> {
                use crate::setting::SettingValue as _;
                vec![$((
                    concat!($table, ".", stringify!($field)), self.$field.shown($kind),
                ),)*]
            }
        }
    };
}
pub(crate) use settings_table;

pub(crate) fn shown(value: &impl Debug) -> String {
    format!("{value:?}")
}

pub(crate) fn or_none(value: Option<&impl Debug>) -> String {
    value.map_or_else(|| "none".to_owned(), shown)
}

pub(crate) fn on_or_off(value: bool) -> String {
    if value { "on" } else { "off" }.to_owned()
}

/// A number, or an amount of memory in bytes.
fn number<N: TryFrom<i64> + TryFrom<usize>>(node: &Node, kind: Kind) -> Result<N, Expected> {
    let fits = if matches!(kind, Kind::Size(..)) {
        N::try_from(parse::size(node, kind)?).ok()
    } else {
        N::try_from(parse::whole(node, kind)?).ok()
    };
    fits.ok_or_else(|| crate::section::describe(kind))
}

fn shown_number(number: &impl Debug, kind: Kind) -> String {
    let unit = if matches!(kind, Kind::Size(..)) { " bytes" } else { "" };
    format!("{number:?}{unit}")
}

/// Says how values of types are read and shown.
macro_rules! setting_values {
    ($($type:ty: $parse:expr, $shown:expr;)*) => { $(
        impl crate::setting::SettingValue for $type {
            fn parse(
                node: &crate::node::Node,
                kind: crate::key::Kind,
            ) -> Result<Self, crate::section::Expected> {
                let parse: fn(&crate::node::Node, crate::key::Kind) -> Result<Self, _> = $parse;
                parse(node, kind)
            }

            fn shown(&self, kind: crate::key::Kind) -> String {
                let shown: fn(&Self, crate::key::Kind) -> String = $shown;
                shown(self, kind)
            }
        }
    )* };
}
pub(crate) use setting_values;

setting_values! {
    u32: number, |value, kind| shown_number(value, kind);
    u64: number, |value, kind| shown_number(value, kind);
    usize: number, |value, kind| shown_number(value, kind);
    f64: parse::share, |value, _| shown(value);
    Duration: parse::duration, |value, _| shown(value);
    String: parse::log_filter, |value, _| value.clone();
    bool: |node, kind| Ok(parse::word(node, kind)? == "on"), |value, _| on_or_off(*value);
    Option<String>: |node, kind| parse::text(node, kind).map(Some), |value, _| or_none(value.as_ref());
    Option<PathBuf>: |node, kind| parse::path(node, kind).map(Some), |value, _| or_none(value.as_ref());
    Option<SocketAddr>: parse::address_or_off, |value, _| or_none(value.as_ref());
    Vec<String>: parse::origins, |value, _| shown(value);
}
