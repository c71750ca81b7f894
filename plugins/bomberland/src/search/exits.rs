//! Which orders leave a unit a way out of the reach of its own side's bombs, whatever the other
//! side does: its units can be in the way, and they can take an item that freezes.

use super::chase::Chase;
use super::heat::Fear;
use super::position::{Position, Rivals, WayOut};
use super::reach::Reach;
use super::sent::sent;
use crate::rules::{
    AgentIndex, CellIndex, EntityKind, ForwardChance, Unit, UnitAction, UnitDirection, UnitIndex,
    UnitOrder, step,
};

/// The bit of the next tick.
pub(super) const NEXT: u64 = 0b10;

/// How many ticks there are for each one in which a unit gives way to an enemy that may want the same cell.
const WAYS: i32 = 4;

/// Ticks that a chase is played out.
const CHASE: u32 = 5;

/// Ticks before a bomb of its own side goes off, from which on a unit that the other side can keep in
/// its reach no longer waits for a better moment.
const LATE: u32 = 12;

/// What an exit has to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    pub(super) fear: Fear,
    /// The unit is out before the other side can freeze it.
    pub(super) before_freeze: bool,
}

/// The best exit first: a unit without one of the first kind looks for one of the next. The last two
/// are no exits from bombs of its own side, which it leaves only if the other side lets it.
pub(super) const EXITS: [Exit; 7] = [
    Exit { fear: Fear::Loose, before_freeze: true },
    Exit { fear: Fear::Loose, before_freeze: false },
    Exit { fear: Fear::Own, before_freeze: true },
    Exit { fear: Fear::Own, before_freeze: false },
    Exit { fear: Fear::OwnInRing, before_freeze: false },
    Exit { fear: Fear::Possible, before_freeze: true },
    Exit { fear: Fear::Possible, before_freeze: false },
];

/// The number of those that lead out of the reach of its own side's bombs.
const OUT: usize = 5;

/// How much of a trap a unit is in that has no better exit.
pub(super) const TRAPS: [f64; EXITS.len()] = [0.0, 0.01, 0.02, 0.03, 0.04, SHUT, 0.85];

/// From how much on a unit has no exit from bombs of its own side.
pub(super) const SHUT: f64 = 0.8;

