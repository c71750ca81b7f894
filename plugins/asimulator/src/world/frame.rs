//! A rectangle of tiles as a dense list, for the loops that must be fast.

use crate::rules::{Cell, Heading, Neighbourhood};

/// The rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChartFrame {
    low: Cell,
    width: i32,
    height: i32,
}

impl ChartFrame {
    /// The rectangle with these corners, both included.
    #[must_use]
    pub fn new(low: Cell, high: Cell) -> Self {
        Self { low, width: (high.x - low.x + 1).max(1), height: (high.y - low.y + 1).max(1) }
    }

    /// How many tiles it has.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.width * self.height).unwrap_or_default()
    }

    /// Whether it has none; only the default frame.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of a tile in the list; `None` outside.
    #[must_use]
    pub fn index(&self, at: Cell) -> Option<usize> {
        let from = at - self.low;
        let inside = (0..self.width).contains(&from.x) && (0..self.height).contains(&from.y);
        inside.then(|| usize::try_from(from.y * self.width + from.x).ok()).flatten()
    }

    /// The tile at a place of the list.
    #[must_use]
    pub fn cell(&self, index: usize) -> Cell {
        let index = i32::try_from(index).unwrap_or_default();
        let width = self.width.max(1);
        self.low + Cell::new(index % width, index / width)
    }

    /// All tiles in the order of the list.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let frame = *self;
        (0..self.len()).map(move |index| frame.cell(index))
    }

    /// The places of a tile's neighbours within the rectangle.
    pub fn around(
        &self,
        index: usize,
        reach: Neighbourhood,
    ) -> impl Iterator<Item = usize> + use<> {
        let frame = *self;
        reach.around(self.cell(index)).filter_map(move |at| frame.index(at))
    }

    /// The place of the next tile in a direction.
    #[must_use]
    pub fn ahead(&self, index: usize, heading: Heading) -> Option<usize> {
        self.index(self.cell(index) + heading.step())
    }
}
