//! Which cells burn when, for one side, in a state of the search. The same idea as
//! [`DangerForecast`](crate::world::DangerForecast), but computed from the state alone in about a
//! microsecond, since a search needs it in every tick.

use super::terrain::{Terrain, destructible, radius};
use crate::rules::{AgentIndex, CellIndex, EntityKind, GameBoard, GameState, UnitIndex};

/// How many ticks a heat map reaches.
pub(super) const REACH: i32 = 63;

/// A bomb on the map.
#[derive(Clone, Debug)]
pub(super) struct Charge {
    pub(super) cell: CellIndex,
    pub(super) unit: Option<UnitIndex>,
    pub(super) agent: Option<AgentIndex>,
    /// First tick in which its owner can set it off.
    pub(super) armed: i32,
    /// The tick in which its fuse ends or the ring of fire takes its cell.
    pub(super) expires: i32,
    pub(super) radius: i32,
    /// First tick from now in which it can go off, and in which it does if no unit acts.
    early: i32,
    sure: i32,
    /// First tick from now in which any unit can set it off, its own side's too.
    pub(super) loose: i32,
    pub(super) reach: Vec<CellIndex>,
}

impl Charge {
    fn mark(&self, marks: &mut Marks, ticks: u64) {
        for cell in &self.reach {
            marks.mark(*cell, ticks);
        }
    }
}

/// A bomb that a unit can put into the fire that it is in: it goes off in the same tick.
#[derive(Clone, Debug)]
struct Burst {
    agent: AgentIndex,
    /// The last tick from now in which the unit is in that fire and cannot be hurt by it.
    last: i32,
    reach: Vec<CellIndex>,
}

/// Everything that burns or can burn.
#[derive(Clone, Debug, Default)]
pub(super) struct Charges {
    pub(super) bombs: Vec<Charge>,
    bursts: Vec<Burst>,
    fires: Vec<(CellIndex, i32, Option<AgentIndex>)>,
}

impl Charges {
    /// Reads bombs and fires from a state.
    pub(super) fn read(&mut self, board: &GameBoard, terrain: &Terrain, state: &GameState) {
        self.bombs.clear();
        self.fires.clear();
        for (cell, entity) in state.hot() {
            if entity.kind == EntityKind::Fire {
                let expires = entity.expires.unwrap_or(i32::MAX);
                self.fires.push((cell, expires, entity.agent));
            } else {
                let radius = radius(entity.diameter.unwrap_or(1));
                let mut reach = Vec::with_capacity(9);
                terrain.blast(state, cell, radius, |cell| reach.push(cell));
                self.bombs.push(Charge {
                    cell,
                    unit: entity.unit,
                    agent: entity.agent,
                    armed: entity.created.saturating_add(board.params.armed).saturating_add(1),
                    expires: entity.expires.unwrap_or(i32::MAX).min(terrain.burns(cell)),
                    radius,
                    early: 0,
                    sure: 0,
                    loose: 0,
                    reach,
                });
            }
        }
        self.widen(terrain, state);
        self.find_bursts(board, terrain, state);
    }

    fn find_bursts(&mut self, board: &GameBoard, terrain: &Terrain, state: &GameState) {
        self.bursts.clear();
        let most = usize::try_from(board.params.bombs_max).unwrap_or(0);
        let now = state.tick;
        for unit in state.units().iter().filter(|unit| unit.alive() && unit.bombs > 0) {
            let fire = state.entity(unit.cell).filter(|it| it.kind == EntityKind::Fire);
            let Some(fire) = fire.filter(|_| unit.stunned < f64::from(now)) else { continue };
            if state.bombs_of(unit.agent) >= most {
                continue;
            }
            let gone = fire.expires.unwrap_or(i32::MAX).saturating_sub(1);
            let last = gone.min(unit.invulnerable).saturating_sub(now);
            if last > 0 {
                let mut reach = Vec::with_capacity(9);
                terrain.blast(state, unit.cell, radius(unit.diameter), |cell| reach.push(cell));
                self.bursts.push(Burst { agent: unit.agent, last, reach });
            }
        }
    }

    /// A blast passes a block that other bombs can destroy before.
    fn widen(&mut self, terrain: &Terrain, state: &GameState) {
        let mut hits: Vec<(CellIndex, i32)> = Vec::new();
        for cell in self.bombs.iter().flat_map(|bomb| &bomb.reach) {
            if destructible(state, *cell) {
                match hits.iter_mut().find(|(hit, _)| hit == cell) {
                    Some((_, count)) => *count += 1,
                    None => hits.push((*cell, 1)),
                }
            }
        }
        let hp = |cell: CellIndex| state.entity(cell).and_then(|block| block.hp).unwrap_or(1);
        hits.retain(|(cell, count)| hp(*cell) < *count);
        if hits.is_empty() {
            return;
        }
        for bomb in &mut self.bombs {
            let mut reach = Vec::with_capacity(9);
            let gone = |cell: CellIndex| hits.iter().any(|(hit, _)| *hit == cell);
            terrain.blast_past(state, bomb.cell, bomb.radius, gone, |cell| reach.push(cell));
            bomb.reach = reach;
        }
    }

