//! A recording in memory, and the check that it decides again as it was.

use crate::cast::limits;
use crate::sabotage::Sabotage;
use phalanx_games::{RerunPlan, TeamPlan};
use phalanx_net::{Appetite, JournalComparison, Recorder, RerunOptions, Taped};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Keeps everything that happens in a team.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Vec<(Instant, Taped)>>);

impl Recorder for Kept {
    fn put(&self, at: Instant, what: Taped) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((at, what));
    }

    fn appetite(&self) -> Appetite {
        Appetite::Everything
    }
}

impl Kept {
    /// Takes everything.
    pub(crate) fn take(&self) -> Vec<(Instant, Taped)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What came of deciding again.
#[derive(Default)]
pub(crate) struct Again {
    pub(crate) decisions: u64,
    /// The first difference.
    pub(crate) difference: Option<String>,
}

/// Decides a recording again.
pub(crate) fn decide_again(plan: &TeamPlan, kept: &Kept, sabotage: Sabotage<'_>) -> Again {
    let failed = |text: String| Again { decisions: 0, difference: Some(text) };
    let entries = kept.take();
    let mut comparison = JournalComparison::new(false);
    let rerun = RerunPlan {
        game: plan.game.clone(),
        options: plan.options.clone(),
        limits: limits(),
        rerun: RerunOptions::default(),
    };
    let mut rerun = match phalanx_games::rerun(rerun) {
        Ok(rerun) => rerun,
        Err(error) => return failed(error.to_string()),
    };
    for (at, what) in entries {
        if sabotage.loses.is_some_and(|loses| loses(&what)) {
            continue;
        }
        if let Taped::Journal(entry) = &what {
            comparison.recorded((**entry).clone());
        }
        if let Err(error) = rerun.feed(at, what) {
            return failed(error.to_string());
        }
        std::iter::from_fn(|| rerun.poll_journal()).for_each(|entry| comparison.now(entry));
    }
    if let Err(error) = rerun.finish() {
        return failed(error.to_string());
    }
    std::iter::from_fn(|| rerun.poll_journal()).for_each(|entry| comparison.now(entry));
    comparison.finish(!rerun.is_ended());
    let decisions = comparison.tally().decisions.all;
    let sent = std::iter::from_fn(|| rerun.poll_sent()).next();
    let line = std::iter::from_fn(|| comparison.poll()).next();
    let trouble = rerun.trouble().in_words();
    let difference = match (line, sent, trouble.first()) {
        (Some(line), ..) => Some(format!("{line:?}")),
        (None, Some(sent), _) => Some(format!("{sent:?}")),
        (None, None, Some(trouble)) => Some(trouble.clone()),
        (None, None, None) => None,
    };
    Again { decisions, difference }
}
