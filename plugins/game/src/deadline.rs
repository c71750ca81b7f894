//! How much time a request leaves, by the clock of a referee that names one.
//!
//! The referee says when it sent a request and until when an answer counts. Its clock need not
//! agree with ours: only differences count.
//!
//! ```text
//! due = arrival + (deadline - sent) - delay - margin        never before the arrival
//! delay = (arrival - sent) - the smallest (arrival - sent) of the last requests
//! ```
//!
//! The smallest difference is that of the request that came fastest. A request that comes later
//! than that was held up on its way, and the referee's clock ran meanwhile.
//!
//! Only the last [`REQUESTS_MAX`] requests count, so the smallest difference follows clocks that
//! drift. When a delay is as long as the whole turn, the referee's clock was set back, or the answer
//! is too late anyway: the count begins anew there. If a request of the same burst fits the count
//! before, it was a delay: the count before goes on. A clock that is set forward makes a new
//! smallest difference by itself.
//!
//! After a login, a referee may send a request that it sent before: the first requests are compared
//! with the answer to the login, too.

use crate::Margin;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A turn is never believed to be longer than this. A referee that names a later deadline, or no
/// time to count from, gets its answer within the configured limit.
pub const WINDOW_MAX: Duration = Duration::from_secs(600);

/// Requests over which the fastest is looked for: about two minutes at four seconds a turn.
pub const REQUESTS_MAX: usize = 32;

/// Requests that were held up together arrive at most this many turns after one another.
const BURST_TURNS: u32 = 3;

/// This number of requests after a login is compared with the answer to it.
const LOGIN_REQUESTS: u32 = 3;

/// The referee's clock, as the requests of one connection show it.
#[derive(Clone, Debug, Default)]
pub struct DeadlineClock {
    /// The first arrival: our own clock counts from here.
    base: Option<Instant>,
    /// Arrival less sending time, in milliseconds, of the last requests.
    offsets: VecDeque<i64>,
    /// The smallest difference before the count began anew.
    before: Option<FormerOffset>,
    /// What the answer to the login showed.
    login: Option<LoginOffset>,
}

#[derive(Clone, Copy, Debug)]
struct LoginOffset {
    /// In milliseconds.
    offset: i64,
    /// How many more requests are compared with it.
    requests: u32,
}

#[derive(Clone, Copy, Debug)]
struct FormerOffset {
    /// In milliseconds.
    offset: i64,
    /// Requests that were held up together arrive before.
    until: Instant,
    /// How many more requests may belong to the same burst.
    requests: usize,
}

impl DeadlineClock {
    /// Another connection: its referee and its path may be others.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// The answer to a login was sent at that time and arrived `now`.
    pub fn logged_in(&mut self, sent: i64, now: Instant) {
        let offset = self.offset(sent, now);
        self.login = Some(LoginOffset { offset, requests: LOGIN_REQUESTS });
    }

    /// Arrival less sending time, in milliseconds.
    fn offset(&mut self, sent: i64, now: Instant) -> i64 {
        let base = *self.base.get_or_insert(now);
        let arrival = now.saturating_duration_since(base).as_millis();
        i64::try_from(arrival).unwrap_or(i64::MAX).saturating_sub(sent)
    }

    /// When the session answers by itself a request that arrived `now`. `sent` and `deadline` are
    /// Unix milliseconds of the referee's clock, where it names them. `limit` is the length of a
    /// turn where it names none, or none that can be meant.
    ///
    /// A deadline before the request was sent is answered at once.
    #[must_use]
    pub fn due(
        &mut self,
        (sent, deadline): (Option<i64>, Option<i64>),
        limit: Duration,
        margin: &Margin,
        now: Instant,
    ) -> Instant {
        let limit = limit.min(WINDOW_MAX);
        let (Some(sent), Some(deadline)) = (sent, deadline.filter(|deadline| *deadline > 0)) else {
            return now + limit.saturating_sub(margin.of(limit));
        };
        if deadline < sent {
            return now;
        }
        let window = u64::try_from(deadline.saturating_sub(sent)).unwrap_or(u64::MAX);
        let window = match Duration::from_millis(window) {
            window if window.is_zero() || window > WINDOW_MAX => limit,
            window => window,
        };
        let left = window.saturating_sub(self.delay(sent, window, now));
        now + left.saturating_sub(margin.of(window))
    }

