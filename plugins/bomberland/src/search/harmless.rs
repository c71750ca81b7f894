//! Which bombs, and which detonations, harm none of their own side.

use super::exits::NEXT;
use super::heat::Fear;
use super::position::Position;
use super::reach::Reach;
use crate::rules::{
    CellIndex, EntityKind, ForwardChance, Unit, UnitAction, UnitIndex, UnitOrder, step,
};

/// Ticks within which a unit wants to be out of the reach of the bomb that it puts.
const HASTE: u32 = 8;

/// Steps from which on an enemy can soon put a bomb beside a unit.
const NEAR: u16 = 2;

impl Position<'_> {
    /// Whether a bomb that the unit puts in the next tick leaves it and its mates a quick way out,
    /// whatever bombs the other side sets off and wherever it walks.
    pub(super) fn harmless_bomb(&self, index: UnitIndex) -> bool {
        let Some(unit) = self.state.unit(index).filter(|unit| self.can_bomb(unit)) else {
            return false;
        };
        let burns =
            |position: &Self, cell| position.heat(unit.agent).of(cell, Fear::Possible) & NEXT != 0;
        if burns(self, unit.cell) || self.burst_near(unit) {
            return false;
        }
        let ours = unit.agent == self.us;
        let after = self.after(index, Some(UnitAction::Bomb));
        // Bombs that the other side puts in the same tick can set this one off early: those of the
        // nearest units, since the number of a side's bombs is limited.
        let rivals = self.living(!ours).filter(|(_, rival)| self.ready(rival) <= 1);
        let mut rivals: Vec<_> = rivals.collect();
        rivals.sort_by_key(|(_, rival)| self.apart(unit.cell, rival.cell));
        let both = rivals.into_iter().map(|(rival, _)| rival).chain([index]);
        let both: Vec<_> = both.map(|unit| (unit, Some(UnitAction::Bomb))).collect();
        let both = self.after_all(&both);
        let most = self.free_for(!ours).min(HASTE);
        let fears = self.exit_fears();
        let ring = self.in_ring();
        let mates = after.living(ours).all(|(mate, body)| {
            let Some(before) = self.state.unit(mate) else { return true };
            if body.hp != before.hp || burns(&after, before.cell) && !burns(self, before.cell) {
                return false;
            }
            let leaves = |position: &Self| {
                let mut fears = fears.iter();
                fears.any(|fear| position.leaves(mate, before.cell, *fear, most))
            };
            if mate == index {
                let mut own =
                    fears.iter().map(|fear| if *fear == Fear::Loose { Fear::Own } else { *fear });
                // A bomb that a rival puts into the fire that it is in goes off in this tick.
                let hurt = both.state.unit(mate).is_none_or(|body| body.hp < before.hp);
                return leaves(&after)
                    && !hurt
                    && own.any(|fear| both.leaves(mate, before.cell, fear, most));
            }
            let worse =
                |fear| self.way_out(mate, fear).is_some() && after.way_out(mate, fear).is_none();
            let out = ring && after.heat(unit.agent).of(before.cell, Fear::Own) == 0;
            (out || leaves(&after) || !leaves(self))
                && !worse(Fear::Loose)
                && !worse(Fear::Certain)
                && !self.cuts_off(&after, before)
        });
        mates && (after.all_leave(ours) || !self.all_leave(ours))
    }

    /// Whether a bomb of its own side, which has been put in the state `after`, reaches all ways out of
    /// a unit's cell that it did not reach before, and the unit may have to take one: the ring of fire
    /// takes its cell before the bomb can be set off and its blast is over, or an enemy can soon put a
    /// bomb there. In the reach, enemies can keep the unit there.
    fn cuts_off(&self, after: &Self, unit: &Unit) -> bool {
        let reached = |position: &Self, cell| position.heat(unit.agent).of(cell, Fear::Own) != 0;
        let fresh = |to: &CellIndex| reached(after, *to) && !reached(self, *to);
        let near = self.terrain.near(unit.cell).map(|(_, to)| to).filter(|to| !self.barred(*to));
        let near: Vec<CellIndex> = near.collect();
        // Most bombs are far from most mates: no need to ask where enemies can be.
        if !near.iter().any(fresh) {
            return false;
        }
        let cut = |is_way: &dyn Fn(CellIndex) -> bool| {
            let mut ways = near.iter().filter(|to| is_way(**to));
            ways.clone().all(|to| reached(after, *to)) && ways.any(fresh)
        };
        let params = &self.board.params;
        let over =
            params.armed.saturating_add(params.blast_duration).saturating_add_unsigned(HASTE);
        let burns = self.burns(unit.cell);
        let ring = burns <= self.state.tick.saturating_add(over);
        if ring && cut(&|to| self.burns(to) > burns) {
            return true;
        }
        let mut rivals = Reach::default();
        rivals.read(self, unit.agent != self.us);
        rivals.steps(unit.cell) <= NEAR && cut(&|to| rivals.steps(to) > 1)
    }

    /// Whether a bomb in a cell that the unit walks to would be harmless, as far as one can say now:
    /// a walk to where it would not put the bomb then is of no use.
    pub(super) fn harmless_bomb_in(&self, index: UnitIndex, cell: CellIndex) -> bool {
        let mut there = self.state.clone();
        if let Some(unit) = there.unit_mut(index) {
            unit.cell = cell;
        }
        Self::new(self.board, self.terrain, self.us, &there).harmless_bomb(index)
    }

    /// Whether a bomb that goes off in the next tick hurts none of the side that sets it off, also
    /// when another bomb destroys a block in its way in the same tick.
    pub(super) fn harmless_blast(&self, index: UnitIndex, cell: CellIndex) -> bool {
        let Some(unit) = self.state.unit(index) else { return false };
        let bomb = self.bombs().iter().find(|bomb| bomb.cell == cell);
        if bomb.is_none_or(|bomb| self.lit_mate(bomb, unit)) {
            return false;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, GameParams};
    use crate::search::drawn::{self, NOW, armed, map};
    use crate::search::terrain::Terrain;

    /// Whether our unit may put a bomb on a map.
    fn may_bomb(rows: &[&str], params: GameParams) -> bool {
        let (board, state) = map(rows, params);
        drawn::may_bomb(&board, &state)
    }

    #[test]
    fn an_enemy_that_is_near_closes_the_only_exit() {
        assert!(!may_bomb(&["C...D...."], GameParams::default()));
        assert!(may_bomb(&["C.......D"], GameParams::default()));
    }

    #[test]
    fn a_walk_to_put_a_bomb_needs_one_that_could_be_put_now() {
        let (board, state) = map(&["..C.D...."], GameParams::default());
        let terrain = Terrain::new(&board);
        let position = Position::new(&board, &terrain, 0, &state);
        assert!(position.harmless_bomb_in(0, 2) && !position.harmless_bomb_in(0, 0));
    }

    #[test]
    fn a_bomb_that_an_enemy_puts_in_the_same_tick_can_set_this_one_off_early() {
        let may_bomb = |row: &str| {
            let (board, mut state) = map(&[row], GameParams::default());
            state.put(7, armed(1, 1, 3));
            drawn::may_bomb(&board, &state)
        };
        assert!(!may_bomb(".....CD..."));
        assert!(may_bomb("..C...D..."));
    }

    #[test]
    fn of_the_bombs_that_enemies_put_in_the_same_tick_the_nearest_counts() {
        let may_bomb = |bombs_max: i32| {
            let params = GameParams { bombs_max, ..GameParams::default() };
            let (board, mut state) = map(&["D.........CF...."], params);
            state.put(12, armed(1, 1, 3));
            drawn::may_bomb(&board, &state)
        };
        assert_eq!([1, 2, 3].map(may_bomb), [true, false, false]);
    }

    #[test]
    fn a_blast_that_passes_a_block_which_another_bomb_destroys_is_not_harmless() {
        let harmless = |rows: &[&str]| {
            let (board, mut state) = map(rows, GameParams::default());
            state.put(10, CellEntity { hp: Some(1), ..CellEntity::new(EntityKind::Wood, 0) });
            state.put(9, armed(0, 0, 5));
            state.put(1, armed(1, 1, 3));
            Position::new(&board, &Terrain::new(&board), 0, &state).harmless_blast(0, 9)
        };
        assert!(!harmless(&["..C......", "........D"]));
        assert!(harmless(&["...C.....", "........D"]));
    }

    #[test]
    fn two_enemies_close_two_exits() {
        assert!(!may_bomb(&["D..C..F"], GameParams::default()));
        assert!(may_bomb(&["D..C...."], GameParams::default()));
    }

    #[test]
    fn one_enemy_cannot_close_two_exits() {
        let rows = ["###.###", "###.###", "...C...", "###.###", "###D###"];
        assert!(may_bomb(&rows, GameParams::default()));
    }

    #[test]
    fn an_enemy_that_can_freeze_the_unit_before_it_is_out_counts() {
        assert!(!may_bomb(&["C.......!D"], GameParams::default()));
        assert!(
            !may_bomb(&["C.......!.D"], GameParams::default()),
            "it acts before the second step"
        );
        assert!(may_bomb(&["C.......!..D"], GameParams::default()));
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

    #[test]
    fn no_exit_leads_through_the_ring_of_fire() {
        let may_bomb = |burns: bool| {
            let params =
                GameParams { game_duration: NOW - 9, fire_interval: 1.0, ..GameParams::default() };
            let (board, mut state) = map(&["........", "..C....D", "........"], params);
            for cell in (0..24).filter(|cell| burns && ![10, 15].contains(cell)) {
                state.put(cell, CellEntity::new(EntityKind::Fire, NOW));
            }
            drawn::may_bomb(&board, &state)
        };
        assert_eq!([false, true].map(may_bomb), [true, false]);
    }

    #[test]
    fn no_exit_is_a_cell_that_the_ring_of_fire_takes_before_the_bomb_has_burnt_out() {
        let may_bomb = |fire_interval| {
            let rows = ["..#.#..", "..#.#..", "..#C#D.", "..#####"];
            may_bomb(
                &rows,
                GameParams { game_duration: NOW, fire_interval, ..GameParams::default() },
            )
        };
        assert_eq!([2.0, 3.0].map(may_bomb), [false, true]);
    }

    #[test]
    fn no_bomb_reaches_the_only_way_out_of_a_mates_cell_that_the_ring_of_fire_takes_soon() {
        let rows =
            |below: &'static str| [".......", "###.###", "###.###", "###C###", ".D...F.", below];
        let may_bomb = |below, fire_interval| {
            may_bomb(
                &rows(below),
                GameParams { game_duration: NOW, fire_interval, ..GameParams::default() },
            )
        };
        assert!(!may_bomb("###E###", 1.0));
        assert!(may_bomb("###E###", 10.0), "the bomb can be set off before");
        assert!(may_bomb("#E#####", 1.0), "there is another way");
    }

    #[test]
    fn no_bomb_reaches_all_ways_by_which_a_mate_can_leave_an_enemy_s_next_bomb() {
        let may_bomb =
            |enemy| may_bomb(&[".#######", ".#######", "C.######", enemy], GameParams::default());
        assert!(!may_bomb(".E.D...."));
        assert!(may_bomb(".E.....D"));
    }
}
