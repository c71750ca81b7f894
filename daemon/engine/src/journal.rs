//! What is worth remembering: the lines that recordings, `match watch` and people read.

use crate::SeatState;
use phalanx_game::{DefaultCause, Notice, SeatId, Turn};
use serde::Serialize;
use std::time::Duration;

/// One thing that happened in a team.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// The turn in which it happened, in the team's count.
    pub turn: Turn,
    /// The agent's name, where it concerns one.
    pub agent: Option<String>,
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
        /// The generation of the strategy.
        generation: u32,
        /// How long it thought.
        spent: Duration,
    },
    /// The engine sent the fallback, since the brain failed.
    Fallback {
        /// Why: with file and line where known.
        reason: String,
        /// The role that should have decided.
        role: String,
        /// The generation of the strategy.
        generation: u32,
    },
    /// A call other than `decide` failed: `plan`, `start`, `finish`.
    ScriptError {
        /// Which call.
        call: &'static str,
        /// Why.
        reason: String,
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