    /// How much longer than the fastest of the last requests this one was on its way.
    fn delay(&mut self, sent: i64, window: Duration, now: Instant) -> Duration {
        let offset = self.offset(sent, now);
        self.before.take_if(|before| before.until < now);
        let fits = |before: &mut FormerOffset| is_shorter(offset, before.offset, window);
        if let Some(before) = self.before.take_if(fits) {
            self.offsets = [before.offset].into();
        } else if let Some(before) = self.before.as_mut().filter(|before| before.requests > 0) {
            // This one was held up longer than a turn, too: the burst goes on.
            (before.until, before.requests) = (now + BURST_TURNS * window, before.requests - 1);
        }
        let fastest = self.offsets.iter().min().copied().unwrap_or(offset);
        let fastest = fastest.min(self.login_offset(offset, window).unwrap_or(fastest));
        let delay = u64::try_from(offset.saturating_sub(fastest)).unwrap_or(0);
        let mut delay = Duration::from_millis(delay);
        if delay >= window {
            let (until, requests) = (now + BURST_TURNS * window, REQUESTS_MAX);
            self.before.get_or_insert(FormerOffset { offset: fastest, until, requests });
            self.offsets.clear();
            delay = Duration::ZERO;
        }
        if self.offsets.len() >= REQUESTS_MAX {
            self.offsets.pop_front();
        }
        self.offsets.push_back(offset);
        delay
    }

    /// What the login showed, for one of the first requests. A request that seems to be older than
    /// a turn says that the clock is another one.
    fn login_offset(&mut self, offset: i64, window: Duration) -> Option<i64> {
        let LoginOffset { offset: first, requests } = self.login.as_mut()?;
        let first = *first;
        *requests = requests.saturating_sub(1);
        self.login.take_if(|login| login.requests == 0);
        is_shorter(offset, first, window).then_some(first)
    }
}

