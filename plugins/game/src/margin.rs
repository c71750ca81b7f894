//! How long before the referee's deadline a fallback must leave us.

use std::time::Duration;

/// Bounds of the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginLimits {
    /// Never less than this.
    pub min: Duration,
    /// Never more than this, however bad the network is.
    pub max: Duration,
}

impl Default for MarginLimits {
    fn default() -> Self {
        Self { min: Duration::from_millis(100), max: Duration::from_millis(1500) }
    }
}

/// The adaptive margin of one connection: a smoothed round trip with its variation (as TCP
/// estimates its retransmission timer, RFC 6298), plus a penalty that doubles when the referee
/// missed an answer which left us in time and melts while answers arrive.
#[derive(Clone, Copy, Debug)]
pub struct Margin {
    limits: MarginLimits,
    smoothed: Option<(Duration, Duration)>,
    penalty: Duration,
}

/// At most this share of a turn is margin: 2 of 5 parts.
const SHARE_MAX: (u32, u32) = (2, 5);

impl Margin {
    /// A margin that has measured nothing yet.
    #[must_use]
    pub fn new(limits: MarginLimits) -> Self {
        Self { limits, smoothed: None, penalty: Duration::ZERO }
    }

    /// A round trip was measured.
    pub fn measured(&mut self, round_trip: Duration) {
        self.smoothed = Some(match self.smoothed {
            None => (round_trip, round_trip / 2),
            Some((mean, spread)) => {
                let off = mean.abs_diff(round_trip);
                ((mean * 7 + round_trip) / 8, (spread * 3 + off) / 4)
            }
        });
    }

    /// The referee did not count an answer that left us in time.
    pub fn missed(&mut self) {
        self.penalty = (self.penalty * 2).clamp(self.limits.min, self.limits.max);
    }

    /// The referee counted an answer.
    pub fn answered(&mut self) {
        self.penalty = self.penalty * 15 / 16;
    }

    /// The smoothed round trip, once measured.
    #[must_use]
    pub fn round_trip(&self) -> Option<Duration> {
        self.smoothed.map(|(mean, _)| mean)
    }

    /// The margin for a turn of this length: within the limits, and at most two fifths of it.
    #[must_use]
    pub fn of(&self, window: Duration) -> Duration {
        let network = self.smoothed.map_or(Duration::ZERO, |(mean, spread)| mean + spread * 4);
        let wished = (self.limits.min + network + self.penalty).min(self.limits.max);
        wished.min(window * SHARE_MAX.0 / SHARE_MAX.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_secs(4);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_slow_network_widens_the_margin() {
        let mut margin = Margin::new(MarginLimits::default());
        assert_eq!(margin.of(WINDOW), ms(100));
        margin.measured(ms(80));
        assert_eq!(margin.of(WINDOW), ms(100 + 80 + 160));
    }

    #[test]
    fn a_steady_network_lets_it_shrink_again() {
        let mut margin = Margin::new(MarginLimits::default());
        margin.measured(ms(80));
        for _ in 0..100 {
            margin.measured(ms(10));
        }
        assert!(margin.of(WINDOW) < ms(115), "{:?}", margin.of(WINDOW));
    }

    #[test]
    fn lost_answers_double_the_penalty_up_to_the_limit() {
        let mut margin = Margin::new(MarginLimits::default());
        for _ in 0..20 {
            margin.missed();
        }
        assert_eq!(margin.of(WINDOW), ms(1500));
        for _ in 0..200 {
            margin.answered();
        }
        assert!(margin.of(WINDOW) < ms(101));
    }

    #[test]
    fn a_short_turn_keeps_most_of_its_time() {
        let mut margin = Margin::new(MarginLimits::default());
        margin.missed();
        assert_eq!(margin.of(ms(100)), ms(40));
    }
}
