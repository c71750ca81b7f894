//! What a recording keeps of a team, so that its decisions can be computed again: everything that
//! went into it, in order and with its time, and what its scripts learned of real time.
//!
//! Percepts and briefings are not kept here: they come out of the recorded bytes again.

use crate::{BrainError, CommandRequest, Input, SeatState, Suspension, TimeRead};
use phalanx_game::{AgentId, Event, Game, SeatId, Turn};
use std::time::{Duration, Instant};

/// One thing that a team's thread did.
#[derive(Clone, Debug)]
pub struct TeamStep {
    /// The time that the team got; of a call, when it began.
    pub at: Instant,
    /// What.
    pub act: TeamAct,
}

/// What a team's thread does.
#[derive(Clone, Debug)]
pub enum TeamAct {
    /// [`Team::handle`](crate::Team::handle).
    Handled(TapedInput),
    /// [`Team::handle_timeout`](crate::Team::handle_timeout).
    TimedOut,
    /// [`Team::poll_output`](crate::Team::poll_output).
    Polled,
    /// The team called its brain, within the step before.
    Called(TapedCall),
}

/// An [`Input`] without what the game's types hold.
#[derive(Clone, Debug, PartialEq)]
pub enum TapedInput {
    /// [`Input::Seat`].
    Seat {
        /// Which seat.
        seat: SeatId,
        /// What it is doing.
        state: SeatState,
    },
    /// [`Input::Event`]: its briefing or percept is the next one that the session of this seat
    /// makes of the recorded bytes.
    Event {
        /// Which seat.
        seat: SeatId,
        /// What.
        event: Event<(), ()>,
    },
    /// [`Input::Late`].
    Late {
        /// Whose.
        agent: AgentId,
        /// Which turn, in the session's count.
        turn: Turn,
    },
    /// [`Input::Command`].
    Command(CommandRequest),
    /// [`Input::Restarted`].
    Restarted {
        /// Why.
        reason: String,
        /// Scripts that are not called any more.
        suspended: Vec<Suspension>,
    },
    /// [`Input::Drain`].
    Drain,
}

/// One call of a team into its brain.
#[derive(Clone, Debug, PartialEq)]
pub struct TapedCall {
    /// Which of them.
    pub call: CallKind,
    /// For whom; `None`: for the team.
    pub agent: Option<AgentId>,
    /// The time that it took by the brain's own word: the team counts with it.
    pub spent: Duration,
    /// The time in which the script was allowed to run.
    pub budget: Duration,
    /// The answers to the script's questions about the time left, in order.
    pub reads: Vec<TimeRead>,
    /// It was stopped for its time or its memory: how it would have gone on is unknown.
    pub stopped: Option<BrainError>,
    /// Where it was stopped for its time, in the brain's own count: given this number it stops there
    /// again.
    pub stopped_after: Option<u64>,
}

/// The calls of a brain whose time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// [`Brain::start`](crate::Brain::start).
    Start,
    /// [`Brain::plan`](crate::Brain::plan).
    Plan,
    /// [`Brain::decide`](crate::Brain::decide).
    Decide,
    /// [`Brain::finish`](crate::Brain::finish).
    Finish,
    /// [`Brain::install`](crate::Brain::install).
    Install,
    /// [`Brain::hand_over`](crate::Brain::hand_over).
    HandOver,
    /// [`Brain::run`](crate::Brain::run).
    Run,
}

impl TapedInput {
    /// What is kept of an input.
    pub fn of<G: Game>(input: &Input<G>) -> Self {
        match input {
            Input::Seat { seat, state } => Self::Seat { seat: *seat, state: state.clone() },
            Input::Event { seat, event } => Self::Event { seat: *seat, event: hollow(event) },
            Input::Late { agent, turn } => Self::Late { agent: *agent, turn: *turn },
            Input::Command(request) => Self::Command(request.clone()),
            Input::Restarted { reason, suspended } => {
                Self::Restarted { reason: reason.clone(), suspended: suspended.clone() }
            }
            Input::Drain => Self::Drain,
        }
    }

    /// The input again; `event` fills in what the game's types hold.
    ///
    /// # Errors
    /// Whatever `event` says.
    pub fn into_input<G: Game, E>(
        self,
        event: impl FnOnce(SeatId, Event<(), ()>) -> Result<Event<G::Briefing, G::Percept>, E>,
    ) -> Result<Input<G>, E> {
        Ok(match self {
            Self::Seat { seat, state } => Input::Seat { seat, state },
            Self::Event { seat, event: hollow } => {
                Input::Event { seat, event: event(seat, hollow)? }
            }
            Self::Late { agent, turn } => Input::Late { agent, turn },
            Self::Command(request) => Input::Command(request),
            Self::Restarted { reason, suspended } => Input::Restarted { reason, suspended },
            Self::Drain => Input::Drain,
        })
    }
}

/// An event without its briefing or percept.
fn hollow<B, P>(event: &Event<B, P>) -> Event<(), ()> {
    match event {
        Event::Seated { agents } => Event::Seated { agents: agents.clone() },
        Event::Refused { reason } => Event::Refused { reason: reason.clone() },
        Event::RoundStarted { agent, round, briefing } => Event::RoundStarted {
            agent: *agent,
            round: *round,
            briefing: briefing.as_ref().map(|_| ()),
        },
        Event::Percept { turn, agent, .. } => {
            Event::Percept { turn: *turn, agent: *agent, percept: () }
        }
        Event::Asked { turn, agent, due, .. } => {
            Event::Asked { turn: *turn, agent: *agent, due: *due, percept: () }
        }
        Event::Defaulted { turn, agent, cause } => {
            Event::Defaulted { turn: *turn, agent: *agent, cause: *cause }
        }
        Event::Notice(notice) => Event::Notice(notice.clone()),
        Event::Out { agent, round } => Event::Out { agent: *agent, round: *round },
        Event::RoundOver { agent, round, score, ranking } => {
            Event::RoundOver { agent: *agent, round: *round, score: *score, ranking: *ranking }
        }
        Event::MatchOver => Event::MatchOver,
    }
}