    /// Sets the times of all bombs as `agent` has to fear them.
    fn time(&mut self, state: &GameState, agent: AgentIndex) {
        for bomb in &mut self.bombs {
            bomb.sure = bomb.expires.saturating_sub(state.tick).max(1);
            (bomb.early, bomb.loose) = (bomb.sure, bomb.sure);
            let owner = bomb.unit.and_then(|unit| state.unit(unit));
            if let Some(owner) = owner.filter(|unit| unit.alive()) {
                #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
                let thawed = (owner.stunned as i32).saturating_add(2);
                let free = bomb.armed.max(thawed).saturating_sub(state.tick).max(1);
                bomb.loose = bomb.sure.min(free);
                if bomb.agent != Some(agent) {
                    bomb.early = bomb.loose;
                }
            }
            let mut bursts = self.bursts.iter().filter(|burst| burst.agent != agent);
            if bursts.any(|burst| burst.reach.contains(&bomb.cell)) {
                bomb.early = 1;
            }
        }
        for _ in 1..self.bombs.len() {
            if !self.chain() {
                break;
            }
        }
    }

    /// A bomb goes off with every bomb whose blast gets to it; whether that changed any time.
    fn chain(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.bombs.len() {
            let Some(cell) = self.bombs.get(index).map(|bomb| bomb.cell) else { continue };
            let lit = self.bombs.iter().filter(|bomb| bomb.reach.contains(&cell));
            let first = lit.fold([i32::MAX; 3], |[early, sure, loose], bomb| {
                [early.min(bomb.early), sure.min(bomb.sure), loose.min(bomb.loose)]
            });
            let Some(bomb) = self.bombs.get_mut(index) else { continue };
            // Its own reach contains its cell, so that no time gets later.
            changed |= first != [bomb.early, bomb.sure, bomb.loose];
            [bomb.early, bomb.sure, bomb.loose] = first;
        }
        changed
    }
}

/// Danger in time: bit `n` of a cell is the `n`th tick from now.
#[derive(Clone, Debug, Default)]
pub(super) struct Heat {
    /// The same for both sides: what burns if no unit acts, and bombs that any unit can set off.
    certain: Marks,
    loose: Marks,
    /// Of our side, and of the other one.
    sides: [SideHeat; 2],
}

/// What differs between the sides.
#[derive(Clone, Debug, Default)]
struct SideHeat {
    /// Bombs that the other side can set off, or put into the fire that its units are in.
    possible: Marks,
    /// Bombs of the own side alone.
    own: Marks,
    /// The same while the own side sets none off, and its blasts that burn already.
    kept: Marks,
}

/// Ticks by cell; clearing costs only what was marked.
#[derive(Clone, Debug, Default)]
struct Marks {
    bits: Vec<u64>,
    marked: Vec<CellIndex>,
}

impl Marks {
    fn clear(&mut self, cells: usize) {
        self.bits.resize(cells, 0);
        for cell in self.marked.drain(..) {
            if let Some(bits) = self.bits.get_mut(usize::from(cell)) {
                *bits = 0;
            }
        }
    }

    fn of(&self, cell: CellIndex) -> u64 {
        self.bits.get(usize::from(cell)).copied().unwrap_or(u64::MAX)
    }

    fn mark(&mut self, cell: CellIndex, ticks: u64) {
        if let Some(bits) = self.bits.get_mut(usize::from(cell)).filter(|_| ticks != 0) {
            if *bits == 0 {
                self.marked.push(cell);
            }
            *bits |= ticks;
        }
    }
}

/// The ticks from `from` to `to`.
fn ticks(from: i32, to: i32) -> u64 {
    let to = to.min(REACH);
    if from > to || from < 0 {
        return 0;
    }
    (u64::MAX << from) & (u64::MAX >> (REACH - to))
}

/// What counts as danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fear {
    /// What burns if no unit acts.
    Certain,
    /// Also bombs that the other side can set off, or put into the fire that its units are in.
    Possible,
    /// Also bombs that the own side can set off.
    Loose,
    /// Nothing but bombs of the own side.
    Own,
    /// The same, and the way out may lead through the ring of fire.
    OwnInRing,
    /// Bombs of the own side that go off though the own side sets none off, and its blasts.
    OwnKept,
    /// All bombs, but the way out may lead through cells that burn only if a unit sets off a bomb.
    Hasty,
}

impl Fear {
    /// What a unit that flees does not step into: one that only flees from bombs of its own side does
    /// not step into others either. On the way through the ring of fire it may pass bombs that its
    /// side can set off, since that side does not.
    pub(super) fn on_the_way(self) -> Self {
        match self {
            Self::Own => Self::Loose,
            Self::OwnInRing => Self::OwnKept,
            Self::Hasty => Self::Certain,
            Self::Certain | Self::Possible | Self::Loose | Self::OwnKept => self,
        }
    }
}

