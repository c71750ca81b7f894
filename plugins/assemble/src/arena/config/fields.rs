//! Reading an object's keys while collecting every mistake.

use super::ConfigMistake;
use serde_json::Value;

/// An object and where it is.
#[derive(Debug)]
pub(super) struct FieldReader<'v, 'm> {
    path: String,
    value: &'v Value,
    mistakes: &'m mut Vec<ConfigMistake>,
}

impl<'v, 'm> FieldReader<'v, 'm> {
    pub(super) fn new(path: &str, value: &'v Value, mistakes: &'m mut Vec<ConfigMistake>) -> Self {
        let mut fields = Self { path: path.to_owned(), value, mistakes };
        // A file that could not be read has been reported where it is included.
        if !value.is_object() && !value.is_null() {
            fields.wrong("", &format!("an object expected, got {}", kind(value)));
        }
        fields
    }

    /// The same list of mistakes for another object.
    pub(super) fn nested<'a>(&'a mut self, path: &str, value: &'a Value) -> FieldReader<'a, 'a> {
        FieldReader::new(&self.key(path), value, self.mistakes)
    }

    pub(super) fn wrong(&mut self, key: &str, problem: &str) {
        let key = self.key(key);
        self.mistakes.push(ConfigMistake { key, problem: problem.to_owned() });
    }

    fn key(&self, key: &str) -> String {
        match (self.path.as_str(), key) {
            ("", key) => key.to_owned(),
            (path, "") => path.to_owned(),
            (path, key) => format!("{path}.{key}"),
        }
    }

    pub(super) fn optional(&self, key: &str) -> Option<&'v Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    fn required(&mut self, key: &str) -> Option<&'v Value> {
        let value = self.optional(key);
        // An unreadable object is one mistake, not one for each of its keys.
        if value.is_none() && self.value.is_object() {
            self.wrong(key, "missing");
        }
        value
    }

    fn take<T>(
        &mut self,
        key: &str,
        expected: &str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.required(key)?;
        let taken = read(value);
        if taken.is_none() {
            self.wrong(key, &format!("{expected} expected, got {}", kind(value)));
        }
        taken
    }

    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        self.take(key, "a text", |value| value.as_str().map(str::to_owned))
    }

    /// A text that no message shows, whatever is there instead.
    pub(super) fn secret(&mut self, key: &str) -> Option<String> {
        let text = self.required(key)?.as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong(key, "a text expected, in quotes");
        }
        text
    }

    pub(super) fn float(&mut self, key: &str, low: f64, high: f64) -> Option<f64> {
        let read = |value: &Value| value.as_f64().filter(|number| (low..=high).contains(number));
        self.take(key, &format!("a number of {low}..{high}"), read)
    }

    pub(super) fn int(&mut self, key: &str, low: i64, high: i64) -> Option<i64> {
        let read = |value: &Value| value.as_i64().filter(|number| (low..=high).contains(number));
        self.take(key, &format!("an integer of {low}..{high}"), read)
    }

    pub(super) fn optional_int(
        &mut self,
        key: &str,
        default: i64,
        low: i64,
        high: i64,
    ) -> Option<i64> {
        if self.optional(key).is_none() { Some(default) } else { self.int(key, low, high) }
    }

    pub(super) fn i32(&mut self, key: &str, low: i32, high: i32) -> Option<i32> {
        self.int(key, low.into(), high.into()).and_then(|number| i32::try_from(number).ok())
    }

    /// Inclusive bounds `[low, high]`.
    pub(super) fn bounds(&mut self, key: &str, low: i32, high: i32) -> Option<[i32; 2]> {
        let read = |value: &Value| {
            let bounds: [i32; 2] = serde_json::from_value(value.clone()).ok()?;
            let [from, to] = bounds;
            (low <= from && from <= to && to <= high).then_some(bounds)
        };
        self.take(key, &format!("bounds [from, to] within {low}..{high}"), read)
    }

    pub(super) fn list(&mut self, key: &str) -> Option<Vec<Value>> {
        self.take(key, "a list", |value| value.as_array().cloned())
    }

    pub(super) fn object(&mut self, key: &str) -> Option<Vec<(String, Value)>> {
        let read = |value: &Value| {
            let map = value.as_object()?;
            Some(map.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
        };
        self.take(key, "an object", read)
    }

    pub(super) fn section<T>(
        &mut self,
        key: &str,
        read: impl Fn(&mut FieldReader<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.required(key)?;
        read(&mut self.nested(key, value))
    }
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("\"{}\"", text.chars().take(40).collect::<String>()),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}
