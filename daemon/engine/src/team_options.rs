//! The options of a team, for its start and for changes by operators.

use crate::{AlertOptions, Probation};
use std::time::Duration;

/// Time limits and other options of a team.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TeamOptions {
    /// The share of a turn's time that the team waits for missing percepts, 0 to 1.
    pub straggler_share: f64,
    /// The longest wait for them, however long the turn is.
    pub straggler_max: Duration,
    /// The longest that one `decide` may take, however much time is left.
    pub decide_max: Duration,
    /// The longest that `plan` may take.
    pub plan_max: Duration,
    /// The match's seed for scripts.
    pub seed: u64,
    /// When a new generation of the strategy is rolled back.
    pub probation: Probation,
    /// The number of last turns that are kept as copies to try strategies on; 0: none. Once there
    /// are that many, the team copies at most one turn per [`SCENE_EVERY`](crate::SCENE_EVERY).
    pub rehearsal_turns: usize,
    /// When alerts begin.
    pub alerts: AlertOptions,
}

impl Default for TeamOptions {
    fn default() -> Self {
        Self {
            straggler_share: 0.25,
            straggler_max: Duration::from_millis(500),
            decide_max: Duration::from_millis(250),
            plan_max: Duration::from_millis(500),
            seed: 0,
            probation: Probation::default(),
            rehearsal_turns: 3,
            alerts: AlertOptions::default(),
        }
    }
}
