//! How to get somewhere.

use super::Ask;
use super::find::is_frontier;
use super::ground::{AgentPrices, WalkMap, Walker};
use phalanx_game::{QueryError, Value};
use phalanx_grid::{Cell, CostField, Rotation, Route, RouteLimits, RouteStep, route};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// States that a path search looks at before it measures the way round the walls.
const PATH_STATES_MIN: usize = 600;
/// A path search looks at this many states at most; the way so far is the answer then.
const PATH_STATES_MAX: usize = 4_000;
/// Walking costs are known up to this.
const WALK_COST_MAX: u32 = 400;
/// Cells from which walking costs are kept in one step.
const SOURCES_MAX: usize = 64;
/// Targets of one path search at most; the nearest as the crow flies are kept.
const TARGETS_MAX: usize = 32;
/// Targets of explorers nearer to each other than this are a waste.
const SPREAD: i32 = 10;
/// How much a target near another explorer's costs more.
const CROWDED: u32 = 30;
/// Frontier cells that cost so much more than the best are as good.
const SIMILAR: u32 = 6;
/// Frontier cells that one search looks for.
const EXPLORE_TARGETS_MAX: usize = 8;
/// Energy for one dig.
const DIG_ENERGY: i64 = 30;
/// A clear reaches this far.
const CLEAR_RANGE: i32 = 5;

/// What a path is asked for.
struct Goal {
    targets: Vec<Cell>,
    /// Distance from a target at which the way may end, at least and at most.
    range: (i32, i32),
    /// Quarter turns clockwise from now that the way must end with.
    turns: Option<u8>,
    dig: bool,
    cells: bool,
    avoid: Vec<Cell>,
}

/// Quarter turns clockwise.
const QUARTERS: [u8; 4] = [0, 1, 2, 3];

/// An agent with all that hangs on it, on its way.
struct Body<'a> {
    ask: &'a Ask<'a>,
    prices: &'a AgentPrices<'a>,
    /// What hangs on it, after each number of quarter turns.
    shapes: [Vec<Cell>; 4],
    /// Another agent hangs on it.
    crowd: bool,
}

impl<'a> Body<'a> {
    fn new(ask: &'a Ask<'a>, prices: &'a AgentPrices<'a>) -> Self {
        let bodies = &ask.world.bodies;
        let shape: Vec<Cell> = bodies.parts(ask.agent).map(|(cell, _)| cell).collect();
        let turned = |turns: u8| {
            let turned = |part: &Cell| (0..turns).fold(*part, |part, _| part.turned(Rotation::Cw));
            shape.iter().map(turned).collect()
        };
        let crowd = bodies.crew(ask.agent).len() > 1;
        Self { ask, prices, shapes: QUARTERS.map(turned), crowd }
    }

    /// Whether a way may end so; a body that cannot turn need not.
    fn arrives(&self, goal: &Goal, cell: Cell, turns: u8) -> bool {
        let inside = |target: &Cell| {
            let far = self.ask.world.extent.distance(cell, *target);
            (goal.range.0..=goal.range.1).contains(&far)
        };
        goal.targets.iter().any(inside)
            && goal.turns.is_none_or(|wanted| wanted == turns || self.crowd)
    }

    /// Whether the body fits in there; where and as it is now, it does.
    fn stands(&self, cell: Cell, turns: u8) -> bool {
        let here = self.ask.world.extent.wrap(cell) == self.ask.at;
        let fits = |part: &Cell| self.prices.price(cell + *part).is_some();
        let shape = self.shapes.get(usize::from(turns)).map_or(&[][..], Vec::as_slice);
        (here && turns == 0)
            || ((here || self.prices.price(cell).is_some()) && shape.iter().all(fits))
    }

    fn stands_somehow(&self, cell: Cell) -> bool {
        QUARTERS.iter().any(|turns| self.stands(cell, *turns))
    }

    fn search(
        &self,
        goal: &Goal,
        (states, nearest): (usize, Option<u32>),
        estimate: impl Fn(Cell) -> u32,
    ) -> Option<Route> {
        // A turn takes a step; with a partner attached it is impossible.
        let turn_cost = if self.crowd { u32::MAX / 2 } else { 1 };
        let limits = RouteLimits { states, turn_cost, nearest };
        let (region, shape) = (*self.prices.grid().region(), self.shapes.first()?);
        let arrives = |cell, turns| self.arrives(goal, cell, turns);
        let price = |cell| self.prices.price(cell);
        route(region, (self.ask.at, shape), limits, price, arrives, estimate)
    }
}

