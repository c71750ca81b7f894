//! What it costs an agent to stand on a cell.

use super::super::chart::{GroupMap, KnownTerrain, Occupant, SeenCell, mark};
use super::{Ask, World};
use phalanx_game::AgentId;
use phalanx_grid::{Cell, Extent, FrameId, PriceGrid, Region};
use std::sync::Arc;

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

/// Who walks, as far as the prices of a whole map depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Walker {
    /// An agent that takes obstacles for walls.
    Walking,
    /// An agent that clears obstacles.
    Digging,
    /// Any agent at any time: agents and held blocks move on.
    Anyone,
}

/// The map as one agent can walk it.
pub(super) struct WalkMap<'a> {
    world: &'a World,
    frame: FrameId,
    chart: &'a GroupMap,
    extent: Extent,
    at: Cell,
    step: u32,
    /// The agent and what hangs on it: free for itself. Sorted, like the others.
    own: Vec<Cell>,
    /// Other agents of the group, where they are now.
    mates: Vec<Cell>,
    avoid: Vec<Cell>,
    walker: Walker,
}

impl<'a> WalkMap<'a> {
    pub(super) fn new(ask: &Ask<'a>) -> Option<Self> {
        let World { minds, charts, bodies, extent, .. } = ask.world;
        let mind = minds.get(&ask.agent)?;
        let own = bodies.parts(ask.agent).map(|(cell, _)| extent.wrap(mind.at + cell));
        let own = sorted(own.chain([mind.at]));
        let others =
            minds.iter().filter(|(id, other)| **id != ask.agent && other.frame == mind.frame);
        let mates = others.map(|(_, other)| other.at).filter(|at| !own.contains(at));
        Some(Self {
            world: ask.world,
            frame: mind.frame,
            chart: charts.get(&mind.frame)?,
            extent: *extent,
            at: mind.at,
            step: ask.world.step(),
            mates: sorted(mates),
            own,
            avoid: Vec::new(),
            walker: Walker::Walking,
        })
    }

    pub(super) fn digging(mut self, dig: bool) -> Self {
        self.walker = if dig { Walker::Digging } else { Walker::Walking };
        self
    }

    pub(super) fn avoiding(mut self, cells: &[Cell]) -> Self {
        self.avoid = sorted(cells.iter().map(|cell| self.extent.wrap(*cell)));
        self
    }

    pub(super) fn frame(&self) -> FrameId {
        self.frame
    }

    pub(super) fn chart(&self) -> &'a GroupMap {
        self.chart
    }

    fn is_own(&self, cell: Cell) -> bool {
        self.own.binary_search(&self.extent.wrap(cell)).is_ok()
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
    fn price(&self, cell: Cell) -> Option<u32> {
        let name = self.extent.wrap(cell);
        if self.avoid.binary_search(&name).is_ok() {
            return None;
        }
        let spot = self.chart.spot(name);
        if self.own.binary_search(&name).is_ok() {
            return Some(1 + spot.map_or(0, |spot| danger(spot, self.step)));
        }
        let near = self.extent.distance(self.at, name) <= NEAR;
        if self.mates.binary_search(&name).is_ok() {
            return (!near).then_some(CROWD);
        }
        price(self.walker, spot, self.step, near)
    }

    /// The prices of all cells of a region for this agent.
    pub(super) fn prices(&self, region: Region) -> AgentPrices<'_> {
        let mut grid = PriceGrid::clone(&self.ground(self.walker, region));
        // Only these differ from what the whole group pays.
        let near = self.at.diamond(NEAR);
        for cell in near.chain([&self.own, &self.mates, &self.avoid].into_iter().flatten().copied())
        {
            grid.set(cell, self.price(cell));
        }
        AgentPrices { terrain: self, grid }
    }

    /// The prices of all cells of a region, the same for all agents of a group: without regard to
    /// what is special for one of them. Those of the usual region are kept until the next step.
    pub(super) fn ground(&self, walker: Walker, region: Region) -> Arc<PriceGrid> {
        let key = (self.frame, walker);
        if let Some(ground) = self.world.cache.borrow().grounds.get(&key)
            && *ground.region() == region
        {
            return Arc::clone(ground);
        }
        let mut ground = PriceGrid::new(region, price(walker, None, self.step, false));
        for (cell, spot) in self.chart.seen() {
            ground.set(cell, price(walker, Some(spot), self.step, false));
        }
        let ground = Arc::new(ground);
        if region == self.region(&[]) {
            self.world.cache.borrow_mut().grounds.insert(key, Arc::clone(&ground));
        }
        ground
    }

    /// Whether something can stand there now, as far as is known.
    pub(super) fn is_free(&self, cell: Cell) -> bool {
        let name = self.extent.wrap(cell);
        let is_mate = || self.mates.binary_search(&name).is_ok();
        let Some(spot) = self.chart.spot(name) else { return !is_mate() };
        let now = spot.seen() == Some(self.step);
        let taken = spot.ground == KnownTerrain::Obstacle
            || (spot.block.is_some() && (now || !spot.held))
            || (spot.guest != Occupant::Nobody && now)
            || is_mate();
        !taken || self.is_own(name)
    }
}

