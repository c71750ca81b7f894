//! Announced numbers: components and the free tiles share them, so each weighs a component's
//! states by the ways in which the others can make up the rest (spec section 12.3).
#![allow(clippy::indexing_slicing, reason = "positions come from enumerate and from lengths")]

use super::Prior;
use super::eliminate::{Component, Elimination, ThreatCounts, estimate, normal};
use std::collections::BTreeMap;

/// Larger numbers that are left only set the rates: one more or less matters little then.
const LEFT_MAX: u32 = 48;

/// What came out.
#[derive(Debug, Default)]
pub(super) struct Solved {
    /// The odds of constrained and of free tiles.
    pub(super) odds: BTreeMap<usize, [f64; 4]>,
    pub(super) contradiction: bool,
    pub(super) rough: bool,
}

/// Weighs everything. `left`: dangers and enemies to be found among all these tiles.
pub(super) fn solve(
    components: &[Component],
    free: &[usize],
    priors: &[Prior],
    left: [Option<u32>; 2],
) -> Solved {
    let caps = left.map(|left| left.filter(|left| *left <= LEFT_MAX));
    let mut solved = Solved::default();
    let mut summed = Vec::new();
    for component in components {
        let sums = Elimination::new(component, caps);
        solved.rough |= sums.is_none();
        let totals = sums.as_ref().map(Elimination::totals);
        let impossible = totals.as_ref().is_some_and(BTreeMap::is_empty);
        solved.contradiction |= impossible;
        match sums.zip(totals).filter(|_| !impossible) {
            Some((sums, totals)) => summed.push((component, sums, totals)),
            None => solved.put(component, estimate(component)),
        }
    }
    let rest = UnconstrainedTiles::new(free, priors, caps);
    for (index, (component, sums, _)) in summed.iter().enumerate() {
        let others = summed.iter().enumerate().filter(|(other, _)| *other != index);
        let others = product(others.map(|(_, (.., totals))| totals), caps);
        let odds = sums.odds(|number| rest.weight(number, &others));
        // Numbers that cannot be met are worth nothing: then they do not count.
        let lost = odds.iter().all(|odds| normal(*odds).is_none());
        solved.contradiction |= lost;
        solved.put(component, if lost { sums.odds(|_| 1.0) } else { odds });
    }
    let all = product(summed.iter().map(|(.., totals)| totals), caps);
    for (index, odds) in free.iter().zip(rest.odds(free, priors, &all)) {
        solved.odds.insert(*index, odds);
    }
    solved
}

impl Solved {
    fn put(&mut self, component: &Component, odds: Vec<[f64; 4]>) {
        for (variable, odds) in component.variables.iter().zip(odds) {
            let odds = normal(odds).or_else(|| normal(variable.weights));
            self.odds.insert(variable.tile, odds.unwrap_or([1.0, 0.0, 0.0, 0.0]));
        }
    }
}

/// What several components can be together.
fn product<'a>(
    totals: impl Iterator<Item = &'a BTreeMap<ThreatCounts, f64>>,
    caps: [Option<u32>; 2],
) -> BTreeMap<ThreatCounts, f64> {
    let fits = |sum: u32, cap: Option<u32>| cap.is_none_or(|cap| sum <= cap);
    totals.fold(BTreeMap::from([((0, 0), 1.0)]), |all, totals| {
        let mut next = BTreeMap::new();
        for (a, weight) in &all {
            for (b, times) in totals {
                let sum = (a.0 + b.0, a.1 + b.1);
                if fits(sum.0, caps[0]) && fits(sum.1, caps[1]) {
                    *next.entry(sum).or_default() += weight * times;
                }
            }
        }
        next
    })
}

/// The tiles without constraints: how likely each number of dangers and enemies among them is.
struct UnconstrainedTiles {
    caps: [Option<u32>; 2],
    /// By number, for dangers and enemies; empty where the number does not matter.
    chances: [Vec<f64>; 2],
    /// The expected numbers before the announced ones are known.
    means: [f64; 2],
}

