//! food_catcher, the main game, and cherry_picker, the same on a bigger map where everybody is
//! alone (spec sections 6 and 7).
//!
//! A tick is [`CatcherState::resolve`] (deaths, collisions), then everybody is asked, then
//! [`CatcherState::grow`], then [`CatcherState::execute`] for each payload, in random order.

mod act;
mod read;
mod write;

pub use act::{CatcherCommand, Fairness, Offence};

use super::{GameRng, Id, PyNumber};
use serde::{Deserialize, Serialize};

/// Below this a source vanishes.
const QUANTITY_MIN: f64 = 0.1;

/// A source holds no more.
const QUANTITY_MAX: i32 = 50;

/// Growth of a source in a tick.
const GROWTH: f64 = 1.05;

/// Steps shorter than this are not made.
const STEP_MIN: f64 = 1e-4;

/// The numbers of the game, as `config` tells them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CatcherRules {
    /// Columns of the plane.
    pub grid_width: f64,
    /// Rows of the plane.
    pub grid_height: f64,
    /// Below this number of sources new ones come.
    pub max_food_sources: usize,
    /// Reach of `take_food`.
    pub take_food_max_distance: f64,
    /// Reach of `deposit_food` and `heal`.
    pub deposit_food_max_distance: f64,
    /// Two actors collide when nearer than twice this.
    pub actor_radius: f64,
    /// Reach of `attack`.
    pub attack_range: f64,
    /// What `take_food` takes.
    pub take_food_speed: i32,
    /// What `spawn` costs.
    pub spawn_actor_cost: i32,
    /// What `make_base` is said to cost; it never works.
    pub make_base_cost: i32,
    /// Place of the base slots, as a share of the plane.
    pub base_spawn_border_offset: f64,
    /// Longest step.
    pub actor_speed: f64,
    /// What a hit costs.
    pub actor_damage: i32,
    /// Health at the start.
    pub actor_max_health: i32,
}

impl Default for CatcherRules {
    fn default() -> Self {
        Self {
            grid_width: 40.0,
            grid_height: 40.0,
            max_food_sources: 10,
            take_food_max_distance: 1.0,
            deposit_food_max_distance: 0.15,
            actor_radius: 0.45,
            attack_range: 5.0,
            take_food_speed: 5,
            spawn_actor_cost: 100,
            make_base_cost: 500,
            base_spawn_border_offset: 0.15,
            actor_speed: 1.0,
            actor_damage: 5,
            actor_max_health: 50,
        }
    }
}

impl CatcherRules {
    /// The numbers of cherry_picker.
    #[must_use]
    pub fn cherry_picker() -> Self {
        Self { grid_width: 75.0, grid_height: 75.0, max_food_sources: 15, ..Self::default() }
    }
}

/// A source of food.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Food {
    /// Its name.
    pub id: Id,
    /// Where it is.
    pub position: [f64; 2],
    /// What it holds.
    pub quantity: PyNumber,
}

/// An actor or a base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CatcherEntity {
    /// Its name.
    pub id: Id,
    /// The agent whose it is.
    pub owner: Id,
    /// Where it is.
    pub position: [f64; 2],
    /// What it carries or stores.
    pub food: PyNumber,
    /// Dead at 0 and below.
    pub health: PyNumber,
    /// What it can be healed to.
    pub max_health: PyNumber,
}

impl CatcherEntity {
    fn new(id: Id, owner: Id, position: [f64; 2], rules: &CatcherRules) -> Self {
        let health = PyNumber::whole(rules.actor_max_health);
        Self { id, owner, position, food: PyNumber::ZERO, health, max_health: health }
    }

    /// Whether it still has health.
    #[must_use]
    pub fn lives(&self) -> bool {
        self.health.get() > 0.0
    }
}

/// Euclidean distance.
#[must_use]
pub fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    // One rounding less, as the original's library does it.
    y.mul_add(y, x * x).sqrt()
}

/// The world of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CatcherState {
    /// The sources.
    pub foods: Vec<Food>,
    /// The actors, oldest first.
    pub actors: Vec<CatcherEntity>,
    /// The bases, in the order of the agents.
    pub bases: Vec<CatcherEntity>,
    /// All that attacks killed, ever.
    pub dead: Vec<CatcherEntity>,
}