fn sorted(cells: impl Iterator<Item = Cell>) -> Vec<Cell> {
    let mut cells: Vec<Cell> = cells.collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// What one agent pays.
pub(super) struct AgentPrices<'a> {
    terrain: &'a WalkMap<'a>,
    grid: PriceGrid,
}

impl AgentPrices<'_> {
    pub(super) fn grid(&self) -> &PriceGrid {
        &self.grid
    }

    /// The price of standing on a cell; `None` where it is impossible.
    pub(super) fn price(&self, cell: Cell) -> Option<u32> {
        self.grid.price(cell, || self.terrain.price(cell))
    }
}

/// The price of standing on a cell where neither the agent itself nor a mate is: `None` where it is
/// impossible.
fn price(walker: Walker, spot: Option<&SeenCell>, step: u32, near: bool) -> Option<u32> {
    let Some(spot) = spot else { return Some(UNKNOWN) };
    let obstacle = spot.ground == KnownTerrain::Obstacle;
    match walker {
        Walker::Anyone => {
            let walled = obstacle || (spot.block.is_some() && !spot.held);
            return (!walled).then_some(1);
        }
        Walker::Digging if obstacle => return Some(DIG),
        Walker::Walking if obstacle => return None,
        Walker::Walking | Walker::Digging => {}
    }
    let age = spot.seen().map_or(u32::MAX, |seen| step.saturating_sub(seen));
    if spot.guest != Occupant::Nobody && age == 0 {
        return (!near).then_some(CROWD);
    }
    if spot.block.is_some() {
        return match (spot.held, age) {
            (false, _) => None,
            (true, 0) if near => None,
            (true, 0..=HELD_STEPS) => Some(CROWD),
            (true, _) => Some(1),
        };
    }
    Some(1 + danger(spot, step))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::percept::{Briefing, MarkerKind, Percept, Thing, ThingKind};
    use phalanx_game::sorted::SortedSet;
    use phalanx_game::{Roster, RosterEntry, Turn, World as _};
    use phalanx_massim::query::QueryArgs;

    const A: AgentId = AgentId(0);
    const B: AgentId = AgentId(1);

    /// What an agent at `at` sees of a place that has everything.
    fn percept(at: Cell) -> Percept {
        let entity = |team: &str| ThingKind::Entity(team.to_owned());
        let block = || ThingKind::Block("b0".to_owned());
        let things = [
            (0, 0, entity("A")),
            (4, 1, entity("A")),
            (1, 0, entity("B")),
            (0, 3, entity("B")),
            (0, 1, block()),
            (1, 1, block()),
            (0, -2, block()),
            (2, 3, block()),
            (3, 0, ThingKind::Marker(MarkerKind::Clear)),
        ];
        let sees = |cell: &Cell| cell.norm() <= 5;
        let thing = |(x, y, kind)| Thing { cell: Cell::new(x, y) - at, kind };
        let here = |cells: [(i32, i32); 2]| -> Vec<Cell> {
            cells.iter().map(|(x, y)| Cell::new(*x, *y) - at).filter(sees).collect()
        };
        Percept {
            energy: 300,
            things: things.map(thing).into_iter().filter(|thing| sees(&thing.cell)).collect(),
            obstacles: here([(2, 0), (2, 2)]),
            attached: here([(0, 1), (0, -2)]),
            ..Percept::default()
        }
    }

    fn world() -> World {
        let agents = ["a", "b"].map(|name| RosterEntry::new(name, "worker")).to_vec();
        let mut world = World::new(&Roster { team: "A".into(), agents });
        for (agent, at) in [(A, Cell::ZERO), (B, Cell::new(4, 1))] {
            let briefing = Briefing {
                time: 0,
                name: String::new(),
                team: "A".into(),
                team_size: 2,
                steps: 9,
                vision: 5,
            };
            world.begin(0, agent, Some(&briefing));
            world.observe(Turn::new(0, 0), agent, percept(at));
        }
        world.settle(Turn::new(0, 0));
        assert_eq!(world.counts().joins, 1, "the agents share a map");
        world
    }

    #[test]
    fn what_agents_share_of_their_prices_is_right_for_each_of_them() {
        let world = world();
        let mut found = SortedSet::new();
        for (agent, dig) in [(A, false), (A, true), (B, false), (B, true)] {
            let (_, at) = world.position(agent).unwrap();
            let ask = Ask { world: &world, agent, at, args: QueryArgs::new("path", &[]) };
            let avoid = [at + Cell::new(-1, -1), at + Cell::new(40, 0)];
            let terrain = WalkMap::new(&ask).unwrap().digging(dig).avoiding(&avoid);
            for region in [terrain.region(&[]), terrain.region(&[at + Cell::new(30, 0)])] {
                let prices = terrain.prices(region);
                for cell in region.widened(2).cells() {
                    assert_eq!(prices.price(cell), terrain.price(cell), "{agent:?} at {cell:?}");
                    found.insert(prices.price(cell));
                }
            }
        }
        let prices = [None, Some(1), Some(UNKNOWN), Some(CROWD), Some(DIG), Some(1 + DANGER)];
        assert_eq!(found, SortedSet::from(prices));
    }
}