/// The probability that a tile is a danger (0) or has an enemy (1).
fn share(prior: &Prior, which: usize) -> f64 {
    let odds = normal(prior.weights).unwrap_or([1.0, 0.0, 0.0, 0.0]);
    odds[3] + odds[1 + which]
}

impl UnconstrainedTiles {
    fn new(free: &[usize], priors: &[Prior], caps: [Option<u32>; 2]) -> Self {
        let chances = |which: usize| match caps[which] {
            None => Vec::new(),
            Some(cap) => {
                let shares = free.iter().map(|index| share(&priors[*index], which));
                convolve(shares, usize::try_from(cap).unwrap_or_default())
            }
        };
        let mean = |which: usize| free.iter().map(|index| share(&priors[*index], which)).sum();
        Self { caps, chances: [chances(0), chances(1)], means: [mean(0), mean(1)] }
    }

    /// How likely it is that the free tiles make up exactly what is missing.
    fn chance(&self, number: ThreatCounts) -> f64 {
        let one = |which: usize, so_far: u32| match self.caps[which] {
            None => 1.0,
            Some(cap) => {
                let missing = cap.checked_sub(so_far).and_then(|left| usize::try_from(left).ok());
                missing.and_then(|left| self.chances[which].get(left)).copied().unwrap_or_default()
            }
        };
        one(0, number.0) * one(1, number.1)
    }

    /// The weight of all that is outside of a component with this number.
    fn weight(&self, number: ThreatCounts, others: &BTreeMap<ThreatCounts, f64>) -> f64 {
        if self.caps == [None, None] {
            return 1.0;
        }
        let with = |(other, weight): (&ThreatCounts, &f64)| {
            weight * self.chance((number.0 + other.0, number.1 + other.1))
        };
        others.iter().map(with).sum()
    }

    /// The odds of the free tiles, given what the components can be.
    fn odds(
        &self,
        free: &[usize],
        priors: &[Prior],
        all: &BTreeMap<ThreatCounts, f64>,
    ) -> Vec<[f64; 4]> {
        let scale = [self.scale(0, all), self.scale(1, all)];
        let one = |index: &usize| {
            let prior = &priors[*index];
            let own = normal(prior.weights).unwrap_or([1.0, 0.0, 0.0, 0.0]);
            if scale == [1.0, 1.0] {
                return own;
            }
            let danger = (share(prior, 0) * scale[0]).min(1.0);
            let enemy = (share(prior, 1) * scale[1]).min(1.0);
            let (calm, alone) = (1.0 - danger, 1.0 - enemy);
            [calm * alone, danger * alone, calm * enemy, danger * enemy]
        };
        free.iter().map(one).collect()
    }

    /// By how much the announced number makes each free tile more likely.
    fn scale(&self, which: usize, all: &BTreeMap<ThreatCounts, f64>) -> f64 {
        let Some(cap) = self.caps[which] else { return 1.0 };
        let (mut weights, mut sum) = (0.0, 0.0);
        for (number, weight) in all {
            let weight = weight * self.chance(*number);
            let found = if which == 0 { number.0 } else { number.1 };
            weights += weight;
            sum += weight * f64::from(cap.saturating_sub(found));
        }
        if weights > 0.0 && self.means[which] > 0.0 {
            sum / weights / self.means[which]
        } else {
            1.0
        }
    }
}

/// The probability of each number of successes up to a cap.
fn convolve(shares: impl Iterator<Item = f64>, cap: usize) -> Vec<f64> {
    let mut chances = vec![0.0; cap + 1];
    chances[0] = 1.0;
    for share in shares.filter(|share| *share > 0.0) {
        for number in (0..=cap).rev() {
            let before = if number > 0 { chances[number - 1] * share } else { 0.0 };
            chances[number] = chances[number] * (1.0 - share) + before;
        }
    }
    chances
}
