//! What a key is, and how it is found among others.

use crate::change::Change;

pub(crate) const KIB: u64 = 1 << 10;
pub(crate) const MIB: u64 = 1 << 20;
pub(crate) const GIB: u64 = 1 << 30;
pub(crate) const TIB: u64 = 1 << 40;
pub(crate) const MINUTE: u64 = 60_000;
pub(crate) const DAY: u64 = 24 * 60 * MINUTE;

/// What a key accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Text, 1 to this many characters, none of them a control character.
    Text(usize),
    /// A name: as text, and without `/`.
    Name(usize),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number in this range, both ends included.
    Whole(i64, i64),
    /// A number from 0 to 1.
    Share,
    /// A time with a unit, within these milliseconds.
    Duration(u64, u64),
    /// An amount of memory with a unit, within these bytes.
    Size(u64, u64),
    /// A path; a relative one counts from the folder of the settings file.
    Path,
    /// A path, or `off`.
    PathOrOff,
    /// `host:port`, or `bridge`.
    Server,
    /// An address with port, or `off`.
    AddressOrOff,
    /// Permission bits, in octal digits.
    Mode,
    /// Log directives.
    Filter,
    /// A list of web origins.
    Origins,
    /// A list of hosts, each with or without a port.
    Hosts,
    /// Text that is never printed.
    Secret,
    /// A table or a list; the key's meaning describes its form.
    Table,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct KeyDoc {
    /// Its path: `limits.decide_max`; `teams[].name` for each team.
    pub path: &'static str,
    /// What it accepts.
    pub kind: Kind,
    /// Its value if it is absent; `None`: it is required, or its meaning says what happens.
    pub default: Option<&'static str>,
    /// An allowed value, in TOML.
    pub example: &'static str,
    /// Meaning and unit.
    pub doc: &'static str,
}

/// A key, and what a reload does with a new value.
pub(crate) type DeclaredKey = (KeyDoc, Change);

pub(crate) const fn key(
    path: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    example: &'static str,
    change: Change,
    doc: &'static str,
) -> DeclaredKey {
    (KeyDoc { path, kind, default, example, doc }, change)
}

/// The key of that path.
pub(crate) fn find<'k>(keys: &'k [KeyDoc], path: &str) -> Option<&'k KeyDoc> {
    keys.iter().find(|doc| doc.path == path)
}

/// The names that are allowed directly under `parent` ("" is the top), each once.
pub(crate) fn children(keys: &[KeyDoc], parent: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for doc in keys {
        let rest = match parent {
            "" => Some(doc.path),
            parent => doc.path.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.')),
        };
        let name = rest.and_then(|rest| rest.split(['.', '[']).next());
        if let Some(name) = name.filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    names
}

/// The whole path of a key that is spelt correctly but in the wrong table.
pub(crate) fn elsewhere(keys: &[KeyDoc], name: &str) -> Option<&'static str> {
    let named = |doc: &&KeyDoc| doc.path.rsplit('.').next() == Some(name);
    keys.iter().find(named).map(|doc| doc.path)
}
