//! What goes into a team and what comes out.

use crate::{Answer, CommandRequest, JournalEntry, SeatState, Snapshot, Suspension, Ticket};
use phalanx_game::{AgentId, Event, Game, Roster, SeatId, Turn};
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
    /// An operator, or a part of the daemon, asks for something.
    Command(CommandRequest),
    /// The team is a new one in the place of another, which did not respond or which an operator
    /// restarted.
    Restarted {
        /// Why, for the journal; empty: the journal says nothing.
        reason: String,
        /// Scripts that are not called any more.
        suspended: Vec<Suspension>,
    },
    /// Answer what is open, then say [`Output::Drained`] and ask for nothing more.
    Drain,
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
    /// The agents changed: these are the team's from now on.
    Roster {
        /// Who they are.
        roster: Arc<Roster>,
        /// The seat of each, by roster index.
        seats: Vec<SeatId>,
    },
    /// What the world should know of the team; once a turn and at changes.
    Publish(Arc<Snapshot>),
    /// Something worth remembering happened.
    Journal(JournalEntry),
    /// The answer to a command.
    Answer {
        /// The command's ticket.
        ticket: Ticket,
        /// The reply, or why the team refused.
        answer: Answer,
    },
    /// All open turns are answered; the team is done.
    Drained,
}
