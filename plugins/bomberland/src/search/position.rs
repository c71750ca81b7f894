//! A state in the middle of a search, with what its units have to fear: ways out of danger, the
//! shut-in test, and distances.

use super::heat::{Charge, Charges, Danger, Fear, Heat};
use super::terrain::{Terrain, closed};
use crate::rules::{
    AgentIndex, CellIndex, EntityKind, GameBoard, GameState, Unit, UnitDirection, UnitIndex,
};
use std::cell::RefCell;
use std::ops::RangeInclusive;

/// Ticks without danger after which a cell counts as safe.
const LOOK: u32 = 20;

/// Most ticks that a way out may take.
const DEPTH: u32 = 20;

/// Ticks for the way back through the reach of a bomb that has burnt out.
const BACK: i32 = 4;

/// Bits `from` to `from + LOOK - 1`.
fn window(from: u32) -> u64 {
    ((1_u64 << LOOK) - 1).checked_shl(from).unwrap_or(0)
}

/// A way out of danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WayOut {
    /// The first step; `None` is to wait.
    pub(super) first: Option<UnitDirection>,
    /// Ticks until the unit is safe.
    pub(super) ticks: u32,
}

/// Units of the other side that can be in the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rivals<'a> {
    /// Their steps to each cell; none where there are no rivals.
    pub(super) steps: &'a [u16],
    /// Ticks that they have walked already.
    pub(super) ahead: u32,
}

impl Rivals<'_> {
    /// Whether they can be in a cell in that many ticks.
    fn take(&self, cell: CellIndex, ticks: u32) -> bool {
        let steps = self.steps.get(usize::from(cell));
        steps.is_some_and(|steps| u32::from(*steps) <= ticks.saturating_add(self.ahead))
    }
}

/// Marks that can be cleared at once.
#[derive(Clone, Debug, Default)]
struct Stamps {
    marks: Vec<u32>,
    now: u32,
}

impl Stamps {
    fn begin(&mut self, cells: usize) {
        if self.marks.len() != cells || self.now == u32::MAX {
            (self.marks, self.now) = (vec![0; cells], 0);
        }
        self.now += 1;
    }

    /// Marks a cell; whether it was not marked before.
    fn add(&mut self, cell: CellIndex) -> bool {
        let Some(mark) = self.marks.get_mut(usize::from(cell)) else { return false };
        let fresh = *mark != self.now;
        *mark = self.now;
        fresh
    }

    fn has(&self, cell: CellIndex) -> bool {
        self.marks.get(usize::from(cell)) == Some(&self.now)
    }
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    seen: Stamps,
    blast: Stamps,
    front: Vec<(CellIndex, Option<UnitDirection>)>,
    next: Vec<(CellIndex, Option<UnitDirection>)>,
}

/// A state with what both sides have to fear.
#[derive(Clone, Debug)]
pub(super) struct Position<'a> {
    pub(super) board: &'a GameBoard,
    pub(super) terrain: &'a Terrain,
    /// Our side.
    pub(super) us: AgentIndex,
    pub(super) state: GameState,
    charges: Charges,
    heat: Heat,
    scratch: RefCell<Scratch>,
}

impl<'a> Position<'a> {
    pub(super) fn new(
        board: &'a GameBoard,
        terrain: &'a Terrain,
        us: AgentIndex,
        state: &GameState,
    ) -> Self {
        let mut position = Self {
            board,
            terrain,
            us,
            state: state.clone(),
            charges: Charges::default(),
            heat: Heat::default(),
            scratch: RefCell::default(),
        };
        position.refresh();
        position
    }

    /// Goes back to a state.
    pub(super) fn reset(&mut self, state: &GameState) {
        self.state.copy_from(state);
        self.refresh();
    }

    /// Computes danger anew after the state has changed.
    pub(super) fn refresh(&mut self) {
        let Self { board, terrain, state, charges, heat, .. } = self;
        let (board, terrain, state) = (*board, *terrain, &*state);
        charges.read(board, terrain, state);
        // Of several enemies each fears the others' bombs only at the end of the fuse.
        let foe = state.units().iter().map(|unit| unit.agent).find(|agent| *agent != self.us);
        let agents = [self.us, foe.unwrap_or(AgentIndex::MAX)];
        heat.read((board, terrain, state), charges, agents);
    }

