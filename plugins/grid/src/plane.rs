//! A growing rectangle of cells that wraps where the torus' size is known.
#![allow(clippy::indexing_slicing, reason = "indices come from Region::index, which bounds them")]

use crate::{Cell, Extent};

/// Longest side of a region; a frame that drifts further than this stops growing.
const SIDE_MAX: i32 = 1024;

/// A rectangle of cells. On an axis with known size it covers the whole torus and wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    min: Cell,
    width: i32,
    height: i32,
    extent: Extent,
}

impl Region {
    /// The least region that covers `min..=max` on unknown axes and the torus on known ones.
    #[must_use]
    pub fn new(min: Cell, max: Cell, extent: Extent) -> Self {
        let axis = |low: i32, high: i32, size: Option<i32>| match size {
            Some(size) => (0, size.clamp(1, SIDE_MAX)),
            None => (low, high.saturating_sub(low).saturating_add(1).clamp(1, SIDE_MAX)),
        };
        let (x, width) = axis(min.x, max.x, extent.width);
        let (y, height) = axis(min.y, max.y, extent.height);
        Self { min: Cell::new(x, y), width, height, extent }
    }

    /// The torus that this region wraps on.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// How many cells it has.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.width * self.height).unwrap_or(0)
    }

    /// Whether it has no cell; never true.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of a cell in a list of all cells; `None` outside.
    #[inline]
    #[must_use]
    pub fn index(&self, cell: Cell) -> Option<usize> {
        let axis = |value: i32, min: i32, side: i32, size: Option<i32>| match size {
            // Nearly all cells lie within one lap: avoid the division.
            Some(size) if value < 0 || value >= size => value.rem_euclid(size),
            Some(_) => value,
            None => value.wrapping_sub(min).min(side),
        };
        let x = axis(cell.x, self.min.x, self.width, self.extent.width);
        let y = axis(cell.y, self.min.y, self.height, self.extent.height);
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        if inside { usize::try_from(y * self.width + x).ok() } else { None }
    }

    /// The cell at a place of the list.
    #[inline]
    #[must_use]
    pub fn cell(&self, index: usize) -> Cell {
        let index = i32::try_from(index).unwrap_or(0);
        self.min + Cell::new(index % self.width, index / self.width)
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (min, max) = self.corners();
        (min.y..=max.y).flat_map(move |y| (min.x..=max.x).map(move |x| Cell::new(x, y)))
    }

    /// A cell's place and how far east it is in its row, for [`Self::around`].
    #[inline]
    pub(crate) fn place(&self, cell: Cell) -> Option<Place> {
        self.index(cell).map(|index| self.place_at(index))
    }

    /// The same by the place of the cell in the list of all cells.
    #[inline]
    pub(crate) fn place_at(&self, index: usize) -> Place {
        let width = usize::try_from(self.width).unwrap_or(1);
        Place { index, column: index % width }
    }

    /// The neighbours of a place inside the region, in the order of
    /// [`Direction::ALL`](crate::Direction::ALL). The same as [`Self::index`] of the neighbouring
    /// cells, without divisions.
    #[inline]
    pub(crate) fn around(&self, Place { index, column }: Place) -> [Option<Place>; 4] {
        let width = usize::try_from(self.width).unwrap_or(1);
        let len = self.len();
        let (wraps_x, wraps_y) =
            (self.extent.width == Some(self.width), self.extent.height == Some(self.height));
        let row = |index| Some(Place { index, column });
        let north = if index >= width {
            row(index - width)
        } else if wraps_y {
            row(index + len - width)
        } else {
            None
        };
        let south = if index + width < len {
            row(index + width)
        } else if wraps_y {
            row(index + width - len)
        } else {
            None
        };
        let east = if column + 1 < width {
            Some(Place { index: index + 1, column: column + 1 })
        } else if wraps_x {
            Some(Place { index: index + 1 - width, column: 0 })
        } else {
            None
        };
        let west = if column > 0 {
            Some(Place { index: index - 1, column: column - 1 })
        } else if wraps_x {
            Some(Place { index: index + width - 1, column: width - 1 })
        } else {
            None
        };
        [north, south, east, west]
    }

    /// The least and the greatest cell.
    #[must_use]
    pub fn corners(&self) -> (Cell, Cell) {
        (self.min, self.min + Cell::new(self.width - 1, self.height - 1))
    }

    /// This region widened by `margin` cells on every side of unknown size.
    #[must_use]
    pub fn widened(&self, margin: i32) -> Self {
        let (min, max) = self.corners();
        Self::new(min - Cell::new(margin, margin), max + Cell::new(margin, margin), self.extent)
    }
}

