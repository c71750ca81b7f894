//! What may be on each tile, by everything that was perceived (spec sections 12.2 and 12.3).
//!
//! Fear and Hostility are constraints: one of these tiles is deadly. Tiles that share a constraint
//! form a component; `eliminate` sums exactly over all that a component can be. Announced numbers
//! couple components: `tally` weighs each by the ways in which the rest can be placed.
#![allow(clippy::indexing_slicing, reason = "indices come from Frame::index and from enumerate")]

mod eliminate;
mod tally;

use super::chart::{Fact, REACH, TileChart};
use super::frame::ChartFrame;
use super::lore::{Rates, TileTally};
use crate::rules::{Cell, Neighbourhood, OpeningRules, TileKind};
use eliminate::{Clause, Component, Variable, normal};
use std::collections::{BTreeMap, VecDeque};

/// How far beyond what is known the view reaches, in tiles.
const MARGIN: i32 = 8;

/// A tile on a bound that may be the border ring is a wall with this probability.
const RING_WALL: f64 = 0.9;

/// What is believed about a tile. Probabilities are 0 to 1; 0 and 1 are certain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Belief {
    /// What it is made of, if that is certain.
    pub kind: Option<TileKind>,
    /// The agent has stood there.
    pub visited: bool,
    pub wall: f64,
    /// It is a fatal danger.
    pub danger: f64,
    /// An enemy is on it.
    pub enemy: f64,
    /// Entering it is the agent's end; for walls that is 0.
    pub death: f64,
    /// An item can be grabbed there.
    pub item: f64,
    /// A home is there.
    pub home: f64,
}

impl Belief {
    const WALL: Self = Self {
        kind: Some(TileKind::Wall),
        visited: false,
        wall: 1.0,
        danger: 0.0,
        enemy: 0.0,
        death: 0.0,
        item: 0.0,
        home: 0.0,
    };

    /// It can be entered without any risk; it may still be a wall.
    #[must_use]
    pub fn safe(&self) -> bool {
        self.death == 0.0 && self.kind != Some(TileKind::Wall)
    }

    /// It can be entered without any risk, and is no wall for certain.
    #[must_use]
    pub fn free(&self) -> bool {
        self.death == 0.0 && self.kind == Some(TileKind::Clear)
    }
}

/// Beliefs about all tiles of interest.
#[derive(Clone, Debug, Default)]
pub struct Beliefs {
    /// Which tiles.
    pub frame: ChartFrame,
    /// In the frame's order.
    pub tiles: Vec<Belief>,
    /// The map's unknown part cannot reach beyond the frame.
    pub closed: bool,
    /// Percepts cannot all be true under the assumed rules.
    pub contradiction: bool,
    /// Some component was too large to be summed up exactly.
    pub rough: bool,
    /// What this simulation shows about how common things are.
    pub tally: TileTally,
}

impl Beliefs {
    /// What is believed about a tile; what is far away is as likely as anything.
    #[must_use]
    pub fn at(&self, at: Cell, rates: &Rates) -> Belief {
        let known = self.frame.index(at).map(|index| self.tiles[index]);
        known.unwrap_or_else(|| if self.closed { Belief::WALL } else { unknown(rates) })
    }
}

fn unknown(rates: &Rates) -> Belief {
    let enemy = rates.enemy * (1.0 - rates.wall);
    Belief {
        wall: rates.wall,
        danger: rates.danger,
        enemy,
        death: rates.danger + rates.clear() * rates.enemy,
        item: rates.clear() * rates.item,
        home: rates.clear() * rates.home,
        ..Belief::default()
    }
}

/// What inference starts from.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The facts.
    pub chart: &'a TileChart,
    pub rules: &'a OpeningRules,
    /// How far Hostility and Fear reach.
    pub around: Neighbourhood,
    /// How common things are.
    pub rates: &'a Rates,
}

/// What is possible on a tile, before percepts of "one of these" are counted in.
#[derive(Clone, Copy, Debug)]
struct TilePossibilities {
    fact: Fact,
    danger: bool,
    enemy: bool,
}

impl TilePossibilities {
    /// Whether anything about the tile is open.
    fn open(&self) -> bool {
        self.fact.kind.is_none() || (self.enemy && self.fact.enemy.is_none())
    }
}