impl Position<'_> {
    /// Which of these orders of a unit keep it the best exit from its side's bombs that it has;
    /// `None` where no bomb is near, or no order keeps any.
    pub(super) fn exits(
        &self,
        index: UnitIndex,
        acts: &[Option<UnitAction>],
    ) -> Option<Vec<Option<UnitAction>>> {
        let unit = self.state.unit(index)?;
        let heat = self.heat(unit.agent);
        let near = self.terrain.near(unit.cell).map(|(_, to)| to);
        if std::iter::once(unit.cell).chain(near).all(|cell| heat.of(cell, Fear::Own) == 0) {
            return None;
        }
        let free = self.free_for(unit.agent != self.us);
        let afters: Vec<Self> = acts.iter().map(|act| self.after(index, *act)).collect();
        let stays = acts.iter().any(|act| self.contested(unit, *act));
        let stays = stays.then(|| self.after(index, None));
        let leaves = |exit: Exit, after: &Self| {
            let ticks = if exit.before_freeze { free } else { u32::MAX };
            !after.burns_next(index, exit.fear) && after.leaves(index, unit.cell, exit.fear, ticks)
        };
        let keeps = |exit: Exit| {
            let keeps = |act: Option<UnitAction>, after: &Self| {
                let stays = stays.as_ref().filter(|_| self.contested(unit, act));
                leaves(exit, after) && stays.is_none_or(|stays| leaves(exit, stays))
            };
            let kept = acts.iter().zip(&afters).filter(|(act, after)| keeps(**act, after));
            kept.map(|(act, _)| *act).collect::<Vec<_>>()
        };
        // A step that comes about only if no rival wants the same cell, where there is no surer one.
        let hope = || {
            let exit = Exit { fear: Fear::Own, before_freeze: false };
            let may = stays.as_ref().is_some_and(|stays| !stays.burns_next(index, Fear::Possible));
            let outs = acts
                .iter()
                .zip(&afters)
                .filter(|(act, after)| may && self.contested(unit, **act) && leaves(exit, after));
            outs.map(|(act, _)| *act).collect::<Vec<_>>()
        };
        let late = heat.of(unit.cell, Fear::OwnKept) & ((2 << LATE) - 1) != 0;
        // A way through the ring of fire costs a life, too.
        let (out, last) = EXITS.split_at(if late { OUT - 1 } else { OUT });
        let first = |exits: &[Exit]| exits.iter().copied().map(keeps).find(|kept| !kept.is_empty());
        let ways = acts.iter().copied().zip(&afters);
        let mut kept = first(out);
        let hope = if kept.is_none() { hope() } else { Vec::new() };
        if kept.is_none() && hope.is_empty() {
            let calm = ways.clone().filter(|(_, it)| !it.burns_next(index, Fear::Possible));
            let out = |fear| soonest_out(index, calm.clone(), fear);
            let goes = || out(Fear::Own).or_else(|| out(Fear::OwnInRing));
            kept = first(last).map(|waits| late.then(goes).flatten().unwrap_or(waits));
        }
        let Some(mut kept) = kept else {
            let hasty = || soonest_out(index, ways, Fear::Hasty);
            let hope = if hope.is_empty() { hasty()? } else { hope };
            return Some(self.detour(index, &hope, acts, &afters).unwrap_or(hope));
        };
        // A mate may want the same cell: then to wait is better, as long as there are time and a way.
        let way = |(_, after): (_, &Self)| after.way_out(index, Fear::Hasty).is_some();
        if !kept.contains(&None)
            && acts.iter().zip(&afters).find(|(act, _)| act.is_none()).is_some_and(way)
            && keeps(Exit { fear: Fear::Possible, before_freeze: true }).contains(&None)
        {
            kept.push(None);
        }
        Some(kept)
    }

    /// Where all that a unit hopes for are steps into cells that a rival may want for ever: now and
    /// then other orders, after which it is soonest out of the reach of all bombs if none is set off
    /// before: past the rivals, or else if they stay where they are; or at least out of the reach of
    /// bombs of its side.
    fn detour(
        &self,
        index: UnitIndex,
        hope: &[Option<UnitAction>],
        acts: &[Option<UnitAction>],
        afters: &[Self],
    ) -> Option<Vec<Option<UnitAction>>> {
        let unit = self.state.unit(index)?;
        if !self.gives_way(index) || !hope.iter().all(|act| self.contested(unit, *act)) {
            return None;
        }
        let ways = acts.iter().copied().zip(afters);
        let ways = ways.filter(|(act, _)| !self.contested(unit, *act));
        let past = |(act, after): (_, &Self)| (act, after.way_past_all(index, Fear::Hasty, 1));
        let others = ways.clone().filter(|(act, _)| act.is_some());
        // Inside of the ring of fire no cell stays without danger for long.
        soonest(ways.map(past))
            .or_else(|| soonest_out(index, others.clone(), Fear::Hasty))
            .or_else(|| soonest_out(index, others, Fear::OwnInRing))
    }

    /// Whether a unit gives way in this tick to an enemy that may want the same cell: two units that
    /// want the same cell would wait for each other for ever.
    pub(super) fn gives_way(&self, index: UnitIndex) -> bool {
        self.state.tick.wrapping_add(i32::from(index)).rem_euclid(WAYS) == 0
    }

    /// Whether a unit's cell can burn in the next tick, before the unit moves.
    pub(super) fn burns_next(&self, index: UnitIndex, fear: Fear) -> bool {
        let fear = if fear == Fear::OwnInRing { Fear::OwnKept } else { Fear::Possible };
        let unit = self.state.unit(index);
        unit.is_some_and(|unit| self.heat(unit.agent).of(unit.cell, fear) & NEXT != 0)
    }

    /// Whether a unit of the other side can step into the same cell in the next tick: then neither
    /// of them moves.
    pub(super) fn contested(&self, unit: &Unit, act: Option<UnitAction>) -> bool {
        let Some(UnitAction::Move(direction)) = act else { return false };
        let Some(to) = self.terrain.toward(unit.cell, direction) else { return false };
        self.steps_into(unit.agent != self.us, to).next().is_some()
    }

    /// The units of a side that can step into a cell in the next tick, and in which direction.
    pub(super) fn steps_into(
        &self,
        ours: bool,
        to: CellIndex,
    ) -> impl Iterator<Item = (UnitIndex, Unit, UnitDirection)> + '_ {
        let ready = self.living(ours).filter(|(_, unit)| self.ready(unit) <= 1);
        ready
            .filter_map(move |(index, unit)| Some((index, unit, self.terrain.step(unit.cell, to)?)))
    }

    /// Whether a unit of an agent has to leave a cell: it can burn within three ticks.
    pub(super) fn hurries(&self, agent: AgentIndex, cell: CellIndex) -> bool {
        self.heat(agent).possible(cell) & 0b1110 != 0
    }

    /// The state after one order of a unit, while no other unit does anything.
    pub(super) fn after(&self, index: UnitIndex, act: Option<UnitAction>) -> Self {
        self.after_all(&[(index, act)])
    }

    /// The state after orders of some units, while no other unit does anything. An item that they
    /// take freezes none: which unit it freezes is not known.
    pub(super) fn after_all(&self, acts: &[(UnitIndex, Option<UnitAction>)]) -> Self {
        let mut after = Self::new(self.board, self.terrain, self.us, &self.state);
        let order = |&(unit, act): &(UnitIndex, Option<UnitAction>)| {
            let agent = self.state.unit(unit)?.agent;
            Some(UnitOrder { agent, unit, act: act? })
        };
        let mut orders: Vec<UnitOrder> = acts.iter().filter_map(order).collect();
        sent(&self.state, &mut orders);
        step(self.board, &mut after.state, &mut ForwardChance::default(), &mut orders, &mut ());
        for (unit, old) in (0..).zip(self.state.units()) {
            if let Some(unit) = after.state.unit_mut(unit) {
                unit.stunned = old.stunned;
            }
        }
        after.refresh();
        after
    }

    /// Whether a unit gets out of danger within `most` ticks, whatever one unit of the other side
    /// does. Its order has come about; the other side may do something in the same tick, and be in
    /// the cell first that the unit left `from` for.
    pub(super) fn leaves(&self, index: UnitIndex, from: CellIndex, fear: Fear, most: u32) -> bool {
        let Some(unit) = self.state.unit(index) else { return false };
        if let Some(way) = self.way_past_all(index, fear, 1) {
            return way.ticks == 0 || way.ticks <= most;
        }
        let quick = self.way_out(index, fear).is_some_and(|way| way.ticks <= most.min(CHASE));
        quick && Chase::new(self, unit, fear, most.min(CHASE)).lost(from)
    }

    /// The quickest way out past all units of the other side, which have walked `ahead` ticks already.
    pub(super) fn way_past_all(&self, index: UnitIndex, fear: Fear, ahead: u32) -> Option<WayOut> {
        let mut reach = Reach::default();
        reach.read(self, self.state.unit(index)?.agent != self.us);
        self.way_past(index, fear, &Rivals { steps: reach.all(), ahead })
    }

    /// In how many ticks after the next one a unit can still act, whatever items that freeze our
    /// side takes, or the other one. An item acts in the tick after the step into its cell, before
    /// the orders.
    pub(super) fn free_for(&self, ours: bool) -> u32 {
        let mut reach = Reach::default();
        reach.read(self, ours);
        let items = self.state.entities().filter(|(_, it)| it.kind == EntityKind::FreezeUp);
        let least = items.map(|(cell, _)| reach.steps(cell)).min();
        let least = least.filter(|steps| *steps != u16::MAX);
        least.map_or(u32::MAX, |steps| u32::from(steps).saturating_sub(1))
    }
}

