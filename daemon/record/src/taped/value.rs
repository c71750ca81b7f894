//! Values and orders of scripts.

use super::{Read, need};
use phalanx_game::{Said, Value};
use phalanx_proto::v1;
use phalanx_proto::v1::taped_value::Kind;
use std::borrow::Cow;

/// Deepest nesting of a value; operators' values nest less. Deeper parts are nil.
pub(super) const DEPTH_MAX: usize = 24;

pub(super) fn value(value: &Value) -> v1::TapedValue {
    message(value, 0)
}

fn message(value: &Value, depth: usize) -> v1::TapedValue {
    let kind = match value {
        _ if depth > DEPTH_MAX => None,
        Value::Nil => None,
        Value::Bool(flag) => Some(Kind::Flag(*flag)),
        Value::Int(int) => Some(Kind::Whole(*int)),
        Value::Num(num) => Some(Kind::Number(*num)),
        Value::Str(text) => Some(Kind::Text(text.to_string())),
        Value::List(items) => {
            let items = items.iter().map(|item| message(item, depth + 1)).collect();
            Some(Kind::List(v1::TapedList { items }))
        }
        Value::Map(pairs) => {
            let pair = |(key, value): &(Cow<'static, str>, Value)| v1::TapedPair {
                key: key.to_string(),
                value: Some(message(value, depth + 1)),
            };
            Some(Kind::Map(v1::TapedMap { pairs: pairs.iter().map(pair).collect() }))
        }
    };
    v1::TapedValue { kind }
}

/// Messages nest at most a hundred levels, so the recursion ends.
pub(super) fn value_from(message: v1::TapedValue) -> Value {
    match message.kind {
        None => Value::Nil,
        Some(Kind::Flag(flag)) => Value::Bool(flag),
        Some(Kind::Whole(int)) => Value::Int(int),
        Some(Kind::Number(num)) => Value::Num(num),
        Some(Kind::Text(text)) => Value::Str(Cow::Owned(text)),
        Some(Kind::List(list)) => Value::List(list.items.into_iter().map(value_from).collect()),
        Some(Kind::Map(map)) => {
            let pair = |pair: v1::TapedPair| {
                (Cow::Owned(pair.key), pair.value.map(value_from).unwrap_or_default())
            };
            Value::Map(map.pairs.into_iter().map(pair).collect())
        }
    }
}

pub(super) fn order(said: &Said) -> v1::TapedOrder {
    v1::TapedOrder { action: said.action.to_string(), args: said.args.iter().map(value).collect() }
}

pub(super) fn order_from(message: Option<v1::TapedOrder>) -> Read<Said> {
    let v1::TapedOrder { action, args } = need(message, "order")?;
    Ok(Said::new(action, args.into_iter().map(value_from).collect()))
}