/// Whether a delay is shorter than a turn.
fn is_shorter(offset: i64, fastest: i64, window: Duration) -> bool {
    let delay = u64::try_from(offset.saturating_sub(fastest)).unwrap_or(0);
    Duration::from_millis(delay) < window
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarginLimits;

    const LIMIT: Duration = Duration::from_secs(2);
    /// The first request by the referee's clock, in Unix milliseconds.
    const START: i64 = 1_600_000_000_000;
    /// Milliseconds of a turn.
    const TURN: i64 = 4000;

    /// Requests of turns of four seconds, each as `(arrival, sent)` in milliseconds since the first:
    /// the milliseconds that each has until it is due, without any margin.
    fn left(requests: &[(u64, i64)]) -> Vec<u128> {
        let mut clock = DeadlineClock::default();
        play(&mut clock, requests)
    }

    fn play(clock: &mut DeadlineClock, requests: &[(u64, i64)]) -> Vec<u128> {
        play_since(epoch(), clock, requests)
    }

    fn play_since(begin: Instant, clock: &mut DeadlineClock, requests: &[(u64, i64)]) -> Vec<u128> {
        let due = |(arrival, sent): &(u64, i64)| {
            let (now, sent) = (begin + Duration::from_millis(*arrival), START + sent);
            let due = clock.due((Some(sent), Some(sent + TURN)), LIMIT, &no_margin(), now);
            due.saturating_duration_since(now).as_millis()
        };
        requests.iter().map(due).collect()
    }

    fn no_margin() -> Margin {
        Margin::new(MarginLimits { min: Duration::ZERO, max: Duration::ZERO })
    }

    #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
    fn epoch() -> Instant {
        Instant::now()
    }

    #[test]
    fn several_requests_that_were_each_held_up_longer_than_a_turn_keep_the_clock() {
        let requests = [
            (0, 0),
            (4_000, 4_000),
            (13_000, 8_000),
            (16_300, 12_000),
            (20_200, 16_000),
            // It was held up shorter than a turn.
            (23_930, 20_000),
            (24_000, 24_000),
        ];
        assert_eq!(left(&requests)[5..], [70, 4_000]);
    }

    #[test]
    fn requests_that_were_held_up_together_for_longer_than_a_turn_have_the_time_that_is_left() {
        let steady = [(0, 0), (4000, 4000)];
        // Sent at 8, 12 and 16 seconds, and all there after 18.
        let burst = [(18_000, 8000), (18_000, 12_000), (18_000, 16_000), (20_000, 20_000)];
        let all: Vec<_> = steady.into_iter().chain(burst).collect();
        assert_eq!(left(&all), [4000, 4000, 4000, 4000, 2000, 4000]);
    }

    #[test]
    fn a_delayed_request_has_less_time_left_and_the_next_one_has_all_of_it() {
        assert_eq!(left(&[(0, 0), (4000, 4000), (8000, 8000)]), [4000; 3], "steady");
        let delayed = [(0, 0), (4000, 4000), (9500, 8000), (12_000, 12_000)];
        assert_eq!(left(&delayed), [4000, 4000, 2500, 4000]);
    }

    #[test]
    fn a_faster_request_shows_that_those_before_it_were_slow() {
        let requests = [(300, 0), (4000, 4000), (8300, 8000)];
        assert_eq!(left(&requests), [4000, 4000, 3700]);
    }

    #[test]
    fn a_clock_that_is_set_far_back_or_forward_costs_no_turn() {
        let back = [(0, 0), (4000, 4000), (8000, -3_592_000), (12_000, -3_588_000)];
        assert_eq!(left(&back), [4000; 4]);
        let forward = [(0, 0), (4000, 4000), (8000, 3_608_000), (12_000, 3_612_000)];
        assert_eq!(left(&forward), [4000; 4]);
        let one_glitch = [(0, 0), (4000, 3_604_000), (8000, 8000), (12_000, 12_000)];
        assert_eq!(left(&one_glitch), [4000; 4]);
    }

    #[test]
    fn a_clock_that_is_set_back_by_less_than_a_turn_is_followed_after_some_requests() {
        let turn = |turn: u64| (turn * 4000, i64::try_from(turn * 4000).unwrap());
        let mut requests: Vec<_> = (0..3).map(turn).collect();
        requests.extend((3..50).map(turn).map(|(arrival, sent)| (arrival, sent - 1500)));
        let left = left(&requests);
        assert_eq!(left[..3], [4000; 3]);
        assert_eq!(left[3..=REQUESTS_MAX + 2], [2500; REQUESTS_MAX]);
        assert_eq!(left[REQUESTS_MAX + 3..], [4000; 15]);
    }

    #[test]
    fn clocks_that_drift_apart_cost_some_milliseconds() {
        // A hundred millionths: a bad quartz. 750 turns are a simulation.
        let slow = |turn: u64| {
            let sent = i64::try_from(turn * 4000).unwrap();
            (turn * 4000 + turn * 4 / 10, sent)
        };
        let left = left(&(0..750).map(slow).collect::<Vec<_>>());
        assert!(left.iter().all(|left| *left >= 3985), "{:?}", left.iter().min());
    }

    #[test]
    fn another_connection_begins_anew() {
        let mut clock = DeadlineClock::default();
        assert_eq!(play(&mut clock, &[(0, 0), (4000, 4000)]), [4000; 2]);
        clock.reset();
        assert_eq!(play(&mut clock, &[(9500, 8000), (13_500, 12_000)]), [4000; 2]);
    }

    #[test]
    fn a_request_that_is_sent_again_after_a_login_has_the_time_that_is_left() {
        let after_login = |login: (u64, i64), requests: &[(u64, i64)]| {
            let (mut clock, begin) = (DeadlineClock::default(), epoch());
            clock.logged_in(START + login.1, begin + Duration::from_millis(login.0));
            play_since(begin, &mut clock, requests)
        };
        // Sent at 8 seconds, and again after a login at 9.5 seconds.
        let again = [(9_500, 8_000), (12_000, 12_000), (16_000, 16_000)];
        assert_eq!(after_login((9_500, 9_500), &again), [2_500, 4_000, 4_000]);
        // The next two were on their way for a while, too.
        let slow = [(9_500, 8_000), (13_000, 12_000), (19_000, 16_000), (20_000, 20_000)];
        assert_eq!(after_login((9_500, 9_500), &slow), [2_500, 3_000, 1_000, 4_000]);
        // A login whose clock is another one: an hour ahead, an hour behind.
        for wrong in [3_609_500, -3_590_500] {
            let fresh = [(9_500, 9_500), (12_000, 12_000)];
            assert_eq!(after_login((9_500, wrong), &fresh), [4_000; 2]);
        }
    }

    #[test]
    fn times_that_cannot_be_meant_become_the_limit_and_the_past_is_answered_at_once() {
        let year = 365 * 24 * 3_600_000;
        let cases = [
            ("none", None, None, 2000),
            ("no deadline", Some(START), None, 2000),
            ("no time to count from", None, Some(START), 2000),
            ("zero", Some(0), Some(0), 2000),
            ("no time at all", Some(START), Some(START), 2000),
            ("a second ago", Some(START), Some(START - 1000), 0),
            ("a year ago", Some(START), Some(START - year), 0),
            ("in a year", Some(START), Some(START + year), 2000),
            ("ten minutes", Some(START), Some(START + 600_000), 600_000),
            ("a millisecond more", Some(START), Some(START + 600_001), 2000),
            ("the end of time", Some(i64::MIN), Some(i64::MAX), 2000),
        ];
        for (case, sent, deadline, expected) in cases {
            let (mut clock, now) = (DeadlineClock::default(), epoch());
            let due = clock.due((sent, deadline), LIMIT, &no_margin(), now);
            assert_eq!(due.duration_since(now).as_millis(), expected, "{case}");
        }
    }

    #[test]
    fn what_a_delay_and_the_margin_leave_is_never_before_the_arrival() {
        let mut clock = DeadlineClock::default();
        let margin = Margin::new(MarginLimits::default());
        let begin = epoch();
        for (arrival, sent, expected) in [(0, 0, 3900), (4000, 4000, 3900), (11_950, 8000, 0)] {
            let (now, sent) = (begin + Duration::from_millis(arrival), START + sent);
            let due = clock.due((Some(sent), Some(sent + TURN)), LIMIT, &margin, now);
            assert_eq!(due.saturating_duration_since(now).as_millis(), expected);
            assert!(due >= now);
        }
    }
}
