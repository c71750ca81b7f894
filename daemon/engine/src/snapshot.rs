//! The public state of a team: plain data, published once a turn.

use crate::{Alert, DebugMark, Params, SeatState, Steering};
use phalanx_game::Turn;
use phalanx_game::sorted::SortedMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Counters over a whole match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Requests for action that reached the team.
    pub asked: u64,
    /// Answers that scripts decided.
    pub decided: u64,
    /// Fallbacks: sent by the engine because a script failed, or by the seat at the deadline.
    pub fallback: u64,
    /// Orders of operators that were sent.
    pub ordered: u64,
    /// Fallbacks for operators: for paused agents, and for pilots without an order.
    pub held: u64,
    /// Turns without an answer, and answers that were too late.
    pub late: u64,
    /// Errors of scripts, `plan` and others included.
    pub script_errors: u64,
    /// Skipped messages of the referee that were malformed or unknown.
    pub malformed: u64,
}

/// Counts from before a restart of the team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InheritedCounts {
    /// Turns begun by then.
    pub tick: u64,
    /// The counters by then.
    pub counters: Counters,
}

/// The public state of one agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentSnapshot {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// It was removed from the team. Its place stays, so that indices are ids.
    pub gone: bool,
    /// Who decides for it: script, order or pilot.
    pub steering: Steering,
    /// The state of its connection.
    pub seat: SeatState,
    /// The agent's state, in the game's words.
    pub summary: String,
    /// The last turn in which the referee asked it; `None` before the first.
    pub last_asked: Option<Turn>,
    /// Turns in a row without an action from its script or from an operator.
    pub silent_turns: u32,
    /// The action of its last decision.
    pub last_action: String,
    /// The referee's result of the previous action.
    pub last_result: String,
    /// The explanation of its last decision by its script; empty if there is none.
    pub reason: String,
    /// Why its last turn used the fallback; empty if it did not.
    pub trouble: String,
}

/// The public state of a team.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The turn in the team's count.
    pub turn: Turn,
    /// Turns begun in this match.
    pub tick: u64,
    /// The score of the running round, if the referee reports it.
    pub score: Option<i64>,
    /// Final scores of the rounds that are over, in order.
    pub rounds: Vec<i64>,
    /// The generation of the strategy.
    pub generation: u32,
    /// The generation is on probation: it may still be rolled back.
    pub on_probation: bool,
    /// The parameters of the scripts.
    pub params: Arc<Params>,
    /// The agents in roster order.
    pub agents: Vec<AgentSnapshot>,
    /// Alerts that have begun and not ended, by kind and then by agent.
    pub alerts: Vec<Alert>,
    /// Counters over the match.
    pub counters: Counters,
    /// The part of the counters from before a restart of the team, after a panic or of the daemon.
    pub inherited: InheritedCounts,
    /// Keys on the board.
    pub board_keys: usize,
    /// The number of changes of the board: while it stays the same, so does the board.
    pub board_revision: u64,
    /// Debug marks of this turn.
    pub marks: Vec<DebugMark>,
    /// Numbers that scripts report.
    pub metrics: SortedMap<String, f64>,
    /// The referee ended the match for every seat.
    pub over: bool,
}

impl Snapshot {
    /// The steering of the agents, by roster index.
    #[must_use]
    pub fn steering(&self) -> Vec<Steering> {
        self.agents.iter().map(|agent| agent.steering.clone()).collect()
    }
}
