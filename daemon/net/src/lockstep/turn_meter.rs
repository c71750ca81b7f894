//! The processor time of a team's turns: unlike real time it hardly depends on what else runs.

use crate::meter::{empty_times, nanos};
use cpu_time::ThreadTime;
use hdrhistogram::Histogram;
use std::time::Duration;

/// The processor time of the turns of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnTimes {
    /// Turns measured.
    pub turns: u64,
    /// Half of the turns took at most this long.
    pub p50: Duration,
    /// 99 of 100 took at most this long.
    pub p99: Duration,
    /// The longest time.
    pub max: Duration,
}

impl TurnTimes {
    /// Those of several teams together.
    pub(super) fn of<'a>(meters: impl Iterator<Item = &'a TurnMeter>) -> Self {
        let mut all = empty_times();
        meters.for_each(|meter| all += &meter.times);
        let at = |quantile| Duration::from_nanos(all.value_at_quantile(quantile));
        Self { turns: all.len(), p50: at(0.5), p99: at(0.99), max: Duration::from_nanos(all.max()) }
    }
}

/// The processor time that one team needs for a turn: from the bytes of its first percept to the
/// bytes of its last answer, with parsing, world and scripts.
#[derive(Debug)]
pub(super) struct TurnMeter {
    begun: Option<ThreadTime>,
    times: Histogram<u64>,
}

impl Default for TurnMeter {
    fn default() -> Self {
        Self { begun: None, times: empty_times() }
    }
}

impl TurnMeter {
    /// Bytes arrive.
    pub(super) fn begin(&mut self) {
        self.begun = self.begun.or_else(|| ThreadTime::try_now().ok());
    }

    /// All that arrived is handled. It was a turn if the team `acted`.
    pub(super) fn end(&mut self, acted: bool) {
        if let Some(begun) = self.begun.take()
            && acted
        {
            self.times.saturating_record(nanos(begun.elapsed()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_batch_that_ends_in_actions_is_a_turn() {
        let mut meter = TurnMeter::default();
        meter.begin();
        meter.end(false);
        meter.end(true);
        meter.begin();
        meter.end(true);
        let times = TurnTimes::of([&meter, &TurnMeter::default()].into_iter());
        assert_eq!(times.turns, 1);
        assert!(times.p50 <= times.p99);
    }
}
