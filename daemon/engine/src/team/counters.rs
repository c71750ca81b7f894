//! What a team counts: over the match, in the turn, and before a restart.

use super::decide::Source;
use crate::{Counters, InheritedCounts, TurnDone};
use std::time::Duration;

/// The counters of a team, and the scores of its rounds.
#[derive(Debug, Default)]
pub(super) struct MatchCounters {
    all: Counters,
    /// The turn that is open, or was last.
    turn: TurnDone,
    scores: Vec<i64>,
    inherited: InheritedCounts,
}

impl MatchCounters {
    /// Continues after a restart of the team in this tick.
    pub(super) fn restored(counters: Counters, scores: Vec<i64>, tick: u64) -> Self {
        let inherited = InheritedCounts { tick, counters };
        Self { all: counters, turn: TurnDone::default(), scores, inherited }
    }

    pub(super) fn all(&self) -> Counters {
        self.all
    }

    pub(super) fn inherited(&self) -> InheritedCounts {
        self.inherited
    }

    /// The scores of the rounds that are over.
    pub(super) fn scores(&self) -> &[i64] {
        &self.scores
    }

    pub(super) fn round_over(&mut self, score: i64) {
        self.scores.push(score);
    }

    pub(super) fn turn_began(&mut self) {
        self.turn = TurnDone::default();
    }

    /// Ends the turn.
    pub(super) fn take_turn(&mut self) -> TurnDone {
        std::mem::take(&mut self.turn)
    }

    /// A request reached the team; it counts even if the team does not play its turn.
    pub(super) fn request(&mut self) {
        self.all.asked += 1;
    }

    /// A request belongs to the open turn.
    pub(super) fn asked(&mut self) {
        self.turn.asked += 1;
    }

    /// An answer leaves.
    pub(super) fn answered(&mut self, source: Source) {
        *source.counter(&mut self.all) += 1;
        *source.count(&mut self.turn) += 1;
    }

    /// An answer that was counted did not reach the referee in time.
    pub(super) fn unanswered(&mut self, source: Source) {
        let counter = source.counter(&mut self.all);
        *counter = counter.saturating_sub(1);
    }

    /// A seat sent the fallback.
    pub(super) fn seat_answered(&mut self) {
        self.all.fallback += 1;
    }

    pub(super) fn late(&mut self) {
        self.all.late += 1;
    }

    pub(super) fn malformed(&mut self) {
        self.all.malformed += 1;
    }

    pub(super) fn script_error(&mut self) {
        self.all.script_errors += 1;
    }

    pub(super) fn script_ran(&mut self, spent: Duration) {
        self.turn.script_us += u64::try_from(spent.as_micros()).unwrap_or(u64::MAX);
    }
}
