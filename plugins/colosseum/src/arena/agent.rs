//! One agent in a match: its pipe, its mistakes, and why it is out (spec section 4).

use crate::wire::{LINE_BYTES_MAX, read_value};
use phalanx_game::ConnectionId;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// More errors than this disqualify.
const ERRORS_MAX: u32 = 10;

/// Lines that wait to be read; the rest of a flood is dropped.
const INBOX_MAX: usize = 1000;

/// Why an agent is disqualified, in the order in which the last true one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taint {
    /// More than ten messages without a good reply.
    TooManyErrors,
    /// No reply to the first message.
    StartupFail,
    /// No pong.
    PingFail,
    /// No reply to the settings.
    SetConfigFail,
    /// The wrong id, or none, in the first reply.
    SetAgentIdFail,
    /// Overtime is spent.
    Timeout,
    /// A reply to a state without an id.
    MissingAgentId,
    /// A reply to a state with somebody else's id.
    AgentIdSpoofing,
    /// A reply that the original would hang or die of.
    InvalidPayload,
}

impl Taint {
    /// Its name in results.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::TooManyErrors => "TOO_MANY_ERRORS",
            Self::StartupFail => "STARTUP_FAIL",
            Self::PingFail => "PING_FAIL",
            Self::SetConfigFail => "SET_CONFIG_FAIL",
            Self::SetAgentIdFail => "SET_AGENT_ID_FAIL",
            Self::Timeout => "TIMEOUT",
            Self::MissingAgentId => "MISSING_AGENT_ID",
            Self::AgentIdSpoofing => "AGENT_ID_SPOOFING",
            Self::InvalidPayload => "INVALID_PAYLOAD",
        }
    }
}

/// What came as the reply to a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AgentReply {
    Value(Value),
    /// Nothing in time, the end of the stream, or no text.
    Nothing,
    /// A line that is not JSON.
    Garbage,
}

/// One agent.
#[derive(Debug)]
pub(super) struct ArenaAgent {
    pub(super) connection: ConnectionId,
    /// The player's index in the options.
    pub(super) player: usize,
    pub(super) id: String,
    pub(super) name: Value,
    pub(super) version: Value,
    pub(super) errors: u32,
    /// Time beyond the step limit, all steps together.
    pub(super) overtime: Duration,
    pub(super) overtime_max: Duration,
    /// What strict rules refused.
    pub(super) offences: u32,
    /// What was wrong, for people.
    pub(super) trouble: Option<String>,
    /// Set by the reply itself.
    direct: Option<Taint>,
    /// Conditions of the handshake that failed.
    failed: Vec<Taint>,
    buffer: Vec<u8>,
    inbox: VecDeque<Vec<u8>>,
    gone: bool,
    /// Lines that were not a reply.
    stale: usize,
}

impl ArenaAgent {
    pub(super) fn new(connection: ConnectionId, player: usize, id: String, pool: Duration) -> Self {
        Self {
            connection,
            player,
            id,
            name: Value::Null,
            version: Value::Null,
            errors: 0,
            overtime: Duration::ZERO,
            overtime_max: pool,
            offences: 0,
            trouble: None,
            direct: None,
            failed: Vec::new(),
            buffer: Vec::new(),
            inbox: VecDeque::new(),
            gone: false,
            stale: 0,
        }
    }

