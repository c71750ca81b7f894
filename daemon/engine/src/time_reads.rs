//! How much time scripts see as left, and when it is over: measured, optionally kept for a
//! recording, or read back from one.

use std::collections::VecDeque;
use std::time::Duration;

/// Scripts see the remaining time in steps of this.
pub const TIME_READ_STEP: Duration = Duration::from_micros(100);
/// The number of different answers that one call keeps; the last one is used for all further reads.
pub const TIME_READS_MAX: usize = 10_000;

/// The answer to a script that asked how much time is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRead {
    /// The time, a multiple of [`TIME_READ_STEP`].
    pub left: Duration,
    /// How many times in a row.
    pub times: u32,
}

/// What scripts learn of the time.
#[derive(Clone, Debug, Default)]
pub struct TimeReads {
    /// Time does not advance while a script runs: a match on a virtual clock.
    still: bool,
    source: TimeSource,
    /// A call is stopped at this place in the brain's own count, not by the clock.
    stop_after: Option<u64>,
    /// Where the call under way was stopped.
    stopped_after: Option<u64>,
}

#[derive(Clone, Debug, Default)]
enum TimeSource {
    #[default]
    Clock,
    /// The clock, and it is kept.
    Kept(Vec<TimeRead>),
    /// What was kept; when it is used up, the last of it.
    Given(VecDeque<TimeRead>),
}

impl TimeReads {
    /// Keeps the answers.
    #[must_use]
    pub fn kept() -> Self {
        Self { source: TimeSource::Kept(Vec::new()), ..Self::default() }
    }

    /// Returns the kept answers again.
    #[must_use]
    pub fn given(reads: Vec<TimeRead>) -> Self {
        Self { source: TimeSource::Given(reads.into()), ..Self::default() }
    }

    /// The next call is stopped at this place of the brain's own count, whatever the clock says.
    #[must_use]
    pub fn stopping_after(self, count: Option<u64>) -> Self {
        Self { stop_after: count, ..self }
    }

    /// The same for the calls from now on; `None`: the clock stops them.
    pub fn stop_after(&mut self, count: Option<u64>) {
        (self.stop_after, self.stopped_after) = (count, None);
    }

    /// Time does not advance while a script runs.
    #[must_use]
    pub fn standing_still(self) -> Self {
        Self { still: true, ..self }
    }

    /// The remaining time that a script sees, from the time left now and the time left at the
    /// start.
    pub fn left(&mut self, now: Duration, begun: Duration) -> Duration {
        let left = if self.still { begun } else { now };
        let steps = left.as_micros() / TIME_READ_STEP.as_micros();
        let left = TIME_READ_STEP.saturating_mul(u32::try_from(steps).unwrap_or(u32::MAX));
        match &mut self.source {
            TimeSource::Clock => left,
            TimeSource::Kept(reads) => keep(reads, left),
            TimeSource::Given(reads) => give(reads).unwrap_or(left),
        }
    }

    /// Where the brain has to stop the call that begins; `None`: when its time is over.
    pub fn begin_call(&mut self) -> Option<u64> {
        self.stopped_after = None;
        self.stop_after
    }

    /// Where the brain stopped the last call, if it did.
    #[must_use]
    pub fn stopped_after(&self) -> Option<u64> {
        self.stopped_after
    }

    /// The brain stopped the call at this place of its count.
    pub fn stopped(&mut self, after: u64) {
        self.stopped_after = Some(after);
    }

    /// Takes what was kept in the call that ends, and where it was stopped.
    pub fn take(&mut self) -> (Vec<TimeRead>, Option<u64>) {
        let reads = match &mut self.source {
            TimeSource::Kept(reads) => std::mem::take(reads),
            TimeSource::Clock | TimeSource::Given(_) => Vec::new(),
        };
        (reads, self.stopped_after.take())
    }
}

fn keep(reads: &mut Vec<TimeRead>, left: Duration) -> Duration {
    let full = reads.len() >= TIME_READS_MAX;
    match reads.last_mut() {
        // Scripts may ask ten thousand times. Repeat the last answer then, because a replay can
        // repeat it too.
        Some(last) if full || last.left == left => {
            last.times = last.times.saturating_add(1);
            last.left
        }
        Some(_) | None => {
            reads.push(TimeRead { left, times: 1 });
            left
        }
    }
}

fn give(reads: &mut VecDeque<TimeRead>) -> Option<Duration> {
    let alone = reads.len() == 1;
    let first = reads.front_mut()?;
    let left = first.left;
    first.times = first.times.saturating_sub(1);
    if first.times == 0 && !alone {
        reads.pop_front();
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_were_told_is_told_again() {
        let measured = [25_049, 25_001, 24_900, 24_000, 24_000].map(Duration::from_micros);
        let mut kept = TimeReads::kept();
        let told = measured.map(|left| kept.left(left, left));
        assert_eq!(told.map(|left| left.as_micros()), [25_000, 25_000, 24_900, 24_000, 24_000]);
        let (reads, _) = kept.take();
        assert_eq!(reads.iter().map(|read| read.times).collect::<Vec<_>>(), [2, 1, 2]);
        let mut given = TimeReads::given(reads);
        assert_eq!(measured.map(|_| given.left(Duration::ZERO, Duration::ZERO)), told);
        assert_eq!(
            given.left(Duration::ZERO, Duration::ZERO),
            told[4],
            "the last one counts for all further reads"
        );
    }

    #[test]
    fn where_time_stands_still_a_script_sees_none_of_it_go_by() {
        let mut still = TimeReads::default().standing_still();
        let begun = Duration::from_millis(80);
        let told = [80, 55, 0].map(|left| still.left(Duration::from_millis(left), begun));
        assert_eq!(told, [begun; 3]);
    }

    #[test]
    fn a_script_that_asks_without_end_fills_no_memory() {
        let mut kept = TimeReads::kept();
        let ask = |micros: u64| kept.left(Duration::from_micros(micros * 1_000), Duration::ZERO);
        let told: Vec<_> = (0..3 * TIME_READS_MAX as u64).rev().map(ask).collect();
        let (reads, _) = kept.take();
        assert_eq!(reads.len(), TIME_READS_MAX);
        let mut given = TimeReads::given(reads);
        assert!(told.iter().all(|left| given.left(Duration::ZERO, Duration::ZERO) == *left));
    }
}
