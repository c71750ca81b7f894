//! What happens in a team: the entries that logs, recordings, the API and people read.

mod describe;

pub use describe::{Description, EventSeverity, EventTopic};

use crate::{
    AlertKind, Carry, Fault, Generation, Keep, Provenance, Reason, SeatState, SteerCause, Steering,
    StrategyOrigin,
};
use phalanx_game::{DefaultCause, Notice, SeatId, Turn, Value};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// One thing that happened in a team.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// The turn in which it happened, in the team's count.
    pub turn: Turn,
    /// The agent's name, where it concerns one.
    pub agent: Option<String>,
    /// The generation of the strategy that decided then.
    pub generation: u32,
    /// What happened.
    pub event: JournalEvent,
}

/// The kinds of things that happen.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalEvent {
    /// A seat's connection changed. The entry names the agent if the seat has only one.
    Seat {
        /// Which.
        seat: SeatId,
        /// To what.
        state: SeatState,
    },
    /// A round began for the team.
    RoundStarted,
    /// The team goes on with what it knew before its thread or its daemon ended: the agents met the
    /// same round.
    Resumed {
        /// The last turn that it knew.
        turn: Turn,
        /// Turns after that one that it missed.
        missed: u32,
    },
    /// The team's checkpoint is not used.
    CheckpointRefused {
        /// Why.
        reason: String,
    },
    /// A script decided.
    Decided {
        /// The action, as people read it.
        action: String,
        /// The role that decided.
        role: String,
        /// Why, where the script explained it.
        reason: Option<Reason>,
        /// How long it thought.
        spent: Duration,
        /// What it rests on.
        grounds: Box<Provenance>,
    },
    /// The engine sent the fallback, since the brain failed.
    Fallback {
        /// Why: with file and line where known.
        reason: String,
        /// The role that should have decided.
        role: String,
        /// What the script explained before it failed.
        explained: Option<Reason>,
        /// How long the script thought before it failed.
        spent: Duration,
        /// What it had looked at until then, and where it failed.
        grounds: Box<Provenance>,
    },
    /// A call other than `decide` failed: `plan`, `start`, `finish`.
    ScriptError {
        /// Which call.
        call: &'static str,
        /// Why.
        reason: String,
    },
    /// Another generation decides from here on.
    Generation {
        /// Which.
        generation: Arc<Generation>,
        /// It is the operator's choice: it is not watched.
        pinned: bool,
        /// How it came to decide, as people read it: `rolled back by root`; empty when its origin
        /// says it.
        note: String,
    },
    /// A strategy was refused: the old one plays on.
    StrategyRefused {
        /// Who brought it.
        origin: StrategyOrigin,
        /// All that is wrong.
        faults: Vec<Fault>,
    },
    /// A new generation failed too often and was taken back.
    TakenBack {
        /// The one that failed.
        failed: Arc<Generation>,
        /// The one that decides again.
        generation: Arc<Generation>,
        /// How it failed: how often, and the last trouble.
        reason: String,
    },
    /// An operator set a parameter.
    ParamSet {
        /// Which.
        name: String,
        /// For whom, as people read it.
        scope: String,
        /// The value before in that scope, as people read it; empty: none.
        before: String,
        /// The value, as people read it; empty: taken back.
        value: String,
        /// Who.
        by: String,
    },
    /// An operator wrote to the board.
    BoardSet {
        /// The key.
        key: String,
        /// The value; [`Value::Nil`]: it was deleted.
        value: Value,
        /// Turns in which it can be read; `None`: for ever.
        turns: Option<u64>,
        /// Who wrote it.
        by: String,
    },
    /// An operator ran a piece of script in the living VM.
    Ran {
        /// What, cut to a few hundred characters.
        code: String,
        /// Who.
        by: String,
        /// How it failed; empty when it did not.
        trouble: String,
    },
    /// An operator changed a role.
    RoleSet {
        /// The role before.
        before: String,
        /// The role from the next decision on.
        role: String,
        /// What became of the agent's memory where the new role declares another version of it.
        carry: Carry,
        /// Who.
        by: String,
    },
    /// An agent is steered differently from its next decision on.
    Steered {
        /// How.
        steering: Steering,
        /// Why.
        cause: SteerCause,
    },
    /// An operator's order was sent: pinned, or given by a pilot.
    Ordered {
        /// The action, as people read it.
        action: String,
        /// Who gave the order.
        by: String,
        /// It is pinned.
        pinned: bool,
    },
    /// The fallback was sent since an operator wants it so: the agent is paused, or its pilot gave
    /// no order in time.
    Held {
        /// Who steers it.
        by: String,
        /// The pilot gave no order; otherwise the agent is paused.
        piloted: bool,
    },
    /// An operator added an agent to the team.
    AgentAdded {
        /// Its role.
        role: String,
        /// It was of the team before.
        again: bool,
        /// Who.
        by: String,
    },
    /// An operator removed an agent from the team.
    AgentRemoved {
        /// Who.
        by: String,
    },
    /// An operator changed how the team deals with time, or when it raises alerts.
    Retuned {
        /// What, as people read it: `decide_max 250ms → 300ms`.
        changes: String,
        /// Who.
        by: String,
    },
    /// The team left its referee, as an operator wished: every seat has hung up.
    Left {
        /// Where it goes; `None`: it is stopped.
        to: Option<String>,
        /// What stays.
        keep: Keep,
        /// Who.
        by: String,
    },
    /// The seats dial again.
    Returned {
        /// Where to.
        to: String,
        /// Who.
        by: String,
    },
    /// An alert began: someone should look at the team.
    AlertBegan {
        /// What it is about.
        alert: AlertKind,
        /// What is wrong, for people.
        text: String,
    },
    /// An alert ended.
    AlertEnded {
        /// What it was about.
        alert: AlertKind,
        /// Turns that it lasted.
        turns: u64,
    },
    /// The seat answered by itself, or the chance to answer was gone.
    Defaulted {
        /// Why.
        cause: DefaultCause,
    },
    /// The team decided, but the turn was closed already.
    Late,
    /// A session's remark.
    Notice(Notice),
    /// A script logged.
    Log {
        /// `debug`, `info`, `warn` or `error`.
        level: &'static str,
        /// What.
        text: String,
    },
    /// A turn is through: every agent that was asked has an answer on its way.
    TurnDone(TurnDone),
    /// The round ended for the team.
    RoundOver {
        /// The team's score.
        score: i64,
        /// Its rank, where the referee reports it.
        ranking: Option<u32>,
    },
    /// The referee ended the match for every seat.
    MatchOver,
}

impl JournalEvent {
    /// A fallback for which no script was asked.
    pub(crate) fn undecided(reason: String, role: String) -> Self {
        let (spent, grounds) = (Duration::ZERO, Box::default());
        Self::Fallback { reason, role, explained: None, spent, grounds }
    }
}

/// How a turn went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TurnDone {
    /// Agents that were asked.
    pub asked: u32,
    /// Answers of scripts.
    pub decided: u32,
    /// Fallbacks sent by the engine, since a script failed or an order did not fit.
    pub fallback: u32,
    /// Orders of operators.
    pub ordered: u32,
    /// Fallbacks that operators wanted: of paused agents, and of pilots without an order.
    pub held: u32,
    /// The team's score, where the referee reports it during a round.
    pub score: Option<i64>,
    /// Time that scripts took, in microseconds.
    pub script_us: u64,
}
