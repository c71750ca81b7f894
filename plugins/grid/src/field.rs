//! Distances from many sources at once.
#![allow(clippy::indexing_slicing, reason = "indices come from Region::index, which bounds them")]

use crate::{Cell, Direction, Region};

/// Dearest step that a cost closure may name; greater ones count as this.
const STEP_COST_MAX: u32 = 63;

/// Buckets of the queue: costs differ by at most `STEP_COST_MAX` at any time.
const BUCKETS: usize = 64;

/// For each cell of a region the cost of the cheapest way from the nearest source.
#[derive(Clone, Debug)]
pub struct CostField {
    region: Region,
    costs: Vec<u32>,
}

impl CostField {
    /// Spreads from `sources` (cost 0, whatever they stand on). `enter(cell)` is the cost of a step
    /// onto a cell, from 1; `None` where it cannot be entered (the cell may be named beyond the
    /// torus' edge). Cells dearer than `limit` stay unreached.
    #[must_use]
    pub fn spread(
        region: Region,
        sources: impl IntoIterator<Item = Cell>,
        limit: u32,
        mut enter: impl FnMut(Cell) -> Option<u32>,
    ) -> Self {
        let mut costs = vec![u32::MAX; region.len()];
        // A ring of buckets (Dial): exact for small whole costs and faster than a heap.
        let mut ring: Vec<Vec<usize>> = vec![Vec::new(); BUCKETS];
        let mut waiting = 0_usize;
        for index in sources.into_iter().filter_map(|source| region.index(source)) {
            if costs[index] != 0 {
                costs[index] = 0;
                ring[0].push(index);
                waiting += 1;
            }
        }
        let mut level = 0_u32;
        while waiting > 0 && level <= limit {
            let slot = level as usize % BUCKETS;
            while let Some(index) = ring[slot].pop() {
                waiting -= 1;
                if costs[index] != level {
                    continue;
                }
                let cell = region.cell(index);
                for dir in Direction::ALL {
                    let next = cell + dir.vector();
                    let Some(place) = region.index(next) else { continue };
                    if costs[place] <= level {
                        continue;
                    }
                    let Some(step) = enter(next) else { continue };
                    let cost = level + step.clamp(1, STEP_COST_MAX);
                    if cost < costs[place] && cost <= limit {
                        costs[place] = cost;
                        ring[cost as usize % BUCKETS].push(place);
                        waiting += 1;
                    }
                }
            }
            level += 1;
        }
        Self { region, costs }
    }

    /// The cost of the cheapest way between the cell and its nearest source; `None` when unreached.
    #[must_use]
    pub fn cost(&self, cell: Cell) -> Option<u32> {
        let cost = self.costs[self.region.index(cell)?];
        (cost != u32::MAX).then_some(cost)
    }

    /// The first step of a cheapest way from the cell down to its nearest source.
    #[must_use]
    pub fn downhill(&self, cell: Cell) -> Option<Direction> {
        let here = self.cost(cell)?;
        let next = |dir: &Direction| self.cost(cell + dir.vector()).filter(|cost| *cost < here);
        let ways = Direction::ALL.into_iter().filter(|dir| next(dir).is_some());
        ways.min_by_key(|dir| next(dir))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extent;

    fn torus() -> Region {
        Region::new(Cell::ZERO, Cell::ZERO, Extent::new(20, 20))
    }

    #[test]
    fn on_an_open_torus_the_cost_is_the_distance() {
        let field = CostField::spread(torus(), [Cell::new(1, 1)], 1000, |_| Some(1));
        for x in 0..20 {
            for y in 0..20 {
                let far = Extent::new(20, 20).distance(Cell::new(1, 1), Cell::new(x, y));
                assert_eq!(field.cost(Cell::new(x, y)), u32::try_from(far).ok());
            }
        }
        assert_eq!(field.downhill(Cell::new(19, 1)), Some(Direction::East));
    }

    #[test]
    fn dear_cells_are_gone_round_and_walls_stop() {
        let enter = |cell: Cell| match (cell.x.rem_euclid(20), cell.y.rem_euclid(20)) {
            (3, 0) => Some(10),
            (5, _) | (0, _) => None,
            (_, _) => Some(1),
        };
        let field = CostField::spread(torus(), [Cell::new(2, 0)], 1000, enter);
        assert_eq!(field.cost(Cell::new(4, 0)), Some(4), "round the dear cell");
        assert_eq!(field.cost(Cell::new(3, 0)), Some(10));
        assert_eq!(field.cost(Cell::new(8, 0)), None, "between two walls");
    }

    #[test]
    fn nothing_is_reached_beyond_the_limit() {
        let field = CostField::spread(torus(), [Cell::ZERO], 3, |_| Some(1));
        assert_eq!(field.cost(Cell::new(3, 0)), Some(3));
        assert_eq!(field.cost(Cell::new(4, 0)), None);
    }
}