/// Infers what can be inferred.
#[must_use]
pub fn infer(evidence: &Evidence<'_>) -> Beliefs {
    let frame = frame(evidence);
    let facts = frame.cells().map(|at| evidence.chart.fact(at));
    let mut scopes: Vec<TilePossibilities> = facts.map(scope).collect();
    restrict(&mut scopes, &frame, evidence.around);
    let (region, closed) = region(&scopes, &frame, evidence.chart);
    let left = left(&mut scopes, evidence, closed);
    let rates = announced(evidence.rates, left, &scopes, &region);
    let priors: Vec<Prior> = (0..scopes.len())
        .map(|index| prior(&scopes[index], &rates, evidence.chart.doubtful(frame.cell(index))))
        .collect();
    let (clauses, impossible) = clauses(&scopes, &frame, evidence.around);
    let components = components(clauses, &priors);
    let mut bound = vec![false; scopes.len()];
    for one in components.iter().flat_map(|component| &component.variables) {
        bound[one.tile] = true;
    }
    let free = (0..scopes.len()).filter(|index| region[*index] && !bound[*index]);
    let free: Vec<usize> = free.filter(|index| scopes[*index].open()).collect();
    let solved = tally::solve(&components, &free, &priors, left);
    let mut beliefs = Beliefs {
        frame,
        tiles: Vec::with_capacity(scopes.len()),
        closed,
        contradiction: impossible || solved.contradiction,
        rough: solved.rough,
        tally: TileTally::default(),
    };
    for (index, (scope, prior)) in scopes.iter().zip(&priors).enumerate() {
        let odds = solved.odds.get(&index).copied();
        let odds = odds.unwrap_or_else(|| normal(prior.weights).unwrap_or([1.0, 0.0, 0.0, 0.0]));
        beliefs.tiles.push(believe(scope, odds, prior.wall_share, &rates));
    }
    share_items(&mut beliefs, &scopes, &region, evidence);
    beliefs.tally = count(&beliefs, &scopes, evidence);
    beliefs
}

/// Everything known and a margin around it, within the bounds.
fn frame(evidence: &Evidence<'_>) -> ChartFrame {
    let (low, high) = evidence.chart.corners();
    let bounds = &evidence.rules.bounds;
    let down = |value: i32, bound: Option<i8>| bound.map_or(value - MARGIN, i32::from).max(-REACH);
    let up = |value: i32, bound: Option<i8>| bound.map_or(value + MARGIN, i32::from).min(REACH);
    ChartFrame::new(
        Cell::new(down(low.x, bounds.lower_x), down(low.y, bounds.lower_y)),
        Cell::new(up(high.x, bounds.upper_x), up(high.y, bounds.upper_y)),
    )
}

fn scope(fact: Fact) -> TilePossibilities {
    let danger = match fact.kind {
        Some(TileKind::Danger) | None => true,
        Some(TileKind::Clear | TileKind::Wall) => false,
    };
    let enemy = fact.enemy.unwrap_or(fact.kind != Some(TileKind::Wall));
    TilePossibilities { fact, danger, enemy }
}

/// Percepts of "none of these".
fn restrict(scopes: &mut [TilePossibilities], frame: &ChartFrame, around: Neighbourhood) {
    for index in 0..scopes.len() {
        let fact = scopes[index].fact;
        if fact.fear != Some(false) && fact.hostility != Some(false) {
            continue;
        }
        for place in frame.around(index, around) {
            let scope = &mut scopes[place];
            if fact.fear == Some(false) && scope.fact.kind != Some(TileKind::Danger) {
                scope.danger = false;
            }
            if fact.hostility == Some(false) && scope.fact.enemy != Some(true) {
                scope.enemy = false;
            }
        }
    }
}

/// The tiles that can be reached if walls are all that stops us, and whether that ends within.
fn region(
    scopes: &[TilePossibilities],
    frame: &ChartFrame,
    chart: &TileChart,
) -> (Vec<bool>, bool) {
    let mut seen = vec![false; scopes.len()];
    let mut closed = true;
    let mut queue: VecDeque<usize> = frame.index(chart.pose.at).into_iter().collect();
    for index in &queue {
        seen[*index] = true;
    }
    while let Some(index) = queue.pop_front() {
        for at in Neighbourhood::Four.around(frame.cell(index)) {
            let Some(next) = frame.index(at) else {
                closed &= chart.fact(at).kind == Some(TileKind::Wall);
                continue;
            };
            if !seen[next] && scopes[next].fact.kind != Some(TileKind::Wall) {
                seen[next] = true;
                queue.push_back(next);
            }
        }
    }
    (seen, closed)
}

