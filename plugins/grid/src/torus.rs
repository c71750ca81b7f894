//! The torus as far as its size is known.

use crate::Cell;
use serde::{Deserialize, Serialize};

/// Width and height of the torus; `None` on an axis whose size is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Cells from west to east until the start is met again; positive.
    pub width: Option<i32>,
    /// Cells from north to south until the start is met again; positive.
    pub height: Option<i32>,
}

impl Extent {
    /// A torus of known size.
    #[must_use]
    pub fn new(width: i32, height: i32) -> Self {
        Self { width: Some(width.max(1)), height: Some(height.max(1)) }
    }

    /// The representative of a cell: 0 .. size - 1 on known axes, unchanged on others.
    #[inline]
    #[must_use]
    pub fn wrap(self, cell: Cell) -> Cell {
        let part = |value: i32, size: Option<i32>| match size {
            Some(size) => value.rem_euclid(size.max(1)),
            None => value,
        };
        Cell::new(part(cell.x, self.width), part(cell.y, self.height))
    }

    /// The shortest difference that leads from `from` to `to`.
    #[inline]
    #[must_use]
    pub fn delta(self, from: Cell, to: Cell) -> Cell {
        let part = |diff: i32, size: Option<i32>| match size {
            Some(size) => {
                let size = size.max(1);
                let low = diff.rem_euclid(size);
                if low > size / 2 { low - size } else { low }
            }
            None => diff,
        };
        let diff = to - from;
        Cell::new(part(diff.x, self.width), part(diff.y, self.height))
    }

    /// Steps between two cells when nothing is in the way.
    #[inline]
    #[must_use]
    pub fn distance(self, from: Cell, to: Cell) -> i32 {
        self.delta(from, to).norm()
    }

    /// Whether both names mean one cell.
    #[must_use]
    pub fn same(self, left: Cell, right: Cell) -> bool {
        self.delta(left, right) == Cell::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_difference_leads_there_and_is_the_shortest(
            x in -300..300_i32, y in -300..300_i32, w in 20..100_i32, h in 20..100_i32,
        ) {
            let torus = Extent::new(w, h);
            let (from, to) = (Cell::new(7, -5), Cell::new(x, y));
            let delta = torus.delta(from, to);
            prop_assert!(torus.same(from + delta, to));
            prop_assert!(delta.x.abs() * 2 <= w && delta.y.abs() * 2 <= h);
        }
    }

    #[test]
    fn an_unknown_axis_does_not_wrap() {
        let half = Extent { width: Some(70), height: None };
        assert_eq!(half.wrap(Cell::new(-1, -1)), Cell::new(69, -1));
        assert_eq!(half.distance(Cell::new(0, 0), Cell::new(69, 69)), 1 + 69);
    }
}