    /// Bytes of its pipe.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        let rest = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.buffer.extend_from_slice(piece);
            let mut line = std::mem::take(&mut self.buffer);
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if self.inbox.len() < INBOX_MAX {
                self.inbox.push_back(line);
            }
        }
        self.buffer.extend_from_slice(rest);
        if self.buffer.len() > LINE_BYTES_MAX {
            // No reply is that long: it will be garbage, or nothing.
            self.buffer.truncate(LINE_BYTES_MAX);
        }
    }

    /// Its pipe is closed.
    pub(super) fn leave(&mut self) {
        self.gone = true;
    }

    /// Whether its pipe is closed and read.
    pub(super) fn silent(&self) -> bool {
        self.gone && self.inbox.is_empty()
    }

    /// Drops lines that were sent before the agent was asked.
    pub(super) fn drop_stale(&mut self) {
        self.stale = self.stale.saturating_add(self.inbox.len());
        self.inbox.clear();
    }

    /// What people should hear after a reply, by what stood against the agent before it.
    pub(super) fn judged(&self, errors: u32, out: Option<Taint>) -> Option<String> {
        let trouble = self.trouble.as_deref().map(|said| format!(": {said}")).unwrap_or_default();
        match self.tainted() {
            taint @ Some(why) if taint != out => Some(format!("out, {}{trouble}", why.word())),
            None if self.errors > errors => {
                let gone = if self.gone { "it has ended" } else { "nothing in time, or no text" };
                Some(format!("no reply ({gone}), error {} of {}", self.errors, ERRORS_MAX + 1))
            }
            Some(_) | None => None,
        }
    }

    /// What else was wrong in its match.
    pub(super) fn complaint(&self) -> Option<String> {
        let refused = (self.offences > 0).then(|| format!("{} actions refused", self.offences));
        let stale =
            (self.stale > 0).then(|| format!("dropped {} lines that were not replies", self.stale));
        let all: Vec<String> = refused.into_iter().chain(stale).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// The next reply, if one is there or none can come.
    pub(super) fn hear(&mut self) -> Option<AgentReply> {
        let Some(line) = self.inbox.pop_front() else {
            return self.gone.then_some(AgentReply::Nothing);
        };
        if std::str::from_utf8(&line).is_err() {
            return Some(AgentReply::Nothing);
        }
        Some(match read_value(&line) {
            Ok(value) => AgentReply::Value(value),
            Err(error) => {
                self.trouble = Some(error.to_string());
                AgentReply::Garbage
            }
        })
    }

    /// A reply did not come, or not well.
    pub(super) fn error(&mut self) {
        self.errors = self.errors.saturating_add(1);
    }

    /// Out, for what a reply said.
    pub(super) fn taint(&mut self, taint: Taint) {
        self.direct = Some(taint);
    }

    /// A condition of the handshake failed.
    pub(super) fn fail(&mut self, taint: Taint) {
        self.failed.push(taint);
    }

    /// Why it is out, if it is.
    pub(super) fn tainted(&self) -> Option<Taint> {
        let errors = (self.errors > ERRORS_MAX).then_some(Taint::TooManyErrors);
        let late = (self.overtime > self.overtime_max).then_some(Taint::Timeout);
        let conditions = errors.into_iter().chain(self.failed.iter().copied()).chain(late);
        self.direct.or(conditions.max())
    }

    /// The first message's reply.
    pub(super) fn introduced(&mut self, heard: AgentReply) {
        let garbage = heard == AgentReply::Garbage;
        // This note about the first reply is kept even if a later check fails.
        let Some(value) = self.handshake(heard) else {
            if !garbage {
                self.taint(Taint::StartupFail);
            }
            return;
        };
        match &value {
            Value::Object(reply) if reply.is_empty() => self.taint(Taint::StartupFail),
            Value::Object(reply) => {
                let truthy = |key: &str| {
                    let said = reply.get(key).unwrap_or(&Value::Null);
                    if falsy(said) { Value::Null } else { said.clone() }
                };
                (self.name, self.version) = (truthy("agent_name"), truthy("agent_version"));
                if reply.get("agent_id").and_then(Value::as_str) != Some(&self.id) {
                    self.fail(Taint::SetAgentIdFail);
                }
            }
            other if falsy(other) => self.taint(Taint::StartupFail),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => self.taint(Taint::InvalidPayload),
        }
    }

    /// The ping's reply.
    pub(super) fn ponged(&mut self, heard: AgentReply) {
        let Some(value) = self.handshake(heard) else { return self.fail(Taint::PingFail) };
        match &value {
            Value::Object(reply) if reply.get("pong").is_some_and(|pong| !pong.is_null()) => {}
            Value::Object(_) => self.fail(Taint::PingFail),
            other if falsy(other) => self.fail(Taint::PingFail),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => self.taint(Taint::InvalidPayload),
        }
    }

    /// The settings' reply: anything but null.
    pub(super) fn configured(&mut self, heard: AgentReply) {
        if self.handshake(heard).is_none_or(|value| value.is_null()) {
            self.fail(Taint::SetConfigFail);
        }
    }

    fn handshake(&mut self, heard: AgentReply) -> Option<Value> {
        match heard {
            AgentReply::Value(value) => Some(value),
            AgentReply::Nothing => {
                self.error();
                None
            }
            AgentReply::Garbage => {
                self.taint(Taint::InvalidPayload);
                None
            }
        }
    }

    /// A state's reply: the payload, if it may be used.
    pub(super) fn played(&mut self, heard: AgentReply) -> Option<Value> {
        match heard {
            AgentReply::Nothing => self.error(),
            AgentReply::Garbage => self.taint(Taint::InvalidPayload),
            AgentReply::Value(Value::Null) => {}
            AgentReply::Value(Value::Object(reply)) => {
                let id = reply.get("agent_id").unwrap_or(&Value::Null);
                if falsy(id) {
                    self.taint(Taint::MissingAgentId);
                } else if id.as_str() != Some(&self.id) {
                    self.taint(Taint::AgentIdSpoofing);
                } else {
                    return Some(Value::Object(reply));
                }
            }
            AgentReply::Value(other) => {
                self.trouble = Some(format!("a reply that is no object: {}", excerpt(&other)));
                self.taint(Taint::InvalidPayload);
            }
        }
        None
    }
}

fn excerpt(value: &Value) -> String {
    phalanx_game::excerpt(value.to_string().as_bytes())
}

/// What the original's language takes for false.
fn falsy(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}
