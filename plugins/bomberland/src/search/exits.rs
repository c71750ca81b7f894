//! Which orders leave a unit a way out of the reach of its own side's bombs, whatever the other
//! side does: its units can be in the way, and they can take an item that freezes.

use super::heat::Fear;
use super::position::{Position, Rivals, window};
use super::reach::Reach;
use super::terrain::closed;
use crate::rules::{
    CellIndex, EntityKind, ForwardChance, Unit, UnitAction, UnitIndex, UnitOrder, step,
};
use std::collections::BTreeMap;

/// The bit of the next tick.
const NEXT: u64 = 0b10;

/// Ticks within which a unit wants to be out of the reach of the bomb that it puts.
const HASTE: u32 = 8;

/// Ticks that a chase is played out.
const CHASE: u32 = 5;

/// What an exit has to be.
#[derive(Clone, Copy, Debug)]
struct Exit {
    fear: Fear,
    /// The unit is out before the other side can freeze it.
    before_freeze: bool,
}

/// The best exit first: a unit without one of the first kind looks for one of the next.
const EXITS: [Exit; 4] = [
    Exit { fear: Fear::Loose, before_freeze: true },
    Exit { fear: Fear::Loose, before_freeze: false },
    Exit { fear: Fear::Own, before_freeze: true },
    Exit { fear: Fear::Own, before_freeze: false },
];

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
        let freeze = self.freeze_in(unit.agent != self.us);
        let afters: Vec<Self> = acts.iter().map(|act| self.after(index, *act)).collect();
        EXITS.into_iter().find_map(|exit| {
            let ticks = if exit.before_freeze { freeze } else { u32::MAX };
            let keeps = |after: &Self| after.leaves(index, unit.cell, exit.fear, ticks);
            let kept = acts.iter().zip(&afters).filter(|(_, after)| keeps(after));
            let kept: Vec<_> = kept.map(|(act, _)| *act).collect();
            (!kept.is_empty()).then_some(kept)
        })
    }

    /// The state after one order of a unit, while no other unit does anything.
    fn after(&self, index: UnitIndex, act: Option<UnitAction>) -> Self {
        let mut after = Self::new(self.board, self.terrain, self.us, &self.state);
        let agent = self.state.unit(index).map_or(self.us, |unit| unit.agent);
        let order = act.map(|act| UnitOrder { agent, unit: index, act });
        let mut orders: Vec<UnitOrder> = order.into_iter().collect();
        step(self.board, &mut after.state, &mut ForwardChance::default(), &mut orders, &mut ());
        after.refresh();
        after
    }

    /// Whether a unit gets out of danger within `most` ticks, whatever one unit of the other side
    /// does. Its order has come about; the other side may do something in the same tick, and be in
    /// the cell first that the unit left `from` for.
    fn leaves(&self, index: UnitIndex, from: CellIndex, fear: Fear, most: u32) -> bool {
        let Some(unit) = self.state.unit(index) else { return false };
        let mut reach = Reach::default();
        reach.read(self, unit.agent != self.us);
        let rivals = Rivals { steps: reach.all(), ahead: 1 };
        if let Some(way) = self.way_past(index, fear, &rivals) {
            return way.ticks == 0 || way.ticks <= most;
        }
        let quick = self.way_out(index, fear).is_some_and(|way| way.ticks <= most.min(CHASE));
        quick && Chase::new(self, unit, fear, most.min(CHASE)).lost(from)
    }

    /// In how many ticks the other side can take an item that freezes.
    fn freeze_in(&self, ours: bool) -> u32 {
        let mut reach = Reach::default();
        reach.read(self, ours);
        let items = self.state.entities().filter(|(_, it)| it.kind == EntityKind::FreezeUp);
        let least = items.map(|(cell, _)| reach.steps(cell)).min();
        least.filter(|steps| *steps != u16::MAX).map_or(u32::MAX, u32::from)
    }

    /// Whether a bomb that the unit puts in the next tick leaves it and its mates a quick way out,
    /// whatever bombs the other side sets off and wherever it walks.
    pub(super) fn harmless_bomb(&self, index: UnitIndex) -> bool {
        let Some(unit) = self.state.unit(index).filter(|unit| self.can_bomb(unit)) else {
            return false;
        };
        let burns =
            |position: &Self, cell| position.heat(unit.agent).of(cell, Fear::Possible) & NEXT != 0;
        if burns(self, unit.cell) {
            return false;
        }
        let after = self.after(index, Some(UnitAction::Bomb));
        let ours = unit.agent == self.us;
        let most = self.freeze_in(!ours).min(HASTE);
        // Inside of the ring of fire no cell stays without danger for long.
        let ring = self.state.tick >= self.board.params.game_duration;
        let fears: &[Fear] = if ring { &[Fear::Loose, Fear::Own] } else { &[Fear::Loose] };
        after.living(ours).all(|(mate, body)| {
            let Some(before) = self.state.unit(mate) else { return true };
            if body.hp != before.hp || burns(&after, before.cell) && !burns(self, before.cell) {
                return false;
            }
            let leaves = |position: &Self| {
                let mut fears = fears.iter();
                fears.any(|fear| position.leaves(mate, before.cell, *fear, most))
            };
            if mate == index {
                return leaves(&after);
            }
            let worse =
                |fear| self.way_out(mate, fear).is_some() && after.way_out(mate, fear).is_none();
            (leaves(&after) || !leaves(self)) && !worse(Fear::Loose) && !worse(Fear::Certain)
        })
    }

    /// Whether a bomb that goes off in the next tick hurts none of the side that sets it off.
    pub(super) fn harmless_blast(&self, index: UnitIndex, cell: CellIndex) -> bool {
        let Some(unit) = self.state.unit(index) else { return false };
        let mut after = self.state.clone();
        let order = UnitOrder { agent: unit.agent, unit: index, act: self.detonation(cell) };
        let luck = &mut ForwardChance::default();
        step(self.board, &mut after, luck, &mut [order], &mut ());
        let mates = self.state.units().iter().zip(after.units());
        let mut hurt = mates.filter(|(old, _)| old.alive() && old.agent == unit.agent);
        hurt.all(|(old, new)| {
            let burns = after.entity(old.cell).is_some_and(|it| it.kind == EntityKind::Fire);
            old.hp == new.hp && !burns
        })
    }
}

