//! What a recording keeps of a team, so that its decisions can be computed again: everything that
//! went into it, in order and with its time, and what its scripts learned of real time.
//!
//! Percepts and briefings are not kept here: they come out of the recorded bytes again.

use crate::{
    BoardRead, BoardWrite, BrainError, Carry, Fault, Input, Keep, Params, Scope, SeatState, Staged,
    Steer, Steering, StrategyOrigin, Suspension, TeamOptions, Ticket,
};
use phalanx_game::{AgentId, Event, Game, Roster, SeatId, Turn, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a team was made of: at its start, and again after each panic.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// Its agents.
    pub roster: Arc<Roster>,
    /// The seat of each agent, by roster index.
    pub seats: Vec<SeatId>,
    /// How it deals with time.
    pub options: TeamOptions,
    /// The strategy.
    pub staged: Staged,
    /// What operators had set.
    pub params: Params,
    /// How operators had steered the agents, by roster index.
    pub steering: Vec<Steering>,
    /// The board's revision from which it counts on.
    pub board_revision: u64,
    /// The checkpoint from which it goes on; `None`: it knows nothing.
    pub checkpoint: Option<Arc<[u8]>>,
}

/// One thing that a team's thread did.
#[derive(Clone, Debug)]
pub struct TeamStep {
    /// The present, as the team was told it; of a call, when it began.
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
    /// [`Input::Install`].
    Install(TapedInstall),
    /// [`Input::StrategyRefused`].
    StrategyRefused {
        /// Who brought it.
        origin: StrategyOrigin,
        /// All that is wrong.
        faults: Vec<Fault>,
    },
    /// What an operator wants.
    Wish {
        /// Names the answer.
        ticket: Ticket,
        /// Who.
        by: String,
        /// What.
        wish: Wish,
    },
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

/// [`Input::Install`].
#[derive(Clone, Debug)]
pub struct TapedInstall {
    /// Names the answer.
    pub ticket: Ticket,
    /// What.
    pub staged: Staged,
    /// It is never taken back by itself.
    pub pinned: bool,
}

/// Two of them are equal when they install the same generation in the same way: code is known by
/// its generation's hash.
impl PartialEq for TapedInstall {
    fn eq(&self, other: &Self) -> bool {
        let parts = |it: &Self| {
            let Staged { generation, cost, carry, note, .. } = it.staged.clone();
            (it.ticket, it.pinned, generation, cost, carry, note)
        };
        parts(self) == parts(other)
    }
}

/// What an operator wants of a team.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// [`Input::SetRole`].
    Role {
        /// Whose.
        agent: AgentId,
        /// The new role.
        role: String,
        /// What becomes of the agent's memory.
        carry: Carry,
    },
    /// [`Input::Steer`].
    Steer {
        /// Whom.
        agent: AgentId,
        /// How.
        steer: Steer,
    },
    /// [`Input::AddAgent`].
    Add {
        /// Its name.
        name: String,
        /// Its role.
        role: String,
    },
    /// [`Input::RemoveAgent`].
    Remove {
        /// Whom.
        agent: AgentId,
    },
    /// [`Input::Leave`].
    Leave {
        /// Where it goes, as people read it.
        to: Option<String>,
        /// What stays.
        keep: Keep,
    },
    /// [`Input::Return`].
    Return {
        /// Where to, as people read it.
        to: String,
    },
    /// [`Input::SetParam`].
    Param {
        /// Which.
        name: String,
        /// For whom.
        scope: Scope,
        /// The value.
        value: Option<Value>,
    },
    /// [`Input::Retune`].
    Retune(TeamOptions),
    /// [`Input::WriteBoard`].
    Write(BoardWrite),
    /// [`Input::Run`].
    Run {
        /// As whom.
        agent: AgentId,
        /// What.
        code: String,
    },
    /// [`Input::Look`]: looks change nothing, but a turn has room for few of them.
    Look,
    /// [`Input::Draw`].
    Draw,
    /// [`Input::ReadBoard`].
    Read(BoardRead),
    /// [`Input::Profile`].
    Profile(u32),
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
    /// What the script was told of the time that was left, in order.
    pub reads: Vec<TimeRead>,
    /// It was stopped for its time or its memory: how it would have gone on, nobody knows.
    pub stopped: Option<BrainError>,
    /// Where it was stopped for its time, in the brain's own count: told this number it stops there
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

/// What a script was told when it asked how much time is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRead {
    /// The time, a multiple of [`TIME_READ_STEP`](crate::TIME_READ_STEP).
    pub left: Duration,
    /// So many times in a row.
    pub times: u32,
}

