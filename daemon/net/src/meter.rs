//! Answer times: from the last byte of an agent's request to its action, written and flushed.

use hdrhistogram::Histogram;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Significant decimal digits of recorded times.
const DIGITS: u8 = 3;
/// Longer times are recorded as this one: an hour, in nanoseconds.
const LONGEST: u64 = 3_600_000_000_000;

/// Fresh answers that are kept until they are read; later ones are left out until then.
const FRESH_MAX: usize = 16_384;

/// The times of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// From the last byte of the request to the answer's last one.
    pub spent: Duration,
    /// Until the seat would have sent the fallback; `None`: it was due already.
    pub margin: Option<Duration>,
}

/// Times of one team's answers, without fallbacks of seats.
#[derive(Default)]
pub struct AnswerMeter {
    times: Mutex<Times>,
}

struct Times {
    answer: Histogram<u64>,
    margin: Histogram<u64>,
    overdue: u64,
    /// Answers that were not read yet; `None` before the first read.
    fresh: Option<Vec<Answered>>,
}

/// A summary of a [`AnswerMeter`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Answers measured.
    pub answers: u64,
    /// Half of the answers took at most this long.
    pub p50: Duration,
    /// 99 of 100 took at most this long.
    pub p99: Duration,
    /// 999 of 1,000 took at most this long.
    pub p999: Duration,
    /// The longest time.
    pub max: Duration,
    /// The least time that was left until the seat would have sent the fallback.
    pub margin_min: Duration,
    /// 99 of 100 had at least this much left.
    pub margin_p1: Duration,
    /// Answers that were flushed after `due`.
    pub overdue: u64,
}

impl fmt::Debug for AnswerMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnswerMeter").field(&self.timings()).finish()
    }
}

impl Default for Times {
    fn default() -> Self {
        Self { answer: empty_times(), margin: empty_times(), overdue: 0, fresh: None }
    }
}

impl Times {
    fn summary(&self) -> Timings {
        let at = |quantile| Duration::from_nanos(self.answer.value_at_quantile(quantile));
        let answers = self.answer.len();
        let margin_min = if answers == 0 { 0 } else { self.margin.min() };
        Timings {
            answers,
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: Duration::from_nanos(self.answer.max()),
            margin_min: Duration::from_nanos(margin_min),
            margin_p1: Duration::from_nanos(self.margin.value_at_quantile(0.01)),
            overdue: self.overdue,
        }
    }
}

impl AnswerMeter {
    /// Records an answer that took `spent`, with `margin` left; `None`: it was due already.
    pub(crate) fn record(&self, spent: Duration, margin: Option<Duration>) {
        let mut times = self.lock();
        times.answer.saturating_record(nanos(spent));
        if let Some(fresh) = &mut times.fresh
            && fresh.len() < FRESH_MAX
        {
            fresh.push(Answered { spent, margin });
        }
        match margin {
            Some(margin) => times.margin.saturating_record(nanos(margin)),
            None => {
                times.margin.saturating_record(0);
                times.overdue += 1;
            }
        }
    }

    /// The answers since the last call; the first call begins to keep them. At most some thousands
    /// are kept: ask every few seconds.
    #[must_use]
    pub fn fresh(&self) -> Vec<Answered> {
        self.lock().fresh.replace(Vec::new()).unwrap_or_default()
    }

    /// The figures so far.
    #[must_use]
    pub fn timings(&self) -> Timings {
        self.lock().summary()
    }

    /// The figures of several teams as if they were one.
    #[must_use]
    pub fn together<'a>(meters: impl IntoIterator<Item = &'a AnswerMeter>) -> Timings {
        let mut sum = Times::default();
        for meter in meters {
            let times = meter.lock();
            sum.answer += &times.answer;
            sum.margin += &times.margin;
            sum.overdue += times.overdue;
        }
        sum.summary()
    }

    /// The answer times in nanoseconds.
    #[must_use]
    pub fn histogram(&self) -> Histogram<u64> {
        self.lock().answer.clone()
    }

    // A panic between lock and unlock leaves valid numbers behind.
    fn lock(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A histogram of times in nanoseconds.
pub(crate) fn empty_times() -> Histogram<u64> {
    Histogram::new_with_max(LONGEST, DIGITS).expect("within the crate's own limits")
}

pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_tells_the_middle_the_tail_and_the_margin() {
        let meter = AnswerMeter::default();
        for ms in 1..=100 {
            meter.record(Duration::from_millis(ms), Some(Duration::from_millis(1_000 - ms)));
        }
        let timings = meter.timings();
        let near = |time: Duration, ms: u64| time.as_millis().abs_diff(ms.into()) <= 1;
        assert_eq!((timings.answers, timings.overdue), (100, 0));
        assert!(near(timings.p50, 50) && near(timings.p99, 99) && near(timings.max, 100));
        assert!(near(timings.margin_min, 900) && near(timings.margin_p1, 900));
    }

    #[test]
    fn an_answer_after_its_time_is_counted() {
        let meter = AnswerMeter::default();
        meter.record(Duration::from_secs(4), None);
        let timings = meter.timings();
        assert_eq!((timings.answers, timings.overdue), (1, 1));
        assert_eq!(timings.margin_min, Duration::ZERO);
    }

    #[test]
    fn two_meters_together_are_one() {
        let (one, other, both) =
            (AnswerMeter::default(), AnswerMeter::default(), AnswerMeter::default());
        for ms in 1..=40 {
            let spent = Duration::from_millis(ms);
            let margin = (ms != 7).then_some(Duration::from_secs(1));
            if ms % 3 == 0 { &one } else { &other }.record(spent, margin);
            both.record(spent, margin);
        }
        assert_eq!(AnswerMeter::together([&one, &other]), both.timings());
    }

    #[test]
    fn fresh_answers_are_told_once_from_the_first_question_on() {
        let meter = AnswerMeter::default();
        let answer = |ms| Answered { spent: Duration::from_millis(ms), margin: None };
        let record = |ms| meter.record(Duration::from_millis(ms), None);
        record(1);
        assert_eq!(meter.fresh(), []);
        record(2);
        record(3);
        assert_eq!(meter.fresh(), [answer(2), answer(3)]);
        assert_eq!(meter.fresh(), []);
        (0..20_000).for_each(record);
        assert_eq!(meter.fresh().len(), FRESH_MAX);
    }

    #[test]
    fn nothing_measured_is_all_zero() {
        assert_eq!(AnswerMeter::default().timings(), Timings::default());
    }
}
