//! What may vary: parameters as axes on which an optimiser searches.

use phalanx_league::TunedValue;
use serde::{Deserialize, Serialize};

/// Digits of a number without steps: more would only be noise.
const DIGITS: usize = 5;
/// Most values of an axis with steps: a finer grid has no meaning for a search.
const STEPS_MAX: f64 = 1e9;

/// A parameter that may vary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dimension {
    /// The parameter's name.
    pub name: String,
    /// Its values.
    pub kind: DimensionKind,
}

/// Which values a parameter may have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DimensionKind {
    /// True or false.
    Bool,
    /// A number in a range, both ends included.
    Num {
        min: f64,
        max: f64,
        /// The distance of neighbouring values, counted from `min`; `None`: any number.
        step: Option<f64>,
        /// Whether ratios count instead of differences.
        log: bool,
    },
    /// One of these words.
    Choice(Vec<String>),
}

/// An axis of the search: categories from 0, or a range of numbers, the end excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Axis {
    Categories(usize),
    Range(f64, f64),
}

impl Dimension {
    /// Everything that is wrong with it, one a line.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        let problem = match &self.kind {
            DimensionKind::Bool => None,
            DimensionKind::Num { min, max, .. } if !(max - min).is_finite() => {
                Some("expected a min and a max, so that a search knows where to look".to_owned())
            }
            DimensionKind::Num { min, max, .. } if min >= max => {
                Some(format!("from {min} to {max} there is nothing to choose"))
            }
            DimensionKind::Num { step: Some(step), min, max, .. }
                if !(*step > 0.0 && (max - min) / step <= STEPS_MAX) =>
            {
                Some(format!("a step of {step} does not fit a range from {min} to {max}"))
            }
            DimensionKind::Num { step: Some(step), min, max, .. } if max - min < *step => {
                Some(format!("from {min} to {max} in steps of {step} there is nothing to choose"))
            }
            DimensionKind::Num { log: true, min, .. } if *min <= 0.0 => {
                Some(format!("a logarithmic scale begins above 0, not at {min}"))
            }
            DimensionKind::Num { .. } => None,
            DimensionKind::Choice(words) if words.len() < 2 => {
                Some("expected two words or more to choose from".to_owned())
            }
            DimensionKind::Choice(_) => None,
        };
        problem.map(|problem| format!("parameter {}: {problem}", self.name)).into_iter().collect()
    }

    pub(crate) fn axis(&self) -> Axis {
        match &self.kind {
            DimensionKind::Bool => Axis::Categories(2),
            DimensionKind::Choice(words) => Axis::Categories(words.len()),
            DimensionKind::Num { min, max, log: true, .. } => Axis::Range(min.ln(), max.ln()),
            DimensionKind::Num { min, max, step: Some(step), .. } => {
                Axis::Range(0.0, steps(*min, *max, *step) + 1.0)
            }
            DimensionKind::Num { min, max, .. } => Axis::Range(*min, *max),
        }
    }

    /// The value at a place of the axis.
    pub(crate) fn value_at(&self, place: f64) -> TunedValue {
        match &self.kind {
            DimensionKind::Bool => TunedValue::Bool(place >= 1.0),
            DimensionKind::Choice(words) => {
                let word = words.get(index(place)).or(words.last());
                TunedValue::Text(word.cloned().unwrap_or_default())
            }
            DimensionKind::Num { min, max, step, log } => {
                let number = match (log, step) {
                    (true, _) => place.exp(),
                    (false, Some(step)) => min + place.floor() * step,
                    (false, None) => place,
                };
                let number = step.map_or_else(
                    || rounded(number),
                    |step| {
                        let count = ((number - min) / step).round();
                        let exact = min + count.clamp(0.0, steps(*min, *max, step)) * step;
                        // 0.1 + 0.2 is 0.3 here.
                        format!("{exact:.12}").parse().unwrap_or(exact)
                    },
                );
                TunedValue::Num(number.clamp(*min, *max))
            }
        }
    }

    /// The place of a value on the axis; `None` for a value of another kind.
    pub(crate) fn place_of(&self, value: &TunedValue) -> Option<f64> {
        match (&self.kind, value) {
            (DimensionKind::Bool, TunedValue::Bool(flag)) => Some(f64::from(u8::from(*flag))),
            (DimensionKind::Choice(words), TunedValue::Text(text)) => {
                let index = words.iter().position(|word| word == text)?;
                Some(f64::from(u32::try_from(index).ok()?))
            }
            (DimensionKind::Num { min, max, step, log }, TunedValue::Num(number)) => {
                let number = number.clamp(*min, *max);
                Some(match (log, step) {
                    (true, _) => number.ln(),
                    // The middle of the place, so that rounding never moves it to another one.
                    (false, Some(step)) => ((number - min) / step).round() + 0.5,
                    (false, None) => number,
                })
            }
            (
                DimensionKind::Bool | DimensionKind::Choice(_) | DimensionKind::Num { .. },
                TunedValue::Bool(_) | TunedValue::Num(_) | TunedValue::Text(_),
            ) => None,
        }
    }
}

