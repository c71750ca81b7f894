//! A shorter scenario that breaks the same promise.

use crate::play::Outcome;
use crate::scenario::Scenario;
use crate::violation::{Rule, Violation};

/// Matches that shrinking may play.
const TRIES_MAX: u32 = 300;

/// A scenario that was shrunk.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The short scenario.
    pub scenario: Scenario,
    /// The promise that it breaks.
    pub violation: Violation,
    /// Matches that were played.
    pub tries: u32,
}

/// Drops faults and steps while the same promise stays broken. `play` plays a scenario; `None`: it
/// could not be played.
pub fn shrink(
    scenario: &Scenario,
    violation: &Violation,
    play: &mut dyn FnMut(&Scenario) -> Option<Outcome>,
) -> Shrunk {
    let (scenario, violation) = (scenario.clone(), violation.clone());
    let mut search = Search { best: Shrunk { scenario, violation, tries: 0 }, play };
    search.cut_steps();
    let mut size = search.best.scenario.faults.len();
    while size >= 1 {
        search.drop_faults(size);
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    search.drop_weather();
    search.cut_steps();
    search.stop_recording();
    search.best
}

struct Search<'a> {
    best: Shrunk,
    play: &'a mut dyn FnMut(&Scenario) -> Option<Outcome>,
}

impl Search<'_> {
    /// Keeps a scenario that breaks the same promise.
    fn attempt(&mut self, scenario: Scenario) -> bool {
        if self.best.tries >= TRIES_MAX {
            return false;
        }
        self.best.tries += 1;
        let rule: Rule = self.best.violation.rule;
        let outcome = (self.play)(&scenario);
        let found = outcome.and_then(|outcome| {
            outcome.violations.into_iter().find(|violation| violation.rule == rule)
        });
        match found {
            Some(violation) => {
                (self.best.scenario, self.best.violation) = (scenario, violation);
                true
            }
            None => false,
        }
    }

    /// Ends the match soon after the violation; faults after the end are dropped.
    fn cut_steps(&mut self) {
        let (end, all) = (self.best.violation.step, self.best.scenario.steps);
        for steps in [end, end.saturating_add(1), end.saturating_add(4)] {
            if (1..all).contains(&steps) {
                let mut shorter = self.best.scenario.clone();
                shorter.steps = steps;
                shorter.faults.retain(|fault| fault.step <= steps);
                if self.attempt(shorter) {
                    return;
                }
            }
        }
    }

    /// Drops faults, this many at a time, from the last to the first.
    fn drop_faults(&mut self, size: usize) {
        let mut end = self.best.scenario.faults.len();
        while end > 0 {
            let begin = end.saturating_sub(size);
            let mut fewer = self.best.scenario.clone();
            if end <= fewer.faults.len() {
                fewer.faults.drain(begin..end);
                self.attempt(fewer);
            }
            end = begin;
        }
    }

    fn drop_weather(&mut self) {
        for index in (0..self.best.scenario.often.len()).rev() {
            let mut fewer = self.best.scenario.clone();
            fewer.often.remove(index);
            self.attempt(fewer);
        }
    }

    fn stop_recording(&mut self) {
        if self.best.scenario.record {
            let mut plain = self.best.scenario.clone();
            plain.record = false;
            self.attempt(plain);
        }
    }
}
