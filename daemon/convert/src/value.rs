//! Plain values with limits: a script's value must not make an unbounded answer.

mod bytes;

pub use bytes::{put_nested, put_whole_struct};

use phalanx_game::Value;
use prost_types::value::Kind;
use std::borrow::Cow;

/// Deepest nesting that is returned or accepted; clients refuse messages that nest much deeper.
pub const DEPTH_MAX: usize = 16;
/// Most values in one value, including inner ones.
const VALUES_MAX: usize = 1_000;
/// Longest text that is returned, in bytes.
const TEXT_BYTES_MAX: usize = 2_048;
/// As [`VALUES_MAX`], where nothing is to be cut: more than fit on a board.
const WHOLE_VALUES_MAX: usize = 100_000;
/// As [`TEXT_BYTES_MAX`], where nothing is to be cut: more than fit on a board.
const WHOLE_TEXT_BYTES_MAX: usize = 1 << 20;
/// Marks the place of a cut.
const CUT: &str = "…";
/// Whole numbers up to this are exact as doubles.
const EXACT_MAX: u64 = 1 << 53;

/// A value for the API. What is too deep, too much or too long is cut and replaced by `…`. Numbers
/// that JSON cannot represent, and whole numbers that a double cannot, become texts.
#[must_use]
pub fn to_api(value: &Value) -> prost_types::Value {
    shown(value, 0, &mut Room { values: VALUES_MAX, text_bytes: TEXT_BYTES_MAX })
}

/// The same for values that are bounded already: only what is too deep is cut.
#[must_use]
pub fn whole_to_api(value: &Value) -> prost_types::Value {
    shown(value, 0, &mut Room::whole())
}

/// The remaining limits.
struct Room {
    values: usize,
    text_bytes: usize,
}

impl Room {
    fn whole() -> Self {
        Self { values: WHOLE_VALUES_MAX, text_bytes: WHOLE_TEXT_BYTES_MAX }
    }
}

fn shown(value: &Value, depth: usize, room: &mut Room) -> prost_types::Value {
    room.values = room.values.saturating_sub(1);
    let deep = depth >= DEPTH_MAX && matches!(value, Value::List(_) | Value::Map(_));
    let kind = match value {
        _ if deep => Kind::StringValue(CUT.to_owned()),
        Value::Nil => Kind::NullValue(0),
        Value::Bool(flag) => Kind::BoolValue(*flag),
        Value::Int(int) if int.unsigned_abs() > EXACT_MAX => Kind::StringValue(int.to_string()),
        #[expect(clippy::cast_precision_loss, reason = "larger ones are texts")]
        Value::Int(int) => Kind::NumberValue(*int as f64),
        Value::Num(num) if num.is_finite() => Kind::NumberValue(*num),
        Value::Num(num) => Kind::StringValue(num.to_string()),
        Value::Str(text) => Kind::StringValue(cut(text, room.text_bytes).into_owned()),
        Value::List(items) => {
            let mut values = Vec::new();
            for item in items {
                if room.values == 0 {
                    values.push(text(CUT));
                    break;
                }
                values.push(shown(item, depth + 1, room));
            }
            Kind::ListValue(prost_types::ListValue { values })
        }
        Value::Map(pairs) => {
            let mut fields = std::collections::BTreeMap::new();
            for (key, item) in pairs {
                if room.values == 0 {
                    fields.insert(CUT.to_owned(), text(CUT));
                    break;
                }
                fields.insert(cut(key, room.text_bytes).into_owned(), shown(item, depth + 1, room));
            }
            Kind::StructValue(prost_types::Struct { fields })
        }
    };
    prost_types::Value { kind: Some(kind) }
}

fn text(text: &str) -> prost_types::Value {
    prost_types::Value { kind: Some(Kind::StringValue(text.to_owned())) }
}

fn cut(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(bytes_max);
    Cow::Owned(format!("{}{CUT}", text.get(..end).unwrap_or_default()))
}

/// A parameter's value from an operator. Lists and tables become empty ones, since no parameter
/// accepts them.
#[must_use]
pub fn from_api(value: prost_types::Value) -> Value {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Nil,
        Some(Kind::BoolValue(flag)) => Value::Bool(flag),
        Some(Kind::NumberValue(num)) => Value::Num(num),
        Some(Kind::StringValue(text)) => Value::Str(Cow::Owned(text)),
        Some(Kind::ListValue(_)) => Value::List(Vec::new()),
        Some(Kind::StructValue(_)) => Value::Map(Vec::new()),
    }
}

/// A complete value from an operator; `None` if it nests too deep, or has null in a list or a
/// number that is not finite.
#[must_use]
pub fn whole_from_api(value: prost_types::Value) -> Option<Value> {
    taken(value, 0)
}

