//! The forecast: from the load test, the share of steps that a match will miss, with an upper
//! bound.

/// One-sided confidence of the bound, as printed.
pub(super) const CONFIDENCE: &str = "95 %";
/// The standard normal quantile of that confidence.
const Z: f64 = 1.644_853_6;
/// Minus the logarithm of one minus the confidence, rounded: the rule of three.
const THREE: f64 = 3.0;

/// Counts of a load test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tried {
    /// Steps in which the team was asked for actions.
    pub(super) steps: u64,
    /// Steps in which at least one agent had no script decision in time.
    pub(super) missed: u64,
}

/// The forecast that follows from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Forecast {
    /// The share of steps that were missed, 0 to 1.
    pub(super) share: f64,
    /// With [`CONFIDENCE`] the true share is at most this; 1 if there were no steps.
    pub(super) at_most: f64,
}

impl Forecast {
    /// Agents of one step are not independent, so steps are counted, not answers. If none was
    /// missed, the bound is the rule of three, otherwise the Wilson score interval.
    pub(super) fn of(tried: Tried) -> Self {
        if tried.steps == 0 {
            return Self { share: 0.0, at_most: 1.0 };
        }
        #[expect(clippy::cast_precision_loss, reason = "no test has 2^52 steps")]
        let (n, missed) = (tried.steps as f64, tried.missed as f64);
        let share = missed / n;
        let at_most = if tried.missed == 0 {
            THREE / n
        } else {
            let middle = share + Z * Z / (2.0 * n);
            let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
            (middle + spread) / (1.0 + Z * Z / n)
        };
        Self { share, at_most: at_most.min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_most(missed: u64, steps: u64) -> f64 {
        Forecast::of(Tried { steps, missed }).at_most
    }

    #[test]
    fn nothing_missed_leaves_the_rule_of_three() {
        assert!((at_most(0, 750) - 0.004).abs() < 1e-9);
        assert!((at_most(0, 2) - 1.0).abs() < 1e-9, "two steps prove nothing");
        assert!((at_most(0, 0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_missed_bounds_from_above() {
        // By the textbook: 10 of 100 gives 0.1602 at one-sided 95 %.
        assert!((at_most(10, 100) - 0.160_2).abs() < 5e-4, "{}", at_most(10, 100));
        assert!((at_most(5, 5) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn more_steps_never_loosen_the_bound() {
        for steps in 1..2_000 {
            assert!(at_most(0, steps + 1) <= at_most(0, steps), "{steps}");
            assert!(at_most(1, steps + 1) <= at_most(1, steps) + 1e-12, "{steps}");
        }
    }
}
