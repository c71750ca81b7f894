//! What is worth remembering: the lines that recordings, `match watch` and people read.

use crate::{Fault, Generation, Reason, SeatState, StrategyOrigin};
use phalanx_game::{DefaultCause, Notice, SeatId, Turn};
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
    /// A seat's connection changed.
    Seat {
        /// Which.
        seat: SeatId,
        /// To what.
        state: SeatState,
    },
    /// A round began for the team.
    RoundStarted,
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
    },
    /// The engine sent the fallback, since the brain failed.
    Fallback {
        /// Why: with file and line where known.
        reason: String,
        /// The role that should have decided.
        role: String,
        /// What the script explained before it failed.
        explained: Option<Reason>,
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
        /// tells.
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
    /// An operator ran a piece of script in the living VM.
    Ran {
        /// What, cut to a few hundred characters.
        code: String,
        /// Who.
        by: String,
        /// How it failed; empty when it did not.
        trouble: String,
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
        /// Its rank, where told.
        ranking: Option<u32>,
    },
    /// The referee said goodbye to every seat.
    MatchOver,
}

/// How a turn went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TurnDone {
    /// Agents that were asked.
    pub asked: u32,
    /// Answers of scripts.
    pub decided: u32,
    /// Fallbacks sent by the engine.
    pub fallback: u32,
    /// The team's score, where the referee tells it during a round.
    pub score: Option<i64>,
    /// Time that scripts took, in microseconds.
    pub script_us: u64,
}
