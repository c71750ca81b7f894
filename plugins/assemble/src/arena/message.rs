//! Packets of clients and messages to them (spec, sections 2 to 5).

use super::act::Act;
use super::text::JsonText;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// What a client sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ClientPacket {
    /// A login.
    Auth { user: String, password: String },
    /// A question for the status.
    Status,
    /// An answer to the request of that id; -1 when there is no usable one.
    Action { id: i64, act: Act },
    /// Well-formed, but nothing to do for a referee.
    Ignored,
    /// What makes the original stop reading.
    Broken,
}

/// Reads a packet, without its NUL. Text after the closing brace is accepted, as the original does.
pub(super) fn read(bytes: &[u8]) -> ClientPacket {
    let text = String::from_utf8_lossy(bytes);
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Strict>();
    let Some(Ok(Strict(Value::Object(envelope)))) = values.next() else {
        return ClientPacket::Broken;
    };
    let Some(Value::Object(content)) = envelope.get("content") else {
        return ClientPacket::Ignored;
    };
    match envelope.get("type").and_then(Value::as_str) {
        Some("auth-request") => {
            let field = |key| content.get(key).map(plain).unwrap_or_default();
            ClientPacket::Auth { user: field("user"), password: field("pw") }
        }
        Some("status-request") => ClientPacket::Status,
        Some("action") => action(content),
        _ => ClientPacket::Ignored,
    }
}

fn action(content: &Map<String, Value>) -> ClientPacket {
    let Some(Value::Array(params)) = content.get("p") else { return ClientPacket::Broken };
    let id = content.get("id").and_then(number).unwrap_or(-1);
    let name = content.get("type").map_or_else(|| "unknown_action".to_owned(), plain);
    ClientPacket::Action { id, act: Act::new(&name, params.iter().map(plain).collect()) }
}

/// A value as the text that the original makes of it.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A float with zero fraction that a 32-bit id can be.
fn whole(number: f64) -> Option<i64> {
    let fits = number.fract() == 0.0 && number.abs() < f64::from(i32::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "checked: whole and within 32 bits")]
    fits.then_some(number as i64)
}

