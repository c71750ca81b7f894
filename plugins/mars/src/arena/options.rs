//! What a referee's file does not say.

use super::config::Launch;
use std::time::Duration;

/// How a run of the referee differs from what its file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaOptions {
    /// Seed of the first simulation instead of the configured ones; each later simulation of the
    /// run takes the next number.
    pub seed: Option<i64>,
    /// When to begin, instead of the configured launch.
    pub launch: Option<Launch>,
    /// Least time from one step's requests to the next ones'; zero is as fast as the answers come.
    pub pace: Duration,
    /// Write every simulation's states to a file.
    pub replays: bool,
    /// Write the results to a file.
    pub results: bool,
}

impl Default for ArenaOptions {
    fn default() -> Self {
        Self { seed: None, launch: None, pace: Duration::ZERO, replays: true, results: true }
    }
}
