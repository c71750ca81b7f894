//! How the things of the game look to scripts.

use super::World;
use crate::percept::TickScene;
use crate::rules::{CellEntity, CellIndex, GameState, UnitIndex};
use phalanx_game::Value;
use std::borrow::Cow;

/// A table that grows.
pub(super) struct ViewTable(Vec<(Cow<'static, str>, Value)>);

impl ViewTable {
    pub(super) fn at(scene: &TickScene, cell: CellIndex) -> Self {
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
pub(super) fn unit(world: &World, scene: &TickScene, state: &GameState, index: UnitIndex) -> Value {
    let (Some(unit), Some(name)) = (state.unit(index), scene.board.unit(index)) else {
        return Value::Nil;
    };
    ViewTable::at(scene, unit.cell)
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

pub(super) fn word(entity: &CellEntity) -> &'static str {
    use crate::rules::EntityKind;
    match entity.kind {
        EntityKind::Metal => "metal",
        EntityKind::Wood => "wood",
        EntityKind::Ore => "ore",
        EntityKind::Bomb => "bomb",
        EntityKind::Fire if entity.permanent() => "endfire",
        EntityKind::Fire => "fire",
        EntityKind::Ammo => "ammo",
        EntityKind::BlastUp => "blast",
        EntityKind::FreezeUp => "freeze",
        EntityKind::Treasure => "other",
    }
}

/// A thing in a cell.
pub(super) fn entity(scene: &TickScene, cell: CellIndex, entity: &CellEntity) -> Value {
    let owner = entity.unit.and_then(|unit| scene.board.unit(unit));
    let armed = entity.created.saturating_add(scene.board.params.armed).saturating_add(1);
    let bomb = entity.kind == crate::rules::EntityKind::Bomb;
    ViewTable::at(scene, cell)
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
