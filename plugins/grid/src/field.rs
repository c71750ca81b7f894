//! What standing on cells costs, and distances from many sources at once.
#![allow(clippy::indexing_slicing, reason = "indices come from Region::index, which bounds them")]

use crate::plane::Place;
use crate::{Cell, Direction, Region};

/// Dearest step that a price can be; greater ones count as this.
const STEP_COST_MAX: u8 = 63;

/// Buckets of the queue: costs differ by at most `STEP_COST_MAX` at any time.
const BUCKETS: usize = 64;

/// What a step onto each cell of a region costs. A search looks at the same cells again and again,
/// so they are priced once.
#[derive(Clone, Debug)]
pub struct PriceGrid {
    region: Region,
    /// By place in the region; 0: the cell cannot be entered.
    prices: Vec<u8>,
}

impl PriceGrid {
    /// All cells of a region for one price, from 1; `None`: they cannot be entered.
    #[must_use]
    pub fn new(region: Region, price: Option<u32>) -> Self {
        Self { region, prices: vec![stored(price); region.len()] }
    }

    /// What is priced.
    #[must_use]
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Changes the price of a cell; does nothing outside.
    pub fn set(&mut self, cell: Cell, price: Option<u32>) {
        if let Some(index) = self.region.index(cell) {
            self.prices[index] = stored(price);
        }
    }

    /// The price of a cell, `None` where it cannot be entered; `outside` where it is not priced.
    #[inline]
    #[must_use]
    pub fn price(&self, cell: Cell, outside: impl FnOnce() -> Option<u32>) -> Option<u32> {
        let Some(index) = self.region.index(cell) else { return outside() };
        let price = self.prices[index];
        (price > 0).then_some(price.into())
    }

    /// The same cells, each that can be entered for 1.
    #[must_use]
    pub fn flat(&self) -> Self {
        let prices = self.prices.iter().map(|price| (*price).min(1)).collect();
        Self { region: self.region, prices }
    }
}

/// Zero is the mark of a cell that cannot be entered.
fn stored(price: Option<u32>) -> u8 {
    price.map_or(0, |price| u8::try_from(price).unwrap_or(STEP_COST_MAX).clamp(1, STEP_COST_MAX))
}

/// For each cell of a region the cost of the cheapest way from the nearest source.
#[derive(Clone, Debug)]
pub struct CostField {
    region: Region,
    costs: Vec<u32>,
}

impl CostField {
    /// Spreads from `sources` (cost 0, whatever they stand on); a step costs the price of the cell
    /// that it leads onto. Cells dearer than `limit` stay unreached.
    #[must_use]
    pub fn spread(grid: &PriceGrid, sources: impl IntoIterator<Item = Cell>, limit: u32) -> Self {
        Self::spread_over(grid.region, sources, limit, |index| grid.prices[index])
    }

    /// The same with prices that are expensive to know: `price` is asked once for each cell that
    /// the search comes to, `None` where it cannot be entered.
    #[must_use]
    pub fn spread_by(
        region: Region,
        sources: impl IntoIterator<Item = Cell>,
        limit: u32,
        mut price: impl FnMut(Cell) -> Option<u32>,
    ) -> Self {
        let mut known = vec![None; region.len()];
        Self::spread_over(region, sources, limit, |index| {
            *known[index].get_or_insert_with(|| stored(price(region.cell(index))))
        })
    }

    /// `price` of a place in the region; 0: the cell cannot be entered.
    fn spread_over(
        region: Region,
        sources: impl IntoIterator<Item = Cell>,
        limit: u32,
        mut price: impl FnMut(usize) -> u8,
    ) -> Self {
        let mut costs = vec![u32::MAX; region.len()];
        // A ring of buckets (Dial): exact for small whole costs and faster than a heap.
        let mut ring: Vec<Vec<Place>> = vec![Vec::new(); BUCKETS];
        let mut waiting = 0_usize;
        for source in sources {
            let Some(place) = region.place(source) else { continue };
            if costs[place.index] != 0 {
                costs[place.index] = 0;
                ring[0].push(place);
                waiting += 1;
            }
        }
        let mut level = 0_u32;
        while waiting > 0 && level <= limit {
            let slot = level as usize % BUCKETS;
            while let Some(place) = ring[slot].pop() {
                waiting -= 1;
                if costs[place.index] != level {
                    continue;
                }
                for next in region.around(place).into_iter().flatten() {
                    let price = price(next.index);
                    let cost = level + u32::from(price);
                    if price > 0 && cost < costs[next.index] && cost <= limit {
                        costs[next.index] = cost;
                        ring[cost as usize % BUCKETS].push(next);
                        waiting += 1;
                    }
                }
            }
            level += 1;
        }
        Self { region, costs }
    }

    /// The cost of the cheapest way between the cell and its nearest source; `None` when unreached.
    #[inline]
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

    fn spread(from: Cell, limit: u32, enter: impl Fn(Cell) -> Option<u32>) -> CostField {
        let mut grid = PriceGrid::new(torus(), None);
        torus().cells().for_each(|cell| grid.set(cell, enter(cell)));
        CostField::spread(&grid, [from], limit)
    }

    #[test]
    fn on_an_open_torus_the_cost_is_the_distance() {
        let field = spread(Cell::new(1, 1), 1000, |_| Some(1));
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
        let enter = |cell: Cell| match (cell.x, cell.y) {
            (3, 0) => Some(10),
            (5, _) | (0, _) => None,
            (_, _) => Some(1),
        };
        let field = spread(Cell::new(2, 0), 1000, enter);
        assert_eq!(field.cost(Cell::new(4, 0)), Some(4), "round the dear cell");
        assert_eq!(field.cost(Cell::new(3, 0)), Some(10));
        assert_eq!(field.cost(Cell::new(8, 0)), None, "between two walls");
    }

    #[test]
    fn a_price_is_asked_once_for_each_cell_that_the_search_comes_to() {
        let mut asked = Vec::new();
        let field = CostField::spread_by(torus(), [Cell::new(5, 5)], 2, |cell| {
            asked.push(cell);
            (cell.y >= 5).then_some(1)
        });
        assert_eq!(field.cost(Cell::new(5, 7)), Some(2));
        assert_eq!(field.cost(Cell::new(5, 4)), None, "barred");
        let near: Vec<_> = Cell::new(5, 5).diamond(3).collect();
        assert!(asked.iter().all(|cell| near.contains(cell)), "{asked:?}");
        asked.sort_unstable();
        let all = asked.len();
        asked.dedup();
        assert_eq!(asked.len(), all, "once");
    }

    #[test]
    fn nothing_is_reached_beyond_the_limit() {
        let field = spread(Cell::ZERO, 3, |_| Some(1));
        assert_eq!(field.cost(Cell::new(3, 0)), Some(3));
        assert_eq!(field.cost(Cell::new(4, 0)), None);
    }
}
