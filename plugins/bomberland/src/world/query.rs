//! What scripts ask the world: one line a query, the answers below.

mod ahead;
mod args;
mod map;
mod search;

use super::World;
use crate::percept::TickScene;
use crate::rules::{CellIndex, Unit, UnitIndex};
use args::QueryArgs;
use phalanx_game::{AgentId, QueryError, Value};

/// One question: who asks, and from where.
struct UnitQuery<'a> {
    world: &'a World,
    scene: &'a TickScene,
    agent: AgentId,
    unit: Option<UnitIndex>,
    args: QueryArgs<'a>,
}

pub(super) fn answer(
    world: &World,
    agent: AgentId,
    name: &str,
    args: &[Value],
) -> Result<Value, QueryError> {
    if crate::api::API.query(name).is_none() {
        return Err(unknown(name));
    }
    let Some(percept) = world.percepts.get(&agent) else {
        // Before the first full state nothing is known: every answer is absent.
        return Ok(Value::Nil);
    };
    let args = QueryArgs::new(name, args);
    let ask = UnitQuery { world, scene: &percept.scene, agent, unit: percept.unit, args };
    match name {
        "size" => Ok(ask.size()),
        "rules" => Ok(ask.rules()),
        "here" => Ok(ask.here()),
        "cell" => ask.cell(),
        "units" => Ok(ask.units(|_| true)),
        "enemies" => Ok(ask.units(|unit| unit.alive() && unit.agent != ask.scene.agent)),
        "mates" => Ok(ask.mates()),
        "find" => ask.find(),
        "nearest" => ask.nearest(),
        "distance" => ask.distance(),
        "distances" => ask.distances(),
        "path" => ask.path(),
        "ring" => ask.ring(),
        "danger" => ask.danger(),
        "burns" => ask.burns(),
        "escape" => ask.escape(),
        "simulate" => ask.simulate(),
        "search" => ask.search(),
        other => Err(unknown(other)),
    }
}

fn unknown(name: &str) -> QueryError {
    QueryError { query: name.to_owned(), reason: "Bomberland has no such query".to_owned() }
}

impl UnitQuery<'_> {
    /// The asking agent's own body.
    fn body(&self) -> Option<&Unit> {
        self.scene.state.unit(self.unit?)
    }

    /// The cell that two arguments name; `None` outside the map.
    fn at(&self, first: usize) -> Result<Option<CellIndex>, QueryError> {
        let (x, y) = (self.args.int(first)?, self.args.int(first + 1)?);
        Ok(self.scene.board.cell(x, y))
    }
}
