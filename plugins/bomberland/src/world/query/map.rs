//! What is where, and how far.

use super::UnitQuery;
use crate::api::KINDS;
use crate::rules::{CellEntity, CellIndex, EntityKind, GameBoard, Unit, UnitIndex};
use crate::world::view::{self, ViewTable};
use crate::world::{WalkCosts, walk};
use phalanx_game::{QueryError, Value};
use std::sync::Arc;

/// Whether a thing is of a kind that scripts look for.
fn is(entity: &CellEntity, word: &str) -> bool {
    match word {
        "block" => matches!(entity.kind, EntityKind::Wood | EntityKind::Ore),
        "pickup" => entity.kind.item(),
        other => view::word(entity) == other,
    }
}

impl UnitQuery<'_> {
    pub(super) fn size(&self) -> Value {
        let board = &self.scene.board;
        let side = |side: u16| Value::Int(side.into());
        Value::map([("width", side(board.width())), ("height", side(board.height()))])
    }

    pub(super) fn rules(&self) -> Value {
        let params = &self.scene.board.params;
        Value::map([
            ("tick_rate_hz", self.scene.tick_rate_hz.into()),
            ("fuse", params.fuse.into()),
            ("armed", params.armed.into()),
            ("blast_duration", params.blast_duration.into()),
            ("bombs_max", params.bombs_max.into()),
            ("invulnerability", params.invulnerability.into()),
            ("freeze_ticks", params.freeze_ticks.into()),
            ("game_duration", params.game_duration.into()),
            ("fire_interval", params.fire_interval.into()),
        ])
    }

    pub(super) fn here(&self) -> Value {
        let Some(body) = self.body() else { return Value::Nil };
        let (x, y) = self.scene.board.place(body.cell);
        Value::cell(x, y)
    }

    pub(super) fn cell(&self) -> Result<Value, QueryError> {
        let Some(cell) = self.at(0)? else { return Ok(Value::Nil) };
        let state = &self.scene.state;
        let entity = state.entity(cell);
        let unit = state.units_at(cell).next();
        let name = unit.and_then(|unit| self.scene.board.unit(unit));
        let free = entity.is_none_or(|entity| entity.kind.walkable()) && unit.is_none();
        Ok(ViewTable::at(self.scene, cell)
            .with("entity", entity.map(|entity| view::entity(self.scene, cell, entity)))
            .with("unit", name.map(|name| name.name.clone()))
            .with("free", free)
            .done())
    }

    pub(super) fn units(&self, passes: impl Fn(&Unit) -> bool) -> Value {
        let state = &self.scene.state;
        let found = (0..).zip(state.units()).filter(|(_, unit)| passes(unit));
        Value::List(
            found.map(|(index, _)| view::unit(self.world, self.scene, state, index)).collect(),
        )
    }

    pub(super) fn mates(&self) -> Value {
        let state = &self.scene.state;
        let mate = |(index, unit): &(UnitIndex, &Unit)| {
            unit.alive() && unit.agent == self.scene.agent && Some(*index) != self.unit
        };
        let found = (0..).zip(state.units()).filter(mate);
        Value::List(
            found.map(|(index, _)| view::unit(self.world, self.scene, state, index)).collect(),
        )
    }

    fn kind(&self) -> Result<&'static str, QueryError> {
        self.args.word(0, KINDS)?.ok_or_else(|| self.args.wrong(0, &KINDS.join(", ")))
    }

    /// Everything of a kind; enemies are units, the rest are things.
    fn of_kind(&self, kind: &str) -> Vec<(CellIndex, Value)> {
        let state = &self.scene.state;
        if kind == "enemy" {
            let enemies = (0..).zip(state.units());
            let enemies =
                enemies.filter(|(_, unit)| unit.alive() && unit.agent != self.scene.agent);
            return enemies
                .map(|(index, unit)| (unit.cell, view::unit(self.world, self.scene, state, index)))
                .collect();
        }
        let things = state.entities().filter(|(_, entity)| is(entity, kind));
        things.map(|(cell, entity)| (cell, view::entity(self.scene, cell, entity))).collect()
    }

    pub(super) fn find(&self) -> Result<Value, QueryError> {
        let found = self.of_kind(self.kind()?);
        Ok(Value::List(found.into_iter().map(|(_, value)| value).collect()))
    }

    fn walk(&self) -> Option<Arc<WalkCosts>> {
        self.world.walk(self.agent, self.scene, self.unit?)
    }

    /// The cost of entering a cell, or a neighbour of it if no unit can enter the cell itself.
    fn approach(&self, walk: &WalkCosts, cell: CellIndex) -> Option<u32> {
        if let Some(cost) = walk.cost(cell) {
            return Some(cost);
        }
        beside(&self.scene.board, cell).filter_map(|near| walk.cost(near)).min()
    }

    pub(super) fn nearest(&self) -> Result<Value, QueryError> {
        let kind = self.kind()?;
        let Some(walk) = self.walk() else { return Ok(Value::Nil) };
        let found = self.of_kind(kind).into_iter();
        let near = found.filter_map(|(cell, value)| Some((self.approach(&walk, cell)?, value)));
        let Some((distance, value)) = near.min_by_key(|(distance, _)| *distance) else {
            return Ok(Value::Nil);
        };
        let Value::Map(mut fields) = value else { return Ok(Value::Nil) };
        fields.push(("distance".into(), distance.into()));
        Ok(Value::Map(fields))
    }

    pub(super) fn distance(&self) -> Result<Value, QueryError> {
        let (Some(to), Some(walk)) = (self.at(0)?, self.walk()) else { return Ok(Value::Nil) };
        Ok(walk.cost(to).into())
    }

    pub(super) fn distances(&self) -> Result<Value, QueryError> {
        let from = match self.args.given(0) {
            None => None,
            Some(_) => self.at(0)?,
        };
        let walk = match from {
            Some(from) => Some(Arc::new(walk(self.scene, from, None))),
            None => self.walk(),
        };
        let Some(walk) = walk else { return Ok(Value::Nil) };
        let cost = |cell: CellIndex| walk.cost(cell).map_or(Value::Int(-1), Value::from);
        Ok(Value::List((0..self.scene.board.cells()).map(cost).collect()))
    }

    pub(super) fn path(&self) -> Result<Value, QueryError> {
        let (to, dig) = (self.at(0)?, self.args.count(2, 0, 1000)?);
        let (Some(to), Some(body)) = (to, self.body()) else { return Ok(Value::Nil) };
        let walk = match dig {
            None => self.walk(),
            Some(_) => Some(Arc::new(walk(self.scene, body.cell, dig))),
        };
        let Some(walk) = walk else { return Ok(Value::Nil) };
        let (Some(cost), Some(steps)) = (walk.cost(to), walk.steps(self.scene, to)) else {
            return Ok(Value::Nil);
        };
        let solid = |cell: &CellIndex| {
            self.scene.state.entity(*cell).is_some_and(|entity| !entity.kind.walkable())
        };
        let cells = steps.iter().map(|(direction, cell)| {
            let table = ViewTable::at(self.scene, *cell).with("dir", direction.word());
            table.with("block", solid(cell).then_some(true)).done()
        });
        let first = steps.first().map(|(direction, _)| direction.word());
        Ok(Value::Map(vec![
            ("dir".into(), first.map_or(Value::Nil, Value::from)),
            ("cost".into(), cost.into()),
            ("steps".into(), Value::List(cells.collect())),
        ]))
    }

    pub(super) fn ring(&self) -> Result<Value, QueryError> {
        let Some(cell) = self.at(0)? else { return Ok(Value::Nil) };
        let board = &self.scene.board;
        let place = (0..usize::from(board.cells())).find(|index| board.fire(*index) == Some(cell));
        let params = &board.params;
        let tick = place
            .and_then(|place| u32::try_from(place).ok())
            .map(|place| f64::from(params.game_duration) + f64::from(place) * params.fire_interval);
        Ok(tick.into())
    }
}

fn beside(board: &GameBoard, cell: CellIndex) -> impl Iterator<Item = CellIndex> {
    let (x, y) = board.place(cell);
    crate::rules::UnitDirection::ALL.into_iter().filter_map(move |direction| {
        let (dx, dy) = direction.vector();
        board.cell(x + dx, y + dy)
    })
}
