//! What it costs an agent to stand on a cell.

use super::super::chart::{GroupMap, KnownTerrain, Occupant, SeenCell, mark};
use super::{Ask, World};
use phalanx_game::AgentId;
use phalanx_grid::{Cell, CostField, Extent, Region};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A cell that no agent has seen may be blocked.
const UNKNOWN: u32 = 2;
/// Three clears and a step.
const DIG: u32 = 5;
/// An agent is there now, but may be gone when we come.
const CROWD: u32 = 4;
/// A clear is announced there.
const DANGER: u32 = 7;
/// Within this distance agents and held blocks are walls.
const NEAR: i32 = 2;
/// A held block seen longer ago than this has been carried away.
const HELD_STEPS: u32 = 3;
/// Unknown cells around the known ones that a search may use.
const MARGIN: i32 = 12;

/// The map as one agent can walk it.
pub(super) struct WalkMap<'a> {
    chart: &'a GroupMap,
    extent: Extent,
    at: Cell,
    step: u32,
    /// The agent and what hangs on it: free for itself.
    own: BTreeSet<Cell>,
    /// Other agents of the group, where they are now.
    mates: BTreeSet<Cell>,
    avoid: BTreeSet<Cell>,
    dig: bool,
}

impl<'a> WalkMap<'a> {
    pub(super) fn new(ask: &Ask<'a>) -> Option<Self> {
        let World { minds, charts, bodies, extent, .. } = ask.world;
        let mind = minds.get(&ask.agent)?;
        let own = bodies.parts(ask.agent).map(|(cell, _)| extent.wrap(mind.at + cell));
        let own: BTreeSet<Cell> = own.chain([mind.at]).collect();
        let others =
            minds.iter().filter(|(id, other)| **id != ask.agent && other.frame == mind.frame);
        let mates = others.map(|(_, other)| other.at).filter(|at| !own.contains(at)).collect();
        Some(Self {
            chart: charts.get(&mind.frame)?,
            extent: *extent,
            at: mind.at,
            step: ask.world.step(),
            own,
            mates,
            avoid: BTreeSet::new(),
            dig: false,
        })
    }

    pub(super) fn digging(mut self, dig: bool) -> Self {
        self.dig = dig;
        self
    }

    pub(super) fn avoiding(mut self, cells: &[Cell]) -> Self {
        self.avoid = cells.iter().map(|cell| self.extent.wrap(*cell)).collect();
        self
    }

