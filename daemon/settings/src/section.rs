//! Reads one table: every getter checks, and collects mistakes instead of stopping.

use crate::environment::Environment;
use crate::key::{self, KeyDoc, Kind};
use crate::mistake::{SettingsErrors, SettingsMistake};
use crate::node::{Data, Node, Origin};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// Most names that an error lists.
const NAMES_MAX: usize = 16;

/// What a value should have been.
pub(crate) type Expected = String;

/// Collects the mistakes of all sections.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    /// The keys that there are.
    keys: &'a [KeyDoc],
    pub(crate) environment: &'a Environment,
    mistakes: RefCell<Vec<SettingsMistake>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(keys: &'a [KeyDoc], environment: &'a Environment) -> Self {
        Self { keys, environment, mistakes: RefCell::default() }
    }

    pub(crate) fn note(
        &self,
        origin: &Origin,
        key: impl Into<String>,
        got: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.mistakes.borrow_mut().push(SettingsMistake {
            file: origin.to_string(),
            key: key.into(),
            got: got.into(),
            expected: expected.into(),
        });
    }

    pub(crate) fn finish<T>(self, value: T) -> Result<T, SettingsErrors> {
        let mistakes = self.mistakes.into_inner();
        if mistakes.is_empty() { Ok(value) } else { Err(SettingsErrors { mistakes }) }
    }
}

/// One table, with its path among the keys (`teams[].agents[]`) and in the sources
/// (`teams[0].agents[3]`).
#[derive(Debug)]
pub(crate) struct Section<'a> {
    pub(crate) reader: &'a Reader<'a>,
    declared: String,
    pub(crate) place: String,
    pub(crate) origin: Rc<Origin>,
    table: Option<&'a BTreeMap<String, Node>>,
}

impl<'a> Section<'a> {
    pub(crate) fn top(reader: &'a Reader<'a>, tree: &'a Node) -> Self {
        Self::open(reader, String::new(), String::new(), tree)
    }

    /// A table that is not in any source: all its keys have their defaults.
    pub(crate) fn absent(reader: &'a Reader<'a>, declared: &str) -> Self {
        let (declared, place) = (declared.to_owned(), declared.to_owned());
        Self { reader, declared, place, origin: Rc::new(Origin::Flag), table: None }
    }

    /// Opens a table; notes if it is not a table, and every undeclared key.
    pub(crate) fn open(
        reader: &'a Reader<'a>,
        declared: String,
        place: String,
        node: &'a Node,
    ) -> Self {
        let origin = Rc::clone(&node.origin);
        let Data::Table(table) = &node.data else {
            reader.note(&origin, &place, node.shown(), "a table");
            return Self { reader, declared, place, origin, table: None };
        };
        let section = Self { reader, declared, place, origin, table: Some(table) };
        section.refuse_unknown();
        section
    }

    fn refuse_unknown(&self) {
        let known = key::children(self.reader.keys, &self.declared);
        for (key, node) in self.table.into_iter().flatten() {
            if !known.contains(&key.as_str()) {
                let expected = match key::elsewhere(self.reader.keys, key) {
                    Some(path) => format!("a key of this section; the nearest is `{path}`"),
                    None => one_of(key, &known),
                };
                self.reader.note(&node.origin, self.shown(key), "unknown key", expected);
            }
        }
    }

