//! Whether mates find an exit for each of them: one cell is no exit for two.

use super::heat::Fear;
use super::position::Position;
use super::terrain::closed;
use crate::rules::{CellIndex, Unit, UnitIndex};

/// Most units whose exits are looked at together.
const TOGETHER: usize = 3;

impl Position<'_> {
    /// Whether the ring of fire burns.
    pub(super) fn in_ring(&self) -> bool {
        self.state.tick >= self.board.params.game_duration
    }

    /// What ways out of a new bomb may fear. Inside of the ring of fire no cell stays without danger for
    /// long, so bombs of the own side are enough there.
    pub(super) fn exit_fears(&self) -> &'static [Fear] {
        if self.in_ring() { &[Fear::Loose, Fear::Own] } else { &[Fear::Loose] }
    }

    /// Whether the units of a side that are in the reach of its bombs can all leave it, each for a
    /// cell of its own; they let each other pass.
    pub(super) fn all_leave(&self, ours: bool) -> bool {
        self.exit_fears().iter().any(|fear| self.all_leave_by(ours, *fear))
    }

    /// The living units of a side that are in the reach of its bombs.
    pub(super) fn caught(&self, ours: bool) -> impl Iterator<Item = (UnitIndex, Unit)> + '_ {
        self.living(ours).filter(|(_, it)| self.heat(it.agent).of(it.cell, Fear::Own) != 0)
    }

    fn all_leave_by(&self, ours: bool, fear: Fear) -> bool {
        let caught = self.caught(ours).map(|(index, _)| index);
        let caught: Vec<UnitIndex> = caught.take(TOGETHER).collect();
        let ends = caught.iter().map(|index| self.ends(*index, fear, &caught));
        caught.len() < 2 || each_has_one(&ends.collect::<Vec<_>>(), &mut Vec::new())
    }

    /// The nearest cells in which a unit is out of danger; it walks through the cells of mates, too.
    fn ends(&self, index: UnitIndex, fear: Fear, mates: &[UnitIndex]) -> Vec<CellIndex> {
        let mut ends = Vec::new();
        let passes = |cell: CellIndex| {
            let mut there = self.state.units_at(cell);
            !closed(&self.state, cell) && there.all(|unit| mates.contains(&unit))
        };
        self.spread(
            index,
            fear,
            |cell, _| passes(cell),
            |cell, _| {
                if !ends.contains(&cell) {
                    ends.push(cell);
                }
                ends.len() >= mates.len()
            },
        );
        ends
    }
}

/// Whether each unit can have one of its cells that no other one takes.
fn each_has_one(cells: &[Vec<CellIndex>], taken: &mut Vec<CellIndex>) -> bool {
    let Some((first, rest)) = cells.split_first() else { return true };
    first.iter().any(|cell| {
        if taken.contains(cell) {
            return false;
        }
        taken.push(*cell);
        let all = each_has_one(rest, taken);
        taken.pop();
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, GameParams};
    use crate::search::drawn::{self, NOW, armed, map};
    use crate::search::terrain::Terrain;

    /// Whether our unit may put a bomb on a map.
    fn may_bomb(rows: &[&str]) -> bool {
        let (board, state) = map(rows, GameParams::default());
        drawn::may_bomb(&board, &state)
    }

    #[test]
    fn a_bomb_that_leaves_two_units_the_same_exit_is_not_harmless() {
        assert!(!may_bomb(&[".C#......", ".E#.....D"]));
        assert!(may_bomb(&[".C#......", ".E#......", "..#.....D"]));
    }

    #[test]
    fn a_mate_that_is_out_already_keeps_its_cell() {
        assert!(!may_bomb(&[".C#......", "E.#.....D"]));
    }

    #[test]
    fn mates_let_each_other_pass() {
        let leave = |row: &str| {
            let (board, mut state) = map(&[row, "#####...D"], GameParams::default());
            state.put(13, CellEntity { created: NOW, ..armed(0, 0, 5) });
            let terrain = Terrain::new(&board);
            Position::new(&board, &terrain, 0, &state).all_leave_by(true, Fear::Own)
        };
        assert!(leave("..EC....."));
        assert!(!leave("#.EC#...."));
    }
}
