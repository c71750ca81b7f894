//! Announced clears, and the way out of them.

use super::super::chart::{SeenCell, mark};
use super::Ask;
use super::ground::WalkMap;
use phalanx_game::{QueryError, Value};
use phalanx_grid::{Cell, Rotation, RouteLimits, route};

/// A search for shelter looks at this many states at most; an event reaches five cells.
const SHELTER_STATES_MAX: usize = 1_500;

/// Steps after a marker until the clear can hit: an event announces itself for three steps as
/// `clear`, then for two as `ci`.
const EVENT_STEPS: u32 = 3;

/// The clear of an agent can hit in the step in which its marker is seen.
const AGENT_STEPS: u32 = 1;

/// Cells of an agent's clear. Any larger marked area belongs to an event.
const AGENT_CELLS: usize = 5;

impl Ask<'_> {
    /// Steps that are left at least before a clear hits a cell.
    fn steps_left(&self, cell: Cell) -> Option<u32> {
        let chart = self.world.chart_of(self.agent)?;
        let fresh = |spot: &&SeenCell| spot.seen() == Some(self.world.step());
        let marks = |cell: Cell| chart.spot(cell).filter(fresh).map_or(0, |spot| spot.marks);
        let here = marks(cell);
        if here & mark::IMMEDIATE != 0 {
            return Some(1);
        }
        if here & mark::CLEAR == 0 {
            return None;
        }
        let marked = cell.diamond(2).filter(|near| marks(*near) & mark::CLEAR != 0).count();
        let rim = cell.neighbours().into_iter().any(|near| marks(near) & mark::PERIMETER != 0);
        let event = rim || marked > AGENT_CELLS;
        Some(if event { EVENT_STEPS } else { AGENT_STEPS })
    }

    pub(super) fn hit_in(&self) -> Result<Value, QueryError> {
        Ok(self.steps_left(self.args.cell(0)?).into())
    }

    /// The soonest clear that would hit any part of the agent's structure.
    pub(super) fn body_hit_in(&self) -> Value {
        let parts = self.world.bodies.parts(self.agent).map(|(cell, _)| cell);
        let left = parts.chain([Cell::ZERO]).filter_map(|cell| self.steps_left(self.at + cell));
        left.min().into()
    }

    /// The way on which the whole structure leaves all announced clears.
    pub(super) fn shelter(&self) -> Value {
        let Some(terrain) = WalkMap::new(self) else { return Value::Nil };
        let shape: Vec<Cell> = self.world.bodies.parts(self.agent).map(|(cell, _)| cell).collect();
        let crowd = self.world.bodies.crew(self.agent).len() > 1;
        let safe = |cell: Cell, turns: u8| {
            let turned = |part: &Cell| (0..turns).fold(*part, |part, _| part.turned(Rotation::Cw));
            !terrain.is_threatened(cell)
                && shape.iter().all(|part| !terrain.is_threatened(cell + turned(part)))
        };
        let turn_cost = if crowd { u32::MAX / 2 } else { 1 };
        let limits = RouteLimits { states: SHELTER_STATES_MAX, turn_cost, nearest: None };
        let (region, prices) = (terrain.region(&[]), terrain.prices(terrain.region(&[])));
        let price = |cell| prices.price(cell);
        let found = route(region, (self.at, &shape), limits, price, safe, |_| 0);
        found.map_or(Value::Nil, |found| self.way_value(&found, false))
    }
}
