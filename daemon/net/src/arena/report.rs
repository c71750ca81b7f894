//! How an arena ended.

use phalanx_game::{Tally, Verdict};

/// Why an arena ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaEnd {
    /// All matches have been played.
    Over,
    /// It was stopped.
    Stopped,
    /// It panicked: a defect.
    Panicked {
        /// The message of the panic.
        reason: String,
    },
}

/// How an arena ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaReport {
    /// Why.
    pub end: ArenaEnd,
    /// The last verdict.
    pub verdict: Verdict,
    /// The results as text for people; empty if the verdict is enough.
    pub summary: String,
    /// What the teams achieved, besides their scores.
    pub tallies: Vec<Tally>,
    /// Files written.
    pub artifacts_written: u64,
    /// Files that could not be written.
    pub artifacts_failed: u64,
    /// Clients dropped because they did not read.
    pub clients_slow: u64,
    /// Clients refused, or closed before their login, because there were too many.
    pub clients_refused: u64,
}

#[derive(Debug, Default)]
pub(super) struct HostTally {
    pub(super) slow: u64,
    pub(super) refused: u64,
    pub(super) written: u64,
    pub(super) failed: u64,
}

impl HostTally {
    pub(super) fn report(&self, end: ArenaEnd, verdict: Verdict) -> ArenaReport {
        ArenaReport {
            end,
            verdict,
            summary: String::new(),
            tallies: Vec::new(),
            artifacts_written: self.written,
            artifacts_failed: self.failed,
            clients_slow: self.slow,
            clients_refused: self.refused,
        }
    }
}