    pub(super) fn chart(&self) -> &'a GroupMap {
        self.chart
    }

    pub(super) fn is_own(&self, cell: Cell) -> bool {
        self.own.contains(&self.extent.wrap(cell))
    }

    /// Whether an obstacle is known there.
    pub(super) fn is_obstacle(&self, cell: Cell) -> bool {
        let spot = self.chart.spot(self.extent.wrap(cell));
        spot.is_some_and(|spot| spot.ground == KnownTerrain::Obstacle)
    }

    /// Whether a clear is announced there, as far as is known.
    pub(super) fn is_threatened(&self, cell: Cell) -> bool {
        let spot = self.chart.spot(self.extent.wrap(cell));
        spot.is_some_and(|spot| danger(spot, self.step) > 0)
    }

    /// The price of a step onto a cell for any agent at any time: agents and held blocks move on.
    pub(super) fn lasting_price(&self, cell: Cell) -> Option<u32> {
        let Some(spot) = self.chart.spot(self.extent.wrap(cell)) else { return Some(UNKNOWN) };
        let walled = spot.ground == KnownTerrain::Obstacle || (spot.block.is_some() && !spot.held);
        (!walled).then_some(1)
    }

    /// What searches look at: all known cells, some unknown ones around them, and the targets.
    pub(super) fn region(&self, targets: &[Cell]) -> Region {
        let (mut min, mut max) = self.chart.plane().region().corners();
        for cell in targets.iter().chain([&self.at]) {
            min = Cell::new(min.x.min(cell.x), min.y.min(cell.y));
            max = Cell::new(max.x.max(cell.x), max.y.max(cell.y));
        }
        Region::new(min, max, self.extent).widened(MARGIN)
    }

    /// The price of standing on a cell; `None` where it is impossible.
    pub(super) fn price(&self, cell: Cell) -> Option<u32> {
        let name = self.extent.wrap(cell);
        if self.avoid.contains(&name) {
            return None;
        }
        let spot = self.chart.spot(name);
        let danger = spot.map_or(0, |spot| danger(spot, self.step));
        if self.own.contains(&name) {
            return Some(1 + danger);
        }
        let near = self.extent.distance(self.at, name) <= NEAR;
        if self.mates.contains(&name) {
            return if near { None } else { Some(CROWD) };
        }
        let Some(spot) = spot else { return Some(UNKNOWN) };
        if spot.ground == KnownTerrain::Obstacle {
            return self.dig.then_some(DIG);
        }
        let age = spot.seen().map_or(u32::MAX, |seen| self.step.saturating_sub(seen));
        if spot.guest != Occupant::Nobody && age == 0 {
            return if near { None } else { Some(CROWD) };
        }
        if spot.block.is_some() {
            return match (spot.held, age) {
                (false, _) => None,
                (true, 0) if near => None,
                (true, 0..=HELD_STEPS) => Some(CROWD),
                (true, _) => Some(1),
            };
        }
        Some(1 + danger)
    }

    /// Whether something can stand there now, as far as is known.
    pub(super) fn is_free(&self, cell: Cell) -> bool {
        let name = self.extent.wrap(cell);
        let Some(spot) = self.chart.spot(name) else { return !self.mates.contains(&name) };
        let now = spot.seen() == Some(self.step);
        let taken = spot.ground == KnownTerrain::Obstacle
            || (spot.block.is_some() && (now || !spot.held))
            || (spot.guest != Occupant::Nobody && now)
            || self.mates.contains(&name);
        self.is_own(name) || !taken
    }
}

/// Prices that a search asks for again and again.
pub(super) struct PriceMemo<'a> {
    terrain: &'a WalkMap<'a>,
    region: Region,
    /// By place in the region; `None` until it is asked for.
    prices: RefCell<Vec<Option<Option<u32>>>>,
}

impl<'a> PriceMemo<'a> {
    pub(super) fn new(terrain: &'a WalkMap<'a>, region: Region) -> Self {
        Self { terrain, region, prices: RefCell::new(vec![None; region.len()]) }
    }

    pub(super) fn region(&self) -> Region {
        self.region
    }

    /// As [`WalkMap::price`].
    pub(super) fn price(&self, cell: Cell) -> Option<u32> {
        let index = self.region.index(cell);
        let mut prices = self.prices.borrow_mut();
        let Some(known) = index.and_then(|index| prices.get_mut(index)) else {
            return self.terrain.price(cell);
        };
        *known.get_or_insert_with(|| self.terrain.price(cell))
    }

    /// Whether a step from the cell leads to one that the field has reached.
    pub(super) fn neighbours_reach(&self, at: Cell, field: &CostField) -> bool {
        at.neighbours().iter().chain([&at]).any(|cell| field.cost(*cell).is_some())
    }
}

fn danger(spot: &SeenCell, step: u32) -> u32 {
    /// A mark says nothing any more after this many steps.
    const MARK_STEPS: u32 = 3;
    let fresh = spot.seen().is_some_and(|seen| step.saturating_sub(seen) <= MARK_STEPS);
    if fresh && spot.marks & (mark::CLEAR | mark::IMMEDIATE) != 0 { DANGER } else { 0 }
}

impl World {
    /// The group's map of an agent.
    pub(super) fn chart_of(&self, agent: AgentId) -> Option<&GroupMap> {
        self.charts.get(&self.minds.get(&agent)?.frame)
    }
}
