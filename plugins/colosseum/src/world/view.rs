//! How the things of the games look to scripts.

use crate::percept::Percept;
use crate::rules::catcher::{CatcherEntity, Food};
use crate::rules::snake::Snake;
use phalanx_game::Value;

/// A number, absent when it is none.
pub(super) fn num(number: f64) -> Value {
    if number.is_nan() { Value::Nil } else { Value::Num(number) }
}

pub(super) fn food(food: &Food) -> Value {
    let [x, y] = food.position;
    Value::map([
        ("id", food.id.to_string().into()),
        ("x", num(x)),
        ("y", num(y)),
        ("quantity", num(food.quantity.get())),
    ])
}

pub(super) fn entity(entity: &CatcherEntity, percept: &Percept) -> Value {
    let [x, y] = entity.position;
    Value::map([
        ("id", entity.id.to_string().into()),
        ("owner", entity.owner.to_string().into()),
        ("mine", (entity.owner == percept.me).into()),
        ("x", num(x)),
        ("y", num(y)),
        ("food", num(entity.food.get())),
        ("health", num(entity.health.get())),
        ("max_health", num(entity.max_health.get())),
    ])
}

pub(super) fn cell([x, y]: [i32; 2]) -> Value {
    Value::cell(x, y)
}

pub(super) fn snake(snake: &Snake, percept: &Percept) -> Value {
    let length = u32::try_from(snake.body.len()).unwrap_or(u32::MAX);
    Value::map([
        ("id", snake.agent.to_string().into()),
        ("mine", (snake.agent == percept.me).into()),
        ("alive", snake.alive.into()),
        ("score", snake.score().into()),
        ("length", length.into()),
        ("head", snake.head().map(cell).into()),
        ("cells", Value::List(snake.body.iter().copied().map(cell).collect())),
    ])
}
