//! How soon a side can be in each cell, and which of its units is there first.

use super::position::Position;
use crate::rules::{CellIndex, UnitIndex};

/// Steps of the units of a side to all cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    steps: Vec<u16>,
    first: Vec<UnitIndex>,
    queue: Vec<CellIndex>,
    starts: Vec<UnitIndex>,
}

impl Reach {
    /// Counts the steps of the living units of a side. A frozen unit is not a start: others are
    /// there first.
    pub(super) fn read(&mut self, position: &Position<'_>, ours: bool) {
        self.read_without(position, ours, None);
    }

    /// The same without one of the units.
    pub(super) fn read_without(
        &mut self,
        position: &Position<'_>,
        ours: bool,
        without: Option<UnitIndex>,
    ) {
        let cells = position.terrain.cells();
        let Self { steps, first, queue, starts } = self;
        queue.clear();
        starts.clear();
        steps.clear();
        steps.resize(cells, u16::MAX);
        first.clear();
        first.resize(cells, UnitIndex::MAX);
        let units = position.living(ours).filter(|(index, _)| Some(*index) != without);
        for (index, unit) in units.filter(|(_, unit)| position.ready(unit) <= 3) {
            let at = usize::from(unit.cell);
            if let (Some(slot), Some(owner)) = (steps.get_mut(at), first.get_mut(at)) {
                (*slot, *owner) = (0, index);
                queue.push(unit.cell);
                starts.push(index);
            }
        }
        let mut head = 0;
        while let Some(&cell) = queue.get(head) {
            head += 1;
            let from = usize::from(cell);
            let (Some(&far), Some(&unit)) = (steps.get(from), first.get(from)) else { continue };
            for (_, to) in position.terrain.near(cell) {
                let at = usize::from(to);
                let (Some(slot), Some(owner)) = (steps.get_mut(at), first.get_mut(at)) else {
                    continue;
                };
                if *slot == u16::MAX && !position.barred(to) {
                    (*slot, *owner) = (far.saturating_add(1), unit);
                    queue.push(to);
                }
            }
        }
    }

    /// Steps to a cell, `u16::MAX` where no way leads.
    pub(super) fn steps(&self, cell: CellIndex) -> u16 {
        self.steps.get(usize::from(cell)).copied().unwrap_or(u16::MAX)
    }

    /// Steps to all cells.
    pub(super) fn all(&self) -> &[u16] {
        &self.steps
    }

    /// The unit that is in a cell first.
    pub(super) fn first(&self, cell: CellIndex) -> Option<UnitIndex> {
        self.first.get(usize::from(cell)).copied().filter(|unit| *unit != UnitIndex::MAX)
    }

    /// The units that can walk.
    pub(super) fn units(&self) -> impl Iterator<Item = UnitIndex> + '_ {
        self.starts.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::GameParams;
    use crate::search::drawn::map;
    use crate::search::policy::pull;
    use crate::search::terrain::Terrain;

    #[test]
    fn the_body_of_a_unit_is_in_the_way_to_the_end() {
        let beyond = |lives: i32| {
            let (board, mut state) = map(&["#######", "C..D..."], GameParams::default());
            state.unit_mut(1).unwrap().hp = lives;
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            let mut reach = Reach::default();
            reach.read(&position, true);
            let pulled = pull(&position, &[(6, 1.0)], 0.9, Some(7))[0] > 0.0;
            (reach.steps(6), pulled, position.last_cells().any(|cell| cell == 3))
        };
        assert_eq!(beyond(1), (6, true, true));
        assert_eq!(beyond(0), (u16::MAX, false, false));
    }
}