/// A unit that wants out of danger, and one of the other side that wants to be in its way and knows
/// each of its steps.
struct Chase<'a, 'b> {
    position: &'b Position<'a>,
    unit: &'b Unit,
    fear: Fear,
    most: u32,
    /// Whether the unit gets out, by its cell, the rival's, and the ticks gone.
    known: BTreeMap<(CellIndex, CellIndex, u32), bool>,
}

impl<'a, 'b> Chase<'a, 'b> {
    fn new(position: &'b Position<'a>, unit: &'b Unit, fear: Fear, most: u32) -> Self {
        Self { position, unit, fear, most, known: BTreeMap::new() }
    }

    /// Whether no rival can keep the unit in danger. Where a rival can be first in the unit's cell,
    /// the unit is still in the one that it came `from`.
    fn lost(&mut self, from: CellIndex) -> bool {
        let (position, most) = (self.position, self.most);
        let rivals = position.living(self.unit.agent != position.us);
        let rivals = rivals.filter(|(_, rival)| position.ready(rival) <= most);
        rivals.map(|(_, rival)| rival.cell).all(|rival| {
            let near: Vec<CellIndex> = position.terrain.near(rival).map(|(_, to)| to).collect();
            let beaten = from != self.unit.cell && near.contains(&self.unit.cell);
            let steps = near.into_iter().filter(|to| position.open(*to)).chain([rival]);
            let mut steps = steps.collect::<Vec<_>>().into_iter();
            steps.all(|to| self.out(self.unit.cell, to, 0))
                && (!beaten || self.out(from, self.unit.cell, 0))
        })
    }

