//! Plain values, bounded: what a script says must not make an answer without end.

use phalanx_game::Value;
use prost_types::value::Kind;
use std::borrow::Cow;

/// Deepest nesting that is shown; clients refuse messages nested much deeper.
const DEPTH_MAX: usize = 16;
/// Most values that are shown in one, the inner ones counted.
const VALUES_MAX: usize = 1_000;
/// Longest text that is shown, in bytes.
const TEXT_BYTES_MAX: usize = 2_048;
/// Stands for what was cut.
const CUT: &str = "…";
/// Whole numbers up to this are exact as doubles.
const EXACT_MAX: u64 = 1 << 53;

/// As the API shows it. What is too deep, too much or too long is cut, with `…` in its place.
/// Numbers that JSON cannot carry, and whole ones that a double cannot, become texts.
pub(crate) fn to_api(value: &Value) -> prost_types::Value {
    let mut left = VALUES_MAX;
    shown(value, 0, &mut left)
}

fn shown(value: &Value, depth: usize, left: &mut usize) -> prost_types::Value {
    *left = left.saturating_sub(1);
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
        Value::Str(text) => Kind::StringValue(cut(text)),
        Value::List(items) => {
            let mut values = Vec::new();
            for item in items {
                if *left == 0 {
                    values.push(text(CUT));
                    break;
                }
                values.push(shown(item, depth + 1, left));
            }
            Kind::ListValue(prost_types::ListValue { values })
        }
        Value::Map(pairs) => {
            let mut fields = std::collections::BTreeMap::new();
            for (key, item) in pairs {
                if *left == 0 {
                    fields.insert(CUT.to_owned(), text(CUT));
                    break;
                }
                fields.insert(cut(key), shown(item, depth + 1, left));
            }
            Kind::StructValue(prost_types::Struct { fields })
        }
    };
    prost_types::Value { kind: Some(kind) }
}

fn text(text: &str) -> prost_types::Value {
    prost_types::Value { kind: Some(Kind::StringValue(text.to_owned())) }
}

fn cut(text: &str) -> String {
    if text.len() <= TEXT_BYTES_MAX {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    format!("{}{CUT}", text.get(..end).unwrap_or_default())
}

/// As an operator gave it, for a parameter: of lists and tables only that they are ones, since no
/// parameter accepts them.
pub(crate) fn from_api(value: prost_types::Value) -> Value {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Nil,
        Some(Kind::BoolValue(flag)) => Value::Bool(flag),
        Some(Kind::NumberValue(num)) => Value::Num(num),
        Some(Kind::StringValue(text)) => Value::Str(Cow::Owned(text)),
        Some(Kind::ListValue(_)) => Value::List(Vec::new()),
        Some(Kind::StructValue(_)) => Value::Map(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How many values are in here, and how deep they nest.
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
        // A value of this depth cannot be dropped by recursion on a small stack.
        std::mem::forget(deep);
        let wide = Value::List(vec![Value::Bool(true); 100_000]);
        assert_eq!(size(&to_api(&wide)).0, VALUES_MAX + 1);
        let long = Value::text("ä".repeat(TEXT_BYTES_MAX));
        let Some(Kind::StringValue(shown)) = to_api(&long).kind else { panic!("a text") };
        assert_eq!(shown.len(), TEXT_BYTES_MAX + CUT.len());
        assert!(shown.ends_with(CUT));
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