/// How many dangers and enemies are still to be found, where that is announced and still useful.
/// When none is left the scopes say so.
fn left(
    scopes: &mut [TilePossibilities],
    evidence: &Evidence<'_>,
    closed: bool,
) -> [Option<u32>; 2] {
    let known = |wanted: fn(&Fact) -> bool| {
        u32::try_from(scopes.iter().filter(|scope| wanted(&scope.fact)).count()).unwrap_or(u32::MAX)
    };
    let (counts, chart) = (&evidence.rules.counts, evidence.chart);
    let dangers = known(|fact| fact.kind == Some(TileKind::Danger));
    let known_enemies = known(|fact| fact.enemy == Some(true)) + u32::from(chart.kills);
    // A number that is contradicted by what was seen is dropped.
    let dangers = counts.dangers.and_then(|all| u32::from(all).checked_sub(dangers));
    let enemies = counts.enemies.filter(|_| chart.kills_exact);
    let enemies = enemies.and_then(|all| u32::from(all).checked_sub(known_enemies));
    for scope in scopes.iter_mut() {
        if dangers == Some(0) && scope.fact.kind.is_none() {
            scope.danger = false;
        }
        if enemies == Some(0) && scope.fact.enemy.is_none() {
            scope.enemy = false;
        }
    }
    // In an open world most may be anywhere: the number alone says nothing about these tiles.
    [dangers.filter(|_| closed), enemies.filter(|_| closed)]
}

/// Rates that fit the announced numbers.
fn announced(
    rates: &Rates,
    left: [Option<u32>; 2],
    scopes: &[TilePossibilities],
    region: &[bool],
) -> Rates {
    let mut rates = *rates;
    let room = |wanted: fn(&TilePossibilities) -> bool| {
        let tiles = scopes.iter().zip(region).filter(|(scope, inside)| **inside && wanted(scope));
        u32::try_from(tiles.count()).map_or(1.0, f64::from).max(1.0)
    };
    if let Some(dangers) = left[0] {
        let room = room(|scope| scope.danger && scope.fact.kind.is_none());
        rates.danger = (f64::from(dangers) / room).clamp(1e-6, (0.98 - rates.wall).max(1e-6));
    }
    if let Some(enemies) = left[1] {
        let room = room(|scope| scope.enemy && scope.fact.enemy.is_none());
        rates.enemy = (f64::from(enemies) / room).clamp(1e-6, 0.98);
    }
    rates
}

/// How likely each state of a tile is on its own: bit 0 danger, bit 1 enemy.
#[derive(Clone, Copy, Debug)]
struct Prior {
    weights: [f64; 4],
    /// The share of state 0 in which the tile is a wall.
    wall_share: f64,
}

fn prior(scope: &TilePossibilities, rates: &Rates, doubtful: bool) -> Prior {
    let fact = &scope.fact;
    let wall = match fact.kind {
        Some(TileKind::Wall) => 1.0,
        Some(TileKind::Clear | TileKind::Danger) => 0.0,
        None if fact.open || fact.enemy == Some(true) => 0.0,
        None if doubtful => RING_WALL,
        None => rates.wall,
    };
    let rest = 1.0 - wall;
    let danger = match fact.kind {
        Some(TileKind::Danger) => rest,
        Some(TileKind::Clear | TileKind::Wall) => 0.0,
        None => rest * rates.danger / (1.0 - rates.wall),
    };
    let clear = rest - danger;
    let danger = if scope.danger { danger } else { 0.0 };
    let (enemy, none) = match fact.enemy {
        Some(true) => (1.0, 0.0),
        _ if scope.enemy => (rates.enemy, 1.0 - rates.enemy),
        // It was possible before percepts ruled it out.
        None => (0.0, 1.0 - rates.enemy),
        Some(false) => (0.0, 1.0),
    };
    let weights = [wall + clear * none, danger * none, clear * enemy, danger * enemy];
    let wall_share = if weights[0] > 0.0 { wall / weights[0] } else { 0.0 };
    Prior { weights, wall_share }
}

/// Percepts of "one of these", and whether one of them has no candidate.
fn clauses(
    scopes: &[TilePossibilities],
    frame: &ChartFrame,
    around: Neighbourhood,
) -> (Vec<Clause>, bool) {
    let (mut clauses, mut impossible) = (Vec::new(), false);
    let mut say = |index: usize,
                   bit: u8,
                   told: bool,
                   sure: fn(&TilePossibilities) -> bool,
                   may: fn(&TilePossibilities) -> bool| {
        let mut places = frame.around(index, around);
        if !told || places.any(|place| sure(&scopes[place])) {
            return;
        }
        let tiles: Vec<usize> =
            frame.around(index, around).filter(|place| may(&scopes[*place])).collect();
        impossible |= tiles.is_empty();
        if !tiles.is_empty() {
            clauses.push(Clause { bit, tiles });
        }
    };
    for (index, scope) in scopes.iter().enumerate() {
        let fear = scope.fact.fear == Some(true);
        say(index, 0, fear, |one| one.fact.kind == Some(TileKind::Danger), |one| one.danger);
        let hostility = scope.fact.hostility == Some(true);
        say(index, 1, hostility, |one| one.fact.enemy == Some(true), |one| one.enemy);
    }
    (clauses, impossible)
}