impl CatcherState {
    /// A world for agents, in the order of their registration; at most four, as there are slots.
    #[must_use]
    pub fn new(agents: &[Id], rules: &CatcherRules, chance: &mut GameRng) -> Self {
        let mut state = Self::default();
        let (width, height) = (rules.grid_width, rules.grid_height);
        let near = rules.base_spawn_border_offset;
        let far = 1.0 - near;
        let mut slots = vec![
            [width * near, height * near],
            [width * far, height * near],
            [width * near, height * far],
            [width * far, height * far],
        ];
        for agent in agents.iter().take(slots.len()) {
            let slot = slots.swap_remove(chance.below(slots.len()));
            let mut entity = || CatcherEntity::new(chance.name(), agent.clone(), slot, rules);
            state.bases.push(entity());
            state.actors.push(entity());
        }
        state.refill(rules, chance);
        state
    }

    /// Step 1 of a tick: the dead go, and actors that are too near to each other collide.
    pub fn resolve(&mut self, rules: &CatcherRules) {
        let killed = |list: &[CatcherEntity]| -> Vec<CatcherEntity> {
            list.iter().filter(|one| !one.lives()).cloned().collect()
        };
        self.dead.extend(killed(&self.actors));
        self.dead.extend(killed(&self.bases));
        self.bases.retain(CatcherEntity::lives);
        collide(&mut self.actors, 2.0 * rules.actor_radius);
        self.actors.retain(CatcherEntity::lives);
    }

    /// Step 3: sources vanish, grow and come anew.
    pub fn grow(&mut self, rules: &CatcherRules, chance: &mut GameRng) {
        self.ripen();
        self.refill(rules, chance);
    }

    /// The part of [`CatcherState::grow`] that is not by chance.
    pub fn ripen(&mut self) {
        self.foods.retain(|food| food.quantity.get() >= QUANTITY_MIN);
        for food in &mut self.foods {
            let grown = PyNumber::float(GROWTH * food.quantity.get());
            food.quantity = grown.min(PyNumber::whole(QUANTITY_MAX));
        }
    }

    /// New sources, four at a time, mirrored, each with its own quantity.
    fn refill(&mut self, rules: &CatcherRules, chance: &mut GameRng) {
        let (width, height) = (rules.grid_width, rules.grid_height);
        while self.foods.len() < rules.max_food_sources {
            let (x, y) = (chance.between(0.0, width), chance.between(0.0, height));
            for position in [[x, y], [width - x, y], [x, height - y], [width - x, height - y]] {
                let quantity = chance.between(QUANTITY_MIN, QUANTITY_MAX.into());
                let (id, quantity) = (chance.name(), PyNumber::float(quantity));
                self.foods.push(Food { id, position, quantity });
            }
        }
    }

    /// An agent's score: what its living bases store.
    #[must_use]
    pub fn score(&self, agent: &str) -> PyNumber {
        let own = self.bases.iter().filter(|base| &*base.owner == agent);
        own.fold(PyNumber::ZERO, |sum, base| sum + base.food)
    }
}

/// Actors that are nearer than `reach`: the one with less food takes all and survives; at a tie
/// the newer one. An actor that died in its row goes on with it, as in the original.
fn collide(actors: &mut [CatcherEntity], reach: f64) {
    for index in 0..actors.len() {
        let Some((one, newer)) =
            actors.get_mut(index..).and_then(<[CatcherEntity]>::split_first_mut)
        else {
            return;
        };
        if !one.lives() {
            continue;
        }
        for other in newer.iter_mut().filter(|other| other.lives()) {
            if distance(one.position, other.position) >= reach {
                continue;
            }
            let (winner, loser) = if one.food.get() < other.food.get() {
                (&mut *one, other)
            } else {
                (other, &mut *one)
            };
            winner.food += loser.food;
            loser.food = PyNumber::ZERO;
            loser.health = PyNumber::ZERO;
        }
    }
}
