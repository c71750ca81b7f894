//! Bombs that go off at once, because they are put into fire.

use super::heat::Fear;
use super::position::Position;
use super::terrain::radius;
use crate::rules::{CellEntity, Unit, UnitAction, UnitIndex};

impl Position<'_> {
    /// Whether a bomb of the unit goes off at once, as bombs do that are put into fire, and hurts the
    /// other side only. The unit itself has been hurt by the fire and cannot be hurt again so soon;
    /// afterwards it gets out past the enemies, or the ring of fire would have had it anyway.
    pub(super) fn burst_pays(&self, index: UnitIndex, unit: &Unit) -> bool {
        let next = self.state.tick + 1;
        let whole = |unit: &Unit| unit.invulnerable >= next;
        let burns = |cell| self.burns_after(cell, next);
        if !burns(unit.cell) || !whole(unit) || !self.has_bomb(unit) {
            return false;
        }
        let (mut gain, mut loss) = (false, false);
        self.terrain.blast(&self.state, unit.cell, radius(unit.diameter), |cell| {
            loss |= self.bombs().iter().any(|bomb| bomb.cell == cell);
            for hit in self.state.units().iter().filter(|hit| hit.cell == cell && hit.alive()) {
                // What burns then is the fire of this side, also where a mate burned before.
                loss |= hit.agent == unit.agent && hit.cell != unit.cell;
                gain |= hit.agent != unit.agent && !whole(hit) && !burns(cell);
            }
        });
        if !gain || loss {
            return false;
        }
        let ring = self.state.entity(unit.cell).is_some_and(CellEntity::permanent);
        let gets_out = || {
            let after = self.after(index, Some(UnitAction::Bomb));
            after.leaves(index, unit.cell, Fear::Certain, u32::MAX)
        };
        ring && self.doomed(index, unit) || gets_out()
    }

    /// Whether a unit of the other side can step into fire beside it in the next tick and put a bomb
    /// there in the one after, which goes off at once and reaches the unit.
    pub(super) fn burst_near(&self, unit: &Unit) -> bool {
        let later = self.state.tick.saturating_add(2);
        let mut rivals = self.living(unit.agent != self.us).filter(|(_, rival)| {
            rival.invulnerable >= later && self.ready(rival) <= 1 && self.has_bomb(rival)
        });
        rivals.any(|(_, rival)| {
            let mut near =
                self.terrain.near(rival.cell).filter(|(_, cell)| self.burns_after(*cell, later));
            near.any(|(_, cell)| {
                let mut hit = false;
                let reach = radius(rival.diameter);
                self.terrain.blast(&self.state, cell, reach, |cell| hit |= cell == unit.cell);
                hit
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{EntityKind, GameParams};
    use crate::search::drawn::{self, NOW, map};

    /// The fire of an enemy's blast.
    fn fire() -> CellEntity {
        CellEntity {
            expires: Some(NOW + 4),
            agent: Some(1),
            ..CellEntity::new(EntityKind::Fire, NOW - 1)
        }
    }

    #[test]
    fn a_bomb_that_an_enemy_puts_into_the_fire_it_is_in_sets_this_one_off_at_once() {
        let may_bomb = |burns: bool| {
            let (board, mut state) = map(&["....CD...", "........."], GameParams::default());
            if burns {
                state.put(14, fire());
            }
            drawn::may_bomb(&board, &state)
        };
        assert!(!may_bomb(true));
        assert!(may_bomb(false));
    }

    #[test]
    fn an_enemy_can_step_into_fire_and_put_a_bomb_that_goes_off_at_once() {
        let may_bomb = |invulnerable: i32| {
            let (board, mut state) = map(&["....C.......", ".....D......"], GameParams::default());
            state.put(4, fire());
            state.unit_mut(1).unwrap().invulnerable = invulnerable;
            drawn::may_bomb(&board, &state)
        };
        assert_eq!([NOW + 1, NOW + 2].map(may_bomb), [true, false]);
    }
}
