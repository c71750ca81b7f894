//! One account's connection to the referee (spec sections 2 to 5): the session that both MASSim
//! contests share, with JSON messages and the behaviour of the referee of 2020.
//!
//! `id - step` stays the same within a simulation and changes with the next one, since ids are
//! never set back. The repeated start message after a reconnect is unreliable (spec section 4), so
//! that number decides, not the message.

use crate::action::Action;
use crate::percept::{Briefing, Percept};
use crate::wire::{self, Message, Request};
use phalanx_game::ProtocolError;
use phalanx_massim::{ActionRequest, MassimSession, RefereeMessage, SessionProtocol, StartMessage};

pub use phalanx_massim::session::{FRAME_BYTES_MAX, LOGIN_PATIENCE};

/// The protocol of one seat.
pub type Session = MassimSession<AssembleProtocol>;

/// The messages of 2020.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssembleProtocol;

impl StartMessage for Briefing {
    const CAN_RECUR: bool = false;

    fn is_of_another_round(&self, _known: &Self) -> bool {
        false
    }
}

impl SessionProtocol for AssembleProtocol {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;
    type RequestId = i64;

    const FALLBACK: Action = Action::Skip;
    const LOST_MAX: Option<u32> = None;
    const ANNOUNCES_LATE_START: bool = false;

    fn decode(frame: &[u8]) -> Result<(Option<i64>, RefereeMessage<Self>), ProtocolError> {
        Ok(match wire::decode(frame)? {
            Message::AuthResponse { ok, result } => {
                (None, RefereeMessage::Login { accepted: ok, result })
            }
            Message::SimStart(briefing) => {
                (Some(briefing.time), RefereeMessage::SimStart(briefing))
            }
            Message::RequestAction(Request { id, time, deadline, percept }) => {
                let step = percept.step;
                let base = Some(id.saturating_sub(step.into()));
                let (deadline, score) = (Some(deadline), None);
                let request = ActionRequest { id, base, step, deadline, score, percept };
                (Some(time), RefereeMessage::Request(request))
            }
            Message::SimEnd { score, ranking } => {
                (None, RefereeMessage::SimEnd { score: Some(score), ranking })
            }
            Message::Bye => (None, RefereeMessage::Bye),
            Message::StatusResponse(_) => {
                let kind = "status-response without a question".to_owned();
                (None, RefereeMessage::Unexpected(kind))
            }
            Message::Unknown { kind } => {
                (None, RefereeMessage::Unexpected(phalanx_game::excerpt(kind.as_bytes())))
            }
        })
    }

    fn encode_auth(user: &str, password: &str) -> Vec<u8> {
        wire::encode_auth(user, password)
    }

    fn encode_action(id: &i64, action: &Action) -> Vec<u8> {
        wire::encode_action(*id, action)
    }

    fn counted_last_answer(percept: &Percept) -> bool {
        percept.last_action != "no_action"
    }
}