    fn out(&mut self, cell: CellIndex, rival: CellIndex, gone: u32) -> bool {
        let heat = self.position.heat(self.unit.agent);
        if heat.of(cell, self.fear) & window(gone + 1) == 0 {
            return true;
        }
        if gone >= self.most {
            return false;
        }
        if let Some(known) = self.known.get(&(cell, rival, gone)) {
            return *known;
        }
        let steps = self.steps(cell, rival);
        let replies = self.steps(rival, cell);
        let hot = |at: CellIndex| heat.of(at, Fear::Loose) & (2_u64 << (gone + 1)) != 0;
        let steps: Vec<CellIndex> = steps.into_iter().filter(|to| !hot(*to)).collect();
        let found = steps.into_iter().any(|to| {
            replies.iter().all(|reply| {
                let next = if *reply == to { cell } else { to };
                self.out(next, *reply, gone + 1)
            })
        });
        self.known.insert((cell, rival, gone), found);
        found
    }

    /// Where one of the two can be in the next tick.
    fn steps(&self, cell: CellIndex, other: CellIndex) -> Vec<CellIndex> {
        let position = self.position;
        let left = |to: CellIndex| to == self.unit.cell && !closed(&position.state, to);
        let free = |to: &CellIndex| *to != other && (position.open(*to) || left(*to));
        position.terrain.near(cell).map(|(_, to)| to).filter(free).chain([cell]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, GameBoard, GameParams, GameState, UnitName};
    use crate::search::terrain::Terrain;

    const NOW: i32 = 10;

    /// Whether our unit `C` may put a bomb on a map, the highest row first: `#` metal, `!` a freeze
    /// powerup, `D` an enemy.
    fn may_bomb(rows: &[&str], params: GameParams) -> bool {
        let size = (u16::try_from(rows[0].len()).unwrap(), u16::try_from(rows.len()).unwrap());
        let cells: Vec<(u16, char)> =
            (0..).zip(rows.iter().rev().flat_map(|row| row.chars())).collect();
        let unit = |sign: char| Unit {
            cell: cells.iter().find(|(_, it)| *it == sign).unwrap().0,
            agent: u8::from(sign == 'D'),
            hp: 3,
            bombs: 9,
            diameter: 3,
            invulnerable: 0,
            stunned: 0.0,
        };
        let name = |sign: char| UnitName { name: sign.to_string(), agent: u8::from(sign == 'D') };
        let agents = vec!["a".to_owned(), "b".to_owned()];
        let board = GameBoard::new(size, params, agents, vec![name('C'), name('D')]);
        let mut state = GameState::new(size.0, size.1, NOW, vec![unit('C'), unit('D')]);
        for (cell, sign) in &cells {
            let kind = match sign {
                '#' => EntityKind::Metal,
                '!' => EntityKind::FreezeUp,
                _ => continue,
            };
            let expires = (kind == EntityKind::FreezeUp).then_some(NOW + 40);
            state.put(*cell, CellEntity { expires, ..CellEntity::new(kind, 0) });
        }
        let terrain = Terrain::new(&board);
        Position::new(&board, &terrain, 0, &state).harmless_bomb(0)
    }

    #[test]
    fn an_enemy_that_is_near_closes_the_only_exit() {
        assert!(!may_bomb(&["C...D...."], GameParams::default()));
        assert!(may_bomb(&["C.......D"], GameParams::default()));
    }

    #[test]
    fn one_enemy_cannot_close_two_exits() {
        let rows = ["###.###", "###.###", "...C...", "###.###", "###D###"];
        assert!(may_bomb(&rows, GameParams::default()));
    }

    #[test]
    fn an_enemy_that_can_freeze_the_unit_before_it_is_out_counts() {
        assert!(!may_bomb(&["C.......!D"], GameParams::default()));
        assert!(may_bomb(&["C.......D.....!"], GameParams::default()));
    }

    #[test]
    fn inside_of_the_ring_of_fire_an_exit_is_where_no_own_bomb_reaches() {
        let rows = [".......", ".......", "..C....", ".......", "......D"];
        let ring = |game_duration| GameParams {
            game_duration,
            fire_interval: 0.5,
            ..GameParams::default()
        };
        assert!(may_bomb(&rows, ring(NOW)));
        assert!(!may_bomb(&rows, ring(NOW + 1)));
    }
}
