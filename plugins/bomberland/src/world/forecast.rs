//! Which cells burn when, as far as it can be foreseen.
//!
//! A unit is hurt when its cell burns in the same tick: the fire and the explosions of a tick are
//! applied before its moves.

use super::hit_cells;
use crate::percept::TickScene;
use crate::rules::{
    CellEntity, CellIndex, EntityKind, ForwardChance, TickEvent, UnitDirection, UnitOrder, step,
};

/// How many ticks a forecast reaches.
pub const HORIZON: u32 = 63;

/// How dangerous a cell is in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DangerLevel {
    /// Nothing that lies on the map now can burn there.
    None,
    /// An enemy can make it burn by setting off a bomb.
    Possible,
    /// It burns unless somebody changes the course of things.
    Certain,
}

/// Danger in time: bit `n` of a cell's number is the `n`th tick from now.
#[derive(Clone, Debug)]
pub struct DangerForecast {
    now: i32,
    certain: Vec<u64>,
    possible: Vec<u64>,
    /// What our unit does in the next tick, if that is given.
    pub(super) first: Option<UnitOrder>,
    /// What others do, with the tick from now in which they do it.
    others: Vec<(u32, UnitOrder)>,
    /// Cells with bombs that are put there in the next tick, and cells where others go then.
    pub(super) blocked: Vec<CellIndex>,
}

/// A bomb that an enemy may set off.
struct Fuse {
    cell: CellIndex,
    bomb: CellEntity,
    reach: Vec<CellIndex>,
    /// The first tick from now in which it can go off.
    earliest: u32,
}

impl DangerForecast {
    /// The forecast without any action, or with one action of one of our units in the next tick.
    #[must_use]
    pub fn new(scene: &TickScene, first: Option<UnitOrder>) -> Self {
        Self::with(scene, first, Vec::new())
    }

    /// What comes when others act, too: each with the tick from now, from 1, in which it does.
    #[must_use]
    pub fn with(
        scene: &TickScene,
        first: Option<UnitOrder>,
        others: Vec<(u32, UnitOrder)>,
    ) -> Self {
        let cells = scene.state.len();
        let mut forecast = Self {
            now: scene.state.tick,
            certain: vec![0; cells],
            possible: vec![0; cells],
            first,
            others,
            blocked: Vec::new(),
        };
        let plan: Vec<(u32, UnitOrder)> = first.into_iter().map(|order| (1, order)).collect();
        forecast.follow(scene, &plan);
        forecast.possible(scene);
        forecast
    }

    /// The first tick in which an order is free to choose: 1, or 2 when the first is given.
    pub(super) fn free_from(&self) -> u32 {
        if self.first.is_some() { 2 } else { 1 }
    }

    /// Also foresees what burns when a plan is followed: who walks about collects items that
    /// would have stopped a blast. Whether the unit of the plan stays whole.
    pub(super) fn follow(&mut self, scene: &TickScene, plan: &[(u32, UnitOrder)]) -> bool {
        let mut state = scene.state.clone();
        let mut events: Vec<TickEvent> = Vec::new();
        let mut orders: Vec<UnitOrder> = Vec::new();
        let unit = plan.first().map(|(_, order)| order.unit);
        let mut whole = true;
        for ahead in 1..=HORIZON {
            events.clear();
            orders.clear();
            let due = plan.iter().chain(&self.others).filter(|(at, _)| *at == ahead);
            orders.extend(due.map(|(_, order)| *order));
            let stood = unit.and_then(|unit| state.unit(unit)).map(|unit| unit.cell);
            step(&scene.board, &mut state, &mut ForwardChance::default(), &mut orders, &mut events);
            let burning = state.entities().filter(|(_, entity)| entity.kind == EntityKind::Fire);
            let burning = burning.map(|(cell, _)| cell);
            for cell in burning.chain(hit_cells(&events)) {
                mark(&mut self.certain, cell, ahead, ahead);
                whole &= Some(cell) != stood;
            }
            if ahead == 1 {
                let placed =
                    |(cell, _): &(CellIndex, &CellEntity)| scene.state.entity(*cell).is_none();
                let bombs = state.entities().filter(|(_, entity)| entity.kind == EntityKind::Bomb);
                let others = self.others.iter().filter(|(at, _)| *at == 1);
                let aims = others.filter_map(|(_, order)| order.destination(&scene.state));
                self.blocked = bombs.filter(placed).map(|(cell, _)| cell).chain(aims).collect();
            }
        }
        whole
    }

