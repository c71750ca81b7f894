//! Which cells burn when, as far as it can be foreseen.
//!
//! A unit that stands on a cell in a tick is hurt when the cell burns in that tick: the fire and
//! the explosions of a tick come before its moves.

use super::hit_items;
use crate::percept::Scene;
use crate::rules::{Cell, Direction, Entity, Event, Kind, Luck, Order, step};

/// How many ticks a forecast reaches.
pub const HORIZON: u32 = 63;

/// How dangerous a cell is in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Danger {
    /// Nothing that lies on the map now can burn there.
    None,
    /// An enemy can make it burn by setting off a bomb.
    Possible,
    /// It burns unless somebody changes the course of things.
    Certain,
}

/// Danger in time: bit `n` of a cell's number is the `n`th tick from now.
#[derive(Clone, Debug)]
pub struct Forecast {
    now: i32,
    certain: Vec<u64>,
    possible: Vec<u64>,
    /// The first tick at which an own order can matter: 1, or 2 when the first is given.
    pub(super) free_from: u32,
    /// A cell that the first order blocks.
    pub(super) blocked: Option<Cell>,
}

/// A bomb that an enemy may set off.
struct Fuse {
    cell: Cell,
    bomb: Entity,
    reach: Vec<Cell>,
    /// The first tick from now in which it can go off.
    earliest: u32,
}

impl Forecast {
    /// What comes when nobody acts, or when one unit of ours acts in the next tick.
    #[must_use]
    pub fn new(scene: &Scene, first: Option<Order>) -> Self {
        let cells = scene.state.len();
        let mut forecast = Self {
            now: scene.state.tick,
            certain: vec![0; cells],
            possible: vec![0; cells],
            free_from: if first.is_some() { 2 } else { 1 },
            blocked: None,
        };
        forecast.certain(scene, first);
        forecast.possible(scene);
        forecast
    }

    fn certain(&mut self, scene: &Scene, first: Option<Order>) {
        let mut state = scene.state.clone();
        let mut events: Vec<Event> = Vec::new();
        let mut orders: Vec<Order> = first.into_iter().collect();
        for ahead in 1..=HORIZON {
            events.clear();
            step(&scene.board, &mut state, &mut Luck::default(), &mut orders, &mut events);
            orders.clear();
            let burning = state.entities().filter(|(_, entity)| entity.kind == Kind::Fire);
            let burning = burning.map(|(cell, _)| cell);
            for cell in burning.chain(hit_items(&events)) {
                mark(&mut self.certain, cell, ahead, ahead);
            }
            if ahead == 1
                && let Some(order) = first
            {
                let at = scene.state.unit(order.unit).map(|unit| unit.cell);
                let bomb =
                    |cell: &Cell| state.entity(*cell).is_some_and(|it| it.kind == Kind::Bomb);
                self.blocked = at.filter(bomb);
            }
        }
    }

    fn possible(&mut self, scene: &Scene) {
        let mut fuses: Vec<Fuse> = scene
            .state
            .entities()
            .filter(|(_, entity)| entity.kind == Kind::Bomb)
            .map(|(cell, bomb)| fuse(scene, cell, bomb))
            .collect();
        // A bomb goes off with any bomb whose blast reaches it; each round passes that on.
        for _ in 0..fuses.len() {
            let mut changed = false;
            for index in 0..fuses.len() {
                let Some(cell) = fuses.get(index).map(|fuse| fuse.cell) else { continue };
                let lit = fuses.iter().filter(|fuse| fuse.reach.contains(&cell));
                let first = lit.map(|fuse| fuse.earliest).min().unwrap_or(u32::MAX);
                if let Some(fuse) = fuses.get_mut(index).filter(|fuse| fuse.earliest > first) {
                    fuse.earliest = first;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let life = scene.board.params.blast_duration;
        for fuse in fuses.iter().filter(|fuse| fuse.earliest <= HORIZON) {
            let out = fuse.bomb.expires.unwrap_or(self.now).saturating_add(life);
            let last = u32::try_from(out.saturating_sub(self.now).saturating_sub(1)).unwrap_or(0);
            for cell in fuse.reach.iter().chain([&fuse.cell]) {
                mark(&mut self.possible, *cell, fuse.earliest, last.max(fuse.earliest));
            }
        }
    }

    /// The danger of a cell in the `ahead`th tick from now.
    #[must_use]
    pub fn danger(&self, cell: Cell, ahead: u32) -> Danger {
        let bit = 1_u64.checked_shl(ahead).unwrap_or(0);
        let has = |bits: &[u64]| bits.get(usize::from(cell)).is_some_and(|bits| bits & bit != 0);
        if has(&self.certain) {
            Danger::Certain
        } else if has(&self.possible) {
            Danger::Possible
        } else {
            Danger::None
        }
    }

    /// The first tick from now, not before `from`, in which a cell has that danger or a greater.
    #[must_use]
    pub fn first(&self, cell: Cell, danger: Danger, from: u32) -> Option<u32> {
        let get = |bits: &[u64]| bits.get(usize::from(cell)).copied().unwrap_or(0);
        let bits = match danger {
            Danger::Certain => get(&self.certain),
            Danger::Possible => get(&self.certain) | get(&self.possible),
            Danger::None => u64::MAX,
        };
        let bits = bits & u64::MAX.checked_shl(from).unwrap_or(0);
        (bits != 0).then(|| bits.trailing_zeros())
    }

    /// Whether the first order puts a bomb, which then lies in the unit's cell.
    #[must_use]
    pub fn places_bomb(&self) -> bool {
        self.blocked.is_some()
    }

    /// The tick in which the forecast was made.
    #[must_use]
    pub fn now(&self) -> i32 {
        self.now
    }
}

fn mark(bits: &mut [u64], cell: Cell, from: u32, to: u32) {
    let to = to.min(HORIZON);
    if from > to {
        return;
    }
    let span = (u64::MAX << from) & (u64::MAX >> (HORIZON - to));
    if let Some(bits) = bits.get_mut(usize::from(cell)) {
        *bits |= span;
    }
}

fn fuse(scene: &Scene, cell: Cell, bomb: &Entity) -> Fuse {
    let owner = bomb.unit.and_then(|unit| scene.state.unit(unit));
    let enemy = owner.is_some_and(|unit| unit.alive() && unit.agent != scene.agent);
    let ready = bomb.created.saturating_add(scene.board.params.armed).saturating_add(1);
    let ready = ready.saturating_sub(scene.state.tick).max(1);
    let own_time = bomb.expires.unwrap_or(i32::MAX).saturating_sub(scene.state.tick).max(1);
    let earliest = if enemy { ready.min(own_time) } else { own_time };
    Fuse {
        cell,
        bomb: *bomb,
        reach: reach(scene, cell, bomb),
        earliest: u32::try_from(earliest).unwrap_or(u32::MAX),
    }
}

/// The cells that a bomb's blast reaches now, without its own.
fn reach(scene: &Scene, cell: Cell, bomb: &Entity) -> Vec<Cell> {
    let (x, y) = scene.board.place(cell);
    let radius = (bomb.diameter.unwrap_or(1) - 1) / 2;
    let mut reach = Vec::new();
    for direction in Direction::ALL {
        let (dx, dy) = direction.vector();
        for distance in 1..=radius {
            let Some(next) = scene.board.cell(x + dx * distance, y + dy * distance) else { break };
            reach.push(next);
            if scene.state.entity(next).is_some_and(|entity| entity.kind != Kind::Fire) {
                break;
            }
        }
    }
    reach
}