    /// A table that may be absent.
    pub(crate) fn section(&self, key: &str) -> Section<'a> {
        let (declared, place) = (join(&self.declared, key), self.shown(key));
        match self.node(key) {
            Some(node) => Section::open(self.reader, declared, place, node),
            None => {
                let origin = Rc::clone(&self.origin);
                Section { reader: self.reader, declared, place, origin, table: None }
            }
        }
    }

    /// The tables of a list that may be absent.
    pub(crate) fn sections(&self, key: &str) -> Vec<Section<'a>> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let Data::List(list) = &node.data else {
            let expected = format!("a list of tables: [[{}]]", self.shown(key));
            self.reader.note(&node.origin, self.shown(key), node.shown(), expected);
            return Vec::new();
        };
        let declared = format!("{}[]", join(&self.declared, key));
        let open = |(index, node)| {
            let place = format!("{}[{index}]", self.shown(key));
            Section::open(self.reader, declared.clone(), place, node)
        };
        list.iter().enumerate().map(open).collect()
    }

    /// The value of `key`.
    pub(crate) fn node(&self, key: &str) -> Option<&'a Node> {
        self.table.and_then(|table| table.get(key))
    }

    /// The whole path of a key of this table.
    pub(crate) fn shown(&self, key: &str) -> String {
        join(&self.place, key)
    }

    /// The value, or the declared default; notes a missing required one.
    pub(crate) fn value<T: Default>(
        &self,
        key: &str,
        parse: impl Fn(&Node, Kind) -> Result<T, Expected>,
    ) -> T {
        let written = self.node(key).is_some();
        if let Some(value) = self.optional(key, parse) {
            return value;
        }
        // A wrong value is noted already, and so is a table that is absent or wrong.
        if !written && self.table.is_some() {
            let doc = self.doc(key);
            let expected = format!("{}, for example {}", describe(doc.kind), doc.example);
            self.reader.note(&self.origin, self.shown(key), "missing", expected);
        }
        T::default()
    }

    /// The value, the declared default, or nothing; notes a wrong value.
    pub(crate) fn optional<T>(
        &self,
        key: &str,
        parse: impl Fn(&Node, Kind) -> Result<T, Expected>,
    ) -> Option<T> {
        let doc = self.doc(key);
        let Some(node) = self.node(key) else {
            let data = Data::Text(doc.default?.to_owned());
            return parse(&Node { origin: Rc::new(Origin::Flag), data }, doc.kind).ok();
        };
        parse(node, doc.kind).map_err(|expected| self.refuse(key, node, expected)).ok()
    }

    /// Notes that the value of `key` is wrong.
    pub(crate) fn refuse(&self, key: &str, node: &Node, expected: impl Into<String>) {
        let secret = self.doc(key).kind == Kind::Secret;
        let got = if secret { "[redacted]".to_owned() } else { node.shown() };
        self.reader.note(&node.origin, self.shown(key), got, expected);
    }

    /// Notes two durations that are in the wrong order.
    pub(crate) fn ordered(&self, low: &str, min: Duration, high: &str, max: Duration) {
        if min > max {
            let wrong = self.node(low).or_else(|| self.node(high));
            let origin = wrong.map_or(&self.origin, |node| &node.origin);
            let got = humantime::format_duration(min).to_string();
            let expected = format!("at most {high}, which is {}", humantime::format_duration(max));
            self.reader.note(origin, self.shown(low), got, expected);
        }
    }

    fn doc(&self, key: &str) -> &'a KeyDoc {
        let declared = key::find(self.reader.keys, &join(&self.declared, key));
        declared.expect("every key that is read is declared in KEYS")
    }
}

/// What a kind accepts, as text.
pub(crate) fn describe(kind: Kind) -> String {
    match kind {
        Kind::Text(max) => format!("text of 1 to {max} characters"),
        Kind::Name(max) => format!("a name of 1 to {max} characters without \"/\""),
        Kind::Word(words) => format!("one of {}", words.join(", ")),
        Kind::Whole(min, max) => format!("a whole number from {min} to {max}"),
        Kind::Share => "a number from 0 to 1".to_owned(),
        Kind::Duration(min, max) => {
            let time = |ms| humantime::format_duration(Duration::from_millis(ms)).to_string();
            format!("a time with a unit from {} to {}", time(min), time(max))
        }
        Kind::Size(min, max) => {
            format!("a size with a unit from {} to {}", size_text(min), size_text(max))
        }
        Kind::Path => "a path".to_owned(),
        Kind::PathOrOff => "a path, or \"off\"".to_owned(),
        Kind::Server => "host:port, or \"bridge\"".to_owned(),
        Kind::AddressOrOff => "an address with port, or \"off\"".to_owned(),
        Kind::Mode => "permission bits as octal digits from \"0600\" to \"0777\"".to_owned(),
        Kind::Filter => "log directives".to_owned(),
        Kind::Origins => "a list of origins".to_owned(),
        Kind::Hosts => "a list of hosts, each with or without a port".to_owned(),
        Kind::Secret => "text in quotes".to_owned(),
        Kind::Table => "a table or a list".to_owned(),
    }
}

/// The meaning of a key with its bounds and default.
pub(crate) fn documented(doc: &KeyDoc) -> String {
    let silent = matches!(doc.kind, Kind::Word([]) | Kind::Table);
    let kind = if silent { String::new() } else { format!(" ({})", describe(doc.kind)) };
    let default = doc.default.map_or(String::new(), |value| format!(" Default: {value}."));
    format!("{}{kind}{default}", doc.doc)
}

/// The known names, if there are not too many to read, and the one that is most similar to `name`.
pub(crate) fn one_of(name: &str, known: &[&str]) -> String {
    let score = |known: &str| strsim::normalized_damerau_levenshtein(name, known);
    let nearest = known.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
    match nearest {
        None => "none: there are none here".to_owned(),
        Some(nearest) if known.len() > NAMES_MAX => {
            format!("another one; the nearest is `{nearest}`")
        }
        Some(nearest) => format!("one of {}; the nearest is `{nearest}`", known.join(", ")),
    }
}

fn size_text(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{bytes}B"), |(unit, name)| format!("{}{name}", bytes / unit))
}

pub(crate) fn join(parent: &str, key: &str) -> String {
    if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") }
}
