//! Converts plain values between the command line, JSON and the control API.

use phalanx_proto::v1::{ParamScope, Turn, param_scope::Part};
use prost_types::value::Kind;
use prost_types::{Duration, ListValue, Struct, Timestamp, Value};
use serde_json::{Number, json};
use std::fmt::Write;
use std::time::SystemTime;

/// Whole numbers up to this are exact in a float.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

pub fn json(value: Option<&Value>) -> serde_json::Value {
    match value.and_then(|value| value.kind.as_ref()) {
        None | Some(Kind::NullValue(_)) => serde_json::Value::Null,
        Some(Kind::BoolValue(flag)) => json!(flag),
        Some(Kind::NumberValue(num)) => number(*num),
        Some(Kind::StringValue(text)) => json!(text),
        Some(Kind::ListValue(ListValue { values })) => {
            values.iter().map(|value| json(Some(value))).collect()
        }
        Some(Kind::StructValue(Struct { fields })) => serde_json::Value::Object(
            fields.iter().map(|(key, value)| (key.clone(), json(Some(value)))).collect(),
        ),
    }
}

fn number(num: f64) -> serde_json::Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and small enough to be exact")]
    let whole = (num.fract() == 0.0 && num.abs() <= WHOLE_MAX).then_some(num as i64);
    match whole {
        Some(whole) => json!(whole),
        None => Number::from_f64(num).map_or(serde_json::Value::Null, serde_json::Value::Number),
    }
}

/// A value as text: strings without quotes, everything else as JSON.
pub fn text(value: Option<&Value>) -> String {
    let value = json(value);
    match value.as_str() {
        Some(text) => text.to_owned(),
        None if value.is_null() => "-".into(),
        None => value.to_string(),
    }
}

/// Parses a word as a value: as text if `like` is text, otherwise as JSON if possible.
pub(super) fn parse(word: &str, like: Option<&Value>) -> Value {
    let holds_text = matches!(like, Some(Value { kind: Some(Kind::StringValue(_)) }));
    let kind = match (holds_text, word, word.parse::<f64>()) {
        (false, "true", _) => Kind::BoolValue(true),
        (false, "false", _) => Kind::BoolValue(false),
        (false, _, Ok(num)) => Kind::NumberValue(num),
        (true, ..) | (false, _, Err(_)) => Kind::StringValue(word.to_owned()),
    };
    Value { kind: Some(kind) }
}

/// Parses a word as JSON, or takes it as text.
///
/// # Errors
/// When it begins like JSON and is none: it would be taken for a text by mistake.
pub(super) fn from_word(word: &str) -> Result<Value, String> {
    match serde_json::from_str(word) {
        Ok(json) => Ok(from_json(json)),
        Err(error) if word.starts_with(['{', '[', '"']) => Err(format!(
            "{word:?} begins like JSON, but is not: {error}; to write it as a text, quote it: {:?}",
            serde_json::Value::from(word).to_string()
        )),
        Err(_) => Ok(Value { kind: Some(Kind::StringValue(word.to_owned())) }),
    }
}

