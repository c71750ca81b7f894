//! Messages and bytes (spec sections 2 and 3): one JSON object a frame, `{"type", "payload"}` from
//! the referee, flat objects from clients.
//!
//! - `raw`: the JSON as it is, lenient towards older documents. `build`: from there to the rules'
//!   types and back. `packet`: what clients may send, checked as strictly as the engine does.

mod build;
mod packet;
mod raw;

pub use build::{BuiltState, build, decode_event, encode_event, encode_full};
pub use packet::{
    ActPacket, AdminPacket, Evaluation, admin_packet, agent_packet, encode_act, raw_act,
};
pub use raw::{
    Full, Pairs, RawAction, RawAgent, RawConfig, RawConnection, RawEntity, RawNumber, RawSize,
    RawUnit,
};

use phalanx_game::ProtocolError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

#[derive(Clone, Debug)]
pub enum RefereePacket {
    /// For people.
    Info(String),
    GameState(Box<Full>),
    /// What happened in a tick; the events are read one by one.
    Tick {
        /// The counter after the tick.
        tick: i64,
        /// The events in their order.
        events: Vec<Value>,
    },
    /// The game is over.
    EndGame {
        /// The winner; `None` for a draw.
        winner: Option<String>,
    },
    /// The forward model's answer.
    Next(Box<NextState>),
    /// A kind that this program does not know.
    Unknown {
        kind: String,
    },
}

/// The forward model's answer.
#[derive(Clone, Debug, Deserialize)]
pub struct NextState {
    /// The number of the question.
    pub sequence_id: f64,
    /// The state after the tick.
    pub next_state: Full,
    /// Whether the game is over then.
    pub is_complete: bool,
}

#[derive(Deserialize)]
struct PacketHead {
    r#type: String,
}

#[derive(Deserialize)]
struct PayloadOf<P> {
    payload: P,
}

#[derive(Deserialize)]
struct InfoPayload {
    message: String,
}

#[derive(Deserialize)]
struct TickPayload {
    tick: i64,
    events: Vec<Value>,
}

#[derive(Deserialize)]
struct EndPayload {
    #[serde(default)]
    winning_agent_id: Option<String>,
    #[serde(default, rename = "history")]
    _history: IgnoredAny,
}

/// Reads a packet of the referee.
///
/// # Errors
/// When it is no JSON object with a type, or a known type lacks what it needs.
pub fn decode(bytes: &[u8]) -> Result<RefereePacket, ProtocolError> {
    let head: PacketHead = serde_json::from_slice(bytes)
        .map_err(|_| ProtocolError::new("packet", "a JSON object with a type", bytes))?;
    Ok(match head.r#type.as_str() {
        "tick" => {
            let TickPayload { tick, events } = payload("tick", bytes)?;
            RefereePacket::Tick { tick, events }
        }
        "game_state" => RefereePacket::GameState(payload("game_state", bytes)?),
        "info" => RefereePacket::Info(payload::<InfoPayload>("info", bytes)?.message),
        "endgame_state" => {
            let EndPayload { winning_agent_id, .. } = payload("endgame_state", bytes)?;
            RefereePacket::EndGame { winner: winning_agent_id }
        }
        "next_game_state" => RefereePacket::Next(payload("next_game_state", bytes)?),
        _ => RefereePacket::Unknown { kind: head.r#type },
    })
}

fn payload<'a, P: Deserialize<'a>>(kind: &str, bytes: &'a [u8]) -> Result<P, ProtocolError> {
    let packet: PayloadOf<P> = serde_json::from_slice(bytes).map_err(|error| {
        ProtocolError::new(format!("{kind}, byte {}", error.column()), error.to_string(), bytes)
    })?;
    Ok(packet.payload)
}
