//! Arguments of queries, checked.

use phalanx_game::{QueryError, Value};

/// The arguments of one question.
pub(super) struct Args<'a> {
    query: &'a str,
    values: &'a [Value],
}

/// Names in one argument at most.
pub(super) const NAMES_MAX: usize = 4096;

impl<'a> Args<'a> {
    pub(super) fn new(query: &'a str, values: &'a [Value]) -> Self {
        Self { query, values }
    }

    /// The argument, when it is there and not nil.
    pub(super) fn get(&self, index: usize) -> Option<&'a Value> {
        self.values.get(index).filter(|value| **value != Value::Nil)
    }

    pub(super) fn wrong(&self, index: usize, expected: &str) -> QueryError {
        let got = self.get(index).map_or("nil", Value::kind);
        let reason = format!("argument {}: expected {expected}, got {got}", index + 1);
        QueryError { query: self.query.to_owned(), reason }
    }

    pub(super) fn text(&self, index: usize, expected: &str) -> Result<&'a str, QueryError> {
        self.get(index).and_then(Value::as_str).ok_or_else(|| self.wrong(index, expected))
    }

    pub(super) fn optional_text(&self, index: usize) -> Result<Option<&'a str>, QueryError> {
        match self.get(index) {
            None => Ok(None),
            Some(_) => self.text(index, "text").map(Some),
        }
    }

    /// A whole number from 0 to `max`; larger ones are cut.
    pub(super) fn count(&self, index: usize, max: usize) -> Result<Option<usize>, QueryError> {
        let Some(value) = self.get(index) else { return Ok(None) };
        let count = value.as_int().and_then(|int| usize::try_from(int).ok());
        let count = count.ok_or_else(|| self.wrong(index, "a whole number, not negative"))?;
        Ok(Some(count.min(max)))
    }

    pub(super) fn names(&self, index: usize) -> Result<Vec<&'a str>, QueryError> {
        let names = self.get(index).and_then(names);
        names.ok_or_else(|| self.wrong(index, "a list of at most 4096 names"))
    }

    /// The table of options; an empty one when it is left out.
    pub(super) fn options(&self, index: usize) -> Result<Options<'a>, QueryError> {
        match self.get(index) {
            None => Ok(Options(None)),
            // An empty table is an empty list to a converter that cannot know better.
            Some(Value::List(list)) if list.is_empty() => Ok(Options(None)),
            Some(table @ Value::Map(_)) => Ok(Options(Some(table))),
            Some(_) => Err(self.wrong(index, "a table of options")),
        }
    }
}

/// A list of names; `None` when it is none or too long.
fn names(value: &Value) -> Option<Vec<&str>> {
    if matches!(value, Value::Map(map) if map.is_empty()) {
        return Some(Vec::new());
    }
    let list = value.as_list().filter(|list| list.len() <= NAMES_MAX)?;
    list.iter().map(Value::as_str).collect()
}

/// Named options, all of which may be left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options<'a>(Option<&'a Value>);

impl<'a> Options<'a> {
    pub(super) fn get(self, key: &str) -> Option<&'a Value> {
        self.0?.get(key).filter(|value| **value != Value::Nil)
    }

    pub(super) fn flag(self, key: &str) -> Option<bool> {
        self.get(key).and_then(Value::as_bool)
    }

    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    pub(super) fn count(self, key: &str) -> Option<u32> {
        self.get(key)?.as_int().and_then(|int| u32::try_from(int).ok())
    }

    pub(super) fn names(self, key: &str) -> Option<Vec<&'a str>> {
        self.get(key).and_then(names)
    }
}