/// Groups constraints that share tiles, and puts the tiles of each group in an order in which few
/// constraints are open at once.
fn components(clauses: Vec<Clause>, priors: &[Prior]) -> Vec<Component> {
    let mut of_tile: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, clause) in clauses.iter().enumerate() {
        for tile in &clause.tiles {
            of_tile.entry(*tile).or_default().push(number);
        }
    }
    let mut taken = vec![false; clauses.len()];
    let mut components = Vec::new();
    for first in 0..clauses.len() {
        if taken[first] {
            continue;
        }
        taken[first] = true;
        let (mut group, mut next) = (vec![first], 0);
        let mut variables: Vec<Variable> = Vec::new();
        let mut placed: BTreeMap<usize, usize> = BTreeMap::new();
        while let Some(number) = group.get(next).copied() {
            next += 1;
            for tile in &clauses[number].tiles {
                if !placed.contains_key(tile) {
                    placed.insert(*tile, variables.len());
                    variables.push(Variable { tile: *tile, weights: priors[*tile].weights });
                }
                for other in &of_tile[tile] {
                    if !std::mem::replace(&mut taken[*other], true) {
                        group.push(*other);
                    }
                }
            }
        }
        let clauses = group.iter().map(|number| {
            let Clause { bit, tiles } = &clauses[*number];
            Clause { bit: *bit, tiles: tiles.iter().map(|tile| placed[tile]).collect() }
        });
        components.push(Component { clauses: clauses.collect(), variables });
    }
    components
}

fn believe(scope: &TilePossibilities, odds: [f64; 4], wall_share: f64, rates: &Rates) -> Belief {
    let fact = &scope.fact;
    let wall = odds[0] * wall_share;
    let clear = odds[0] * (1.0 - wall_share) + odds[2];
    let certain =
        |told: Option<bool>, rate: f64| told.map_or(clear * rate, |is| f64::from(u8::from(is)));
    let sure_danger = odds[0] == 0.0 && odds[2] == 0.0;
    Belief {
        kind: fact.kind.or(sure_danger.then_some(TileKind::Danger)),
        visited: fact.visited,
        wall,
        danger: odds[1] + odds[3],
        enemy: odds[2] + odds[3],
        death: odds[1] + odds[2] + odds[3],
        item: if fact.spoils { clear } else { certain(fact.item, rates.item) },
        home: certain(fact.home, rates.home),
    }
}

/// Spreads the announced number of items over the tiles where they can be.
fn share_items(
    beliefs: &mut Beliefs,
    scopes: &[TilePossibilities],
    region: &[bool],
    evidence: &Evidence<'_>,
) {
    let Some(all) = evidence.rules.counts.items else { return };
    // More than announced: the number is wrong.
    let Some(left) = all.checked_sub(evidence.chart.items_seen) else { return };
    if !beliefs.closed && left > 0 {
        return;
    }
    let open = |index: &usize| {
        region[*index] && scopes[*index].fact.item.is_none() && !scopes[*index].fact.spoils
    };
    let places: Vec<usize> = (0..scopes.len()).filter(open).collect();
    let room: f64 = places.iter().map(|index| beliefs.tiles[*index].item).sum();
    for index in places {
        let item = &mut beliefs.tiles[index].item;
        *item = if room > 0.0 { (*item * f64::from(left) / room).min(1.0) } else { 0.0 };
    }
}

/// What the simulation shows so far: everything visited, and what lies next to it.
fn count(beliefs: &Beliefs, scopes: &[TilePossibilities], evidence: &Evidence<'_>) -> TileTally {
    let frame = &beliefs.frame;
    let mut tally = TileTally { enemies: evidence.chart.kills.into(), ..TileTally::default() };
    for (index, belief) in beliefs.tiles.iter().enumerate() {
        let mut near = frame.around(index, Neighbourhood::Four);
        if !belief.visited && !near.any(|next| scopes[next].fact.visited) {
            continue;
        }
        tally.tiles += 1.0;
        tally.walls += belief.wall;
        tally.dangers += belief.danger;
        tally.enemies += belief.enemy;
        if belief.visited {
            tally.looked += 1.0;
            tally.homes += belief.home;
        }
    }
    tally.items = evidence.chart.items_seen.into();
    tally
}
