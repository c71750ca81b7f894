//! When enough has been played: the sequential probability ratio test.
//!
//! Two hypotheses stand against each other: the first player is `elo0` points better, or `elo1`. After
//! each unit (one seed, all its matches between the two) the logarithm of the likelihood ratio is
//! compared with two bounds, after Wald: below ln(β / (1 − α)) the first hypothesis is taken, above
//! ln((1 − β) / α) the second. Then a player that is `elo0` better is taken for `elo1` with probability
//! α, and the other way round with β.
//!
//! The distribution of a unit's score is unknown, so the ratio is the generalized one for a normal
//! mean: with N units of mean score μ and variance σ², and the scores s₀, s₁ that the two hypotheses
//! expect, sᵢ = 1 / (1 + 10^(−eloᵢ / 400)),
//!
//! ```text
//! LLR = N (s₁ − s₀) (2 μ − s₀ − s₁) / (2 σ²)
//! ```
//!
//! Taking a seed as the unit, and not a match, matters: on the same map with sides swapped the two
//! results depend on each other, and the pair's variance knows that. The variance counts one won and one
//! lost unit besides those played, so that the first few equal results do not seem certain.

use serde::{Deserialize, Serialize};

/// What is tested, and how sure to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtOptions {
    /// The first hypothesis: the lead of the first player in Elo points.
    pub elo0: f64,
    /// The second hypothesis; larger.
    pub elo1: f64,
    /// Probability to take the second where the first is true.
    pub alpha: f64,
    /// Probability to take the first where the second is true.
    pub beta: f64,
}

impl Default for SprtOptions {
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 }
    }
}

impl SprtOptions {
    /// What is wrong with it, one a line; empty when nothing is.
    #[must_use]
    pub fn mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        let sane = |elo: f64| elo.is_finite() && elo.abs() <= 2_000.0;
        if !sane(self.elo0) || !sane(self.elo1) || self.elo0 >= self.elo1 {
            let (elo0, elo1) = (self.elo0, self.elo1);
            mistakes.push(format!(
                "elo0 = {elo0}, elo1 = {elo1}: expected elo0 below elo1, both within 2000"
            ));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(0.000_1..0.5).contains(&value) {
                mistakes.push(format!("{name} = {value}: expected 0.0001 to less than 0.5"));
            }
        }
        mistakes
    }
}

/// A test in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    options: SprtOptions,
    units: f64,
    sum: f64,
    squares: f64,
}

/// The current result of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtState {
    /// Logarithm of the likelihood ratio.
    pub llr: f64,
    /// Below it the first hypothesis is taken.
    pub lower: f64,
    /// Above it the second is taken.
    pub upper: f64,
    /// What was decided; `None`: nothing yet.
    pub verdict: Option<SprtVerdict>,
}

/// What a test decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// The first hypothesis: the first player is no better than `elo0`.
    NotBetter,
    /// The second: the first player is better.
    Better,
}

impl Sprt {
    /// A test that knows nothing yet.
    #[must_use]
    pub fn new(options: SprtOptions) -> Self {
        Self { options, units: 0.0, sum: 0.0, squares: 0.0 }
    }

    /// Counts a unit: the first player's share of its points, from 0 to 1.
    pub fn add(&mut self, score: f64) {
        self.units += 1.0;
        self.sum += score;
        self.squares += score * score;
    }

    /// The current result.
    #[must_use]
    pub fn state(&self) -> SprtState {
        let SprtOptions { elo0, elo1, alpha, beta } = self.options;
        let (lower, upper) = ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln());
        let llr = self.ratio(score_of(elo0), score_of(elo1));
        let verdict = if llr >= upper {
            Some(SprtVerdict::Better)
        } else if llr <= lower {
            Some(SprtVerdict::NotBetter)
        } else {
            None
        };
        SprtState { llr, lower, upper, verdict }
    }

    fn ratio(&self, s0: f64, s1: f64) -> f64 {
        if self.units == 0.0 {
            return 0.0;
        }
        let (count, sum, squares) = (self.units + 2.0, self.sum + 1.0, self.squares + 1.0);
        let variance = squares / count - (sum / count) * (sum / count);
        let mean = self.sum / self.units;
        self.units * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
    }
}

/// The expected score per game of a player with this lead in Elo points.
fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}
