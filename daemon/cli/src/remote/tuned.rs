//! The values of a strategy's `tuned.toml`, for people and programs.

use phalanx_game::Value;
use phalanx_lua::{TUNED_FILE, Tuned};
use serde_json::json;

/// Where the values come from, one line.
#[must_use]
pub fn tuned_origin(tuned: &Tuned) -> String {
    let run = if tuned.run.is_empty() { String::new() } else { format!(" of run {}", tuned.run) };
    let against = match tuned.opponents.as_slice() {
        [] => String::new(),
        names => format!(" against {}", names.join(", ")),
    };
    format!("{TUNED_FILE}: {} matches{run}{against}", tuned.matches)
}

/// Where the values come from, and each of them on a line.
pub(super) fn tuned_text(tuned: &Tuned) -> String {
    let value = |(name, value)| format!("\n  {name} = {}", tuned_value(value));
    let values: String = tuned.values.iter().map(value).collect();
    tuned_origin(tuned) + &values
}

/// Everything in the file.
pub(super) fn tuned_json(tuned: &Tuned) -> serde_json::Value {
    let values = tuned.values.iter().map(|(name, value)| (name.clone(), tuned_value_json(value)));
    let values: serde_json::Map<_, _> = values.collect();
    json!({
        "run": tuned.run, "matches": tuned.matches, "opponents": tuned.opponents, "values": values,
    })
}

/// A value for people.
#[must_use]
pub fn tuned_value(value: &Value) -> String {
    match (value, value.as_num()) {
        (Value::Str(text), _) => text.to_string(),
        (_, Some(number)) => number.to_string(),
        (other, None) => tuned_value_json(other).to_string(),
    }
}

/// A value for programs.
#[must_use]
pub fn tuned_value_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(flag) => json!(flag),
        Value::Str(text) => json!(text.to_string()),
        Value::Nil | Value::Int(_) | Value::Num(_) | Value::List(_) | Value::Map(_) => {
            json!(value.as_num())
        }
    }
}
