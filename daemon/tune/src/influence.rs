//! How much each parameter matters: the rank correlation between its values and what candidates
//! achieved with them.
//!
//! Ranks and not values, because scores have outliers and scales differ. A correlation sees what
//! grows or falls; for an optimum in the middle of a range the nearness to the best value is looked
//! at as well, which needs no direction.

use crate::plan::TunePlan;
use crate::progress::{Fate, TuneProgress};
use crate::space::{Dimension, DimensionKind, shown};
use phalanx_league::TunedValue;

/// Fewest candidates of which a correlation says anything.
const CANDIDATES_MIN: usize = 6;
/// Quantile of the normal distribution for 95 % on both sides.
const TWO_SIDED: f64 = 1.96;

/// The influence of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    pub parameter: String,
    /// What goes along with a higher lead: `higher`, `lower`, `near 0.4`, or a word.
    pub better: String,
    /// Spearman's rank correlation, from -1 to 1, of that with the lead over the start.
    pub correlation: f64,
    /// Ends of its interval with 95 % confidence; `None` with too few candidates.
    pub interval: Option<(f64, f64)>,
}

impl Influence {
    /// Whether the sign is certain with 95 % confidence.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}

/// The influence of each parameter, in the order of the plan.
#[must_use]
pub fn influences(plan: &TunePlan, progress: &TuneProgress) -> Vec<Influence> {
    plan.dimensions.iter().map(|dimension| influence(plan, progress, dimension)).collect()
}

fn influence(plan: &TunePlan, progress: &TuneProgress, dimension: &Dimension) -> Influence {
    let start = progress.candidates.first();
    let played = progress.candidates.iter().filter(|one| one.fate != Fate::Failed);
    let point = |candidate: &crate::TuneCandidate| {
        let start = &start?.scores;
        let lead = candidate.scores.lead(plan, start, start);
        let value = candidate.values.get(&dimension.name)?.clone();
        (lead.seeds > 0).then_some((value, lead.value))
    };
    let points: Vec<(TunedValue, f64)> = played.filter_map(point).collect();
    let leads: Vec<f64> = points.iter().map(|(_, lead)| *lead).collect();
    let correlate = |sign: &dyn Fn(&TunedValue) -> f64| {
        let values: Vec<f64> = points.iter().map(|(value, _)| sign(value)).collect();
        spearman(&values, &leads)
    };
    let best = progress.best_values().and_then(|values| values.get(&dimension.name));
    let readings = match &dimension.kind {
        DimensionKind::Bool => {
            vec![("true".to_owned(), correlate(&|value| is(value, &TunedValue::Bool(true))))]
        }
        DimensionKind::Choice(words) => {
            let reading = |word: &String| {
                let wanted = TunedValue::Text(word.clone());
                (word.clone(), correlate(&|value| is(value, &wanted)))
            };
            words.iter().map(reading).collect()
        }
        DimensionKind::Num { .. } => {
            let place = |value: &TunedValue| dimension.place_of(value).unwrap_or_default();
            let trend = correlate(&place);
            let word = if trend < 0.0 { "lower" } else { "higher" };
            let near = best.map(|best| {
                let middle = place(best);
                let near = correlate(&|value| -(place(value) - middle).abs());
                (format!("near {}", shown(best)), near)
            });
            [(word.to_owned(), trend.abs())].into_iter().chain(near).collect()
        }
    };
    let strongest = readings.into_iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    let (better, correlation) = strongest.unwrap_or_default();
    let better = if correlation < 0.0 { format!("not {better}") } else { better };
    let (parameter, correlation) = (dimension.name.clone(), correlation.abs());
    Influence { parameter, better, correlation, interval: interval(correlation, points.len()) }
}

fn is(value: &TunedValue, wanted: &TunedValue) -> f64 {
    f64::from(u8::from(value == wanted))
}

/// Fisher's interval for a rank correlation, with the variance of Bonett and Wright.
fn interval(correlation: f64, count: usize) -> Option<(f64, f64)> {
    if count < CANDIDATES_MIN {
        return None;
    }
    let count = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let middle = correlation.clamp(-0.999_999, 0.999_999).atanh();
    let width = TWO_SIDED * ((1.0 + correlation * correlation / 2.0) / (count - 3.0)).sqrt();
    Some(((middle - width).tanh(), (middle + width).tanh()))
}

/// Spearman's rank correlation; 0 where one side is constant.
fn spearman(left: &[f64], right: &[f64]) -> f64 {
    let (left, right) = (ranks(left), ranks(right));
    let mean = |ranks: &[f64]| ranks.iter().sum::<f64>() / (ranks.len().max(1) as f64);
    let (a, b) = (mean(&left), mean(&right));
    let (mut both, mut own, mut other) = (0.0, 0.0, 0.0);
    for (left, right) in left.iter().zip(&right) {
        both += (left - a) * (right - b);
        own += (left - a) * (left - a);
        other += (right - b) * (right - b);
    }
    if own * other > 0.0 { both / (own * other).sqrt() } else { 0.0 }
}

/// Ranks from 0; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal.max(1) - 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_as_in_the_textbook() {
        // The classic example: IQ and hours of television.
        let iq = [106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0];
        let hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
        assert!((spearman(&iq, &hours) + 29.0 / 165.0).abs() < 1e-12);
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [1.5, 0.0, 1.5]);
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), 0.0, "a constant explains nothing");
    }

    #[test]
    fn an_interval_becomes_narrow_with_more_candidates() {
        assert_eq!(interval(0.9, 5), None);
        let (low, high) = interval(0.5, 20).unwrap();
        assert!((0.0..0.1).contains(&low) && (0.75..0.85).contains(&high), "{low} {high}");
        let (low, _) = interval(0.5, 200).unwrap();
        assert!(low > 0.35, "{low}");
    }
}