impl TapedInput {
    /// What is kept of an input.
    pub fn of<G: Game>(input: &Input<G>) -> Self {
        match input {
            Input::Seat { seat, state } => Self::Seat { seat: *seat, state: state.clone() },
            Input::Event { seat, event } => Self::Event { seat: *seat, event: hollow(event) },
            Input::Late { agent, turn } => Self::Late { agent: *agent, turn: *turn },
            Input::Install { ticket, staged, pinned } => {
                let (ticket, pinned) = (*ticket, *pinned);
                Self::Install(TapedInstall { ticket, staged: staged.clone(), pinned })
            }
            Input::StrategyRefused { origin, faults } => {
                Self::StrategyRefused { origin: origin.clone(), faults: faults.clone() }
            }
            Input::Restarted { reason, suspended } => {
                Self::Restarted { reason: reason.clone(), suspended: suspended.clone() }
            }
            Input::Drain => Self::Drain,
            Input::Look { ticket } => Self::look(*ticket, Wish::Look),
            Input::Draw { ticket } => Self::look(*ticket, Wish::Draw),
            Input::ReadBoard { ticket, read } => Self::look(*ticket, Wish::Read(read.clone())),
            Input::Profile { ticket, turns } => Self::look(*ticket, Wish::Profile(*turns)),
            Input::SetRole { ticket, agent, role, carry, by } => {
                let wish = Wish::Role { agent: *agent, role: role.clone(), carry: *carry };
                Self::wish(*ticket, by, wish)
            }
            Input::Steer { ticket, agent, steer, by } => {
                Self::wish(*ticket, by, Wish::Steer { agent: *agent, steer: steer.clone() })
            }
            Input::AddAgent { ticket, name, role, by } => {
                Self::wish(*ticket, by, Wish::Add { name: name.clone(), role: role.clone() })
            }
            Input::RemoveAgent { ticket, agent, by } => {
                Self::wish(*ticket, by, Wish::Remove { agent: *agent })
            }
            Input::Leave { ticket, to, keep, by } => {
                Self::wish(*ticket, by, Wish::Leave { to: to.clone(), keep: *keep })
            }
            Input::Return { ticket, to, by } => {
                Self::wish(*ticket, by, Wish::Return { to: to.clone() })
            }
            Input::SetParam { ticket, name, scope, value, by } => {
                let (name, scope, value) = (name.clone(), scope.clone(), value.clone());
                Self::wish(*ticket, by, Wish::Param { name, scope, value })
            }
            Input::Retune { ticket, options, by } => {
                Self::wish(*ticket, by, Wish::Retune(*options))
            }
            Input::WriteBoard { ticket, write } => {
                Self::wish(*ticket, &write.by, Wish::Write(write.clone()))
            }
            Input::Run { ticket, agent, code, by } => {
                Self::wish(*ticket, by, Wish::Run { agent: *agent, code: code.clone() })
            }
        }
    }

    fn wish(ticket: Ticket, by: &str, wish: Wish) -> Self {
        Self::Wish { ticket, by: by.to_owned(), wish }
    }

    fn look(ticket: Ticket, wish: Wish) -> Self {
        Self::wish(ticket, "", wish)
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
            Self::Install(TapedInstall { ticket, staged, pinned }) => {
                Input::Install { ticket, staged, pinned }
            }
            Self::StrategyRefused { origin, faults } => Input::StrategyRefused { origin, faults },
            Self::Wish { ticket, by, wish } => wish.into_input(ticket, by),
            Self::Restarted { reason, suspended } => Input::Restarted { reason, suspended },
            Self::Drain => Input::Drain,
        })
    }
}

impl Wish {
    fn into_input<G: Game>(self, ticket: Ticket, by: String) -> Input<G> {
        match self {
            Self::Role { agent, role, carry } => Input::SetRole { ticket, agent, role, carry, by },
            Self::Steer { agent, steer } => Input::Steer { ticket, agent, steer, by },
            Self::Add { name, role } => Input::AddAgent { ticket, name, role, by },
            Self::Remove { agent } => Input::RemoveAgent { ticket, agent, by },
            Self::Leave { to, keep } => Input::Leave { ticket, to, keep, by },
            Self::Return { to } => Input::Return { ticket, to, by },
            Self::Param { name, scope, value } => {
                Input::SetParam { ticket, name, scope, value, by }
            }
            Self::Retune(options) => Input::Retune { ticket, options, by },
            Self::Write(write) => Input::WriteBoard { ticket, write },
            Self::Run { agent, code } => Input::Run { ticket, agent, code, by },
            Self::Look => Input::Look { ticket },
            Self::Draw => Input::Draw { ticket },
            Self::Read(read) => Input::ReadBoard { ticket, read },
            Self::Profile(turns) => Input::Profile { ticket, turns },
        }
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
        Event::RoundOver { agent, round, score, ranking } => {
            Event::RoundOver { agent: *agent, round: *round, score: *score, ranking: *ranking }
        }
        Event::MatchOver => Event::MatchOver,
    }
}
