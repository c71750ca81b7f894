//! What goes into a team and what comes out.

use crate::{JournalEntry, Snapshot};
use phalanx_game::{AgentId, Event, Game, SeatId, Turn};
use std::sync::Arc;

/// Everything that a team reacts to, in one queue.
#[derive(Debug)]
pub enum Input<G: Game> {
    /// A seat's connection changed its state.
    Seat {
        /// Which seat.
        seat: SeatId,
        /// What it is doing.
        state: SeatState,
    },
    /// A seat's session reports something.
    Event {
        /// Which seat.
        seat: SeatId,
        /// What.
        event: Event<G::Briefing, G::Percept>,
    },
    /// An action came to its seat when the turn was closed already; nothing was sent.
    Late {
        /// Whose.
        agent: AgentId,
        /// Which turn, in the session's count.
        turn: Turn,
    },
    /// An operator changes a role from the agent's next decision on.
    SetRole {
        /// Whose.
        agent: AgentId,
        /// The new role.
        role: String,
    },
    /// Answer what is open, then say [`Output::Drained`] and ask for nothing more.
    Drain,
}

/// What a seat's connection is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SeatState {
    /// Not tried yet.
    #[default]
    Idle,
    /// Connecting, or waiting before the next try.
    Connecting {
        /// How many tries failed since the last success.
        failures: u32,
        /// Why the last one failed.
        reason: String,
    },
    /// The connection is open; the referee has not accepted the login yet.
    Connected,
    /// The referee accepted the login.
    Seated,
    /// The referee refused the login.
    Refused {
        /// Its reason.
        reason: String,
    },
    /// The match is over for this seat, or it was drained.
    Closed,
}

/// What a team wants done.
#[derive(Debug)]
pub enum Output<G: Game> {
    /// Give this action to the seat's session.
    Act {
        /// Which seat.
        seat: SeatId,
        /// Whose action.
        agent: AgentId,
        /// The turn in the session's count.
        turn: Turn,
        /// What.
        action: G::Action,
    },
    /// What the world should know of the team; once a turn and at changes.
    Publish(Arc<Snapshot>),
    /// Something worth remembering happened.
    Journal(JournalEntry),
    /// All open turns are answered; the team is done.
    Drained,
}
