//! Messages to bytes and back (spec sections 2, 3 and 5): total on any input.
//!
//! Reading is lenient: unknown keys, missing fields, floats where whole numbers belong, unknown
//! kinds of things, and bytes that are no UTF-8 inside strings are all accepted.

mod lenient;

use crate::action::{Action, Outcome};
use crate::percept::{
    Briefing, MarkerKind, Percept, Requirement, Task, Thing, ThingKind, VISION_MAX,
};
use lenient::{Kinds, Loose, LooseInt, LoosePoint, LooseText};
use phalanx_game::ProtocolError;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A message of the referee.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every message is of the largest kind")]
pub enum Message {
    /// Answer to the login.
    AuthResponse {
        /// Whether we are in.
        ok: bool,
        /// The referee's word.
        result: String,
    },
    /// A simulation begins.
    SimStart(Briefing),
    /// An action is wanted.
    RequestAction(Request),
    /// The simulation is over.
    SimEnd {
        /// The team's score.
        score: i64,
        /// The team's rank from 1, when it came.
        ranking: Option<u32>,
    },
    /// The tournament is over.
    Bye,
    /// Answer to a status question.
    StatusResponse(TournamentStatus),
    /// A kind that this program does not know.
    Unknown {
        /// The referee's word.
        kind: String,
    },
}

/// The envelope of a percept.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// To be echoed with the action; goes on through all simulations.
    pub id: i64,
    /// When the percept was built, Unix milliseconds on the referee's clock.
    pub time: i64,
    /// Until when the action counts, on the same clock.
    pub deadline: i64,
    /// What the agent perceives.
    pub percept: Percept,
}

/// What the referee tells about its tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TournamentStatus {
    /// Teams of the running match; empty before the first.
    pub teams: Vec<String>,
    /// Team size of each configured simulation.
    pub team_sizes: Vec<u32>,
    /// Index of the running simulation; -1 before the first.
    pub current: i64,
}

#[derive(Deserialize)]
struct MessageEnvelope<'a> {
    #[serde(borrow, rename = "type")]
    kind: LooseText<'a>,
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct KindOnly<'a> {
    #[serde(borrow, rename = "type")]
    kind: LooseText<'a>,
}

#[derive(Deserialize)]
struct Content<'a> {
    id: Option<LooseInt>,
    time: Option<LooseInt>,
    deadline: Option<LooseInt>,
    step: Option<LooseInt>,
    #[serde(borrow)]
    percept: Option<RawPercept<'a>>,
    #[serde(borrow)]
    result: Option<LooseText<'a>>,
    score: Option<LooseInt>,
    ranking: Option<LooseInt>,
    #[serde(borrow)]
    teams: Option<Vec<LooseText<'a>>>,
    #[serde(rename = "teamSizes")]
    team_sizes: Option<Vec<LooseInt>>,
    #[serde(rename = "currentSimulation")]
    current: Option<LooseInt>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct RawPercept<'a> {
    #[serde(borrow)]
    name: LooseText<'a>,
    #[serde(borrow)]
    team: LooseText<'a>,
    team_size: LooseInt,
    steps: LooseInt,
    vision: Option<LooseInt>,
    score: LooseInt,
    #[serde(borrow)]
    last_action: LooseText<'a>,
    #[serde(borrow)]
    last_action_result: LooseText<'a>,
    #[serde(borrow)]
    last_action_params: Loose<LooseText<'a>>,
    energy: LooseInt,
    disabled: lenient::LooseBool,
    #[serde(borrow)]
    task: LooseText<'a>,
    attached: Loose<LoosePoint>,
    #[serde(borrow)]
    things: Loose<RawThing<'a>>,
    #[serde(borrow)]
    terrain: Kinds<'a>,
    #[serde(borrow)]
    tasks: Loose<RawTask<'a>>,
}

#[derive(Deserialize)]
struct RawThing<'a> {
    x: LooseInt,
    y: LooseInt,
    #[serde(borrow, rename = "type")]
    kind: LooseText<'a>,
    #[serde(borrow, default)]
    details: LooseText<'a>,
}

