//! The cheapest way for a body of several cells that moves and turns.
#![allow(clippy::indexing_slicing, reason = "orientations are taken modulo 4, places bounded")]

use crate::{Cell, Direction, Region, Rotation};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// One thing that a body does on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteStep {
    /// Everything one cell this way.
    Move(Direction),
    /// A quarter turn about the agent.
    Rotate(Rotation),
}

/// A way and its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// What to do, in order; empty when the goal is reached already.
    pub steps: Vec<RouteStep>,
    /// Where the agent is after each step.
    pub cells: Vec<Cell>,
    /// Sum of the costs of all entered cells and turns.
    pub cost: u32,
    /// Whether the goal was reached; otherwise the way leads as near as the budget allowed.
    pub complete: bool,
}

/// Bounds and prices of a search.
#[derive(Clone, Copy, Debug)]
pub struct RouteLimits {
    /// States (cell and orientation) that may be looked at.
    pub states: usize,
    /// Price of a quarter turn.
    pub turn_cost: u32,
    /// `Some`: no state can be the goal, and none has an estimate below this. The search ends where
    /// it finds such a state; it finds the same one as without this, if no step lowers the estimate by
    /// more than its price.
    pub nearest: Option<u32>,
}

/// A body's state by number: its agent's place in the region, and its quarter turns clockwise.
type BodyState = u32;

/// Quarter turns, and with them states, of one place.
const TURNS: u32 = 4;

/// What is known of a state.
#[derive(Clone, Copy, Debug)]
struct StateNode {
    cost: u32,
    /// The state before, and what led from it here.
    from: Option<(BodyState, RouteStep)>,
}

/// What is known of all states: most searches reach only few of them, near to each other.
struct StateTable {
    pages: Vec<Option<Box<[StateNode; PAGE]>>>,
}

/// States that get their memory together.
const PAGE: usize = 64;

impl StateTable {
    fn new(states: usize) -> Self {
        Self { pages: vec![None; states.div_ceil(PAGE)] }
    }

    fn get(&self, state: BodyState) -> StateNode {
        let state = state as usize;
        let page = self.pages[state / PAGE].as_ref();
        page.map_or(StateNode { cost: u32::MAX, from: None }, |page| page[state % PAGE])
    }

    fn set(&mut self, state: BodyState, node: StateNode) {
        let state = state as usize;
        let page = self.pages[state / PAGE]
            .get_or_insert_with(|| Box::new([StateNode { cost: u32::MAX, from: None }; PAGE]));
        page[state % PAGE] = node;
    }
}

/// A state that waits to be looked at.
#[derive(Clone, Copy, Debug)]
struct RouteEntry {
    /// Guess of the whole, rest of the guess (among equals the nearer to its end goes first), and
    /// order of arrival, in one number: queues compare little else.
    rank: u128,
    cost: u32,
    state: BodyState,
}

impl RouteEntry {
    fn new(state: BodyState, (cost, rest, order): (u32, u32, u32)) -> Self {
        let guess = cost.saturating_add(rest);
        let rank = u128::from(guess) << 64 | u128::from(rest) << 32 | u128::from(order);
        Self { rank, cost, state }
    }

    /// The rest of the guess.
    #[expect(clippy::cast_possible_truncation, reason = "the middle of the rank")]
    fn rest(&self) -> u32 {
        (self.rank >> 32) as u32
    }
}

impl PartialEq for RouteEntry {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for RouteEntry {}

impl PartialOrd for RouteEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RouteEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank)
    }
}

struct RouteSearch<E> {
    region: Region,
    shapes: [Vec<Cell>; 4],
    best: StateTable,
    queue: BinaryHeap<Reverse<RouteEntry>>,
    order: u32,
    estimate: E,
}

