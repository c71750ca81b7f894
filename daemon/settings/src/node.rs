//! The merged tree of all sources, each value with the place where it was written.

use config::{Value, ValueKind};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Longest excerpt of a value in a mistake, in characters.
const EXCERPT_CHARS_MAX: usize = 80;

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    File(PathBuf),
    Environment,
    Flag,
    /// A request to the running daemon.
    Request,
}

impl Origin {
    /// The folder from which relative paths count.
    pub(crate) fn folder(&self) -> &Path {
        match self {
            Self::File(file) => file.parent().unwrap_or(Path::new("")),
            Self::Environment | Self::Flag | Self::Request => Path::new(""),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Environment => f.write_str("environment"),
            Self::Flag => f.write_str("--set"),
            Self::Request => f.write_str("request"),
        }
    }
}

/// A value and its origin.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) origin: Rc<Origin>,
    pub(crate) data: Data,
}

/// The content of a value.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Text(String),
    Whole(i64),
    Num(f64),
    Bool(bool),
    List(Vec<Node>),
    Table(BTreeMap<String, Node>),
}

impl Node {
    pub(crate) fn table(origin: Rc<Origin>) -> Self {
        Self { origin, data: Data::Table(BTreeMap::new()) }
    }

    pub(crate) fn from_config(value: Value, origin: &Rc<Origin>) -> Self {
        let inner = |value| Self::from_config(value, origin);
        let data = match value.kind {
            ValueKind::Nil => Data::Text(String::new()),
            ValueKind::Boolean(flag) => Data::Bool(flag),
            ValueKind::I64(whole) => Data::Whole(whole),
            ValueKind::I128(whole) => Data::Whole(i64::try_from(whole).unwrap_or(i64::MAX)),
            ValueKind::U64(whole) => Data::Whole(i64::try_from(whole).unwrap_or(i64::MAX)),
            ValueKind::U128(whole) => Data::Whole(i64::try_from(whole).unwrap_or(i64::MAX)),
            ValueKind::Float(num) => Data::Num(num),
            ValueKind::String(text) => Data::Text(text),
            ValueKind::Array(list) => Data::List(list.into_iter().map(inner).collect()),
            ValueKind::Table(table) => {
                Data::Table(table.into_iter().map(|(key, value)| (key, inner(value))).collect())
            }
        };
        Self { origin: Rc::clone(origin), data }
    }

    /// Environment variables, flags and requests only have text, so text may be a number there.
    pub(crate) fn is_loose(&self) -> bool {
        matches!(*self.origin, Origin::Environment | Origin::Flag | Origin::Request)
    }

    /// The value as text for a mistake.
    pub(crate) fn shown(&self) -> String {
        match &self.data {
            Data::Text(text) => excerpt(text),
            Data::Whole(whole) => whole.to_string(),
            Data::Num(num) => num.to_string(),
            Data::Bool(flag) => flag.to_string(),
            Data::List(list) => format!("a list of {}", list.len()),
            Data::Table(_) => "a table".to_owned(),
        }
    }

    /// The same as plain TOML data.
    pub(crate) fn to_toml(&self) -> toml::Value {
        match &self.data {
            Data::Text(text) => toml::Value::String(text.clone()),
            Data::Whole(whole) => toml::Value::Integer(*whole),
            Data::Num(num) => toml::Value::Float(*num),
            Data::Bool(flag) => toml::Value::Boolean(*flag),
            Data::List(list) => toml::Value::Array(list.iter().map(Self::to_toml).collect()),
            Data::Table(table) => {
                let pairs = table.iter().map(|(key, value)| (key.clone(), value.to_toml()));
                toml::Value::Table(pairs.collect())
            }
        }
    }

    /// Merges a later source into this one: tables key by key, lists of named tables name by name,
    /// everything else as a whole.
    pub(crate) fn overlay(&mut self, later: Node) {
        match (&mut self.data, later.data) {
            (Data::Table(under), Data::Table(over)) => {
                for (key, value) in over {
                    match under.get_mut(&key) {
                        Some(old) if key == "teams" => old.overlay_named(value),
                        Some(old) => old.overlay(value),
                        None => {
                            under.insert(key, value);
                        }
                    }
                }
            }
            (_, data) => *self = Self { origin: later.origin, data },
        }
    }

    fn overlay_named(&mut self, later: Node) {
        match (&mut self.data, later.data) {
            (Data::List(under), Data::List(over)) => {
                for item in over {
                    let name = item.name().map(str::to_owned);
                    let known = |old: &&mut Node| name.is_some() && old.name() == name.as_deref();
                    match under.iter_mut().find(known) {
                        Some(old) => old.overlay(item),
                        None => under.push(item),
                    }
                }
            }
            (_, data) => *self = Self { origin: later.origin, data },
        }
    }

    /// The text under `name`, in a table.
    fn name(&self) -> Option<&str> {
        let Data::Table(table) = &self.data else { return None };
        match &table.get("name")?.data {
            Data::Text(text) => Some(text),
            Data::Whole(_) | Data::Num(_) | Data::Bool(_) | Data::List(_) | Data::Table(_) => None,
        }
    }

    /// Puts a text at a path; keys match in any case, list items by index or name.
    ///
    /// # Errors
    /// The part of the path that does not exist and cannot be made.
    pub(crate) fn assign(
        &mut self,
        path: &[&str],
        text: &str,
        origin: &Rc<Origin>,
    ) -> Result<(), String> {
        let Some((head, rest)) = path.split_first() else {
            *self = Self { origin: Rc::clone(origin), data: Data::Text(text.to_owned()) };
            return Ok(());
        };
        match &mut self.data {
            Data::List(list) => {
                let by_name = list.iter().position(|item| {
                    item.name().is_some_and(|name| name.eq_ignore_ascii_case(head))
                });
                let index = by_name.or_else(|| head.parse().ok());
                let item = index.and_then(|index| list.get_mut(index));
                item.ok_or_else(|| (*head).to_owned())?.assign(rest, text, origin)
            }
            Data::Table(table) => {
                let known = table.keys().find(|key| key.eq_ignore_ascii_case(head)).cloned();
                let key = known.unwrap_or_else(|| (*head).to_owned());
                let fresh = || Self::table(Rc::clone(origin));
                table.entry(key).or_insert_with(fresh).assign(rest, text, origin)
            }
            Data::Text(_) | Data::Whole(_) | Data::Num(_) | Data::Bool(_) => {
                Err((*head).to_owned())
            }
        }
    }
}

fn excerpt(text: &str) -> String {
    let mut head: String = text.chars().take(EXCERPT_CHARS_MAX).collect();
    if head.len() < text.len() {
        head.push('…');
    }
    format!("{head:?}")
}
