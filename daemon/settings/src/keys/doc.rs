//! What is said of a key.

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
    /// A table or a list; its form stands in the key's meaning.
    Table,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct KeyDoc {
    /// Where it stands: `limits.decide_max`; `teams[].name` for each team.
    pub path: &'static str,
    /// What it accepts.
    pub kind: Kind,
    /// Its value when absent; `None`: it is required or simply absent, as its meaning says.
    pub default: Option<&'static str>,
    /// An allowed value, in TOML.
    pub example: &'static str,
    /// Meaning and unit.
    pub doc: &'static str,
}