/// Any JSON value without duplicate keys.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value without duplicate keys")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_unit<E: Error>(self) -> Result<Strict, E> {
        Ok(Strict(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut input: A) -> Result<Strict, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(value)) = input.next_element()? {
            list.push(value);
        }
        Ok(Strict(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Strict, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = input.next_entry::<String, Strict>()? {
            if map.insert(key, value).is_some() {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(Strict(Value::Object(map)))
    }
}

/// Adds the closing NUL.
fn finish(text: &mut JsonText) -> Vec<u8> {
    text.0.push(0);
    std::mem::take(&mut text.0)
}

pub(super) fn auth_response(ok: bool) -> Vec<u8> {
    let result = if ok { "ok" } else { "fail" };
    let mut text = JsonText::default();
    finish(
        text.raw("{\"type\":\"auth-response\",\"content\":{\"result\":\"").raw(result).raw("\"}}"),
    )
}

pub(super) fn bye() -> Vec<u8> {
    finish(JsonText::default().raw("{\"type\":\"bye\",\"content\":{}}"))
}

pub(super) fn status(teams: &[String], sizes: &[usize], current: i64, time: u64) -> Vec<u8> {
    let mut text = JsonText::default();
    text.raw("{\"type\":\"status-response\",\"content\":{\"teams\":").list(teams, |text, team| {
        text.quoted(team);
    });
    text.raw(",\"teamSizes\":").list(sizes, |text, size| {
        text.int(i64::try_from(*size).unwrap_or(i64::MAX));
    });
    finish(
        text.raw(",\"currentSimulation\":")
            .int(current)
            .raw(",\"time\":")
            .int(signed(time))
            .raw("}}"),
    )
}

/// What `sim-start` says.
#[derive(Clone, Copy, Debug)]
pub(super) struct StartFields<'a> {
    pub(super) time: u64,
    pub(super) name: &'a str,
    pub(super) team: &'a str,
    pub(super) size: usize,
    pub(super) steps: i32,
}

pub(super) fn sim_start(start: &StartFields<'_>) -> Vec<u8> {
    let mut text = JsonText::default();
    text.raw("{\"type\":\"sim-start\",\"content\":{\"time\":").int(signed(start.time));
    text.raw(",\"percept\":{\"name\":").quoted(start.name).raw(",\"team\":").quoted(start.team);
    text.raw(",\"teamSize\":").int(i64::try_from(start.size).unwrap_or(i64::MAX));
    finish(
        text.raw(",\"steps\":")
            .int(start.steps)
            .raw(",\"vision\":")
            .int(super::grid::VISION)
            .raw("}}}"),
    )
}

pub(super) fn sim_end(score: i64, ranking: usize, time: u64) -> Vec<u8> {
    let mut text = JsonText::default();
    text.raw("{\"type\":\"sim-end\",\"content\":{\"score\":").int(score).raw(",\"ranking\":");
    text.int(i64::try_from(ranking).unwrap_or(i64::MAX));
    finish(text.raw(",\"time\":").int(signed(time)).raw("}}"))
}

/// Everything of a `request-action` but the percept, which `percept` appends.
pub(super) fn request(
    id: i64,
    step: i32,
    time: u64,
    deadline: u64,
    percept: impl FnOnce(&mut Vec<u8>),
) -> Vec<u8> {
    let mut text = JsonText(Vec::with_capacity(4096));
    text.raw("{\"type\":\"request-action\",\"content\":{\"id\":").int(id);
    text.raw(",\"time\":").int(signed(time)).raw(",\"deadline\":").int(signed(deadline));
    text.raw(",\"step\":").int(step).raw(",\"percept\":");
    percept(&mut text.0);
    finish(text.raw("}}"))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_what_the_original_makes_of_it() {
        let act = |id, name: &str, params: &[&str]| ClientPacket::Action {
            id,
            act: Act::new(name, params.iter().map(|param| (*param).to_owned()).collect()),
        };
        let deep = format!("{{\"type\":\"action\",\"content\":{}1", "[".repeat(100_000));
        let cases = [
            (
                r#"{"type":"action","content":{"id":2,"type":"move","p":["n"]}}"#,
                act(2, "move", &["n"]),
            ),
            (
                r#"{"type":"action","content":{"id":"1","type":"skip","p":[null,true,1.5,{"a":1}]}}"#,
                act(1, "skip", &["", "true", "1.5", r#"{"a":1}"#]),
            ),
            (r#"{"type":"action","content":{"id":6.0,"type":"skip","p":[]}}"#, act(6, "skip", &[])),
            (r#"{"type":"action","content":{"id":"zz","p":[]}}"#, act(-1, "unknown_action", &[])),
            (
                "\n {\"type\":\"action\",\"content\":{\"id\":5,\"type\":\"skip\",\"p\":[]}} tail",
                act(5, "skip", &[]),
            ),
            (r#"{"type":"action","content":{"id":9,"type":"skip"}}"#, ClientPacket::Broken),
            (r#"{"type":"action","content":{"id":9,"type":"skip","p":"n"}}"#, ClientPacket::Broken),
            (r#"{"type":"action","type":"action","content":{}}"#, ClientPacket::Broken),
            (&deep, ClientPacket::Broken),
            ("", ClientPacket::Broken),
            ("[1,2]", ClientPacket::Broken),
            ("{nonsense", ClientPacket::Broken),
            (r#"{"type":"action"}"#, ClientPacket::Ignored),
            (r#"{"type":"action","content":"x"}"#, ClientPacket::Ignored),
            (r#"{"type":"request-action","content":{}}"#, ClientPacket::Ignored),
            (r#"{"type":"hello","content":{}}"#, ClientPacket::Ignored),
            (r#"{"type":"status-request","content":{}}"#, ClientPacket::Status),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text.as_bytes()), expected, "{text:.80}");
        }
        assert_eq!(read(b"{\"type\":\"\xff\xfe\",\"content\":{}}"), ClientPacket::Ignored);
    }
}
