//! Values and memories as a list of tokens in reading order. Readers never nest deeper than a
//! bound, whatever the bytes say.

use crate::{Plain, PlainKey, Value};
use serde::{Deserialize, Serialize};
use std::vec::IntoIter;

/// Deepest nesting that is read; scripts and the control API use much less.
const DEPTH_MAX: usize = 256;

/// A value, or several in a row.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Tokens(Vec<ValueToken>);

#[derive(Debug, Serialize, Deserialize)]
enum ValueToken {
    Nil,
    Bool(bool),
    Int(i64),
    Num(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// The number of values that follow.
    List(u32),
    /// The number of keys that follow, each with its value.
    Table(u32),
}

impl Tokens {
    /// Values in a row.
    #[must_use]
    pub fn of_values<'a>(values: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut tokens = Self::default();
        for value in values {
            tokens.value(value);
        }
        tokens
    }

    /// One value.
    #[must_use]
    pub fn of_value(value: &Value) -> Self {
        Self::of_values([value])
    }

    /// Plain data of a script.
    #[must_use]
    pub fn of_plain(plain: &Plain) -> Self {
        let mut tokens = Self::default();
        tokens.plain(plain);
        tokens
    }

    fn value(&mut self, value: &Value) {
        let token = match value {
            Value::Nil => ValueToken::Nil,
            Value::Bool(flag) => ValueToken::Bool(*flag),
            Value::Int(int) => ValueToken::Int(*int),
            Value::Num(num) => ValueToken::Num(*num),
            Value::Str(text) => ValueToken::Text(text.clone().into_owned()),
            Value::List(list) => ValueToken::List(count(list)),
            Value::Map(map) => ValueToken::Table(count(map)),
        };
        self.0.push(token);
        match value {
            Value::List(list) => list.iter().for_each(|value| self.value(value)),
            Value::Map(map) => {
                for (key, value) in map {
                    self.0.push(ValueToken::Text(key.clone().into_owned()));
                    self.value(value);
                }
            }
            Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Num(_) | Value::Str(_) => {}
        }
    }

    fn plain(&mut self, plain: &Plain) {
        match plain {
            Plain::Bool(flag) => self.0.push(ValueToken::Bool(*flag)),
            Plain::Num(num) => self.0.push(ValueToken::Num(*num)),
            Plain::Text(bytes) => self.0.push(ValueToken::Bytes(bytes.clone())),
            Plain::Table(pairs) => {
                self.0.push(ValueToken::Table(count(pairs)));
                for (key, value) in pairs {
                    self.0.push(match key {
                        PlainKey::Bool(flag) => ValueToken::Bool(*flag),
                        PlainKey::Num(num) => ValueToken::Num(*num),
                        PlainKey::Text(bytes) => ValueToken::Bytes(bytes.clone()),
                    });
                    self.plain(value);
                }
            }
        }
    }

    /// All values; `None` if the tokens are not a list of values.
    #[must_use]
    pub fn into_values(self) -> Option<Vec<Value>> {
        let mut tokens = self.0.into_iter();
        let mut values = Vec::new();
        while !tokens.as_slice().is_empty() {
            values.push(value(&mut tokens, DEPTH_MAX)?);
        }
        Some(values)
    }

    /// The only value; `None` if there is another number of values.
    #[must_use]
    pub fn into_value(self) -> Option<Value> {
        let mut tokens = self.0.into_iter();
        let value = value(&mut tokens, DEPTH_MAX)?;
        tokens.as_slice().is_empty().then_some(value)
    }