fn taken(value: prost_types::Value, depth: usize) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    let inner = |value| taken(value, depth + 1).filter(|value| *value != Value::Nil);
    Some(match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Nil,
        Some(Kind::BoolValue(flag)) => Value::Bool(flag),
        Some(Kind::NumberValue(num)) if num.is_finite() => Value::Num(num),
        Some(Kind::NumberValue(_)) => return None,
        Some(Kind::StringValue(text)) => Value::Str(Cow::Owned(text)),
        Some(Kind::ListValue(list)) => {
            Value::List(list.values.into_iter().map(inner).collect::<Option<_>>()?)
        }
        Some(Kind::StructValue(map)) => {
            let pair = |(key, value)| Some((Cow::Owned(key), inner(value)?));
            Value::Map(map.fields.into_iter().map(pair).collect::<Option<_>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The number of values in it, and how deep they nest.
    fn size(value: &prost_types::Value) -> (usize, usize) {
        let inner: Vec<_> = match value.kind.as_ref().unwrap() {
            Kind::ListValue(list) => list.values.iter().map(size).collect(),
            Kind::StructValue(map) => map.fields.values().map(size).collect(),
            Kind::NullValue(_)
            | Kind::NumberValue(_)
            | Kind::StringValue(_)
            | Kind::BoolValue(_) => Vec::new(),
        };
        let count = inner.iter().map(|(count, _)| count).sum::<usize>();
        (count + 1, inner.iter().map(|(_, depth)| depth + 1).max().unwrap_or_default())
    }

    #[test]
    fn numbers_that_json_cannot_carry_become_texts() {
        for (value, expected) in [
            (Value::Num(f64::NAN), Kind::StringValue("NaN".into())),
            (Value::Num(f64::NEG_INFINITY), Kind::StringValue("-inf".into())),
            (Value::Int(i64::MAX), Kind::StringValue(i64::MAX.to_string())),
            (Value::Int(-3), Kind::NumberValue(-3.0)),
            (Value::Nil, Kind::NullValue(0)),
        ] {
            assert_eq!(to_api(&value).kind, Some(expected));
        }
    }

    #[test]
    fn what_is_too_deep_too_much_or_too_long_is_cut() {
        let deep = (0..10_000).fold(Value::Nil, |inner, _| Value::List(vec![inner]));
        assert_eq!(size(&to_api(&deep)).1, DEPTH_MAX);
        // Dropping a value of this depth would recurse too deep for a small stack.
        std::mem::forget(deep);
        let wide = Value::List(vec![Value::Bool(true); 100_000]);
        assert_eq!(size(&to_api(&wide)).0, VALUES_MAX + 1);
        let long = Value::text("ä".repeat(TEXT_BYTES_MAX));
        let Some(Kind::StringValue(shown)) = to_api(&long).kind else { panic!("a text") };
        assert_eq!(shown.len(), TEXT_BYTES_MAX + CUT.len());
        assert!(shown.ends_with(CUT));
    }

    #[test]
    fn a_whole_value_comes_back_or_is_refused() {
        let table = Value::map([("name", Value::text("n".repeat(5_000))), ("x", Value::Num(1.5))]);
        let list = Value::List(vec![table, Value::Bool(true)]);
        assert!(whole_from_api(whole_to_api(&list)) == Some(list), "keys come sorted");
        let deep = |depth| (0..depth).fold(Value::Bool(true), |inner, _| Value::List(vec![inner]));
        assert_eq!(whole_from_api(whole_to_api(&deep(DEPTH_MAX))), Some(deep(DEPTH_MAX)));
        let null = prost_types::Value { kind: Some(Kind::NullValue(0)) };
        assert_eq!(whole_from_api(null.clone()), Some(Value::Nil));
        let holes = Kind::ListValue(prost_types::ListValue { values: vec![null] });
        for odd in [holes, Kind::NumberValue(f64::NAN)] {
            assert_eq!(whole_from_api(prost_types::Value { kind: Some(odd) }), None);
        }
        let mut deeper = prost_types::Value { kind: Some(Kind::BoolValue(true)) };
        for _ in 0..=DEPTH_MAX {
            let values = vec![deeper];
            deeper = prost_types::Value {
                kind: Some(Kind::ListValue(prost_types::ListValue { values })),
            };
        }
        assert_eq!(whole_from_api(deeper), None);
    }

    proptest! {
        #[test]
        fn scalars_come_back_as_they_went(num in proptest::num::f64::NORMAL, text in ".{0,20}", flag: bool) {
            for value in [Value::Num(num), Value::text(text.clone()), Value::Bool(flag)] {
                prop_assert_eq!(from_api(to_api(&value)), value);
            }
        }
    }
}
