//! What goes into a team and what comes out.

use crate::{
    BoardItem, BoardPage, BoardRead, BoardWrite, BoardWriteError, BrainError, Carry, Drawing,
    Enrolled, Fault, JournalEntry, Keep, ParamError, Profile, Ran, Scope, Snapshot, Staged, Steer,
    SteerError, Steering, StrategyOrigin, Suspension, TeamOptions, View,
};
use phalanx_game::{AgentId, Event, Game, Roster, SeatId, Turn, Value};
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
    /// An operator changes a role from the next turn on. Answered by [`Answer::Role`].
    SetRole {
        /// Names the answer.
        ticket: Ticket,
        /// Whose.
        agent: AgentId,
        /// The new role; the generation that plays must have it.
        role: String,
        /// What becomes of the agent's memory when the new role declares another version of it.
        carry: Carry,
        /// Who changes it, for the journal.
        by: String,
    },
    /// An operator pauses an agent, pins an order to it, pilots it, or hands it back. Answered by
    /// [`Answer::Steered`].
    Steer {
        /// Names the answer.
        ticket: Ticket,
        /// Whom.
        agent: AgentId,
        /// What is wanted.
        steer: Steer,
        /// Who wants it, for the journal.
        by: String,
    },
    /// An operator adds an agent, or one that was removed comes back. Answered by
    /// [`Answer::Enrolled`]; then its seat is to be opened.
    AddAgent {
        /// Names the answer.
        ticket: Ticket,
        /// Its name, 1 to [`AGENT_NAME_CHARS_MAX`](crate::AGENT_NAME_CHARS_MAX) characters, of
        /// which none is a slash or a control character.
        name: String,
        /// Its role; the generation that plays must have it.
        role: String,
        /// Who adds it, for the journal.
        by: String,
    },
    /// An operator removes an agent. Answered by [`Answer::Removed`]; then its seat is to be
    /// closed.
    RemoveAgent {
        /// Names the answer.
        ticket: Ticket,
        /// Whom.
        agent: AgentId,
        /// Who removes it, for the journal.
        by: String,
    },
    /// An operator takes the team away from its referee; the seats are told elsewhere. Answered by
    /// [`Answer::Course`] when the last of them has hung up and what is not kept is forgotten.
    Leave {
        /// Names the answer.
        ticket: Ticket,
        /// Where it goes, as people read it; `None`: it is stopped.
        to: Option<String>,
        /// What stays.
        keep: Keep,
        /// Who wants it, for the journal.
        by: String,
    },
    /// The seats of a stopped team dial again. Answered by [`Answer::Course`].
    Return {
        /// Names the answer.
        ticket: Ticket,
        /// Where to, as people read it.
        to: String,
        /// Who wants it, for the journal.
        by: String,
    },
    /// Let another generation decide, at the next moment at which it costs no turn its time.
    /// Answered by [`Answer::Installed`].
    Install {
        /// Names the answer.
        ticket: Ticket,
        /// What.
        staged: Staged,
        /// It is not watched, and never taken back by itself: the operator insists.
        pinned: bool,
    },
    /// A strategy did not pass its trial; told in the journal.
    StrategyRefused {
        /// Who brought it.
        origin: StrategyOrigin,
        /// All that is wrong.
        faults: Vec<Fault>,
    },
    /// An operator sets a parameter from the next turn on, or takes it back with `None`.
    /// Answered by [`Answer::Param`].
    SetParam {
        /// Names the answer.
        ticket: Ticket,
        /// Which parameter.
        name: String,
        /// For whom.
        scope: Scope,
        /// The value.
        value: Option<Value>,
        /// Who sets it, for the journal.
        by: String,
    },
    /// An operator changes how the team deals with time and when somebody should look at it, from
    /// the next turn on; the seed stays. Answered by [`Answer::Retuned`].
    Retune {
        /// Names the answer.
        ticket: Ticket,
        /// How from then on.
        options: TeamOptions,
        /// Who changes it, for the journal.
        by: String,
    },
    /// Copy what scripts can see. Answered by [`Answer::View`], between two decisions.
    Look {
        /// Names the answer.
        ticket: Ticket,
    },
    /// Draw the world. Answered by [`Answer::Drawn`], between turns.
    Draw {
        /// Names the answer.
        ticket: Ticket,
    },
    /// Copy a piece of the board. Answered by [`Answer::Board`], between turns.
    ReadBoard {
        /// Names the answer.
        ticket: Ticket,
        /// Which piece.
        read: BoardRead,
    },
    /// An operator writes to the board. Answered by [`Answer::Written`].
    WriteBoard {
        /// Names the answer.
        ticket: Ticket,
        /// What.
        write: BoardWrite,
    },
    /// Run a piece of script in the living VM, between turns. Answered by [`Answer::Ran`].
    Run {
        /// Names the answer.
        ticket: Ticket,
        /// As whom.
        agent: AgentId,
        /// An expression or statements.
        code: String,
        /// Who runs it, for the journal.
        by: String,
    },
    /// Measure the scripts over so many turns. Answered by [`Answer::Profile`] after them, or when
    /// the match is over.
    Profile {
        /// Names the answer.
        ticket: Ticket,
        /// How many.
        turns: u32,
    },
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

/// Names the answer to an operator's request: whoever asks chooses it.
pub type Ticket = u64;

/// The ticket of a change of roles that repeats what an operator asked of an earlier life of the team.
pub const REPEATED_TICKET: Ticket = Ticket::MAX;

/// What an operator's request came to.
#[derive(Debug)]
pub enum Answer {
    /// The generation decides from now on, or why not.
    Installed(Result<(), BrainError>),
    /// The value before in that scope, or why it was not set.
    Param(Result<Option<Value>, ParamError>),
    /// The copy.
    View(Box<View>),
    /// The world as it is drawn.
    Drawn(Box<Drawing>),
    /// The piece of the board.
    Board(Box<BoardPage>),
    /// What is under the key now, or why nothing was written.
    Written(Result<Option<BoardItem>, BoardWriteError>),
    /// What the script gave, or how it failed.
    Ran(Result<Ran, BrainError>),
    /// The measurements.
    Profile(Box<Profile>),
    /// The role before, or why it is still the agent's.
    Role(Result<String, SteerError>),
    /// How the agent is steered from now on, or why nothing has changed.
    Steered(Result<Steering, SteerError>),
    /// The options count, or why they do not.
    Retuned(Result<(), SteerError>),
    /// The team has left, or comes back; or why not.
    Course(Result<(), SteerError>),
    /// The agent's id and seat, or why it is not of the team.
    Enrolled(Result<Enrolled, SteerError>),
    /// The agent is not of the team any more, or why it still is.
    Removed(Result<(), SteerError>),
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
    /// An operator stopped the team, or moves it: the seat has hung up and stays away until then.
    Stopped,
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
    /// The answer to an operator's request.
    Answer {
        /// The request's ticket.
        ticket: Ticket,
        /// What it came to.
        answer: Answer,
    },
    /// All open turns are answered; the team is done.
    Drained,
}
