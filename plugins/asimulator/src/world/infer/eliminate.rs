//! Exact sums over all that a component can be: variables are decided one after the other, and what
//! is kept of the past is only which open constraints are met already, and how many dangers and
//! enemies there are where their number is announced.
#![allow(clippy::indexing_slicing, reason = "positions come from the component itself")]

use std::collections::BTreeMap;

/// Most states that are kept side by side; beyond that a component is only estimated.
pub(super) const STATES_MAX: usize = 4096;

/// Most constraints of a component, the bits of a mask.
const CLAUSES_MAX: usize = 128;

/// One of these tiles is a danger (bit 0) or has an enemy (bit 1).
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) bit: u8,
    /// Tiles of the frame, or positions in a component's variables.
    pub(super) tiles: Vec<usize>,
}

/// A tile with the weights of its four states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) tile: usize,
    pub(super) weights: [f64; 4],
}

/// Tiles that share constraints.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) variables: Vec<Variable>,
    /// By positions.
    pub(super) clauses: Vec<Clause>,
}

/// How many dangers and enemies a component has; 0 where that does not matter.
pub(super) type ThreatCounts = (u32, u32);

/// What of the past matters: constraints met, dangers and enemies counted.
type EliminationState = (u128, ThreatCounts);

/// A component summed up from its first variable to its last.
#[derive(Debug)]
pub(super) struct Elimination {
    layers: Vec<BTreeMap<EliminationState, f64>>,
    steps: Vec<EliminationStep>,
    caps: [Option<u32>; 2],
}

/// Which constraints a variable meets by being a danger or having an enemy, and which it closes.
#[derive(Clone, Copy, Debug, Default)]
struct EliminationStep {
    meets: [u128; 2],
    closes: u128,
    weights: [f64; 4],
}

/// Scales weights to a sum of one; `None` when there is nothing to scale.
pub(super) fn normal(weights: [f64; 4]) -> Option<[f64; 4]> {
    let sum: f64 = weights.iter().sum();
    (sum > 0.0).then(|| weights.map(|weight| weight / sum))
}

impl Elimination {
    /// Counts all assignments; `None` when the component is too large. `caps`: the most dangers and
    /// enemies, if known.
    pub(super) fn new(component: &Component, caps: [Option<u32>; 2]) -> Option<Self> {
        if component.clauses.len() > CLAUSES_MAX {
            return None;
        }
        let mut steps: Vec<EliminationStep> = component
            .variables
            .iter()
            .map(|variable| EliminationStep {
                weights: variable.weights,
                ..EliminationStep::default()
            })
            .collect();
        for (number, clause) in component.clauses.iter().enumerate() {
            let bit = 1_u128 << number;
            for position in &clause.tiles {
                steps[*position].meets[usize::from(clause.bit)] |= bit;
            }
            if let Some(last) = clause.tiles.iter().max() {
                steps[*last].closes |= bit;
            }
        }
        let mut sums = Self { layers: vec![BTreeMap::from([((0, (0, 0)), 1.0)])], steps, caps };
        for index in 0..sums.steps.len() {
            let mut next: BTreeMap<EliminationState, f64> = BTreeMap::new();
            for (state, weight) in &sums.layers[index] {
                for value in 0..4 {
                    let Some((after, times)) = sums.go(index, *state, value) else { continue };
                    *next.entry(after).or_default() += weight * times;
                }
            }
            if next.len() > STATES_MAX {
                return None;
            }
            sums.layers.push(next);
        }
        Some(sums)
    }

    /// What a variable's value leads to, and its weight.
    fn go(
        &self,
        index: usize,
        (met, (dangers, enemies)): EliminationState,
        value: usize,
    ) -> Option<(EliminationState, f64)> {
        let step = &self.steps[index];
        let weight = step.weights[value];
        if weight == 0.0 {
            return None;
        }
        let (danger, enemy) = (value & 1 == 1, value & 2 == 2);
        let met =
            met | if danger { step.meets[0] } else { 0 } | if enemy { step.meets[1] } else { 0 };
        if met & step.closes != step.closes {
            return None;
        }
        let count = |so_far: u32, one: bool, cap: Option<u32>| match cap {
            None => Some(0),
            Some(cap) => Some(so_far + u32::from(one)).filter(|sum| *sum <= cap),
        };
        let dangers = count(dangers, danger, self.caps[0])?;
        let enemies = count(enemies, enemy, self.caps[1])?;
        Some(((met & !step.closes, (dangers, enemies)), weight))
    }

    /// The weight of everything that the component can be, by its numbers; empty: nothing is
    /// possible.
    pub(super) fn totals(&self) -> BTreeMap<ThreatCounts, f64> {
        let mut totals = BTreeMap::new();
        for ((_, number), weight) in self.layers.last().into_iter().flatten() {
            *totals.entry(*number).or_default() += weight;
        }
        totals
    }

    /// The odds of each variable, given how much each number of the component weighs outside of it.
    pub(super) fn odds(&self, outside: impl Fn(ThreatCounts) -> f64) -> Vec<[f64; 4]> {
        let mut odds = vec![[0.0; 4]; self.steps.len()];
        let last = self.layers.last().into_iter().flatten();
        let mut behind: BTreeMap<EliminationState, f64> =
            last.map(|(state, _)| (*state, outside(state.1))).collect();
        for index in (0..self.steps.len()).rev() {
            let mut here = BTreeMap::new();
            for (state, weight) in &self.layers[index] {
                let mut sum = 0.0;
                for (value, odds) in odds[index].iter_mut().enumerate() {
                    let Some((after, times)) = self.go(index, *state, value) else { continue };
                    let on = times * behind.get(&after).copied().unwrap_or_default();
                    *odds += weight * on;
                    sum += on;
                }
                here.insert(*state, sum);
            }
            behind = here;
        }
        odds
    }
}

/// Odds of a component that is too large: each tile is at least as likely as its share in the
/// smallest constraint that it is in.
pub(super) fn estimate(component: &Component) -> Vec<[f64; 4]> {
    let mut floors = vec![[0.0_f64; 2]; component.variables.len()];
    for clause in &component.clauses {
        let share = u32::try_from(clause.tiles.len()).map_or(0.0, |tiles| 1.0 / f64::from(tiles));
        for position in &clause.tiles {
            let floor = &mut floors[*position][usize::from(clause.bit)];
            *floor = floor.max(share);
        }
    }
    let one = |(variable, floor): (&Variable, &[f64; 2])| {
        let own = normal(variable.weights).unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let danger = (own[1] + own[3]).max(floor[0]);
        let enemy = (own[2] + own[3]).max(floor[1]);
        [
            (1.0 - danger) * (1.0 - enemy),
            danger * (1.0 - enemy),
            (1.0 - danger) * enemy,
            danger * enemy,
        ]
    };
    component.variables.iter().zip(&floors).map(one).collect()
}
