//! The wait before the next attempt: exponential, with full jitter, without an end.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::time::Duration;

/// Limits of the waits between attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackoffOptions {
    /// The longest wait after the first failure; it doubles with each further one.
    pub first: Duration,
    /// The longest wait, however many attempts failed.
    pub max: Duration,
    /// The longest wait after the referee refused the login; the wait is at least half of it.
    pub refused: Duration,
}

impl Default for BackoffOptions {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(200),
            max: Duration::from_secs(5),
            refused: Duration::from_secs(60),
        }
    }
}

/// The waits of one seat.
#[derive(Debug)]
pub(crate) struct Backoff {
    options: BackoffOptions,
    failures: u32,
    rng: ChaCha8Rng,
}

impl Backoff {
    pub(crate) fn new(options: BackoffOptions, seed: u64) -> Self {
        Self { options, failures: 0, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Failures since the last success.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// An attempt succeeded: the next failure counts as the first.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    /// An attempt failed: returns the wait. Every wait up to the ceiling is equally likely, so that
    /// fifteen seats that lost their referee together do not return together.
    pub(crate) fn failed(&mut self) -> Duration {
        let doubled = self.options.first.saturating_mul(1 << self.failures.min(20));
        self.failures = self.failures.saturating_add(1);
        self.up_to(doubled.min(self.options.max))
    }

    /// The login was refused: returns the wait.
    pub(crate) fn refused(&mut self) -> Duration {
        self.failures = self.failures.saturating_add(1);
        let half = self.options.refused / 2;
        half + self.up_to(half)
    }

    fn up_to(&mut self, ceiling: Duration) -> Duration {
        let micros = u64::try_from(ceiling.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.rng.random_range(0..=micros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: BackoffOptions = BackoffOptions {
        first: Duration::from_millis(100),
        max: Duration::from_secs(2),
        refused: Duration::from_secs(60),
    };

    #[test]
    fn the_ceiling_doubles_up_to_the_longest_wait() {
        for seed in 0..200 {
            let mut backoff = Backoff::new(OPTIONS, seed);
            for ceiling in [100, 200, 400, 800, 1_600, 2_000, 2_000] {
                assert!(backoff.failed() <= Duration::from_millis(ceiling));
            }
        }
    }

    #[test]
    fn waits_are_spread_over_the_whole_range() {
        let waits: Vec<_> = (0..200).map(|seed| Backoff::new(OPTIONS, seed).failed()).collect();
        assert!(waits.iter().any(|wait| *wait < Duration::from_millis(10)));
        assert!(waits.iter().any(|wait| *wait > Duration::from_millis(90)));
    }

    #[test]
    fn the_same_seed_waits_the_same() {
        let waits = |seed| {
            let mut backoff = Backoff::new(OPTIONS, seed);
            (0..5).map(|_| backoff.failed()).collect::<Vec<_>>()
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
    }

    #[test]
    fn success_begins_anew_and_any_number_of_failures_is_fine() {
        let mut backoff = Backoff::new(OPTIONS, 1);
        for _ in 0..1_000 {
            assert!(backoff.failed() <= OPTIONS.max);
        }
        backoff.reset();
        assert!(backoff.failed() <= OPTIONS.first);
    }

    #[test]
    fn a_refused_login_is_retried_slowly() {
        for seed in 0..200 {
            let wait = Backoff::new(OPTIONS, seed).refused();
            assert!((OPTIONS.refused / 2..=OPTIONS.refused).contains(&wait));
        }
    }
}
