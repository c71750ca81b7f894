//! Where to look next: a tree-structured Parzen estimator for each parameter.

use crate::plan::TunePlan;
use crate::space::{Axis, Dimension};
use phalanx_league::ParamValues;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeSet;
use tpe::density_estimation::DefaultEstimatorBuilder;
use tpe::{TpeOptimizer, TpeOptimizerBuilder};

/// Share of the candidates so far that count as good.
const GOOD: f64 = 0.2;
/// How many draws each parameter of a candidate is chosen from.
const DRAWS: usize = 24;
/// Share of values that are drawn from the whole range, so that no part of it is given up for ever.
const WIDE: f64 = 0.1;
/// How often a candidate is drawn again when there was the same before.
const REDRAWS: usize = 50;

/// Proposes values of parameters, and learns from what they achieved. The same seed and the same
/// answers give the same proposals.
#[derive(Debug)]
pub struct TpeSearch {
    axes: Vec<SearchAxis>,
    random: ChaCha8Rng,
    asked: BTreeSet<String>,
    /// Whether nothing has been asked for.
    fresh: bool,
}

#[derive(Debug)]
struct SearchAxis {
    dimension: Dimension,
    range: tpe::range::Range,
    optimiser: TpeOptimizer<DefaultEstimatorBuilder>,
}

impl TpeSearch {
    /// A search that has asked for nothing but the values at the start. `None` when a parameter of
    /// the plan leaves nothing to choose, which is one of its
    /// [mistakes](TunePlan::mistakes).
    #[must_use]
    pub fn new(plan: &TunePlan) -> Option<Self> {
        let mut search = Self {
            axes: plan.dimensions.iter().map(axis).collect::<Option<_>>()?,
            random: ChaCha8Rng::seed_from_u64(plan.seed),
            asked: BTreeSet::new(),
            fresh: true,
        };
        search.is_new(&plan.start);
        search.tell(&plan.start, 0.0);
        Some(search)
    }

    /// Up to `count` candidates that were not asked for before; fewer when there are hardly any
    /// others.
    pub fn ask(&mut self, count: usize) -> Vec<ParamValues> {
        // The first answers to learn from cover all ranges evenly.
        let strata = std::mem::take(&mut self.fresh).then(|| self.strata(count));
        let mut candidates = Vec::new();
        for number in 0..count {
            let places = strata.as_ref().map(|strata| row(strata, number));
            for _ in 0..REDRAWS {
                let values = match &places {
                    Some(places) => self.spread(places, count),
                    None => self.learned(),
                };
                if self.is_new(&values) {
                    candidates.push(values);
                    break;
                }
            }
        }
        candidates
    }

    /// Tells how much better than the start a candidate was; more is better.
    pub fn tell(&mut self, values: &ParamValues, lead: f64) {
        for axis in &mut self.axes {
            let Some(value) = values.get(&axis.dimension.name) else { continue };
            let Some(place) = axis.dimension.place_of(value) else { continue };
            let place = inside(axis.range, place);
            // Its only errors are a place outside of the range and a lead that is no number.
            drop(axis.optimiser.tell(place, if lead.is_nan() { f64::INFINITY } else { -lead }));
        }
    }

    fn is_new(&mut self, values: &ParamValues) -> bool {
        // Values always have a form in JSON.
        self.asked.insert(serde_json::to_string(values).unwrap_or_default())
    }

    /// For each parameter the numbers from 0 to `count`, shuffled: a Latin hypercube.
    fn strata(&mut self, count: usize) -> Vec<Vec<usize>> {
        let mut shuffled = |_: &SearchAxis| {
            let mut order: Vec<usize> = (0..count).collect();
            for end in (1..count).rev() {
                order.swap(end, self.random.random_range(0..=end));
            }
            order
        };
        self.axes.iter().map(&mut shuffled).collect()
    }

    fn spread(&mut self, places: &[usize], count: usize) -> ParamValues {
        let random = &mut self.random;
        let mut value = |(axis, place): (&SearchAxis, &usize)| {
            let part = (number(*place) + random.random::<f64>()) / number(count);
            let place = axis.range.start() + axis.range.width() * part;
            let place = inside(axis.range, place);
            (axis.dimension.name.clone(), axis.dimension.value_at(place))
        };
        self.axes.iter().zip(places).map(&mut value).collect()
    }

    fn learned(&mut self) -> ParamValues {
        let random = &mut self.random;
        let mut value = |axis: &mut SearchAxis| {
            let wide = random
                .random_bool(WIDE)
                .then(|| axis.range.start() + axis.range.width() * random.random::<f64>());
            // It fails only for estimators that the caller made itself; then the middle is used.
            let middle = axis.range.start() + axis.range.width() / 2.0;
            let place = wide.unwrap_or_else(|| axis.optimiser.ask(random).unwrap_or(middle));
            let place = inside(axis.range, place);
            (axis.dimension.name.clone(), axis.dimension.value_at(place))
        };
        self.axes.iter_mut().map(&mut value).collect()
    }
}

fn axis(dimension: &Dimension) -> Option<SearchAxis> {
    let (range, estimator) = match dimension.axis() {
        Axis::Categories(count) => (tpe::categorical_range(count), tpe::histogram_estimator()),
        Axis::Range(start, end) => (tpe::range(start, end), tpe::parzen_estimator()),
    };
    let range = range.ok()?;
    let optimiser =
        TpeOptimizerBuilder::new().gamma(GOOD).candidates(DRAWS).build(estimator, range);
    Some(SearchAxis { dimension: dimension.clone(), range, optimiser: optimiser.ok()? })
}

/// The nearest place inside of a range, whose end is excluded.
fn inside(range: tpe::range::Range, place: f64) -> f64 {
    place.clamp(range.start(), range.end().next_down())
}

fn row(strata: &[Vec<usize>], number: usize) -> Vec<usize> {
    strata.iter().filter_map(|order| order.get(number).copied()).collect()
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
