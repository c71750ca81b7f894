//! The arguments of a query, checked by name.

use phalanx_game::{QueryError, Value};

/// The arguments of one query.
pub(super) struct QueryArgs<'a> {
    name: &'a str,
    args: &'a [Value],
}

impl<'a> QueryArgs<'a> {
    pub(super) fn new(name: &'a str, args: &'a [Value]) -> Self {
        Self { name, args }
    }

    pub(super) fn get(&self, index: usize) -> &'a Value {
        self.args.get(index).unwrap_or(&Value::Nil)
    }

    /// The argument, unless it is left out or nil.
    pub(super) fn given(&self, index: usize) -> Option<&'a Value> {
        self.args.get(index).filter(|value| **value != Value::Nil)
    }

    /// An error that names the argument, what was expected and what came.
    pub(super) fn wrong(&self, index: usize, expected: &str) -> QueryError {
        let got = match self.get(index) {
            Value::Nil => "nothing".to_owned(),
            Value::Str(text) => format!("{:?}", phalanx_game::excerpt(text.as_bytes())),
            Value::Int(int) => int.to_string(),
            Value::Num(num) => num.to_string(),
            other @ (Value::Bool(_) | Value::List(_) | Value::Map(_)) => {
                format!("a {}", other.kind())
            }
        };
        self.error(format!("argument {}: expected {expected}, got {got}", index + 1))
    }

    pub(super) fn error(&self, reason: String) -> QueryError {
        QueryError { query: self.name.to_owned(), reason }
    }

    pub(super) fn int(&self, index: usize) -> Result<i32, QueryError> {
        let int = self.get(index).as_int().and_then(|int| i32::try_from(int).ok());
        int.ok_or_else(|| self.wrong(index, "a whole number"))
    }

    /// A whole number in a range, if given.
    pub(super) fn count(
        &self,
        index: usize,
        min: u32,
        max: u32,
    ) -> Result<Option<u32>, QueryError> {
        let Some(given) = self.given(index) else { return Ok(None) };
        let count = given.as_int().and_then(|int| u32::try_from(int).ok());
        let count = count.filter(|count| (min..=max).contains(count));
        count.map(Some).ok_or_else(|| {
            self.wrong(index, &format!("a whole number from {min} to {max}, or nil"))
        })
    }

    /// One of these words, if given.
    pub(super) fn word(
        &self,
        index: usize,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, QueryError> {
        let Some(given) = self.given(index) else { return Ok(None) };
        let found = given.as_str().and_then(|text| words.iter().find(|word| **word == text));
        let all = || format!("one of {}", words.join(", "));
        found.copied().map(Some).ok_or_else(|| self.wrong(index, &all()))
    }

    pub(super) fn flag(&self, index: usize) -> Result<bool, QueryError> {
        let Some(given) = self.given(index) else { return Ok(false) };
        given.as_bool().ok_or_else(|| self.wrong(index, "true, false or nil"))
    }
}
