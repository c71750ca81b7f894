//! Whether a unit gets out of danger though one of the other side wants to be in its way.

use super::heat::Fear;
use super::position::Position;
use super::reach::Reach;
use super::terrain::closed;
use crate::rules::{CellIndex, Unit};
use std::collections::BTreeMap;

/// A unit that wants out of danger, and one of the other side that wants to be in its way and knows
/// each of its steps. The other rivals take each cell that they can be in as early.
pub(super) struct Chase<'a, 'b> {
    position: &'b Position<'a>,
    unit: &'b Unit,
    fear: Fear,
    most: u32,
    /// Steps of the rivals that do not chase.
    others: Reach,
    /// Whether the unit gets out, by its cell, the rival's, and the ticks gone.
    known: BTreeMap<(CellIndex, CellIndex, u32), bool>,
}

impl<'a, 'b> Chase<'a, 'b> {
    pub(super) fn new(position: &'b Position<'a>, unit: &'b Unit, fear: Fear, most: u32) -> Self {
        Self { position, unit, fear, most, others: Reach::default(), known: BTreeMap::new() }
    }

    /// Whether no rival can keep the unit in danger. Where a rival can be first in the unit's cell,
    /// the unit is still in the one that it came `from`.
    pub(super) fn lost(&mut self, from: CellIndex) -> bool {
        let (position, most) = (self.position, self.most);
        let theirs = self.unit.agent != position.us;
        let rivals = position.living(theirs);
        let rivals = rivals.filter(|(_, rival)| position.ready(rival) <= most);
        rivals.map(|(index, rival)| (index, rival.cell)).all(|(index, rival)| {
            self.others.read_without(position, theirs, Some(index));
            self.known.clear();
            let near: Vec<CellIndex> = position.terrain.near(rival).map(|(_, to)| to).collect();
            let beaten = from != self.unit.cell && near.contains(&self.unit.cell);
            let steps = near.into_iter().filter(|to| position.open(*to)).chain([rival]);
            let mut steps = steps.collect::<Vec<_>>().into_iter();
            steps.all(|to| self.out(self.unit.cell, to, 0))
                && (!beaten || self.out(from, self.unit.cell, 0))
        })
    }

    fn out(&mut self, cell: CellIndex, rival: CellIndex, gone: u32) -> bool {
        if self.position.calm(self.unit.agent, cell, gone + 1, self.fear) {
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
        let heat = self.position.heat(self.unit.agent);
        let burns =
            self.position.state.tick.saturating_add_unsigned(gone + 2) > self.unit.invulnerable;
        let hot = |at: CellIndex| {
            burns && heat.of(at, self.fear.on_the_way()) & (2_u64 << (gone + 1)) != 0
        };
        // They have walked a tick already.
        let taken = |at: CellIndex| at != cell && u32::from(self.others.steps(at)) <= gone + 2;
        let free = |to: &CellIndex| !hot(*to) && !taken(*to);
        let steps: Vec<CellIndex> = steps.into_iter().filter(free).collect();
        let found = steps.into_iter().any(|to| {
            replies.iter().all(|reply| {
                // Of two steps into the same cell none comes about.
                let (next, other) = if *reply == to { (cell, rival) } else { (to, *reply) };
                self.out(next, other, gone + 1)
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
    use crate::rules::GameParams;
    use crate::search::drawn::{armed, map};
    use crate::search::terrain::Terrain;

    #[test]
    fn an_enemy_beside_both_exits_keeps_a_unit_in_for_it_wants_each_cell_that_the_unit_wants() {
        let leaves = |row: &str| {
            let (board, mut state) = map(&[row, "...C..."], GameParams::default());
            state.put(4, armed(0, 0, 3));
            let terrain = Terrain::new(&board);
            Position::new(&board, &terrain, 0, &state).leaves(0, 3, Fear::Own, u32::MAX)
        };
        assert!(leaves("D......"));
        assert!(!leaves("..D...."));
    }
}
