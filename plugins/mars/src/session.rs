//! One account's connection to the referee (spec sections 2 to 5): the session that both MASSim
//! contests share, with XML messages and the behaviour of the referee of 2012.
//!
//! The original referee stops reading a connection for good when it meets something that it cannot
//! read, and does not report it. The session takes two answers in a row that were not counted as a
//! sign of that and connects anew, which heals it.
//!
//! A restarted referee begins with the same ids, so an equal start message can be a new simulation.

use crate::action::Action;
use crate::percept::{Briefing, Percept};
use crate::wire::{self, Request, ServerBody};
use phalanx_game::ProtocolError;
use phalanx_massim::{ActionRequest, MassimSession, RefereeMessage, SessionProtocol, StartMessage};
use smol_str::SmolStr;

pub use phalanx_massim::session::{FRAME_BYTES_MAX, LOGIN_PATIENCE};

/// The longest id that is looked for in a frame that cannot be read, in digits.
const ID_DIGITS_MAX: usize = 20;

/// The protocol of one seat.
pub type Session = MassimSession<MarsProtocol>;

/// The messages of 2012.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarsProtocol;

impl StartMessage for Briefing {
    const CAN_RECUR: bool = true;

    fn is_of_another_round(&self, known: &Self) -> bool {
        !known.id.is_empty() && !self.id.is_empty() && known.id != self.id
    }
}

impl SessionProtocol for MarsProtocol {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;
    type RequestId = SmolStr;

    /// Recharging is never worse than doing nothing.
    const FALLBACK: Action = Action::Recharge;
    const LOST_MAX: Option<u32> = Some(2);
    const ANNOUNCES_LATE_START: bool = true;

    fn decode(frame: &[u8]) -> Result<(Option<i64>, RefereeMessage<Self>), ProtocolError> {
        let message = wire::decode_server(frame)?;
        let body = match message.body {
            ServerBody::AuthResponse { result } => RefereeMessage::Login {
                accepted: result.eq_ignore_ascii_case("ok"),
                result: result.into(),
            },
            ServerBody::SimStart(briefing) => RefereeMessage::SimStart(briefing),
            ServerBody::RequestAction(Request { id, deadline, percept }) => {
                let step = percept.step;
                let base = id.parse::<i64>().ok().and_then(|id| id.checked_sub(step.into()));
                let score = percept.team.score;
                let request = ActionRequest { id, base, step, deadline, score, percept };
                RefereeMessage::Request(request)
            }
            ServerBody::SimEnd { score, ranking } => RefereeMessage::SimEnd { score, ranking },
            ServerBody::Bye => RefereeMessage::Bye,
            ServerBody::Unknown { kind } => {
                RefereeMessage::Unexpected(phalanx_game::excerpt(kind.as_bytes()))
            }
        };
        Ok((message.timestamp, body))
    }

    fn encode_auth(user: &str, password: &str) -> Vec<u8> {
        wire::encode_auth(user, password)
    }

    fn encode_action(id: &SmolStr, action: &Action) -> Vec<u8> {
        wire::encode_action(id, action)
    }

    fn counted_last_answer(percept: &Percept) -> bool {
        // The referee of 2011 writes "invalid".
        !matches!(percept.me.last_action.as_str(), "noAction" | "invalid")
    }

    fn answer_unreadable(frame: &[u8]) -> Option<Vec<u8>> {
        let text = String::from_utf8_lossy(frame);
        let id = text.contains("request-action").then(|| find_id(&text)).flatten()?;
        Some(wire::encode_action(id, &Self::FALLBACK))
    }
}

/// The first id in a text that is no document.
fn find_id(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(" id=")?;
    let rest = rest.strip_prefix(['"', '\''])?;
    let id = rest.split(['"', '\'']).next()?;
    let digits = (1..=ID_DIGITS_MAX).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit());
    digits.then_some(id)
}
