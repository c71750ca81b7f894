//! The current result of a league.

use crate::{Rating, SprtState, SprtVerdict};

/// What follows from the results so far.
#[derive(Clone, Debug, PartialEq)]
pub struct LeagueTable {
    /// Matches that were played or failed.
    pub played: u64,
    /// Matches among them that failed. They are not counted for any player.
    pub failed: u64,
    /// The most frequent reasons of those, at most three, the most frequent first.
    pub failures: Vec<FailureReason>,
    /// Matches of the whole schedule.
    pub total: u64,
    /// The players, the best first.
    pub rows: Vec<RankedPlayer>,
    /// The state of the test for an early stop, if the plan has one.
    pub sprt: Option<SprtState>,
    /// What it decided, once it has.
    pub decided: Option<SprtVerdict>,
}

impl LeagueTable {
    /// Whether nothing is left to play.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.decided.is_some() || self.played == self.total
    }

    /// Whether matches were played, and every one failed.
    #[must_use]
    pub fn counts_nothing(&self) -> bool {
        self.played > 0 && self.failed == self.played
    }
}

/// Why matches failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureReason {
    /// What went wrong, in one line.
    pub reason: String,
    /// How many matches failed for it.
    pub count: u64,
}

/// One player.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPlayer {
    /// Its place in the plan.
    pub player: usize,
    /// What it is called.
    pub name: String,
    /// How strong it is.
    pub rating: Rating,
    /// Games won against another player; in games for one, seeds on which it scored more.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Matches played.
    pub matches: u64,
    /// Its mean score, in the referee's points.
    pub score_mean: f64,
    /// The mean score of those it played against; 0 where it plays alone.
    pub against_mean: f64,
}