#[derive(Deserialize)]
struct RawTask<'a> {
    #[serde(borrow)]
    name: LooseText<'a>,
    #[serde(default)]
    deadline: LooseInt,
    #[serde(default)]
    reward: LooseInt,
    #[serde(borrow, default)]
    requirements: Loose<RawThing<'a>>,
}

/// Reads one message, without its NUL.
///
/// # Errors
/// When it is not a JSON object with a `type`, or a known kind lacks what it cannot do without.
pub fn decode(frame: &[u8]) -> Result<Message, ProtocolError> {
    let lossy;
    let text = match std::str::from_utf8(frame) {
        Ok(text) => text,
        Err(_) => {
            lossy = String::from_utf8_lossy(frame);
            lossy.as_ref()
        }
    };
    let envelope: MessageEnvelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) => return decode_kind(text, &error),
    };
    let MessageEnvelope { kind, content } = envelope;
    let missing = |what: &str| ProtocolError::new(kind.as_str(), format!("content.{what}"), frame);
    let Some(content) = content else {
        return match kind.as_str() {
            "bye" => Ok(Message::Bye),
            "auth-response" | "sim-start" | "request-action" | "sim-end" | "status-response" => {
                Err(ProtocolError::new(kind.as_str(), "an object in content", frame))
            }
            other => Ok(Message::Unknown { kind: other.to_owned() }),
        };
    };
    Ok(match kind.as_str() {
        "auth-response" => {
            let result = content.result.ok_or_else(|| missing("result"))?;
            Message::AuthResponse { ok: result.as_str() == "ok", result: result.into_string() }
        }
        "sim-start" => {
            let percept = content.percept.ok_or_else(|| missing("percept"))?;
            Message::SimStart(briefing(percept, content.time.unwrap_or_default().0))
        }
        "request-action" => {
            let step = content.step.ok_or_else(|| missing("step"))?;
            let percept = content.percept.ok_or_else(|| missing("percept"))?;
            Message::RequestAction(Request {
                id: content.id.ok_or_else(|| missing("id"))?.0,
                time: content.time.unwrap_or_default().0,
                deadline: content.deadline.unwrap_or_default().0,
                percept: percept.typed(step.unsigned()),
            })
        }
        "sim-end" => Message::SimEnd {
            score: content.score.unwrap_or_default().0,
            ranking: content.ranking.map(LooseInt::unsigned),
        },
        "bye" => Message::Bye,
        "status-response" => Message::StatusResponse(TournamentStatus {
            teams: content.teams.into_iter().flatten().map(LooseText::into_string).collect(),
            team_sizes: content.team_sizes.into_iter().flatten().map(LooseInt::unsigned).collect(),
            current: content.current.map_or(-1, |current| current.0),
        }),
        other => Message::Unknown { kind: other.to_owned() },
    })
}

/// A message that does not have our shape may still be of a kind that we do not know.
fn decode_kind(text: &str, error: &serde_json::Error) -> Result<Message, ProtocolError> {
    const KNOWN: [&str; 6] =
        ["auth-response", "sim-start", "request-action", "sim-end", "bye", "status-response"];
    let place = |kind: &str| format!("{kind} message, column {}", error.column());
    match serde_json::from_str::<KindOnly<'_>>(text) {
        Ok(envelope) if KNOWN.contains(&envelope.kind.as_str()) => {
            let expected = format!("its fields as the protocol has them ({error})");
            Err(ProtocolError::new(place(envelope.kind.as_str()), expected, text.as_bytes()))
        }
        Ok(envelope) => Ok(Message::Unknown { kind: envelope.kind.into_string() }),
        Err(_) => {
            let expected = format!("a JSON object with a type ({error})");
            Err(ProtocolError::new(place("a"), expected, text.as_bytes()))
        }
    }
}

