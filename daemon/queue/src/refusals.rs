//! Workers that refuse the matches of a run, as a state machine without clock and network: a run that
//! only such workers answer would wait for ever.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;
use tokio::time::Instant;

/// Warnings before a run ends, the end included.
const WARNINGS: u32 = 10;
/// Workers whose reasons are remembered.
const WORKERS_MAX: usize = 256;
/// Reasons that are shown.
const REASONS_MAX: usize = 5;
/// Workers that are named for each reason.
const NAMED_MAX: usize = 3;

/// What follows when only refusals come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// For the person who watches.
    Warn(String),
    /// The run ends, for this reason.
    End(String),
}

/// The refusals since the last result.
#[derive(Debug)]
pub(crate) struct Refusals {
    /// Time between two warnings.
    every: Duration,
    /// The last reason of each worker.
    reasons: BTreeMap<String, String>,
    /// Whether one came since the last warning.
    fresh: bool,
    warnings: u32,
    /// When refusals began, and when the next warning is due; once a refusal was seen.
    times: Option<(Instant, Instant)>,
}

impl Refusals {
    /// `longest`: how long a run goes on while every worker refuses.
    pub(crate) fn new(longest: Duration) -> Self {
        let (every, reasons) = (longest / WARNINGS, BTreeMap::new());
        Self { every, reasons, fresh: false, warnings: 0, times: None }
    }

    pub(crate) fn add(&mut self, worker: &str, reason: &str) {
        if self.reasons.len() < WORKERS_MAX || self.reasons.contains_key(worker) {
            self.reasons.insert(worker.to_owned(), reason.to_owned());
        }
        self.fresh = true;
    }

    /// Whether a worker refused since the last result and the last warning.
    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// A match has a result: the run goes on.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.every * WARNINGS);
    }

    /// What follows at this time. `playing`: whether a worker plays a match. A run only ends when
    /// refusals came before each warning; where they stop, somebody is repairing the workers.
    pub(crate) fn look(&mut self, now: Instant, playing: bool) -> Option<Stuck> {
        if self.reasons.is_empty() {
            return None;
        }
        let (begun, due) = *self.times.get_or_insert((now, now + self.every));
        if now < due || playing {
            return None;
        }
        self.times = Some((begun, now + self.every));
        if !std::mem::replace(&mut self.fresh, false) {
            return None;
        }
        self.warnings += 1;
        let left = WARNINGS.saturating_sub(self.warnings);
        let (spent, reasons) = (now.saturating_duration_since(begun).as_secs(), self.text());
        if left == 0 {
            return Some(Stuck::End(format!(
                "no match was played for {spent} s, since every worker refuses:{reasons}\nmend \
                 that, and run the command again"
            )));
        }
        let left = (self.every * left).as_secs();
        Some(Stuck::Warn(format!(
            "no match was played for {spent} s, since every worker refuses:{reasons}\nthis run ends \
             in {left} s, unless a worker plays"
        )))
    }

    /// The reasons with their workers, each on a line of its own.
    fn text(&self) -> String {
        let mut workers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (worker, reason) in &self.reasons {
            workers.entry(reason).or_default().push(worker);
        }
        let mut text = String::new();
        for (reason, workers) in workers.iter().take(REASONS_MAX) {
            let named: Vec<_> = workers.iter().take(NAMED_MAX).copied().collect();
            let more = workers.len().saturating_sub(NAMED_MAX);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            write!(text, "\n  {}{more}: {reason}", named.join(", ")).unwrap_or_default();
        }
        let more = workers.len().saturating_sub(REASONS_MAX);
        if more > 0 {
            write!(text, "\n  and {more} other reasons").unwrap_or_default();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(100);

    fn after(begun: Instant, seconds: u64) -> Instant {
        begun + Duration::from_secs(seconds)
    }

    #[test]
    fn a_run_that_only_gets_refusals_is_warned_of_again_and_again_and_ends() {
        let (mut refusals, begun) = (Refusals::new(LONGEST), Instant::now());
        assert_eq!(refusals.look(begun, false), None);
        let mut warnings = 0;
        for second in 0..100 {
            refusals.add("lab1-7-x", "another version");
            refusals.add("lab2-8-y", "another version");
            match refusals.look(after(begun, second), false) {
                Some(Stuck::Warn(text)) => {
                    warnings += 1;
                    assert!(text.contains("\n  lab1-7-x, lab2-8-y: another version"), "{text}");
                    let left = format!("in {} s", 100 - 10 * warnings);
                    assert!(text.contains(&left), "{text}");
                }
                Some(Stuck::End(text)) => panic!("too early, after {second} s: {text}"),
                None => {}
            }
        }
        assert_eq!(warnings, 9);
        let end = refusals.look(after(begun, 100), false);
        let Some(Stuck::End(text)) = end else { panic!("it goes on: {end:?}") };
        assert!(text.contains("for 100 s") && text.contains("another version"), "{text}");
    }

    #[test]
    fn a_result_a_worker_that_plays_and_silence_keep_a_run() {
        let (mut refusals, begun) = (Refusals::new(LONGEST), Instant::now());
        refusals.add("w", "old");
        assert_eq!(refusals.look(begun, false), None);
        assert_eq!(refusals.look(after(begun, 500), true), None, "a long match is played");
        assert!(matches!(refusals.look(after(begun, 501), false), Some(Stuck::Warn(_))));
        // No worker refuses any more: they are being repaired.
        assert_eq!(refusals.look(after(begun, 900), false), None);
        refusals.add("w", "old");
        refusals.clear();
        assert_eq!(refusals.look(after(begun, 1_000), false), None);
        refusals.add("w", "old");
        assert_eq!(refusals.look(after(begun, 1_001), false), None, "it begins anew");
    }

    #[test]
    fn what_is_shown_is_bounded() {
        let (mut refusals, begun) = (Refusals::new(LONGEST), Instant::now());
        for worker in 0..1_000 {
            refusals.add(&format!("w{worker:04}"), &format!("reason {}", worker / 10));
        }
        assert_eq!(refusals.look(begun, false), None);
        let Some(Stuck::Warn(text)) = refusals.look(after(begun, 10), false) else {
            panic!("no warning")
        };
        assert_eq!(text.lines().count(), 2 + REASONS_MAX + 1, "{text}");
        assert!(text.contains("w0000, w0001, w0002 and 7 more: reason 0"), "{text}");
        assert!(text.contains("and 21 other reasons"), "{text}");
    }
}
