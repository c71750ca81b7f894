//! What standing on cells costs, and distances from many sources at once.
#![allow(clippy::indexing_slicing, reason = "indices come from Region::index, which bounds them")]

use crate::plane::Place;
use crate::{Cell, Region};

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

    /// A field that spreads from `sources` as far as it is asked; see [`CostField::spread`].
    pub fn spread(
        &self,
        sources: impl IntoIterator<Item = Cell>,
        limit: u32,
    ) -> CostSpread<impl FnMut(usize) -> u8> {
        CostSpread::new(self.region, sources, limit, |index| self.prices[index])
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
        grid.spread(sources, limit).finish()
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
        let price =
            |index: usize| *known[index].get_or_insert_with(|| stored(price(region.cell(index))));
        CostSpread::new(region, sources, limit, price).finish()
    }

    /// The cost of the cheapest way between the cell and its nearest source; `None` when unreached.
    #[inline]
    #[must_use]
    pub fn cost(&self, cell: Cell) -> Option<u32> {
        let cost = self.costs[self.region.index(cell)?];
        (cost != u32::MAX).then_some(cost)
    }
}

/// A field that spreads only as far as it is asked. Yields the reached cells, by their places in the
/// region, with their costs, the cheapest first.
#[derive(Debug)]
pub struct CostSpread<P> {
    field: CostField,
    price: P,
    limit: u32,
    /// A ring of buckets (Dial): exact for small whole costs and faster than a heap.
    ring: Vec<Vec<Place>>,
    waiting: usize,
    /// The cost of the cells that are taken from the ring now.
    level: u32,
}

impl<P: FnMut(usize) -> u8> CostSpread<P> {
    /// `price` of a place in the region; 0: the cell cannot be entered.
    fn new(region: Region, sources: impl IntoIterator<Item = Cell>, limit: u32, price: P) -> Self {
        let mut costs = vec![u32::MAX; region.len()];
        let mut ring: Vec<Vec<Place>> = vec![Vec::new(); BUCKETS];
        let mut waiting = 0;
        for place in sources.into_iter().filter_map(|source| region.place(source)) {
            if costs[place.index] != 0 {
                costs[place.index] = 0;
                ring[0].push(place);
                waiting += 1;
            }
        }
        Self { field: CostField { region, costs }, price, limit, ring, waiting, level: 0 }
    }

    /// The cost of a cell, as [`CostField::cost`]. Spreads on until it is known; a cell that is never
    /// reached takes the whole region.
    pub fn cost(&mut self, cell: Cell) -> Option<u32> {
        let index = self.field.region.index(cell)?;
        // A step costs 1 at least, so what is known up to the next level stays.
        while self.field.costs[index] > self.level.saturating_add(1) && self.next().is_some() {}
        self.field.cost(cell)
    }

    /// The whole field.
    #[must_use]
    pub fn finish(mut self) -> CostField {
        self.by_ref().for_each(drop);
        self.field
    }

    fn spread_from(&mut self, place: Place) {
        let costs = &mut self.field.costs;
        for next in self.field.region.around(place).into_iter().flatten() {
            let price = (self.price)(next.index);
            let cost = self.level + u32::from(price);
            if price > 0 && cost < costs[next.index] && cost <= self.limit {
                costs[next.index] = cost;
                self.ring[cost as usize % BUCKETS].push(next);
                self.waiting += 1;
            }
        }
    }
}

impl<P: FnMut(usize) -> u8> Iterator for CostSpread<P> {
    type Item = (usize, u32);

    fn next(&mut self) -> Option<(usize, u32)> {
        while self.waiting > 0 && self.level <= self.limit {
            while let Some(place) = self.ring[self.level as usize % BUCKETS].pop() {
                self.waiting -= 1;
                if self.field.costs[place.index] == self.level {
                    self.spread_from(place);
                    return Some((place.index, self.level));
                }
            }
            self.level += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extent;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn what_a_spread_is_asked_is_what_the_whole_field_says(
            dear in proptest::collection::btree_map((0..20_i32, 0..20_i32), 0..9_u32, 0..200),
            sources in proptest::collection::vec((0..20_i32, 0..20_i32), 0..4),
            asked in proptest::collection::vec((-5..25_i32, -5..25_i32), 1..9),
            limit in 0..40_u32,
        ) {
            let mut grid = PriceGrid::new(torus(), Some(1));
            for ((x, y), price) in dear {
                grid.set(Cell::new(x, y), Some(price).filter(|price| *price > 0));
            }
            let sources = || sources.iter().map(|(x, y)| Cell::new(*x, *y));
            let (field, mut spread) =
                (CostField::spread(&grid, sources(), limit), grid.spread(sources(), limit));
            for (x, y) in asked {
                let cell = Cell::new(x, y);
                prop_assert_eq!(spread.cost(cell), field.cost(cell));
            }
            let reached: Vec<_> = grid.spread(sources(), limit).collect();
            prop_assert!(reached.is_sorted_by_key(|(_, cost)| *cost));
            let all = torus().cells().filter(|cell| field.cost(*cell).is_some()).count();
            prop_assert_eq!(reached.len(), all);
            for (place, cost) in reached {
                prop_assert_eq!(field.cost(torus().cell(place)), Some(cost));
            }
        }
    }

    #[test]
    fn nothing_is_reached_beyond_the_limit() {
        let field = spread(Cell::ZERO, 3, |_| Some(1));
        assert_eq!(field.cost(Cell::new(3, 0)), Some(3));
        assert_eq!(field.cost(Cell::new(4, 0)), None);
    }
}