    pub(super) fn units(&self) -> impl Iterator<Item = (UnitIndex, Unit)> + '_ {
        (0..).zip(self.state.units().iter().copied())
    }

    /// Living units of our side, or of the other one.
    pub(super) fn living(&self, ours: bool) -> impl Iterator<Item = (UnitIndex, Unit)> + '_ {
        self.units().filter(move |(_, unit)| unit.alive() && (unit.agent == self.us) == ours)
    }

    pub(super) fn bombs(&self) -> &[Charge] {
        &self.charges.bombs
    }

    /// What the units of an agent have to fear.
    pub(super) fn heat(&self, agent: AgentIndex) -> Danger<'_> {
        self.heat.side(agent == self.us)
    }

    /// Whether no danger is in sight for a unit that stays in a cell from the `ahead`th tick on.
    pub(super) fn calm(&self, agent: AgentIndex, cell: CellIndex, ahead: u32, fear: Fear) -> bool {
        self.heat(agent).of(cell, fear) & window(ahead) == 0
            && (fear != Fear::Own || !self.brief(agent, cell, ahead))
    }

    /// Whether the ring of fire takes a cell before bombs of a unit's side can be set off from there,
    /// have burnt out, and the unit has walked back: then it would have to leave the cell into their
    /// reach. The unit comes to the cell in the `ahead`th tick.
    fn brief(&self, agent: AgentIndex, cell: CellIndex, ahead: u32) -> bool {
        let left = self.burns(cell).saturating_sub(self.state.tick);
        let own = self.bombs().iter().filter(|bomb| bomb.agent == Some(agent));
        let Some(loose) = own.map(|bomb| bomb.loose).max() else { return false };
        let off = loose.max(i32::try_from(ahead).unwrap_or(i32::MAX));
        left <= off.saturating_add(self.board.params.blast_duration).saturating_add(BACK)
    }

    /// Whether a unit can walk into a cell now. Units stay where they are.
    pub(super) fn open(&self, cell: CellIndex) -> bool {
        !closed(&self.state, cell) && !self.state.occupied(cell)
    }

    /// Whether no unit can walk into a cell as it is, wherever units go.
    pub(super) fn barred(&self, cell: CellIndex) -> bool {
        closed(&self.state, cell) || self.state.body_in(cell)
    }

    /// The first tick from now in which a unit can carry out an order, from 1.
    pub(super) fn ready(&self, unit: &Unit) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let thawed = (unit.stunned as i32).saturating_add(2).saturating_sub(self.state.tick);
        u32::try_from(thawed).unwrap_or(0).max(1)
    }

    /// The quickest way of a unit to a cell where no danger is in sight, without any step into
    /// danger.
    pub(super) fn way_out(&self, index: UnitIndex, fear: Fear) -> Option<WayOut> {
        self.way_past(index, fear, &Rivals::default())
    }

    /// The same past rivals, who take each cell that they can be in as early.
    pub(super) fn way_past(
        &self,
        index: UnitIndex,
        fear: Fear,
        rivals: &Rivals<'_>,
    ) -> Option<WayOut> {
        let own = self.state.unit(index)?.cell;
        let passes = |cell, ahead| {
            let free = self.open(cell) || cell == own && !closed(&self.state, cell);
            free && !rivals.take(cell, ahead)
        };
        let mut found = None;
        self.spread(index, fear, passes, |_, way| {
            found = Some(way);
            true
        });
        found
    }

    /// Walks every way of a unit that leads into no danger, through cells that it `passes` that many
    /// ticks from now, and names cells where no danger is in sight, the nearest first and again in
    /// each tick, until one is `enough`.
    pub(super) fn spread(
        &self,
        index: UnitIndex,
        fear: Fear,
        passes: impl Fn(CellIndex, u32) -> bool,
        mut enough: impl FnMut(CellIndex, WayOut) -> bool,
    ) {
        let Some(unit) = self.state.unit(index) else { return };
        let heat = self.heat(unit.agent);
        let hot = |cell: CellIndex| heat.of(cell, fear.on_the_way());
        let ready = self.ready(unit);
        let whole = u32::try_from(unit.invulnerable.saturating_sub(self.state.tick)).unwrap_or(0);
        let scratch = &mut *self.scratch.borrow_mut();
        let Scratch { seen, front, next, .. } = scratch;
        front.clear();
        front.push((unit.cell, None));
        for ahead in 1..=DEPTH {
            for &(cell, first) in front.iter() {
                let way = WayOut { first, ticks: ahead - 1 };
                if self.calm(unit.agent, cell, ahead, fear) && enough(cell, way) {
                    return;
                }
            }
            seen.begin(self.terrain.cells());
            next.clear();
            let burns = |cell: CellIndex| ahead + 1 > whole && hot(cell) & (2_u64 << ahead) != 0;
            for &(cell, first) in front.iter() {
                if !burns(cell) && seen.add(cell) {
                    next.push((cell, first));
                }
                if ahead < ready {
                    continue;
                }
                for (direction, to) in self.terrain.near(cell) {
                    if passes(to, ahead) && !burns(to) && seen.add(to) {
                        next.push((to, if ahead == ready { Some(direction) } else { first }));
                    }
                }
            }
            std::mem::swap(front, next);
        }
    }

    /// Whether a bomb in `bomb` that reaches `radius` cells leaves a unit no exit: it cannot walk
    /// out of the blast into a cell without danger before the bomb can go off.
    pub(super) fn shut_in(&self, index: UnitIndex, bomb: CellIndex, radius: i32) -> bool {
        let Some(unit) = self.state.unit(index) else { return false };
        // The bomb is put in the next tick, and a unit must have left before it can go off.
        let last = u32::try_from(self.board.params.armed).unwrap_or(0).saturating_add(1);
        let ticks = self.ready(unit)..=last;
        self.no_exit((unit.agent, unit.cell), (bomb, radius), ticks, |cell| self.open(cell))
    }

    /// The same for a unit of an agent that is in a cell and walks in these ticks from now, through
    /// cells that it `passes`. A referee can have bombs that go off as late as it likes; what comes
    /// after [`DEPTH`] ticks is not looked at.
    pub(super) fn no_exit(
        &self,
        (agent, cell): (AgentIndex, CellIndex),
        (bomb, radius): (CellIndex, i32),
        ticks: RangeInclusive<u32>,
        passes: impl Fn(CellIndex) -> bool,
    ) -> bool {
        let scratch = &mut *self.scratch.borrow_mut();
        let Scratch { seen, blast, front, next, .. } = scratch;
        blast.begin(self.terrain.cells());
        self.terrain.blast(&self.state, bomb, radius, |cell| {
            blast.add(cell);
        });
        if !blast.has(cell) {
            return false;
        }
        seen.begin(self.terrain.cells());
        seen.add(cell);
        front.clear();
        front.push((cell, None));
        for ahead in *ticks.start()..=DEPTH.min(*ticks.end()) {
            next.clear();
            for &(cell, _) in front.iter() {
                for (_, to) in self.terrain.near(cell) {
                    if to == bomb || !passes(to) || !seen.add(to) {
                        continue;
                    }
                    if !blast.has(to) && self.calm(agent, to, ahead, Fear::Possible) {
                        return false;
                    }
                    next.push((to, None));
                }
            }
            std::mem::swap(front, next);
        }
        true
    }

    /// See [`Terrain::burns_yet`].
    pub(super) fn burns(&self, cell: CellIndex) -> i32 {
        self.terrain.burns_yet(&self.state, cell)
    }

    /// See [`Terrain::island`].
    pub(super) fn island(&self, cell: CellIndex) -> bool {
        self.terrain.island(&self.state, cell)
    }

    /// The cells that a unit can be in, the one that burns last first.
    pub(super) fn last_cells(&self) -> impl Iterator<Item = CellIndex> + '_ {
        self.terrain.latest().map(|(_, cell)| cell).filter(|cell| !self.barred(*cell))
    }

    /// Steps between two cells on an empty map.
    pub(super) fn apart(&self, cell: CellIndex, other: CellIndex) -> i32 {
        let ((x, y), (other_x, other_y)) = (self.board.place(cell), self.board.place(other));
        (x - other_x).abs() + (y - other_y).abs()
    }

    /// Whether a blast burns in a cell.
    pub(super) fn blazes(&self, cell: CellIndex) -> bool {
        let fire = self.state.entity(cell).filter(|it| it.kind == EntityKind::Fire);
        fire.is_some_and(|fire| !fire.permanent())
    }

    /// Whether the fire in a cell burns longer than until a tick: in the tick of its end it hurts no
    /// unit.
    pub(super) fn burns_after(&self, cell: CellIndex, tick: i32) -> bool {
        let fire = self.state.entity(cell).filter(|thing| thing.kind == EntityKind::Fire);
        fire.is_some_and(|fire| fire.expires.is_none_or(|expires| expires > tick))
    }

    /// Whether a bomb of ours that reached a cell has gone off in a later state. The ring of fire
    /// hides such a blast where both come in one tick.
    pub(super) fn went_off(&self, cell: CellIndex, later: &GameState) -> bool {
        let mut own = self.bombs().iter().filter(|bomb| bomb.agent == Some(self.us));
        own.any(|bomb| {
            bomb.reach.contains(&cell) && later.kind(bomb.cell) != Some(EntityKind::Bomb)
        })
    }

    /// Whether a bomb of an agent reaches a cell that can be set off in the next tick, and that harms
    /// none of the agent's units if its owner does it.
    pub(super) fn armed_at(&self, agent: AgentIndex, cell: CellIndex) -> bool {
        let mut own = self.bombs().iter().filter(|bomb| bomb.agent == Some(agent));
        own.any(|bomb| {
            let owner = bomb.unit.filter(|_| bomb.loose <= 1 && bomb.reach.contains(&cell));
            owner.is_some_and(|owner| self.harmless_blast(owner, bomb.cell))
        })
    }

    /// Whether a unit burns soon, whatever it does.
    pub(super) fn doomed(&self, index: UnitIndex, unit: &Unit) -> bool {
        !self.calm(unit.agent, unit.cell, 1, Fear::Certain)
            && self.way_out(index, Fear::Certain).is_none()
    }

    /// Whether a unit has a bomb that its side may put in the next tick.
    pub(super) fn has_bomb(&self, unit: &Unit) -> bool {
        let allowed = usize::try_from(self.board.params.bombs_max).unwrap_or(0);
        unit.bombs > 0 && self.state.bombs_of(unit.agent) < allowed
    }

    /// Whether a bomb may be put by a unit in the next tick, to lie there.
    pub(super) fn can_bomb(&self, unit: &Unit) -> bool {
        self.state.kind(unit.cell).is_none() && self.has_bomb(unit)
    }

    /// Whether an item is in a cell.
    pub(super) fn item(&self, cell: CellIndex) -> Option<EntityKind> {
        self.state.kind(cell).filter(|kind| kind.item())
    }
}