/// Searches the cheapest way (A*) of an agent with cells attached at `shape`, relative to it and
/// without itself.
///
/// `enter(cell)` is the price, from 1, for a part of the body to stand on a cell; `None` where it
/// cannot (the caller treats the body's own cells as free; a cell may be named beyond the torus'
/// edge). A step costs the greatest price among its parts; a turn costs the same for the parts that
/// swing, and at least `turn_cost`. `goal(cell, turns)` accepts a final place and orientation;
/// `estimate(cell)` must not exceed the true rest. `None` when no step leads nearer at all.
#[must_use]
pub fn route(
    region: Region,
    (start, shape): (Cell, &[Cell]),
    limits: RouteLimits,
    enter: impl Fn(Cell) -> Option<u32>,
    goal: impl Fn(Cell, u8) -> bool,
    estimate: impl Fn(Cell) -> u32,
) -> Option<Route> {
    let first = u32::try_from(region.index(start)?).ok()?.checked_mul(TURNS)?;
    let mut search = RouteSearch {
        region,
        shapes: orientations(shape),
        best: StateTable::new(region.len() * TURNS as usize),
        queue: BinaryHeap::new(),
        order: 0,
        estimate,
    };
    search.offer((first, start), 0, None);
    let mut nearest = ((search.estimate)(start), 0, first);
    let mut left = limits.states;
    while let Some(Reverse(entry)) = search.queue.pop() {
        let (rest, cost, state) = (entry.rest(), entry.cost, entry.state);
        if search.best.get(state).cost < cost {
            continue;
        }
        let at = search.cell(state);
        if goal(at, turns(state)) {
            return Some(search.trace(state, true));
        }
        if (rest, cost) < (nearest.0, nearest.1) {
            nearest = (rest, cost, state);
        }
        if left == 0 || limits.nearest.is_some_and(|least| nearest.0 <= least) {
            break;
        }
        left -= 1;
        search.expand((state, at), cost, limits.turn_cost, &enter);
    }
    (nearest.2 != first).then(|| search.trace(nearest.2, false))
}

/// The quarter turns of a state.
fn turns(state: BodyState) -> u8 {
    u8::try_from(state % TURNS).unwrap_or(0)
}

impl<E: Fn(Cell) -> u32> RouteSearch<E> {
    fn cell(&self, state: BodyState) -> Cell {
        self.region.cell((state / TURNS) as usize)
    }

    fn offer(
        &mut self,
        (state, at): (BodyState, Cell),
        cost: u32,
        from: Option<(BodyState, RouteStep)>,
    ) {
        if cost < self.best.get(state).cost {
            self.best.set(state, StateNode { cost, from });
            self.order += 1;
            let rest = (self.estimate)(at);
            self.queue.push(Reverse(RouteEntry::new(state, (cost, rest, self.order))));
        }
    }

    /// Whether a step that costs this much at least can lead to a state more cheaply than before:
    /// in most cases it cannot, and its price is not needed.
    fn may_gain(&self, state: BodyState, cost: u32, least: u32) -> bool {
        cost.saturating_add(least) < self.best.get(state).cost
    }

    fn expand(
        &mut self,
        (state, at): (BodyState, Cell),
        cost: u32,
        turn_cost: u32,
        enter: &impl Fn(Cell) -> Option<u32>,
    ) {
        let places = self.region.around(self.region.place_at((state / TURNS) as usize));
        for (dir, place) in Direction::ALL.into_iter().zip(places) {
            let Some(place) = place.and_then(|place| u32::try_from(place.index).ok()) else {
                continue;
            };
            let (next, to) = (place * TURNS + state % TURNS, at + dir.vector());
            if self.may_gain(next, cost, 1)
                && let Some(price) = stand(to, &self.shapes[usize::from(turns(state))], enter)
            {
                let total = cost.saturating_add(price);
                self.offer((next, to), total, Some((state, RouteStep::Move(dir))));
            }
        }
        if self.shapes[0].is_empty() {
            return;
        }
        for rotation in Rotation::ALL {
            let turned = match rotation {
                Rotation::Cw => (state + 1) % TURNS,
                Rotation::Ccw => (state + TURNS - 1) % TURNS,
            };
            let next = state - state % TURNS + turned;
            if !self.may_gain(next, cost, turn_cost) {
                continue;
            }
            let shape = &self.shapes[turned as usize];
            let prices = shape.iter().map(|part| enter(at + *part));
            // Parts swing onto cells that may be dearer than the turn itself.
            let swung = prices.reduce(|one, other| Some(one?.max(other?))).flatten();
            if let Some(price) = swung {
                let total = cost.saturating_add(price.max(turn_cost));
                self.offer((next, at), total, Some((state, RouteStep::Rotate(rotation))));
            }
        }
    }