/// The orders after which a unit is soonest out of what it fears if the other side stays where it is;
/// `None` where it never is.
fn soonest_out<'p, 'a: 'p>(
    index: UnitIndex,
    ways: impl Iterator<Item = (Option<UnitAction>, &'p Position<'a>)>,
    fear: Fear,
) -> Option<Vec<Option<UnitAction>>> {
    soonest(ways.map(|(act, after)| (act, after.way_out(index, fear))))
}

/// The orders with the quickest ways out; `None` where there is none.
fn soonest(
    ways: impl Iterator<Item = (Option<UnitAction>, Option<WayOut>)>,
) -> Option<Vec<Option<UnitAction>>> {
    let ways: Vec<_> = ways.filter_map(|(act, way)| Some((act, way?.ticks))).collect();
    let least = ways.iter().map(|(_, ticks)| *ticks).min()?;
    let kept = ways.iter().filter(|(_, ticks)| *ticks == least);
    Some(kept.map(|(act, _)| *act).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, GameParams, UnitDirection};
    use crate::search::drawn::{NOW, armed, map};
    use crate::search::terrain::Terrain;

    #[test]
    fn a_cell_that_an_enemy_steps_into_at_the_same_time_is_no_exit_in_the_last_tick() {
        let [up, left] = [UnitDirection::Up, UnitDirection::Left].map(UnitAction::Move);
        let kept = |rows: &[&str]| {
            let (board, state) = map(rows, GameParams::default());
            let terrain = Terrain::new(&board);
            Position::new(&board, &terrain, 0, &state).exits(0, &[None, Some(up), Some(left)])
        };
        assert_eq!(kept(&["##D##", "##.##", "..CB#"]), Some(vec![Some(left)]));
        assert_eq!(kept(&["D.###", "##.##", "..CB#"]), Some(vec![Some(up), Some(left)]));
    }

    #[test]
    fn a_unit_tries_the_only_step_out_of_its_own_bomb_also_where_an_enemy_may_want_the_same_cell() {
        let right = Some(UnitAction::Move(UnitDirection::Right));
        let kept = |row: &str| {
            let (board, mut state) = map(&[row], GameParams::default());
            state.put(0, armed(0, 0, 3));
            let terrain = Terrain::new(&board);
            Position::new(&board, &terrain, 0, &state).exits(0, &[None, right])
        };
        assert_eq!(kept(".C.D#"), Some(vec![right]));
        assert_eq!(kept(".CD.#"), Some(vec![None, right]));
    }

    #[test]
    fn now_and_then_a_unit_tries_another_way_than_the_one_that_an_enemy_may_close() {
        let [up, left] = [UnitDirection::Up, UnitDirection::Left].map(UnitAction::Move);
        let kept = |tick| {
            let rows = ["###D##", "###.##", "...C.."];
            let (board, mut state) = map(&rows, GameParams::default());
            state.put(4, armed(0, 0, 7));
            state.put(5, armed(1, 1, 3));
            state.tick = tick;
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            position.exits(0, &[None, Some(up), Some(left)])
        };
        assert_eq!(kept(NOW), Some(vec![Some(up)]));
        assert_eq!(kept(NOW + 2), Some(vec![Some(left)]));
    }

    #[test]
    fn where_enemies_can_close_each_way_a_unit_now_and_then_tries_the_one_that_is_free() {
        let [up, left] = [UnitDirection::Up, UnitDirection::Left].map(UnitAction::Move);
        let kept = |tick, params| {
            let rows = ["###D##", "###.##", "F..C.."];
            let (board, mut state) = map(&rows, params);
            state.put(4, armed(0, 0, 5));
            state.put(5, armed(1, 1, 3));
            state.tick = tick;
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            position.exits(0, &[None, Some(up), Some(left)])
        };
        let ring = GameParams { game_duration: NOW, ..GameParams::default() };
        for params in [GameParams::default(), ring] {
            assert_eq!(kept(NOW, params), Some(vec![Some(up)]));
            assert_eq!(kept(NOW + 2, params), Some(vec![Some(left)]));
        }
    }

    #[test]
    fn before_the_fuse_ends_a_unit_tries_a_way_out_that_an_enemy_can_close() {
        let right = Some(UnitAction::Move(UnitDirection::Right));
        let kept = |ticks| {
            let params = GameParams { game_duration: NOW - 8, ..GameParams::default() };
            let rows = [".##D##.", ".##E##.", ".C.....", "##F..##"];
            let (board, mut state) = map(&rows, params);
            state.put(8, CellEntity { expires: Some(NOW + ticks), ..armed(0, 0, 3) });
            // The other way leads through the ring of fire.
            for cell in [7, 13, 14, 20, 21, 27] {
                state.put(cell, CellEntity::new(EntityKind::Fire, NOW));
            }
            let terrain = Terrain::new(&board);
            Position::new(&board, &terrain, 0, &state).exits(0, &[None, right])
        };
        assert_eq!(kept(20), Some(vec![None]));
        assert_eq!(kept(12), Some(vec![right]));
    }

    #[test]
    fn a_unit_waits_on_its_bomb_only_while_the_ring_of_fire_leaves_it_a_way_out() {
        let up = Some(UnitAction::Move(UnitDirection::Up));
        let kept = |left| {
            let params = GameParams { game_duration: NOW - 12 + left, ..GameParams::default() };
            let (board, mut state) = map(&["..#.#..", "..#.#..", "..#C#D.", "..#####"], params);
            state.put(10, armed(0, 0, 3));
            let terrain = Terrain::new(&board);
            assert_eq!(terrain.burns(24), NOW + left);
            Position::new(&board, &terrain, 0, &state).exits(0, &[None, up])
        };
        assert_eq!(kept(14), Some(vec![up]));
        assert_eq!(kept(40), Some(vec![up, None]));
    }

    #[test]
    fn a_unit_sets_its_bomb_off_before_the_ring_of_fire_drives_it_into_the_reach() {
        let shot = Some(UnitAction::Detonate(3.0, 1.0));
        let kept = |left| {
            let params = GameParams { game_duration: NOW - 12 + left, ..GameParams::default() };
            let (board, mut state) = map(&["..#C#..", "..#.D..", "..#.#..", "..#####"], params);
            state.put(10, armed(0, 0, 3));
            let terrain = Terrain::new(&board);
            assert_eq!(terrain.burns(24), NOW + left);
            Position::new(&board, &terrain, 0, &state).exits(0, &[None, shot])
        };
        assert_eq!(kept(9), Some(vec![shot]));
        assert_eq!(kept(40), Some(vec![None, shot]));
    }

    #[test]
    fn fire_of_its_own_side_is_no_exit() {
        let up = Some(UnitAction::Move(UnitDirection::Up));
        let kept = |burns: bool| {
            let (board, mut state) = map(&["#.####", ".C#..D"], GameParams::default());
            state.put(0, armed(0, 0, 3));
            if burns {
                let fire = CellEntity::new(EntityKind::Fire, NOW - 1);
                state.put(7, CellEntity { expires: Some(NOW + 4), agent: Some(0), ..fire });
            }
            let terrain = Terrain::new(&board);
            Position::new(&board, &terrain, 0, &state).exits(0, &[None, up])
        };
        assert_eq!(kept(false), Some(vec![None, up]));
        assert_eq!(kept(true), Some(vec![None]));
    }

    #[test]
    fn an_item_that_a_mate_takes_does_not_make_an_enemy_harmless() {
        let (board, mut state) = map(&["E!.......", "....CD..."], GameParams::default());
        state.put(6, armed(1, 1, 5));
        let terrain = Terrain::new(&board);
        let position = Position::new(&board, &terrain, 0, &state);
        let right = UnitAction::Move(UnitDirection::Right);
        let after = position.after_all(&[(2, Some(right))]);
        assert_eq!(after.state.unit(1).map(|enemy| enemy.stunned), Some(0.0));
    }

    #[test]
    fn a_unit_without_an_exit_takes_the_order_that_leads_out_soonest() {
        let [left, right] = [UnitDirection::Left, UnitDirection::Right].map(UnitAction::Move);
        let (board, mut state) = map(&["....C....D"], GameParams::default());
        state.put(5, armed(0, 0, 9));
        state.put(9, armed(1, 1, 9));
        let terrain = Terrain::new(&board);
        let position = Position::new(&board, &terrain, 0, &state);
        let kept = position.exits(0, &[None, Some(left), Some(right)]);
        assert_eq!(kept, Some(vec![Some(left)]));
    }

    #[test]
    fn the_ring_of_fire_sets_a_bomb_off() {
        let burns = |game_duration| {
            let params = GameParams { game_duration, ..GameParams::default() };
            let (board, mut state) = map(&["BC.....D"], params);
            if let Some(bomb) = state.entity(0).copied() {
                state.put(0, CellEntity { expires: Some(NOW + 30), ..bomb });
            }
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            position.heat(0).of(1, Fear::Certain) & (1 << 3) != 0
        };
        assert!(burns(NOW + 3));
        assert!(!burns(NOW + 300));
    }

    #[test]
    fn a_blast_passes_a_block_that_another_bomb_destroys() {
        let calm = |rows: &[&str]| {
            let (board, mut state) = map(rows, GameParams::default());
            state.put(1, CellEntity { hp: Some(1), ..CellEntity::new(EntityKind::Wood, 0) });
            let bombs: Vec<_> = state.hot().map(|(cell, bomb)| (cell, *bomb)).collect();
            for (cell, bomb) in bombs {
                state.put(cell, CellEntity { diameter: Some(5), ..bomb });
            }
            Position::new(&board, &Terrain::new(&board), 0, &state).calm(0, 2, 1, Fear::Certain)
        };
        assert!(calm(&["........", "#.######", "B.C....D"]));
        assert!(!calm(&[".B......", "#.######", "B.C....D"]));
    }
}
