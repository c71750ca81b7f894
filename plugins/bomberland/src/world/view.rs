//! How the things of the game look to scripts.

use super::World;
use crate::percept::Scene;
use crate::rules::{Cell, Entity, State, UnitIndex};
use phalanx_game::Value;
use std::borrow::Cow;

/// A table that grows.
pub(super) struct Table(Vec<(Cow<'static, str>, Value)>);

impl Table {
    pub(super) fn at(scene: &Scene, cell: Cell) -> Self {
        let (x, y) = scene.board.place(cell);
        Self(vec![("x".into(), x.into()), ("y".into(), y.into())])
    }

    pub(super) fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if value != Value::Nil {
            self.0.push((key.into(), value));
        }
        self
    }

    pub(super) fn done(self) -> Value {
        Value::Map(self.0)
    }
}

/// A unit of a state, which may be a future one.
pub(super) fn unit(world: &World, scene: &Scene, state: &State, index: UnitIndex) -> Value {
    let (Some(unit), Some(name)) = (state.unit(index), scene.board.unit(index)) else {
        return Value::Nil;
    };
    Table::at(scene, unit.cell)
        .with("unit", name.name.clone())
        .with("team", scene.board.agent(unit.agent).unwrap_or_default().to_owned())
        .with("agent", world.agent_of(index).map(str::to_owned))
        .with("enemy", unit.agent != scene.agent)
        .with("alive", unit.alive())
        .with("hp", unit.hp)
        .with("bombs", unit.bombs)
        .with("blast_diameter", unit.diameter)
        .with("invulnerable", unit.invulnerable)
        .with("stunned", unit.stunned)
        .done()
}

/// A word for what is in a cell.
pub(super) fn word(entity: &Entity) -> &'static str {
    use crate::rules::Kind;
    match entity.kind {
        Kind::Metal => "metal",
        Kind::Wood => "wood",
        Kind::Ore => "ore",
        Kind::Bomb => "bomb",
        Kind::Fire if entity.permanent() => "endfire",
        Kind::Fire => "fire",
        Kind::Ammo => "ammo",
        Kind::BlastUp => "blast",
        Kind::FreezeUp => "freeze",
        Kind::Treasure => "other",
    }
}

/// A thing in a cell.
pub(super) fn entity(scene: &Scene, cell: Cell, entity: &Entity) -> Value {
    let owner = entity.unit.and_then(|unit| scene.board.unit(unit));
    let armed = entity.created.saturating_add(scene.board.params.armed).saturating_add(1);
    let bomb = entity.kind == crate::rules::Kind::Bomb;
    Table::at(scene, cell)
        .with("type", word(entity))
        .with("created", entity.created)
        .with("expires", entity.expires)
        .with("hp", entity.hp)
        .with("blast_diameter", entity.diameter)
        .with("unit", owner.map(|unit| unit.name.clone()))
        .with("enemy", entity.agent.map(|agent| agent != scene.agent))
        .with("armed", bomb.then_some(armed))
        .done()
}