/// Where a cell is in a list of all cells of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) index: usize,
    /// Cells between the western edge and this one.
    pub(crate) column: usize,
}

/// A value for every cell of a region; cells outside have the default.
#[derive(Clone, Debug)]
pub struct Plane<T> {
    region: Region,
    values: Vec<T>,
}

/// Growth happens in blocks of this many cells, so that it is rare.
const GROWTH: i32 = 16;

impl<T: Clone + Default> Plane<T> {
    /// A plane around a cell.
    #[must_use]
    pub fn new(around: Cell, extent: Extent) -> Self {
        let region = Region::new(around, around, extent).widened(GROWTH);
        Self { region, values: vec![T::default(); region.len()] }
    }

    /// A plane of a region and the values of all its cells, row by row; `None` when there are more
    /// or fewer.
    #[must_use]
    pub fn of(region: Region, values: Vec<T>) -> Option<Self> {
        (values.len() == region.len()).then_some(Self { region, values })
    }

    /// The values of all cells, row by row: what [`of`](Self::of) takes.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// What the plane covers.
    #[must_use]
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The value of a cell, when the plane covers it.
    #[must_use]
    pub fn get(&self, cell: Cell) -> Option<&T> {
        self.region.index(cell).map(|index| &self.values[index])
    }

    /// The value of a cell, to change it; the plane grows to cover it. `None` when it would become
    /// larger than 1024 cells on a side.
    pub fn get_mut(&mut self, cell: Cell) -> Option<&mut T> {
        if self.region.index(cell).is_none() {
            self.grow(cell);
        }
        self.region.index(cell).map(|index| &mut self.values[index])
    }

    /// All cells with their values, row by row.
    pub fn iter(&self) -> impl Iterator<Item = (Cell, &T)> {
        self.region.cells().zip(&self.values)
    }

    /// The same values on a torus whose size is known better now, or shifted by `offset`; values
    /// that fall on one cell are combined by `join(kept, other)`.
    #[must_use]
    pub fn redrawn(&self, extent: Extent, offset: Cell, mut join: impl FnMut(&mut T, &T)) -> Self {
        let (min, max) = self.region.corners();
        let region = Region::new(min + offset, max + offset, extent);
        let mut plane = Self { region, values: vec![T::default(); region.len()] };
        for (cell, value) in self.iter() {
            if let Some(index) = region.index(cell + offset) {
                join(&mut plane.values[index], value);
            }
        }
        plane
    }

