//! What candidates scored, and how much one leads over another on the same seeds.

use crate::plan::{Objective, TunePlan};
use phalanx_league::MatchOutcome;
use std::collections::BTreeMap;

/// The results of one candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateScores {
    /// By seed, the results against each opponent on each side; `None` for a match that failed.
    seeds: BTreeMap<u64, Vec<Option<MatchScore>>>,
}

/// The scores of one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MatchScore {
    own: i64,
    /// The opponent's; `None` for a team that plays alone.
    against: Option<i64>,
}

/// How much a candidate leads over another one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairedLead {
    /// In units of the objective: a share of points, points of the referee, or Elo points.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// The seeds that both have played.
    pub seeds: usize,
}

/// Sums over some seeds: for each opponent what was achieved, and in how many matches.
#[derive(Clone, Debug, PartialEq)]
struct Sums(Vec<(f64, f64)>);

impl CandidateScores {
    /// No results.
    pub(crate) const NONE: Self = Self { seeds: BTreeMap::new() };

    /// Counts a match. `side`: whether the candidate sat on the second side.
    pub(crate) fn add(&mut self, seed: u64, side: bool, outcome: &MatchOutcome) {
        let score = match outcome {
            MatchOutcome::Failed(_) => None,
            MatchOutcome::Scores(scores) => match (scores.as_slice(), side) {
                ([own], _) => Some(MatchScore { own: *own, against: None }),
                ([own, against], false) | ([against, own], true) => {
                    Some(MatchScore { own: *own, against: Some(*against) })
                }
                _ => None,
            },
        };
        self.seeds.entry(seed).or_default().push(score);
    }

    /// The seeds on which no match of the candidate failed.
    fn whole(&self, seed: u64) -> Option<Vec<MatchScore>> {
        self.seeds.get(&seed)?.iter().copied().collect()
    }

    /// Whether a match failed on a seed on which none of the other's did.
    pub(crate) fn fails_more_than(&self, other: &Self) -> bool {
        let failed = |scores: &Self, seed: u64| scores.whole(seed).is_none();
        self.seeds.keys().any(|seed| failed(self, *seed) && !failed(other, *seed))
    }

    /// Whether every match failed.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.seeds.keys().all(|seed| self.whole(*seed).is_none())
    }

    /// The objective's value over all seeds without failures; `start` is what games for one are
    /// compared with.
    #[must_use]
    pub fn strength(&self, plan: &TunePlan, start: &Self) -> f64 {
        let seeds = self.seeds.keys().filter_map(|seed| self.sums(plan, start, *seed));
        seeds.reduce(Sums::plus).map_or(0.0, |sums| sums.strength(plan))
    }

    /// The mean score per match over all seeds without failures, in the referee's points.
    #[must_use]
    pub fn score_mean(&self) -> f64 {
        let scores = self.seeds.values().flatten().flatten();
        let (sum, count) =
            scores.fold((0.0, 0.0), |(sum, count), score| (sum + points(score.own), count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// The lead over another candidate on the seeds that both have played without failures, with its
    /// error by the jackknife: how much it changes as one seed after the other is left out.
    #[must_use]
    pub fn lead(&self, plan: &TunePlan, start: &Self, other: &Self) -> PairedLead {
        let pair =
            |seed: &u64| Some((self.sums(plan, start, *seed)?, other.sums(plan, start, *seed)?));
        let pairs: Vec<(Sums, Sums)> = self.seeds.keys().filter_map(pair).collect();
        let seeds = pairs.len();
        let total = pairs.iter().cloned();
        let Some((own, against)) = total.reduce(|(a, b), (c, d)| (a.plus(c), b.plus(d))) else {
            return PairedLead::default();
        };
        let value = own.strength(plan) - against.strength(plan);
        if seeds < 2 {
            return PairedLead { value, error: f64::INFINITY, seeds };
        }
        let without = |(a, b): &(Sums, Sums)| {
            own.clone().minus(a).strength(plan) - against.clone().minus(b).strength(plan)
        };
        let leads: Vec<f64> = pairs.iter().map(without).collect();
        let count = points(i64::try_from(seeds).unwrap_or(i64::MAX));
        let mean = leads.iter().sum::<f64>() / count;
        let squares: f64 = leads.iter().map(|lead| (lead - mean) * (lead - mean)).sum();
        PairedLead { value, error: (squares * (count - 1.0) / count).sqrt(), seeds }
    }

    /// For the final test: the share of meetings on this seed in which the candidate did better than
    /// the other, equal ones counted half; `None` when a match failed.
    pub(crate) fn share(
        &self,
        plan: &TunePlan,
        start: &Self,
        other: &Self,
        seed: u64,
    ) -> Option<f64> {
        let (own, against) = (self.values(plan, start, seed)?, other.values(plan, start, seed)?);
        let (mut sum, mut weights) = (0.0, 0.0);
        for (cell, (own, against)) in own.iter().zip(&against).enumerate() {
            let weight = plan.weight_of_cell(cell);
            let better = f64::from(u8::from(own > against));
            sum += weight * if own == against { 0.5 } else { better };
            weights += weight;
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// What the matches of a seed are worth, in the order of the plan.
    fn values(&self, plan: &TunePlan, start: &Self, seed: u64) -> Option<Vec<f64>> {
        let own = self.whole(seed)?;
        let alone = || start.whole(seed)?.first().map(|score| score.own);
        let value = |score: &MatchScore| {
            Some(match (plan.objective, score.against) {
                (Objective::Score, _) => points(score.own),
                (Objective::Win | Objective::Rating, Some(against)) => won(score.own, against),
                (Objective::Win | Objective::Rating, None) => won(score.own, alone()?),
            })
        };
        own.iter().map(value).collect()
    }

    fn sums(&self, plan: &TunePlan, start: &Self, seed: u64) -> Option<Sums> {
        let values = self.values(plan, start, seed)?;
        let sides = plan.sides();
        let sum = |cells: &[f64]| {
            (cells.iter().sum(), points(i64::try_from(cells.len()).unwrap_or(i64::MAX)))
        };
        Some(Sums(values.chunks(sides).map(sum).collect()))
    }
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        let pairs = self.0.into_iter().zip(other.0);
        Self(pairs.map(|(a, b)| (a.0 + b.0, a.1 + b.1)).collect())
    }

    fn minus(self, other: &Self) -> Self {
        let pairs = self.0.into_iter().zip(&other.0);
        Self(pairs.map(|(a, b)| (a.0 - b.0, a.1 - b.1)).collect())
    }

    fn strength(&self, plan: &TunePlan) -> f64 {
        let of = |(sum, count): &(f64, f64)| match plan.objective {
            Objective::Win | Objective::Score => sum / count,
            // One drawn match more: who won all of them is not infinitely strong.
            Objective::Rating => {
                let share = (sum + 0.5) / (count + 1.0);
                400.0 * (share / (1.0 - share)).log10()
            }
        };
        let weighted = self.0.iter().enumerate().map(|(opponent, sums)| {
            let weight = plan.weight(opponent);
            (weight * of(sums), weight)
        });
        let (sum, weights) = weighted.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
        if weights > 0.0 { sum / weights } else { 0.0 }
    }
}

fn won(own: i64, against: i64) -> f64 {
    match own.cmp(&against) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "scores and counts are far below 2^53")]
fn points(count: i64) -> f64 {
    count as f64
}
