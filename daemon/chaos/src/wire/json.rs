//! JSON with other content.

use super::{near_or_far, wrong_number, wrong_text};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Values at the beginning of a message.
const HEAD: usize = 12;

/// Changes some values of a message. What is no JSON stays.
pub(super) fn change(
    message: &[u8],
    words: &[&str],
    changes: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<u8> {
    let end = message.iter().rposition(|byte| !matches!(byte, 0 | b'\n' | b'\r'));
    let (body, tail) = message.split_at(end.map_or(0, |end| end + 1));
    let Ok(mut root) = serde_json::from_slice::<Value>(body) else { return message.to_vec() };
    for _ in 0..changes {
        let mut texts = Vec::new();
        let count = collect(&root, &mut texts);
        let mut place = near_or_far(count, HEAD, rng);
        replace(&mut root, &mut place, words, &texts, rng);
    }
    let mut bytes = serde_json::to_vec(&root).unwrap_or_else(|_| body.to_vec());
    bytes.extend(tail);
    bytes
}

/// The number of values inside, and all texts.
fn collect(value: &Value, texts: &mut Vec<String>) -> usize {
    1 + match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => {
            texts.push(text.clone());
            0
        }
        Value::Array(items) => items.iter().map(|item| collect(item, texts)).sum(),
        Value::Object(keys) => keys.values().map(|item| collect(item, texts)).sum(),
    }
}

/// Replaces the value at a place, counted in depth; true once that is done.
fn replace(
    value: &mut Value,
    place: &mut usize,
    words: &[&str],
    texts: &[String],
    rng: &mut ChaCha8Rng,
) -> bool {
    if *place == 0 {
        *value = other(value, words, texts, rng);
        return true;
    }
    *place -= 1;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        Value::Array(items) => items.iter_mut().any(|item| replace(item, place, words, texts, rng)),
        Value::Object(keys) => {
            keys.values_mut().any(|item| replace(item, place, words, texts, rng))
        }
    }
}

fn other(value: &Value, words: &[&str], texts: &[String], rng: &mut ChaCha8Rng) -> Value {
    if rng.random_ratio(1, 8) {
        return match rng.random_range(0..5) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => Value::from(wrong_number(1, rng)),
            3 => Value::Array(Vec::new()),
            _ => Value::from("x"),
        };
    }
    match value {
        Value::Null => Value::from(0),
        Value::Bool(is_true) => Value::Bool(!is_true),
        Value::Number(number) => {
            let whole = number.as_i64().unwrap_or_default();
            if rng.random_ratio(1, 10) {
                Value::from(0.5)
            } else {
                Value::from(wrong_number(whole, rng))
            }
        }
        Value::String(text) => Value::from(wrong_text(text, words, texts, rng)),
        Value::Array(items) => {
            let mut items = items.clone();
            let at = rng.random_range(0..items.len().max(1));
            match (items.get(at).cloned(), rng.random_range(0..3)) {
                (Some(_), 0) => drop(items.remove(at)),
                (Some(item), 1) => items.push(item),
                (Some(_), _) => items.clear(),
                (None, _) => items.push(Value::from(1)),
            }
            Value::Array(items)
        }
        Value::Object(keys) => {
            let mut keys = keys.clone();
            let name = keys.keys().nth(rng.random_range(0..keys.len().max(1))).cloned();
            if let Some(name) = name {
                let gone = keys.remove(&name);
                if rng.random_ratio(1, 4) {
                    keys.insert(format!("{name}_"), gone.unwrap_or_default());
                }
            }
            Value::Object(keys)
        }
    }
}