    fn possible(&mut self, scene: &TickScene) {
        let mut fuses: Vec<Fuse> = scene
            .state
            .entities()
            .filter(|(_, entity)| entity.kind == EntityKind::Bomb)
            .map(|(cell, bomb)| fuse(scene, cell, bomb))
            .collect();
        spread(scene, &mut fuses);
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
    pub fn danger(&self, cell: CellIndex, ahead: u32) -> DangerLevel {
        let bit = 1_u64.checked_shl(ahead).unwrap_or(0);
        let has = |bits: &[u64]| bits.get(usize::from(cell)).is_some_and(|bits| bits & bit != 0);
        if has(&self.certain) {
            DangerLevel::Certain
        } else if has(&self.possible) {
            DangerLevel::Possible
        } else {
            DangerLevel::None
        }
    }

    /// The first tick from now, not before `from`, in which a cell has that danger or a greater.
    #[must_use]
    pub fn first(&self, cell: CellIndex, danger: DangerLevel, from: u32) -> Option<u32> {
        let get = |bits: &[u64]| bits.get(usize::from(cell)).copied().unwrap_or(0);
        let bits = match danger {
            DangerLevel::Certain => get(&self.certain),
            DangerLevel::Possible => get(&self.certain) | get(&self.possible),
            DangerLevel::None => u64::MAX,
        };
        let bits = bits & u64::MAX.checked_shl(from).unwrap_or(0);
        (bits != 0).then(|| bits.trailing_zeros())
    }

    /// Whether the first order puts a bomb, which then lies in the unit's cell.
    #[must_use]
    pub fn places_bomb(&self, scene: &TickScene) -> bool {
        let unit = self.first.and_then(|order| scene.state.unit(order.unit));
        unit.is_some_and(|unit| self.blocked.contains(&unit.cell))
    }

    /// The tick in which the forecast was made.
    #[must_use]
    pub fn now(&self) -> i32 {
        self.now
    }
}

fn mark(bits: &mut [u64], cell: CellIndex, from: u32, to: u32) {
    let to = to.min(HORIZON);
    if from > to {
        return;
    }
    let span = (u64::MAX << from) & (u64::MAX >> (HORIZON - to));
    if let Some(bits) = bits.get_mut(usize::from(cell)) {
        *bits |= span;
    }
}

/// How often it is looked which blocks are gone when a blast comes by.
const ROUNDS: u32 = 3;

/// The cells that the blasts reach. A block stops a blast only if the other bombs leave it whole;
/// items and bombs may be gone by then and are not counted on.
fn spread(scene: &TickScene, fuses: &mut [Fuse]) {
    let mut hits = vec![0_i32; scene.state.len()];
    for _ in 0..ROUNDS {
        for fuse in fuses.iter_mut() {
            fuse.reach = reach(scene, fuse, &hits);
        }
        hits.fill(0);
        for cell in fuses.iter().flat_map(|fuse| &fuse.reach) {
            if let Some(hits) = hits.get_mut(usize::from(*cell)) {
                *hits += 1;
            }
        }
    }
}

fn fuse(scene: &TickScene, cell: CellIndex, bomb: &CellEntity) -> Fuse {
    let owner = bomb.unit.and_then(|unit| scene.state.unit(unit));
    let enemy = owner.is_some_and(|unit| unit.alive() && unit.agent != scene.agent);
    let ready = bomb.created.saturating_add(scene.board.params.armed).saturating_add(1);
    let ready = ready.saturating_sub(scene.state.tick).max(1);
    let own_time = bomb.expires.unwrap_or(i32::MAX).saturating_sub(scene.state.tick).max(1);
    let earliest = if enemy { ready.min(own_time) } else { own_time };
    let earliest = u32::try_from(earliest).unwrap_or(u32::MAX);
    Fuse { cell, bomb: *bomb, reach: Vec::new(), earliest }
}

/// The cells that a bomb's blast can reach, without its own.
fn reach(scene: &TickScene, fuse: &Fuse, hits: &[i32]) -> Vec<CellIndex> {
    let (x, y) = scene.board.place(fuse.cell);
    let radius = (fuse.bomb.diameter.unwrap_or(1) - 1) / 2;
    let whole = |cell: CellIndex| {
        let Some(entity) = scene.state.entity(cell) else { return false };
        let all = hits.get(usize::from(cell)).copied().unwrap_or(0);
        let others = all - i32::from(fuse.reach.contains(&cell));
        match entity.kind {
            EntityKind::Metal | EntityKind::Treasure => true,
            EntityKind::Wood | EntityKind::Ore => entity.hp.unwrap_or(1) > others,
            EntityKind::Bomb
            | EntityKind::Fire
            | EntityKind::Ammo
            | EntityKind::BlastUp
            | EntityKind::FreezeUp => false,
        }
    };
    let mut reach = Vec::new();
    for direction in UnitDirection::ALL {
        let (dx, dy) = direction.vector();
        for distance in 1..=radius {
            let Some(next) = scene.board.cell(x + dx * distance, y + dy * distance) else { break };
            reach.push(next);
            if whole(next) {
                break;
            }
        }
    }
    reach
}