fn from_json(json: serde_json::Value) -> Value {
    let kind = match json {
        serde_json::Value::Null => Kind::NullValue(0),
        serde_json::Value::Bool(flag) => Kind::BoolValue(flag),
        serde_json::Value::Number(num) => Kind::NumberValue(num.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => Kind::StringValue(text),
        serde_json::Value::Array(items) => {
            let values = items.into_iter().map(from_json).collect();
            Kind::ListValue(ListValue { values })
        }
        serde_json::Value::Object(fields) => {
            let pair = |(key, value)| (key, from_json(value));
            Kind::StructValue(Struct { fields: fields.into_iter().map(pair).collect() })
        }
    };
    Value { kind: Some(kind) }
}

/// The part of a team that a value is for.
pub(super) fn scope(scope: Option<&ParamScope>) -> String {
    match scope.and_then(|scope| scope.part.as_ref()) {
        None => "team".into(),
        Some(Part::Role(role)) => format!("role {role}"),
        Some(Part::Agent(agent)) => format!("agent {agent}"),
    }
}

/// Whole microseconds.
pub fn micros(spent: Option<Duration>) -> i64 {
    let whole = |spent: Duration| spent.seconds.saturating_mul(1_000_000);
    spent.map_or(0, |spent| whole(spent).saturating_add(i64::from(spent.nanos) / 1_000))
}

/// A moment as `2026-01-31T12:00:00Z`.
pub(super) fn moment(time: Option<Timestamp>) -> String {
    let time = time.and_then(|time| SystemTime::try_from(time).ok());
    // Formatting panics for times before 1970.
    let time = time.filter(|time| *time >= SystemTime::UNIX_EPOCH);
    let mut text = String::new();
    // Times before 1970 and after 9999 have no such form.
    let written =
        time.and_then(|time| write!(text, "{}", humantime::format_rfc3339_seconds(time)).ok());
    written.map_or_else(|| "-".into(), |()| text)
}

/// The same for a table, in UTC: `12:00:00` on the day of `now`, else `2026-01-31 12:00`.
pub(super) fn short_moment(time: Option<Timestamp>, now: SystemTime) -> String {
    let (time, now) = (moment(time), moment(Some(now.into())));
    match (time.strip_suffix('Z').and_then(|time| time.split_once('T')), now.split_once('T')) {
        (Some((day, clock)), Some((today, _))) if day == today => clock.to_owned(),
        (Some((day, clock)), _) => {
            let minutes = clock.rsplit_once(':').map_or(clock, |(minutes, _)| minutes);
            format!("{day} {minutes}")
        }
        (None, _) => time,
    }
}

pub(super) fn turn_json(turn: Turn) -> serde_json::Value {
    json!({ "round": turn.round, "step": turn.step })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_becomes_what_the_parameter_holds() {
        let kind = |word: &str, like: Option<&Value>| parse(word, like).kind.unwrap();
        assert_eq!(kind("0.5", None), Kind::NumberValue(0.5));
        assert_eq!(kind("-1", None), Kind::NumberValue(-1.0));
        assert_eq!(kind("true", None), Kind::BoolValue(true));
        assert_eq!(kind("north", None), Kind::StringValue("north".into()));
        let word = Value { kind: Some(Kind::StringValue("a".into())) };
        assert_eq!(kind("12", Some(&word)), Kind::StringValue("12".into()));
    }

    #[test]
    fn a_word_is_json_or_else_a_text() {
        for (word, back) in [
            (r#"{"x":12,"y":[1,true]}"#, r#"{"x":12,"y":[1,true]}"#),
            ("-3", "-3"),
            ("defend", "\"defend\""),
            ("\"3\"", "\"3\""),
            ("null", "null"),
        ] {
            assert_eq!(json(from_word(word).ok().as_ref()).to_string(), back, "{word}");
        }
        // A mistake in JSON is no text.
        for word in ["{x: 4}", "[1", "\"a"] {
            let refusal = from_word(word).unwrap_err();
            assert!(refusal.contains("begins like JSON, but is not"), "{refusal}");
        }
    }

    #[test]
    fn a_moment_that_no_calendar_has_is_a_dash() {
        let shown = |seconds| moment(Some(Timestamp { seconds, nanos: 0 }));
        assert_eq!(shown(0), "1970-01-01T00:00:00Z");
        for odd in [-1, i64::MIN, i64::MAX, 300_000_000_000] {
            assert_eq!(shown(odd), "-", "{odd}");
        }
    }

    #[test]
    fn a_moment_in_a_table_has_its_day_unless_that_is_today() {
        let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(2 * 86_400 + 60);
        assert_eq!(short_moment(at(2 * 86_400 + 7), now), "00:00:07");
        assert_eq!(short_moment(at(2 * 86_400 - 1), now), "1970-01-02 23:59");
        assert_eq!((short_moment(None, now), short_moment(at(-1), now)), ("-".into(), "-".into()));
    }

    #[test]
    fn whole_numbers_are_written_without_a_point() {
        let num = |num| Value { kind: Some(Kind::NumberValue(num)) };
        assert_eq!(json(Some(&num(3.0))).to_string(), "3");
        assert_eq!(json(Some(&num(0.25))).to_string(), "0.25");
        assert_eq!(text(None), "-");
    }
}