/// Whether a text is a JSON object at all; for tests and for the arena's side.
#[must_use]
pub fn is_json(frame: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(frame).is_ok()
}

fn briefing(percept: RawPercept<'_>, time: i64) -> Briefing {
    /// What every known referee uses.
    const VISION: i64 = 5;
    let vision = percept.vision.map_or(VISION, |vision| vision.0).clamp(1, VISION_MAX.into());
    Briefing {
        time,
        name: percept.name.into_string(),
        team: percept.team.into_string(),
        team_size: percept.team_size.unsigned(),
        steps: percept.steps.unsigned(),
        vision: i32::try_from(vision).unwrap_or(5),
    }
}

impl RawPercept<'_> {
    fn typed(self, step: u32) -> Percept {
        let mut percept = Percept {
            step,
            score: self.score.0,
            last_action: self.last_action.into_string(),
            last_result: Outcome::parse(self.last_action_result.as_str()),
            last_params: self
                .last_action_params
                .0
                .into_iter()
                .map(LooseText::into_string)
                .collect(),
            energy: self.energy.0,
            disabled: self.disabled.0,
            task: self.task.into_string(),
            attached: self.attached.0.into_iter().map(|point| point.0).collect(),
            things: self.things.0.into_iter().map(RawThing::typed).collect(),
            goals: Vec::new(),
            obstacles: Vec::new(),
            strange_terrain: Vec::new(),
            tasks: self.tasks.0.into_iter().map(RawTask::typed).collect(),
        };
        for (kind, points) in self.terrain.0 {
            let cells = points.0.into_iter().map(|point| point.0).collect();
            match kind.as_str() {
                "goal" => percept.goals = cells,
                "obstacle" => percept.obstacles = cells,
                _ => percept.strange_terrain.push((kind.into_string(), cells)),
            }
        }
        percept
    }
}

impl RawThing<'_> {
    fn typed(self) -> Thing {
        let details = self.details;
        let kind = match self.kind.as_str() {
            "entity" => ThingKind::Entity(details.into_string()),
            "block" => ThingKind::Block(details.into_string()),
            "dispenser" => ThingKind::Dispenser(details.into_string()),
            "taskboard" => ThingKind::Taskboard,
            "marker" => ThingKind::Marker(MarkerKind::parse(details.as_str())),
            other => ThingKind::Unknown { kind: other.to_owned(), details: details.into_string() },
        };
        Thing { cell: lenient::cell(self.x, self.y), kind }
    }
}

impl RawTask<'_> {
    fn typed(self) -> Task {
        let requirement = |raw: RawThing<'_>| Requirement {
            cell: lenient::cell(raw.x, raw.y),
            kind: raw.kind.into_string(),
        };
        Task {
            name: self.name.into_string(),
            deadline: self.deadline.unsigned(),
            reward: self.reward.0,
            requirements: self.requirements.0.into_iter().map(requirement).collect(),
        }
    }
}

/// The login, with its NUL.
#[must_use]
pub fn encode_auth(user: &str, password: &str) -> Vec<u8> {
    let mut out = br#"{"type":"auth-request","content":{"user":"#.to_vec();
    push_text(&mut out, user);
    out.extend_from_slice(br#","pw":"#);
    push_text(&mut out, password);
    out.extend_from_slice(b"}}\0");
    out
}

/// An action for a request, with its NUL.
#[must_use]
pub fn encode_action(id: i64, action: &Action) -> Vec<u8> {
    let mut out = Vec::with_capacity(96);
    out.extend_from_slice(br#"{"type":"action","content":{"id":"#);
    out.extend_from_slice(id.to_string().as_bytes());
    out.extend_from_slice(br#","type":""#);
    out.extend_from_slice(action.name().as_bytes());
    out.extend_from_slice(br#"","p":["#);
    for (index, param) in action.params().iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_text(&mut out, param);
    }
    out.extend_from_slice(b"]}}\0");
    out
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    // JSON escapes the NUL, so that no text can end a frame.
    out.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
}