    fn grow(&mut self, cell: Cell) {
        let (min, max) = self.region.corners();
        let axis = |low: i32, high: i32, value: i32| {
            let low = if value < low { value.saturating_sub(GROWTH) } else { low };
            let high = if value > high { value.saturating_add(GROWTH) } else { high };
            (low, high)
        };
        let (low_x, high_x) = axis(min.x, max.x, cell.x);
        let (low_y, high_y) = axis(min.y, max.y, cell.y);
        let too_large = |low: i32, high: i32| high.saturating_sub(low) >= SIDE_MAX;
        if too_large(low_x, high_x) || too_large(low_y, high_y) {
            return;
        }
        let region =
            Region::new(Cell::new(low_x, low_y), Cell::new(high_x, high_y), self.region.extent());
        let mut values = vec![T::default(); region.len()];
        for (index, value) in self.values.iter().enumerate() {
            if let Some(new) = region.index(self.region.cell(index)) {
                values[new].clone_from(value);
            }
        }
        *self = Self { region, values };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plane_grows_in_every_direction_and_keeps_its_values() {
        let mut plane: Plane<i32> = Plane::new(Cell::ZERO, Extent::default());
        let cells = [(0, 0), (100, 3), (-90, -40), (5, 200)].map(|(x, y)| Cell::new(x, y));
        for (number, cell) in (1..).zip(cells) {
            *plane.get_mut(cell).unwrap() = number;
        }
        for (number, cell) in (1..).zip(cells) {
            assert_eq!(plane.get(cell), Some(&number));
        }
        assert_eq!(plane.get(Cell::new(9999, 0)), None);
    }

    #[test]
    fn a_plane_never_grows_beyond_its_limit() {
        let mut plane: Plane<u8> = Plane::new(Cell::ZERO, Extent::default());
        assert!(plane.get_mut(Cell::new(5000, 0)).is_none());
        assert!(plane.get_mut(Cell::new(i32::MAX, i32::MIN)).is_none());
        assert!(plane.get_mut(Cell::new(500, 0)).is_some());
    }

    #[test]
    fn a_plane_is_its_region_and_its_values() {
        let mut plane: Plane<i32> = Plane::new(Cell::ZERO, Extent::default());
        *plane.get_mut(Cell::new(40, -7)).unwrap() = 4;
        let again = Plane::of(*plane.region(), plane.values().to_vec()).unwrap();
        assert_eq!(again.get(Cell::new(40, -7)), Some(&4));
        assert!(Plane::of(*plane.region(), plane.values()[1..].to_vec()).is_none());
    }

    #[test]
    fn knowing_the_width_folds_the_plane() {
        let mut plane: Plane<i32> = Plane::new(Cell::ZERO, Extent::default());
        *plane.get_mut(Cell::new(-1, 0)).unwrap() = 4;
        let torus = Extent { width: Some(70), height: None };
        let folded = plane.redrawn(torus, Cell::ZERO, |kept, other| *kept += other);
        assert_eq!(folded.get(Cell::new(69, 0)), Some(&4));
        assert_eq!(folded.get(Cell::new(139, 0)), Some(&4));
    }

    proptest! {
        #[test]
        fn index_and_cell_are_inverse(x in -60..60_i32, y in -60..60_i32, wrap in any::<bool>()) {
            let extent = if wrap { Extent::new(40, 30) } else { Extent::default() };
            let region = Region::new(Cell::new(-20, -10), Cell::new(19, 19), extent);
            let cell = Cell::new(x, y);
            if let Some(index) = region.index(cell) {
                prop_assert!(index < region.len());
                prop_assert!(extent.same(region.cell(index), cell));
            } else {
                prop_assert!(!wrap);
            }
        }

        #[test]
        fn the_places_around_a_place_are_those_of_the_neighbours(
            place in 0..30 * 20_usize, wide in prop::option::of(30..40_i32), high in prop::option::of(20..30_i32),
        ) {
            let extent = Extent { width: wide.filter(|wide| *wide < 32), height: high };
            let region = Region::new(Cell::new(-20, -10), Cell::new(9, 9), extent);
            let cell = region.cell(place);
            let around = region.around(region.place(cell).unwrap());
            let neighbours = cell.neighbours().map(|next| region.place(next));
            prop_assert_eq!(around, neighbours);
        }

        #[test]
        fn the_cells_of_a_region_are_in_the_order_of_their_places(
            x in -20..0_i32, y in -20..0_i32, wide in prop::option::of(3..9_i32),
        ) {
            let extent = Extent { width: wide, height: None };
            let region = Region::new(Cell::new(x, y), Cell::new(5, 3), extent);
            let by_place = (0..region.len()).map(|place| region.cell(place));
            prop_assert!(region.cells().eq(by_place));
        }
    }
}
