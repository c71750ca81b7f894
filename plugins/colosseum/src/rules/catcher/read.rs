//! The world of a state message, read as far as it makes sense.

use super::{CatcherEntity, CatcherRules, CatcherState, Food};
use crate::rules::{Id, PyNumber};
use serde_json::{Map, Value};

fn position(thing: &Value) -> Option<[f64; 2]> {
    let place = thing.get("position")?;
    Some([PyNumber::read(place.get(0)?).get(), PyNumber::read(place.get(1)?).get()])
}

fn id(thing: &Value, key: &str) -> Option<Id> {
    thing.get(key)?.as_str().map(Id::from)
}

fn num(thing: &Value, key: &str) -> PyNumber {
    thing.get(key).map_or(PyNumber::ZERO, PyNumber::read)
}

fn food(thing: &Value) -> Option<Food> {
    let (id, quantity) = (id(thing, "id")?, num(thing, "quantity"));
    Some(Food { id, position: position(thing)?, quantity })
}

fn entity(thing: &Value) -> Option<CatcherEntity> {
    Some(CatcherEntity {
        id: id(thing, "id")?,
        owner: id(thing, "owner_id")?,
        position: position(thing)?,
        food: num(thing, "food"),
        health: num(thing, "health"),
        max_health: num(thing, "max_health"),
    })
}

fn all<T>(list: Option<&Value>, one: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(one).collect()
}

impl CatcherState {
    /// Reads the keys of a state; things without name or place are left out.
    #[must_use]
    pub fn read(state: &Map<String, Value>) -> Self {
        Self {
            foods: all(state.get("foods"), food),
            actors: all(state.get("actors"), entity),
            bases: all(state.get("bases"), entity),
            dead: all(state.get("dead_entities"), entity),
        }
    }
}

impl CatcherRules {
    /// Whether these can have been read: numbers that are any.
    pub(crate) fn is_readable(&self) -> bool {
        let numbers = [
            self.grid_width,
            self.grid_height,
            self.take_food_max_distance,
            self.deposit_food_max_distance,
            self.actor_radius,
            self.attack_range,
            self.base_spawn_border_offset,
            self.actor_speed,
        ];
        numbers.iter().all(|number| number.is_finite())
    }

    /// Reads the numbers that `config` tells; the others stay as they usually are.
    #[must_use]
    pub fn read(config: &Map<String, Value>) -> Self {
        let usual = Self::default();
        let real = |key: &str, usual: f64| config.get(key).and_then(Value::as_f64).unwrap_or(usual);
        let whole = |key: &str, usual: i32| {
            let read = config.get(key).and_then(Value::as_i64);
            read.and_then(|number| i32::try_from(number).ok()).unwrap_or(usual)
        };
        let sources = config.get("max_food_sources").and_then(Value::as_u64);
        Self {
            grid_width: real("grid_width", usual.grid_width),
            grid_height: real("grid_height", usual.grid_height),
            max_food_sources: sources
                .and_then(|sources| usize::try_from(sources).ok())
                .unwrap_or(usual.max_food_sources),
            take_food_max_distance: real("take_food_max_distance", usual.take_food_max_distance),
            deposit_food_max_distance: real(
                "deposit_food_max_distance",
                usual.deposit_food_max_distance,
            ),
            actor_radius: real("actor_radius", usual.actor_radius),
            attack_range: real("attack_range", usual.attack_range),
            take_food_speed: whole("take_food_speed", usual.take_food_speed),
            spawn_actor_cost: whole("spawn_actor_cost", usual.spawn_actor_cost),
            make_base_cost: whole("make_base_cost", usual.make_base_cost),
            base_spawn_border_offset: real(
                "base_spawn_border_offset",
                usual.base_spawn_border_offset,
            ),
            actor_speed: real("actor_speed", usual.actor_speed),
            actor_damage: whole("actor_damage", usual.actor_damage),
            actor_max_health: whole("actor_max_health", usual.actor_max_health),
        }
    }
}