/// The number of whole steps in a range.
fn steps(min: f64, max: f64, step: f64) -> f64 {
    ((max - min) / step + 1e-9).floor()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a category: whole, never negative, small"
)]
pub(crate) fn index(place: f64) -> usize {
    place.max(0.0) as usize
}

fn rounded(number: f64) -> f64 {
    format!("{number:.DIGITS$e}").parse().unwrap_or(number)
}

/// A value for people.
#[must_use]
pub fn shown(value: &TunedValue) -> String {
    match value {
        TunedValue::Bool(flag) => flag.to_string(),
        TunedValue::Num(number) => number.to_string(),
        TunedValue::Text(text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(min: f64, max: f64, step: Option<f64>, log: bool) -> Dimension {
        Dimension { name: "x".into(), kind: DimensionKind::Num { min, max, step, log } }
    }

    #[test]
    fn every_place_of_an_axis_has_a_value_that_goes_back_to_the_same_value() {
        let words = ["a", "b", "c"].map(str::to_owned).to_vec();
        for dimension in [
            num(0.0, 1.0, None, false),
            num(-3.0, 7.0, Some(1.0), false),
            num(0.1, 0.9, Some(0.1), false),
            num(1e-4, 10.0, None, true),
            num(1.0, 4096.0, Some(1.0), true),
            Dimension { name: "x".into(), kind: DimensionKind::Bool },
            Dimension { name: "x".into(), kind: DimensionKind::Choice(words) },
        ] {
            let (start, end) = match dimension.axis() {
                Axis::Categories(count) => (0.0, f64::from(u32::try_from(count).unwrap())),
                Axis::Range(start, end) => (start, end),
            };
            for part in 0..=1000 {
                let place = start + (end - start) * f64::from(part) / 1000.0;
                let value = dimension.value_at(place);
                let again = dimension.value_at(dimension.place_of(&value).unwrap());
                assert_eq!(value, again, "{dimension:?} at {place}");
            }
        }
    }

    #[test]
    fn the_ends_of_a_range_are_reached_and_never_passed() {
        for (dimension, want) in [
            (num(-3.0, 7.0, Some(1.0), false), [-3.0, 7.0]),
            (num(0.1, 0.95, Some(0.1), false), [0.1, 0.9]),
            (num(1.0, 4096.0, Some(1.0), true), [1.0, 4096.0]),
            (num(0.25, 0.5, None, false), [0.25, 0.5]),
        ] {
            let Axis::Range(start, end) = dimension.axis() else { panic!("a range") };
            let ends = [start, end - 1e-9].map(|place| dimension.value_at(place));
            assert_eq!(ends, want.map(TunedValue::Num), "{dimension:?}");
        }
    }

    #[test]
    fn what_cannot_be_searched_is_named() {
        let one = Dimension { name: "x".into(), kind: DimensionKind::Choice(vec!["a".into()]) };
        for (dimension, want) in [
            (num(0.0, f64::INFINITY, None, false), "parameter x: expected a min and a max"),
            (num(1.0, 1.0, None, false), "nothing to choose"),
            (num(0.0, 1.0, None, true), "begins above 0"),
            (num(0.0, 1.0, Some(2.0), false), "nothing to choose"),
            (num(0.0, 1.0, Some(0.0), false), "a step of 0"),
            (one, "two words"),
        ] {
            let mistakes = dimension.mistakes().join("\n");
            assert!(mistakes.contains(want), "{dimension:?}: {mistakes}");
        }
    }
}
