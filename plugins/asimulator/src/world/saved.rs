//! The belief as bytes, and whether what is met after a restart belongs to it.
//!
//! A simulation ends with its connection (spec section 11): who connects again meets another one. So
//! of a belief about a running simulation only that goes on what was learned for the next ones: how
//! common things are, and how the simulator is to be understood. A team whose thread was made anew
//! keeps its connection, and hears of the same opening once more; the step tells the two apart.
//!
//! What follows from the facts is not saved but inferred again.

use super::chart::{Sketch, TileChart};
use super::lore::{Rates, TileTally};
use super::{Evidence, Inference, RunningSimulation, World, infer};
use crate::percept::{Briefing, Opening, Percept};
use crate::rules::{BoundsMean, Cell, Neighbourhood};
use crate::session::{BoundsOption, NeighbourhoodOption};
use crate::wire::{Symbol, TILES_MAX};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Met, RestoreError, Turn, excerpt, freeze, thaw};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The layout of saved beliefs: another layout gets another number.
const VERSION: u16 = 1;

/// No sum over tiles is larger.
const TALLY_MAX: f64 = 1e9;

#[derive(Serialize, Deserialize)]
struct SavedBelief {
    agent: AgentId,
    name: String,
    round: Option<u32>,
    lore: TileTally,
    around: Neighbourhood,
    border: Option<bool>,
    simulation: Option<SavedSimulation>,
}

#[derive(Serialize, Deserialize)]
struct SavedSimulation {
    opening: Opening,
    chart: Sketch,
    percept: Percept,
    step: u32,
    rates: Rates,
    idle: u32,
    shown: SortedMap<Cell, Symbol>,
}

pub(super) fn save(world: &World) -> Vec<u8> {
    let simulation = world.simulation.as_ref().map(|simulation| SavedSimulation {
        opening: Opening::clone(&simulation.opening),
        chart: simulation.chart.sketch(),
        percept: simulation.percept,
        step: simulation.step,
        rates: simulation.mind.rates,
        idle: simulation.idle,
        shown: simulation.shown.clone(),
    });
    let saved = SavedBelief {
        agent: world.agent,
        name: world.name.clone(),
        round: world.round,
        lore: world.lore,
        around: world.around,
        border: world.border,
        simulation,
    };
    freeze(VERSION, &saved)
}

pub(super) fn restore(world: &mut World, saved: &[u8]) -> Result<(), RestoreError> {
    let saved: SavedBelief = thaw(VERSION, saved)?;
    if (saved.agent, &saved.name) != (world.agent, &world.name) {
        let [old, new] = [&saved.name, &world.name].map(|name| excerpt(name.as_bytes()));
        return Err(RestoreError::new(format!("the saved belief is of agent {old}, not of {new}")));
    }
    if !sound_tally(&saved.lore) {
        return Err(damaged("what earlier simulations showed"));
    }
    // What the settings say counts more than what was learned under others.
    let around = match world.options.neighbourhood {
        NeighbourhoodOption::Learn => saved.around,
        NeighbourhoodOption::Always(around) => around,
    };
    let border = match world.options.bounds {
        BoundsOption::Learn => saved.border,
        BoundsOption::Always(mean) => Some(mean == BoundsMean::Border),
    };
    let simulation = match saved.simulation {
        None => None,
        Some(simulation) => {
            let whole = simulation.whole(around);
            Some(whole.ok_or_else(|| damaged("the running simulation"))?)
        }
    };
    (world.round, world.lore) = (saved.round, saved.lore);
    (world.around, world.border, world.simulation) = (around, border, simulation);
    world.is_restored = true;
    Ok(())
}

fn damaged(what: &str) -> RestoreError {
    RestoreError::new(format!("the saved belief is damaged: {what}"))
}

fn sound_tally(tally: &TileTally) -> bool {
    let TileTally { tiles, walls, dangers, enemies, looked, items, homes } = *tally;
    let sums = [tiles, walls, dangers, enemies, looked, items, homes];
    // Sums over the same tiles in another order may differ by a little.
    sums.iter().all(|sum| (0.0..=TALLY_MAX).contains(sum)) && walls <= tiles + 1.0
}

fn sound_rates(rates: &Rates) -> bool {
    let Rates { wall, danger, enemy, item, home } = *rates;
    let shares = [wall, enemy, item, home].iter().all(|share| (1e-4..=0.9).contains(share));
    shares && danger >= 0.0 && danger + wall < 0.99
}

impl SavedSimulation {
    /// The simulation with all that follows; `None` when there can be none like it.
    fn whole(self, around: Neighbourhood) -> Option<RunningSimulation> {
        if !sound_rates(&self.rates) || self.opening.tiles.len() > TILES_MAX {
            return None;
        }
        let chart = TileChart::of(self.chart, self.opening.rules.bounds)?;
        let (rules, rates) = (&self.opening.rules, self.rates);
        let beliefs = infer(&Evidence { chart: &chart, rules, around, rates: &rates });
        Some(RunningSimulation {
            mind: Arc::new(Inference { version: chart.version, beliefs, rates }),
            opening: Arc::new(self.opening),
            chart,
            percept: self.percept,
            step: self.step,
            idle: self.idle,
            shown: self.shown,
        })
    }
}

pub(super) fn recognize(world: &World, met: Met<'_, Briefing, Percept>) -> Result<(), String> {
    let Some(simulation) = &world.simulation else { return Ok(()) };
    match met {
        Met::Round(None) => Ok(()),
        Met::Round(Some(opening)) if simulation.opening == *opening => Ok(()),
        Met::Round(Some(opening)) => Err(another(simulation, opening)),
        Met::Turn(turn, percept) => follows(simulation, turn, percept),
    }
}

fn another(simulation: &RunningSimulation, opening: &Opening) -> String {
    let rules = if simulation.opening.rules.same_class(&opening.rules) {
        "of the same rules"
    } else {
        "of other rules"
    };
    format!("a simulation ends with its connection: this is another one, {rules}")
}

/// Every action has its percept. If one is missing, the agent's position is unknown.
fn follows(simulation: &RunningSimulation, turn: Turn, percept: &Percept) -> Result<(), String> {
    let (step, known) = (turn.step, simulation.step);
    if step < known {
        return Err(format!("step {step} is past: step {known} was seen before"));
    }
    if step > known.saturating_add(1) {
        return Err(format!("step {step} does not follow on step {known}: the agent has moved"));
    }
    if step == known && *percept != simulation.percept {
        return Err(format!("step {step} was seen before, and was another one"));
    }
    Ok(())
}

pub(super) fn goes_on_in(world: &World, next: &Briefing) -> bool {
    let known = world.simulation.as_ref().map(|simulation| &simulation.opening.rules);
    known.is_none_or(|rules| rules.same_class(&next.rules))
}