    fn trace(&self, end: BodyState, complete: bool) -> Route {
        let cost = self.best.get(end).cost;
        let (mut steps, mut cells, mut at) = (Vec::new(), Vec::new(), end);
        while let Some((from, step)) = self.best.get(at).from {
            steps.push(step);
            cells.push(self.cell(at));
            at = from;
        }
        steps.reverse();
        cells.reverse();
        Route { steps, cells, cost, complete }
    }
}

fn orientations(shape: &[Cell]) -> [Vec<Cell>; 4] {
    let turn = |cells: &[Cell]| -> Vec<Cell> {
        cells.iter().map(|cell| cell.turned(Rotation::Cw)).collect()
    };
    let zero = shape.to_vec();
    let one = turn(&zero);
    let two = turn(&one);
    let three = turn(&two);
    [zero, one, two, three]
}

fn stand(at: Cell, shape: &[Cell], enter: &impl Fn(Cell) -> Option<u32>) -> Option<u32> {
    let mut price = enter(at)?;
    for part in shape {
        price = price.max(enter(at + *part)?);
    }
    Some(price.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CostField, Extent};
    use proptest::prelude::*;

    const LIMITS: RouteLimits = RouteLimits { states: 100_000, turn_cost: 1, nearest: None };

    fn torus() -> Region {
        Region::new(Cell::ZERO, Cell::ZERO, Extent::new(30, 30))
    }

    fn way(start: Cell, shape: &[Cell], to: Cell, wall: impl Fn(Cell) -> bool) -> Option<Route> {
        let extent = Extent::new(30, 30);
        let enter = |cell| (!wall(extent.wrap(cell))).then_some(1);
        let estimate = |cell| extent.distance(cell, to).unsigned_abs();
        route(torus(), (start, shape), LIMITS, enter, |cell, _| cell == to, estimate)
    }

    #[test]
    fn the_short_way_leads_round_the_torus() {
        let found = way(Cell::new(1, 1), &[], Cell::new(28, 1), |_| false).unwrap();
        assert_eq!(found.steps, [RouteStep::Move(Direction::West); 3]);
        assert!(found.complete);
    }

    #[test]
    fn a_body_turns_to_pass_a_gap() {
        // A wall at x = 5 with a gap of one cell at y = 10; the block hangs south of the agent.
        let wall = |cell: Cell| (cell.x == 5 && cell.y != 10) || cell.x == 20;
        let south = [Direction::South.vector()];
        let found = way(Cell::new(3, 10), &south, Cell::new(8, 10), wall).unwrap();
        assert!(found.complete);
        assert_eq!(found.cost, 6, "five moves and one turn");
    }

    #[test]
    fn a_turn_costs_what_its_parts_swing_onto() {
        let south = [Direction::South.vector()];
        let start = Cell::new(5, 5);
        // Turned clockwise, the block comes to the west of the agent.
        let enter = |cell| Some(if cell == Cell::new(4, 5) { 9 } else { 1 });
        let turned = |cell, turns| cell == start && turns == 2;
        let found = route(torus(), (start, &south), LIMITS, enter, turned, |_| 0).unwrap();
        assert_eq!(found.cost, 2, "half a turn over the east");
        assert_eq!(found.steps, [RouteStep::Rotate(Rotation::Ccw); 2]);
    }

    #[test]
    fn beside_a_cell_that_it_cannot_enter_a_body_looks_no_further() {
        let (to, start) = (Cell::new(15, 15), Cell::new(12, 15));
        let (extent, asked) = (torus().extent(), std::cell::Cell::new(0));
        let enter = |cell| {
            asked.set(asked.get() + 1);
            (extent.wrap(cell) != to).then_some(1)
        };
        let estimate = |cell| extent.distance(cell, to).unsigned_abs();
        let limits = RouteLimits { nearest: Some(1), ..LIMITS };
        let found = route(torus(), (start, &[]), limits, enter, |_, _| false, estimate).unwrap();
        assert_eq!(
            (found.steps, found.complete),
            (vec![RouteStep::Move(Direction::East); 2], false)
        );
        assert!(asked.get() < 12, "asked for {} prices", asked.get());
    }

    #[test]
    fn without_a_way_the_nearest_cell_is_the_best_that_can_be_done() {
        let ring = |cell: Cell| (cell - Cell::new(20, 20)).norm() == 2;
        let found = way(Cell::new(10, 20), &[], Cell::new(20, 20), ring).unwrap();
        assert!(!found.complete);
        assert_eq!(found.cells.last(), Some(&Cell::new(17, 20)));
    }

    proptest! {
        #[test]
        fn a_search_that_knows_how_near_it_can_come_finds_the_same_sooner(
            walls in proptest::collection::btree_set((0..30_i32, 0..30_i32), 0..400),
            to in (0..30_i32, 0..30_i32),
            states in 1..4_000_usize,
        ) {
            let (shape, start) = ([Cell::new(0, 1), Cell::new(0, 2)], Cell::new(15, 15));
            let to = Cell::new(to.0, to.1);
            let free = |cell: Cell| {
                let cell = torus().extent().wrap(cell);
                let own = cell == start || shape.iter().any(|part| start + *part == cell);
                own || (cell != to && !walls.contains(&(cell.x, cell.y)))
            };
            let enter = |cell: Cell| free(cell).then_some(1);
            let field = CostField::spread_by(torus(), [to], 400, enter);
            let rest = |cell| field.cost(cell).unwrap_or(400);
            let stands = |cell: &Cell| {
                let fits = |shape: &Vec<Cell>| shape.iter().all(|part| free(*cell + *part));
                free(*cell) && orientations(&shape).iter().any(fits)
            };
            let nearest = torus().cells().filter(stands).map(rest).min();
            let search = |nearest, asked: &std::cell::Cell<u32>| {
                let limits = RouteLimits { states, nearest, ..LIMITS };
                let enter = |cell| {
                    asked.set(asked.get() + 1);
                    enter(cell)
                };
                route(torus(), (start, &shape), limits, enter, |_, _| false, rest)
            };
            let (all, fewer) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
            prop_assert_eq!(search(nearest, &fewer), search(None, &all));
            prop_assert!(fewer.get() <= all.get());
        }

        #[test]
        fn every_state_of_a_way_is_free(
            walls in proptest::collection::btree_set((0..30_i32, 0..30_i32), 0..200),
            to in (0..30_i32, 0..30_i32),
        ) {
            let wall = |cell: Cell| walls.contains(&(cell.x, cell.y));
            let shape = [Cell::new(0, 1), Cell::new(0, 2)];
            let start = Cell::new(15, 15);
            let to = Cell::new(to.0, to.1);
            let Some(found) = way(start, &shape, to, wall) else { return Ok(()) };
            let (mut at, mut body) = (start, shape.to_vec());
            for (step, cell) in found.steps.iter().zip(&found.cells) {
                match step {
                    RouteStep::Move(dir) => at = Extent::new(30, 30).wrap(at + dir.vector()),
                    RouteStep::Rotate(turn) => {
                        body = body.iter().map(|part| part.turned(*turn)).collect();
                    }
                }
                prop_assert_eq!(at, *cell);
                for part in &body {
                    prop_assert!(!wall(Extent::new(30, 30).wrap(at + *part)));
                }
            }
            prop_assert_eq!(found.complete, at == to);
        }
    }
}