/// The walking cost to a cell, or to the best neighbour of a cell that cannot be entered.
pub(super) fn reach(walk: &CostField, cell: Cell) -> Option<u32> {
    walk.cost(cell).or_else(|| cell.neighbours().iter().filter_map(|next| walk.cost(*next)).min())
}

impl Ask<'_> {
    /// What walking costs from here, without regard to what hangs on the agent.
    pub(super) fn walk(&self) -> Option<Arc<CostField>> {
        if let Some(walk) = self.world.cache.borrow().walks.get(&self.agent) {
            return Some(Arc::clone(walk));
        }
        let terrain = WalkMap::new(self)?;
        let prices = terrain.prices(terrain.region(&[]));
        let walk = Arc::new(CostField::spread(prices.grid(), [self.at], WALK_COST_MAX));
        self.world.cache.borrow_mut().walks.insert(self.agent, Arc::clone(&walk));
        Some(walk)
    }

    pub(super) fn offset(&self) -> Result<Value, QueryError> {
        let delta = self.world.extent.delta(self.at, self.args.cell(0)?);
        Ok(Value::cell(delta.x, delta.y))
    }

    pub(super) fn distance(&self) -> Result<Value, QueryError> {
        let cell = self.args.cell(0)?;
        Ok(self.walk().and_then(|walk| reach(&walk, cell)).into())
    }

    pub(super) fn distances(&self) -> Result<Value, QueryError> {
        let cells = self.args.cells(0)?;
        let walk = self.walk();
        let cost = |cell: &Cell| {
            let cost = walk.as_ref().and_then(|walk| reach(walk, *cell));
            cost.map_or(Value::Int(-1), Value::from)
        };
        Ok(Value::List(cells.iter().map(cost).collect()))
    }

    /// What walking costs any agent from one cell to others: agents and held blocks do not
    /// count.
    pub(super) fn between(&self) -> Result<Value, QueryError> {
        let (from, cells) = (self.args.cell(0)?, self.args.cells(2)?);
        let field = self.field_from(from);
        let cost = |cell: &Cell| {
            let cost = field.as_ref().and_then(|field| reach(field, *cell));
            cost.map_or(Value::Int(-1), Value::from)
        };
        Ok(Value::List(cells.iter().map(cost).collect()))
    }

    fn field_from(&self, from: Cell) -> Option<Arc<CostField>> {
        let (frame, _) = self.world.position(self.agent)?;
        let key = (frame, self.world.extent.wrap(from));
        if let Some(field) = self.world.cache.borrow().sources.get(&key) {
            return Some(Arc::clone(field));
        }
        let terrain = WalkMap::new(self)?;
        let ground = terrain.ground(Walker::Anyone, terrain.region(&[from]));
        let field = Arc::new(CostField::spread(&ground, [from], WALK_COST_MAX));
        let sources = &mut self.world.cache.borrow_mut().sources;
        if sources.len() >= SOURCES_MAX {
            sources.clear();
        }
        sources.insert(key, Arc::clone(&field));
        Some(field)
    }

    pub(super) fn closest(&self) -> Result<Value, QueryError> {
        let cells = self.args.cells(0)?;
        let Some(walk) = self.walk() else { return Ok(Value::Nil) };
        let reached = cells.iter().enumerate().filter_map(|(index, cell)| {
            let cost = reach(&walk, *cell)?;
            Some((cost, index, *cell))
        });
        Ok(reached.min().map_or(Value::Nil, |(cost, index, cell)| {
            Value::map([
                ("x", cell.x.into()),
                ("y", cell.y.into()),
                ("distance", cost.into()),
                ("index", u32::try_from(index + 1).unwrap_or(u32::MAX).into()),
            ])
        }))
    }

    pub(super) fn path(&self) -> Result<Value, QueryError> {
        let goal = self.goal(vec![self.args.cell(0)?], 2)?;
        Ok(self.way(&goal))
    }

    pub(super) fn path_any(&self) -> Result<Value, QueryError> {
        let goal = self.goal(self.args.cells(0)?, 1)?;
        Ok(self.way(&goal))
    }

    fn goal(&self, mut targets: Vec<Cell>, options: usize) -> Result<Goal, QueryError> {
        let options = self.args.options(options)?;
        let extent = self.world.extent;
        targets.sort_by_key(|cell| (extent.distance(self.at, *cell), *cell));
        targets.truncate(TARGETS_MAX);
        let max = options.int("range").unwrap_or(0).clamp(0, 50);
        let turns = options.int("turns").and_then(|turns| u8::try_from(turns.rem_euclid(4)).ok());
        Ok(Goal {
            targets,
            range: (options.int("min").unwrap_or(0).clamp(0, max), max),
            turns,
            dig: options.flag("dig"),
            cells: options.flag("cells"),
            avoid: options.cells("avoid"),
        })
    }

    fn way(&self, goal: &Goal) -> Value {
        self.search(goal).map_or(Value::Nil, |found| self.way_value(&found, goal.cells))
    }

    /// A way as scripts see it: its first step, and an obstacle in the way of that step cleared
    /// first.
    pub(super) fn way_value(&self, found: &Route, cells: bool) -> Value {
        let Some(terrain) = WalkMap::new(self) else { return Value::Nil };
        let mut answer = vec![
            ("length".into(), u32::try_from(found.steps.len()).unwrap_or(u32::MAX).into()),
            ("cost".into(), found.cost.into()),
            ("complete".into(), found.complete.into()),
        ];
        if cells {
            answer.push(("cells".into(), crate::percept::cells(&found.cells)));
        }
        if let Some(step) = found.steps.first() {
            let (action, dir) = match step {
                RouteStep::Move(dir) => ("move", dir.letter()),
                RouteStep::Rotate(rotation) => ("rotate", rotation.word()),
            };
            let obstacle = self.obstacle_ahead(&terrain, *step);
            let target = obstacle.map(|cell| self.clear_target(&terrain, cell));
            let action = match target {
                None => action,
                Some(Some(target)) => {
                    answer.push(("x".into(), target.x.into()));
                    answer.push(("y".into(), target.y.into()));
                    "clear"
                }
                Some(None) => return Value::Nil,
            };
            answer.push(("action".into(), action.into()));
            answer.push(("dir".into(), dir.into()));
        }
        Value::Map(answer)
    }

    fn search(&self, goal: &Goal) -> Option<Route> {
        if goal.targets.is_empty() {
            return None;
        }
        let percept = self.world.percept(self.agent);
        let energy = percept.map_or(0, |percept| percept.energy);
        let terrain =
            WalkMap::new(self)?.digging(goal.dig && energy >= DIG_ENERGY).avoiding(&goal.avoid);
        let prices = terrain.prices(terrain.region(&goal.targets));
        let extent = self.world.extent;
        let far = |cell: Cell| {
            let near = goal.targets.iter().map(|target| extent.distance(cell, *target)).min();
            near.map_or(0, |far| far.saturating_sub(goal.range.1).max(0).unsigned_abs())
        };
        let body = Body::new(self, &prices);
        let ends = || goal.targets.iter().flat_map(|target| target.diamond(goal.range.1));
        let can_arrive = ends().any(|cell| {
            QUARTERS
                .iter()
                .any(|turns| body.arrives(goal, cell, *turns) && body.stands(cell, *turns))
        });
        // The straight distance leads well on open ground and costs nothing to know.
        let quickly = || body.search(goal, (PATH_STATES_MIN, None), far);
        let found = can_arrive.then(quickly).flatten();
        if found.as_ref().is_some_and(|found| found.complete) {
            return found;
        }
        // A single cell's way round the walls is never longer than that of the whole body. It is
        // known only where the search comes to.
        let flat = prices.grid().flat();
        let here = self.at.neighbours().into_iter().chain([self.at]);
        let here: Vec<usize> = here.filter_map(|cell| flat.region().index(cell)).collect();
        let mut field = flat.spread(ends(), WALK_COST_MAX);
        if field.any(|(place, _)| here.contains(&place)) {
            // An agent that cannot arrive is as near as it can be where its body stands nearest.
            let from_here = !can_arrive && field.cost(self.at).is_some();
            let nearest = from_here.then(|| {
                let mut field = flat.spread(ends(), WALK_COST_MAX);
                field.find(|(place, _)| body.stands_somehow(flat.region().cell(*place)))
            });
            let nearest = nearest.flatten().map(|(_, rest)| rest);
            let field = RefCell::new(field);
            let rest = |cell: Cell| field.borrow_mut().cost(cell).unwrap_or(WALK_COST_MAX);
            return body.search(goal, (PATH_STATES_MAX, nearest), rest);
        }
        if can_arrive { found } else { quickly() }
    }

    /// The first obstacle, relative, where a part of the body would go.
    fn obstacle_ahead(&self, terrain: &WalkMap<'_>, step: RouteStep) -> Option<Cell> {
        let parts = self.world.bodies.parts(self.agent).map(|(cell, _)| cell);
        let after = |part: Cell| match step {
            RouteStep::Move(dir) => part + dir.vector(),
            RouteStep::Rotate(rotation) => part.turned(rotation),
        };
        let mut cells = parts.chain([Cell::ZERO]).map(after);
        cells.find(|cell| terrain.is_obstacle(self.at + *cell))
    }

    /// Where to aim so that the obstacle goes, and nothing of ours with it; the aim that takes
    /// most other obstacles along.
    fn clear_target(&self, terrain: &WalkMap<'_>, obstacle: Cell) -> Option<Cell> {
        let extent = self.world.extent;
        let mut precious: BTreeSet<Cell> = BTreeSet::new();
        let mine = self.world.position(self.agent)?.0;
        for (mate, mind) in self.world.minds.iter().filter(|(_, mind)| mind.frame == mine) {
            precious.insert(extent.wrap(mind.at));
            let parts = self.world.bodies.parts(*mate);
            precious.extend(parts.map(|(cell, _)| extent.wrap(mind.at + cell)));
        }
        let safe = |target: &Cell| {
            let hit = (self.at + *target).diamond(1).map(|cell| extent.wrap(cell));
            target.norm() <= CLEAR_RANGE && hit.into_iter().all(|cell| !precious.contains(&cell))
        };
        let gain = |target: &Cell| {
            (self.at + *target).diamond(1).filter(|cell| terrain.is_obstacle(*cell)).count()
        };
        let targets = obstacle.diamond(1).filter(safe);
        targets.max_by_key(|target| (gain(target), Reverse(*target)))
    }

    pub(super) fn dig(&self) -> Result<Value, QueryError> {
        let offset = self.world.extent.delta(self.at, self.args.cell(0)?);
        let terrain = WalkMap::new(self);
        let target = terrain.and_then(|terrain| self.clear_target(&terrain, offset));
        Ok(target.map_or(Value::Nil, |target| Value::cell(target.x, target.y)))
    }

    pub(super) fn can_move(&self) -> Result<Value, QueryError> {
        let step = self.args.direction(0)?.vector();
        let Some(terrain) = WalkMap::new(self) else { return Ok(false.into()) };
        let mut parts = self.world.bodies.parts(self.agent).map(|(cell, _)| cell);
        let free = |cell: Cell| terrain.is_free(self.at + cell + step);
        Ok((free(Cell::ZERO) && parts.all(free)).into())
    }

    pub(super) fn can_rotate(&self) -> Result<Value, QueryError> {
        let rotation: Rotation = self.args.rotation(0)?;
        let Some(terrain) = WalkMap::new(self) else { return Ok(false.into()) };
        let alone = self.world.bodies.crew(self.agent).len() == 1;
        let mut parts = self.world.bodies.parts(self.agent).map(|(cell, _)| cell);
        Ok((alone && parts.all(|cell| terrain.is_free(self.at + cell.turned(rotation)))).into())
    }

    /// The known cells beside unknown ones, row by row; the same for all agents of a group.
    fn frontier(&self, terrain: &WalkMap<'_>) -> Arc<[Cell]> {
        let (frame, chart) = (terrain.frame(), terrain.chart());
        let mut cache = self.world.cache.borrow_mut();
        let frontier = cache.frontiers.entry(frame).or_insert_with(|| {
            let cells = chart.seen().filter(|(cell, spot)| is_frontier(chart, *cell, spot));
            cells.map(|(cell, _)| cell).collect()
        });
        Arc::clone(frontier)
    }

    /// The reached frontier cells with their prices, walking and `crowd`. Only those are complete that
    /// are at most [`SIMILAR`] dearer than the cheapest.
    fn cheapest_frontier(
        &self,
        terrain: &WalkMap<'_>,
        crowd: impl Fn(Cell) -> u32,
    ) -> Vec<(u32, Cell)> {
        let frontier = self.frontier(terrain);
        let beyond = frontier.iter().copied().filter(|cell| *cell != self.at);
        if let Some(walk) = self.world.cache.borrow().walks.get(&self.agent) {
            return beyond
                .filter_map(|cell| Some((walk.cost(cell)? + crowd(cell), cell)))
                .collect();
        }
        let prices = terrain.prices(terrain.region(&[]));
        let region = prices.grid().region();
        let mut is_beyond = vec![false; region.len()];
        for place in beyond.filter_map(|cell| region.index(cell)) {
            is_beyond.get_mut(place).into_iter().for_each(|is_beyond| *is_beyond = true);
        }
        let mut spread = prices.grid().spread([self.at], WALK_COST_MAX);
        let (mut found, mut enough) = (Vec::new(), u32::MAX);
        for (place, cost) in spread.by_ref() {
            if cost > enough {
                return found;
            }
            if is_beyond.get(place).is_some_and(|is_beyond| *is_beyond) {
                let cell = region.cell(place);
                let price = cost + crowd(cell);
                found.push((price, cell));
                enough = enough.min(price + SIMILAR);
            }
        }
        // All is reached: others can use it, too.
        let walk = Arc::new(spread.finish());
        self.world.cache.borrow_mut().walks.insert(self.agent, walk);
        found
    }

    /// The reached cell that was seen longest ago, less what it costs, with its price.
    fn stalest(&self, terrain: &WalkMap<'_>, crowd: impl Fn(Cell) -> u32) -> Option<(u32, Cell)> {
        let (walk, step) = (self.walk()?, self.world.step());
        let mut best: Option<(u32, Reverse<u32>, Cell)> = None;
        for (seen, cell) in self.by_age(terrain).iter() {
            let (age, least) = (step.saturating_sub(*seen), best.map_or(0, |(gain, _, _)| gain));
            if age < least {
                break;
            }
            if let Some(cost) = walk.cost(*cell).filter(|cost| age.saturating_sub(*cost) >= least) {
                let cost = cost + crowd(*cell);
                best = best.max(Some((age.saturating_sub(cost), Reverse(cost), *cell)));
            }
        }
        best.map(|(_, Reverse(cost), cell)| (cost, cell))
    }

    /// All known cells with the steps in which they were seen, the oldest first; the same for all
    /// agents of a group.
    fn by_age(&self, terrain: &WalkMap<'_>) -> Arc<[(u32, Cell)]> {
        let mut cache = self.world.cache.borrow_mut();
        let by_age = cache.by_age.entry(terrain.frame()).or_insert_with(|| {
            let cells = terrain.chart().seen();
            let mut cells: Vec<_> =
                cells.filter_map(|(cell, spot)| Some((spot.seen()?, cell))).collect();
            cells.sort_unstable();
            cells.into()
        });
        Arc::clone(by_age)
    }

    /// The best cell to look beyond what is known: near, and not near another explorer's.
    pub(super) fn explore(&self) -> Result<Value, QueryError> {
        let options = self.args.options(0)?;
        let taken = options.cells("taken");
        let Some(terrain) = WalkMap::new(self) else { return Ok(Value::Nil) };
        // How much dearer a cell is.
        let crowd = |cell: Cell| {
            let near = |other: &Cell| self.world.extent.distance(*other, cell) < SPREAD;
            if taken.iter().any(near) { CROWDED } else { 0 }
        };
        let mut targets = self.cheapest_frontier(&terrain, crowd);
        let stale = targets.is_empty();
        if stale {
            // When all is known, what was seen longest ago is worth a look.
            targets.extend(self.stalest(&terrain, crowd));
        }
        // Some more than the best, in case what hangs on the agent does not fit through to it.
        let least = targets.iter().map(|(cost, _)| *cost).min().unwrap_or(0);
        targets.retain(|(cost, _)| *cost <= least + SIMILAR);
        targets.sort_unstable();
        let Some((price, target)) = targets.first().copied() else { return Ok(Value::Nil) };
        let goal = Goal {
            targets: targets.iter().take(EXPLORE_TARGETS_MAX).map(|(_, cell)| *cell).collect(),
            range: (0, 0),
            turns: None,
            dig: options.flag("dig"),
            cells: false,
            avoid: Vec::new(),
        };
        let Value::Map(mut answer) = self.way(&goal) else { return Ok(Value::Nil) };
        answer.push(("target".into(), Value::cell(target.x, target.y)));
        answer.push(("distance".into(), (price - crowd(target)).into()));
        answer.push(("stale".into(), stale.into()));
        Ok(Value::Map(answer))
    }
}
