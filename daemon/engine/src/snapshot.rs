//! What others see of a team: plain data, published once a turn.

use crate::{Alert, Mark, Params, SeatState, Steering};
use phalanx_game::Turn;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counters over a whole match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Requests for action that reached the team.
    pub asked: u64,
    /// Answers that scripts decided.
    pub decided: u64,
    /// Fallbacks: sent by the engine since a script failed, or by the seat at the deadline.
    pub fallback: u64,
    /// Orders of operators that were sent.
    pub ordered: u64,
    /// Fallbacks that operators wanted: of paused agents, and of pilots without an order.
    pub held: u64,
    /// Turns that went by without any answer of ours, and answers that came too late.
    pub late: u64,
    /// Errors of scripts, `plan` and others included.
    pub script_errors: u64,
    /// Messages of the referee that were skipped as malformed or unknown.
    pub malformed: u64,
}

/// Counts that a team took over from an earlier life of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inherited {
    /// Turns begun then.
    pub tick: u64,
    /// Its counters then.
    pub counters: Counters,
}

/// One agent, as others see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentSnapshot {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// It was removed from the team. Its place stays, so that indices are ids.
    pub gone: bool,
    /// Who decides for it.
    pub steering: Steering,
    /// What its connection is doing.
    pub seat: SeatState,
    /// Where it stands, in the game's words.
    pub summary: String,
    /// The last turn in which the referee asked it; `None` before the first.
    pub last_asked: Option<Turn>,
    /// Turns in a row that went by without an action that its script or an operator decided.
    pub silent_turns: u32,
    /// The action of its last decision.
    pub last_action: String,
    /// The referee's word on the action before.
    pub last_result: String,
    /// What its script explained in its last decision; empty when nothing.
    pub reason: String,
    /// Why its last turn fell back, if it did; empty when it did not.
    pub trouble: String,
}

/// What others see of a team.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The turn in the team's count.
    pub turn: Turn,
    /// Turns begun in this match.
    pub tick: u64,
    /// The score of the running round, where the referee tells it.
    pub score: Option<i64>,
    /// Final scores of the rounds that are over, in order.
    pub rounds: Vec<i64>,
    /// The generation of the strategy.
    pub generation: u32,
    /// It is watched: it may still be taken back.
    pub on_probation: bool,
    /// The parameters of the scripts.
    pub params: Arc<Params>,
    /// The agents in roster order.
    pub agents: Vec<AgentSnapshot>,
    /// Alerts that have begun and not ended, by kind and then by agent.
    pub alerts: Vec<Alert>,
    /// Counters over the match.
    pub counters: Counters,
    /// What of them an earlier life of the team counted: before a panic, or before the daemon was
    /// started again.
    pub inherited: Inherited,
    /// Keys on the board.
    pub board_keys: usize,
    /// Counts the changes of the board: as long as it stays the same, so does the board.
    pub board_revision: u64,
    /// Debug marks of this turn.
    pub marks: Vec<Mark>,
    /// Numbers that scripts report.
    pub metrics: BTreeMap<String, f64>,
    /// The referee said goodbye.
    pub over: bool,
}