impl Heat {
    /// What the units of `us` and of the other side have to fear.
    pub(super) fn read(
        &mut self,
        (board, terrain, state): (&GameBoard, &Terrain, &GameState),
        charges: &mut Charges,
        agents: [AgentIndex; 2],
    ) {
        let cells = terrain.cells();
        let Self { certain, loose, sides } = self;
        certain.clear(cells);
        loose.clear(cells);
        for side in &mut *sides {
            side.possible.clear(cells);
            side.own.clear(cells);
            side.kept.clear(cells);
        }
        for (cell, expires, owner) in &charges.fires {
            let burns = ticks(1, expires.saturating_sub(state.tick) - 1);
            certain.mark(*cell, burns);
            let own = agents.iter().zip(&mut *sides).find(|(agent, _)| *owner == Some(**agent));
            if let Some((_, side)) = own {
                side.kept.mark(*cell, burns);
            }
        }
        for (burns, cell) in terrain.burning(state.tick, state.tick.saturating_add(REACH)) {
            certain.mark(cell, ticks(burns - state.tick, REACH));
        }
        let life = board.params.blast_duration - 1;
        for (number, (agent, side)) in agents.into_iter().zip(sides).enumerate() {
            charges.time(state, agent);
            for bomb in &charges.bombs {
                let last = bomb.sure.saturating_add(life);
                let from = |first: i32| ticks(first, last);
                if number == 0 {
                    bomb.mark(certain, from(bomb.sure));
                    bomb.mark(loose, from(bomb.loose));
                }
                if bomb.early < bomb.sure {
                    bomb.mark(&mut side.possible, from(bomb.early));
                }
                if bomb.agent == Some(agent) {
                    bomb.mark(&mut side.own, from(bomb.loose));
                    bomb.mark(&mut side.kept, from(bomb.early));
                }
            }
            for burst in charges.bursts.iter().filter(|burst| burst.agent != agent) {
                for cell in &burst.reach {
                    side.possible.mark(*cell, ticks(1, burst.last.saturating_add(life)));
                }
            }
        }
    }

    /// What one side has to fear, ours or the other one.
    pub(super) fn side(&self, ours: bool) -> Danger<'_> {
        let [us, them] = &self.sides;
        Danger { heat: self, side: if ours { us } else { them } }
    }
}

/// What one side has to fear.
#[derive(Clone, Copy, Debug)]
pub(super) struct Danger<'a> {
    heat: &'a Heat,
    side: &'a SideHeat,
}

impl Danger<'_> {
    /// The ticks in which a cell is dangerous.
    pub(super) fn of(self, cell: CellIndex, fear: Fear) -> u64 {
        let certain = &self.heat.certain;
        match fear {
            Fear::Certain => certain.of(cell),
            Fear::Possible => certain.of(cell) | self.side.possible.of(cell),
            Fear::Loose | Fear::Hasty => certain.of(cell) | self.heat.loose.of(cell),
            Fear::Own | Fear::OwnInRing => self.side.own.of(cell),
            Fear::OwnKept => self.side.kept.of(cell),
        }
    }

    pub(super) fn possible(self, cell: CellIndex) -> u64 {
        self.of(cell, Fear::Possible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, GameParams};
    use crate::search::drawn::{NOW, armed, map};
    use crate::search::position::Position;

    /// The ticks in which our unit has to fear for the cell beside it. The enemy is in a fire for
    /// three more ticks and cannot be hurt for `whole` ticks.
    fn feared(row: &str, whole: i32, bomb: bool) -> u64 {
        let (board, mut state) = map(&[row], GameParams::default());
        let enemy = state.unit_mut(1).unwrap();
        enemy.invulnerable = NOW + whole;
        let cell = enemy.cell;
        let fire = CellEntity { expires: Some(NOW + 4), ..CellEntity::new(EntityKind::Fire, 9) };
        state.put(cell, fire);
        if bomb {
            state.put(2, armed(0, 0, 3));
        }
        Position::new(&board, &Terrain::new(&board), 0, &state).heat(0).possible(1)
    }

    #[test]
    fn an_enemy_in_the_fire_can_put_a_bomb_that_goes_off_at_once() {
        let blast = GameParams::default().blast_duration;
        assert_eq!(feared("C.D......", 2, false), ticks(1, 2 + blast - 1));
        assert_eq!(feared("C.D......", 9, false), ticks(1, 3 + blast - 1), "the fire goes out");
        assert_eq!(feared("C.D......", 0, false), 0, "the fire would hurt it");
        assert_eq!(feared("C..D.....", 9, false), 0, "too far");
        assert_ne!(feared("C..D.....", 9, true) & 0b10, 0, "it sets off a bomb of ours");
    }
}