    /// The plain data; `None` if the tokens are something else.
    #[must_use]
    pub fn into_plain(self) -> Option<Plain> {
        let mut tokens = self.0.into_iter();
        let plain = plain(&mut tokens, DEPTH_MAX)?;
        tokens.as_slice().is_empty().then_some(plain)
    }
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

fn value(tokens: &mut IntoIter<ValueToken>, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match tokens.next()? {
        ValueToken::Nil => Value::Nil,
        ValueToken::Bool(flag) => Value::Bool(flag),
        ValueToken::Int(int) => Value::Int(int),
        ValueToken::Num(num) => Value::Num(num),
        ValueToken::Text(text) => Value::text(text),
        ValueToken::List(count) => {
            Value::List((0..count).map(|_| value(tokens, depth)).collect::<Option<_>>()?)
        }
        ValueToken::Table(count) => {
            let mut pair = || {
                let ValueToken::Text(key) = tokens.next()? else { return None };
                Some((key.into(), value(tokens, depth)?))
            };
            Value::Map((0..count).map(|_| pair()).collect::<Option<_>>()?)
        }
        ValueToken::Bytes(_) => return None,
    })
}

fn plain(tokens: &mut IntoIter<ValueToken>, depth: usize) -> Option<Plain> {
    let depth = depth.checked_sub(1)?;
    Some(match tokens.next()? {
        ValueToken::Bool(flag) => Plain::Bool(flag),
        ValueToken::Num(num) => Plain::Num(num),
        ValueToken::Bytes(bytes) => Plain::Text(bytes),
        ValueToken::Table(count) => {
            let mut pair = || {
                let key = match tokens.next()? {
                    ValueToken::Bool(flag) => PlainKey::Bool(flag),
                    ValueToken::Num(num) => PlainKey::Num(num),
                    ValueToken::Bytes(bytes) => PlainKey::Text(bytes),
                    ValueToken::Nil
                    | ValueToken::Int(_)
                    | ValueToken::Text(_)
                    | ValueToken::List(_)
                    | ValueToken::Table(_) => return None,
                };
                Some((key, plain(tokens, depth)?))
            };
            Plain::Table((0..count).map(|_| pair()).collect::<Option<_>>()?)
        }
        ValueToken::Nil | ValueToken::Int(_) | ValueToken::Text(_) | ValueToken::List(_) => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_memories_come_back_as_they_were() {
        let nested = Value::List(vec![
            Value::Nil,
            Value::map([("flag", Value::Bool(true)), ("at", Value::cell(-3, 4))]),
            Value::Num(0.1),
            Value::text("ä\0"),
        ]);
        let values = [nested.clone(), Value::Int(i64::MIN), Value::List(Vec::new())];
        assert_eq!(Tokens::of_value(&nested).into_value(), Some(nested));
        assert_eq!(Tokens::of_values(&values).into_values(), Some(values.to_vec()));
        let memory = Plain::Table(vec![
            (PlainKey::Num(1.0), Plain::Text(vec![0xff, 0x00])),
            (PlainKey::Text(b"goal".to_vec()), Plain::Table(vec![])),
            (PlainKey::Bool(false), Plain::Num(f64::MIN)),
        ]);
        assert_eq!(Tokens::of_plain(&memory).into_plain(), Some(memory));
    }

    #[test]
    fn tokens_that_say_nothing_or_go_too_deep_are_refused() {
        let deep =
            |depth| (0..depth).map(|_| ValueToken::List(1)).chain([ValueToken::Nil]).collect();
        assert!(Tokens(deep(DEPTH_MAX - 1)).into_value().is_some());
        assert!(Tokens(deep(1_000_000)).into_value().is_none());
        for wrong in [
            vec![],
            vec![ValueToken::List(u32::MAX)],
            vec![ValueToken::Table(1), ValueToken::Int(1), ValueToken::Nil],
            vec![ValueToken::Nil, ValueToken::Nil],
            vec![ValueToken::Bytes(vec![1])],
        ] {
            assert!(Tokens(wrong).into_value().is_none());
        }
        let tables =
            (0..1_000).flat_map(|_| [ValueToken::Table(1), ValueToken::Bool(true)]).collect();
        assert!(Tokens(tables).into_plain().is_none());
    }
}
