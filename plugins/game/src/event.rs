//! What a session tells its team.

use crate::{AgentId, ProtocolError, Turn};
use std::fmt;
use std::time::Instant;

/// What happened on one connection, in the order of the protocol. `B` is the game's briefing (what
/// the referee says when a round starts), `P` its percept.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<B, P> {
    /// The referee accepted the login of these agents.
    Seated {
        /// Who sits on this connection.
        agents: Vec<AgentId>,
    },
    /// The referee refused the login; the seat retries slowly.
    Refused {
        /// The referee's reason, or ours.
        reason: String,
    },
    /// A simulation began (or was met in its middle) for an agent.
    RoundStarted {
        /// For whom.
        agent: AgentId,
        /// The session's own count of rounds, from 0.
        round: u32,
        /// What the referee said; `None` when a reconnect met a round without its start message.
        briefing: Option<B>,
    },
    /// The referee sent a percept that needs no answer.
    Percept {
        /// When.
        turn: Turn,
        /// To whom.
        agent: AgentId,
        /// What.
        percept: P,
    },
    /// The referee asks for an action. The session's fallback is armed already.
    Asked {
        /// For which turn, in the session's count.
        turn: Turn,
        /// Whom.
        agent: AgentId,
        /// The session answers by itself at this instant, unless somebody was faster.
        due: Instant,
        /// What the agent perceives.
        percept: P,
    },
    /// The session answered by itself, or the chance to answer is gone.
    Defaulted {
        /// Which turn.
        turn: Turn,
        /// Whose.
        agent: AgentId,
        /// Why.
        cause: DefaultCause,
    },
    /// Something for the journal that needs no answer.
    Notice(Notice),
    /// The referee asks an agent nothing more in this round, so no turn waits for it.
    Out {
        /// Whom.
        agent: AgentId,
        /// The session's own count of rounds.
        round: u32,
    },
    /// A simulation ended for an agent.
    RoundOver {
        /// For whom.
        agent: AgentId,
        /// The session's own count of rounds.
        round: u32,
        /// The team's score.
        score: i64,
        /// The team's rank, from 1, where the referee tells it.
        ranking: Option<u32>,
    },
    /// The referee said goodbye; the connection is not to be opened again.
    MatchOver,
}

/// Why a session did not send the team's own answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefaultCause {
    /// No decision came until `due`, and the seat sent the fallback.
    NoDecision,
    /// The referee asked for the next turn while this one was open.
    Superseded,
    /// The connection was lost while the turn was open.
    Disconnected,
}

/// A journal line of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A message that does not follow the protocol was skipped.
    Malformed(ProtocolError),
    /// A well-formed message of a kind that we do not know was skipped.
    Unknown {
        /// Its kind.
        kind: String,
    },
    /// The referee's next percept shows that an answer which we sent in time was not counted.
    AnswerLost {
        /// The turn whose answer was lost.
        turn: Turn,
    },
    /// The game's own scripts made a mistake; only games that are written in Luau have some.
    Fault {
        /// File and line.
        place: String,
        /// What went wrong.
        what: String,
    },
}

impl fmt::Display for DefaultCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoDecision => "no decision came in time: the seat sent the fallback",
            Self::Superseded => "the referee began the next turn before there was a decision",
            Self::Disconnected => "the connection was lost while the turn was open",
        })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "malformed message skipped: {error}"),
            Self::Unknown { kind } => write!(f, "message of the unknown kind {kind:?} skipped"),
            Self::AnswerLost { turn } => write!(f, "our answer of turn {turn} was not counted"),
            Self::Fault { place, what } => write!(f, "the game's script failed at {place}: {what}"),
        }
    }
}
