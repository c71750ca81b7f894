//! Lines to messages and replies to lines (spec sections 1, 3 and 5). Reading is total: any bytes
//! give a message or an error.

mod lenient;
pub mod text;

use crate::action::{Action, ActorOrder};
use phalanx_game::ProtocolError;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Longest line that is read: `dead_entities` of a long match makes the largest ones.
pub const LINE_BYTES_MAX: usize = 8 << 20;

/// Longest id that the protocol allows, in characters.
pub const ID_CHARS_MAX: usize = 255;

/// What one line of the referee says; any of it may be absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefereeLine {
    /// The id that we get, and the same as the literal that is sent back.
    pub set_agent_id: Option<(String, String)>,
    /// We are asked whether we live.
    pub ping: bool,
    /// The game's settings.
    pub config: Option<Map<String, Value>>,
    /// The world.
    pub state: Option<Map<String, Value>>,
    /// The match is over, for this reason.
    pub stop: Option<String>,
    /// The first key that is none of ours, where nothing else was understood.
    pub unknown: Option<String>,
}

#[derive(Deserialize)]
struct RawId<'a> {
    #[serde(borrow)]
    set_agent_id: &'a RawValue,
}

/// Keys that only states have.
const STATE_KEYS: [&str; 6] = ["epoch", "foods", "actors", "bases", "snakes", "fen"];

/// Any JSON value, with the original's bare words read as null.
///
/// # Errors
/// When the bytes are no JSON.
pub fn read_value(line: &[u8]) -> Result<Value, ProtocolError> {
    let text = std::str::from_utf8(line).map_err(|_| ProtocolError::new("line", "UTF-8", line))?;
    serde_json::from_str(&lenient::standard(text, true))
        .map_err(|error| ProtocolError::new(format!("line ({error})"), "one JSON value", line))
}

impl RefereeLine {
    /// Reads a line without its end.
    ///
    /// # Errors
    /// When it is no JSON object, or a part has the wrong type.
    pub fn read(line: &[u8]) -> Result<Self, ProtocolError> {
        let Value::Object(mut keys) = read_value(line)? else {
            return Err(ProtocolError::new("line", "a JSON object", line));
        };
        let mut message = Self::default();
        if let Some(id) = keys.remove("set_agent_id") {
            message.set_agent_id = Some(read_id(line, id)?);
        }
        message.ping = keys.remove("ping").is_some_and(|ping| !ping.is_null());
        message.config = object(&mut keys, "config", line)?;
        message.stop = keys.remove("stop").map(|stop| {
            let reason = stop.get("reason").and_then(Value::as_str);
            phalanx_game::excerpt(reason.unwrap_or_default().as_bytes())
        });
        message.state = object(&mut keys, "world_state", line)?.map(|mut state| {
            for (key, value) in std::mem::take(&mut keys) {
                state.entry(key).or_insert(value);
            }
            state
        });
        if message.state.is_none() && STATE_KEYS.iter().any(|key| keys.contains_key(*key)) {
            message.state = Some(std::mem::take(&mut keys));
        }
        if message == Self::default() {
            message.unknown = Some(keys.into_iter().next().map(|(key, _)| key).unwrap_or_default());
        }
        Ok(message)
    }
}

fn object(
    keys: &mut Map<String, Value>,
    key: &str,
    line: &[u8],
) -> Result<Option<Map<String, Value>>, ProtocolError> {
    match keys.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(ProtocolError::new(key, "an object", line)),
    }
}

/// The id, and its literal as it came: a half of a surrogate pair can be sent back only so.
fn read_id(line: &[u8], id: Value) -> Result<(String, String), ProtocolError> {
    let wrong = || ProtocolError::new("set_agent_id", "a text of 1 to 255 characters", line);
    let Value::String(id) = id else { return Err(wrong()) };
    if id.is_empty() || id.chars().count() > ID_CHARS_MAX {
        return Err(wrong());
    }
    let line = std::str::from_utf8(line).map_err(|_| wrong())?;
    let raw: Result<RawId<'_>, _> = serde_json::from_str(line);
    let literal = match raw {
        Ok(raw) => raw.set_agent_id.get().to_owned(),
        Err(_) => {
            let mut literal = String::new();
            text::string(&mut literal, &id);
            literal
        }
    };
    Ok((id, literal))
}

/// One reply of ours.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplyLine<'a> {
    /// The literal of our id, once known.
    pub id: Option<&'a str>,
    /// Our name, in the first reply only.
    pub name: Option<&'a str>,
    /// Answer a ping.
    pub pong: bool,
    /// Answer a state.
    pub action: Option<&'a Action>,
}

impl ReplyLine<'_> {
    /// The line, with its end.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        let mut parts = Vec::new();
        if let Some(id) = self.id {
            parts.push(format!("\"agent_id\": {id}"));
        }
        if let Some(name) = self.name {
            let mut part = "\"agent_name\": ".to_owned();
            text::string(&mut part, name);
            part.push_str(", \"agent_version\": \"1\"");
            parts.push(part);
        }
        if self.pong {
            parts.push("\"pong\": \"pong\"".to_owned());
        }
        parts.extend(self.action.map(said));
        let mut line = format!("{{{}}}", parts.join(", "));
        line.push('\n');
        line.into_bytes()
    }
}

/// The part of a reply that carries an action.
fn said(action: &Action) -> String {
    let mut out = String::new();
    match action {
        Action::Nothing => out.push_str("\"actions\": []"),
        Action::Orders(orders) => {
            out.push_str("\"actions\": ");
            text::list(&mut out, orders, order);
        }
        Action::Turn(direction) => {
            out.push_str("\"move\": ");
            text::string(&mut out, direction.word());
        }
        Action::Play(uci) => {
            out.push_str("\"move\": ");
            text::string(&mut out, uci);
        }
    }
    out
}

fn order(out: &mut String, order: &ActorOrder) {
    let pairs: &[(&str, &str)] = match order {
        ActorOrder::Move { actor, .. } => &[("actor_id", actor)],
        ActorOrder::Take { actor, food } => &[("actor_id", actor), ("food_id", food)],
        ActorOrder::Deposit { actor, base } | ActorOrder::Heal { actor, base } => {
            &[("actor_id", actor), ("base_id", base)]
        }
        ActorOrder::Attack { actor, target } => &[("actor_id", actor), ("target", target)],
        ActorOrder::Spawn { base } => &[("base_id", base)],
    };
    out.push_str("{\"action\": ");
    text::string(out, order.word());
    for (key, value) in pairs {
        out.push_str(", ");
        text::string(out, key);
        out.push_str(": ");
        text::string(out, value);
    }
    if let ActorOrder::Move { target, .. } = order {
        out.push_str(", \"target\": ");
        text::list(out, *target, text::float);
    }
    out.push('}');
}
