//! Cells, directions and quarter turns.

use serde::{Deserialize, Serialize};
use std::ops::{Add, Neg, Sub};

/// A cell or a difference of cells: x grows east, y grows south.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Cell {
    /// Cells to the east.
    pub x: i32,
    /// Cells to the south.
    pub y: i32,
}

impl Cell {
    /// No difference; where a frame begins.
    pub const ZERO: Self = Self { x: 0, y: 0 };

    /// A cell from its coordinates.
    #[must_use]
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// Steps to the zero cell on an endless grid (Manhattan).
    #[inline]
    #[must_use]
    pub fn norm(self) -> i32 {
        self.x.saturating_abs().saturating_add(self.y.saturating_abs())
    }

    /// The four neighbours, in the order n, s, e, w.
    #[must_use]
    pub fn neighbours(self) -> [Self; 4] {
        Direction::ALL.map(|dir| self + dir.vector())
    }

    /// This difference after a quarter turn about the zero cell.
    #[inline]
    #[must_use]
    pub fn turned(self, rotation: Rotation) -> Self {
        match rotation {
            Rotation::Cw => Self::new(self.y.wrapping_neg(), self.x),
            Rotation::Ccw => Self::new(self.y, self.x.wrapping_neg()),
        }
    }

    /// All cells within `radius` steps of this one, row by row.
    pub fn diamond(self, radius: i32) -> impl Iterator<Item = Self> {
        (-radius..=radius).flat_map(move |dy| {
            let half = radius - dy.abs();
            (-half..=half).map(move |dx| self + Self::new(dx, dy))
        })
    }
}

impl Add for Cell {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x.wrapping_add(other.x), self.y.wrapping_add(other.y))
    }
}

impl Sub for Cell {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x.wrapping_sub(other.x), self.y.wrapping_sub(other.y))
    }
}

impl Neg for Cell {
    type Output = Self;
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

/// One of the four ways to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// y - 1.
    North,
    /// y + 1.
    South,
    /// x + 1.
    East,
    /// x - 1.
    West,
}

impl Direction {
    /// All four, in the order in which ties are broken.
    pub const ALL: [Self; 4] = [Self::North, Self::South, Self::East, Self::West];

    /// The letter: n, s, e, w.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            Self::North => "n",
            Self::South => "s",
            Self::East => "e",
            Self::West => "w",
        }
    }

    /// The direction of that letter; case matters.
    #[must_use]
    pub fn parse(letter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dir| dir.letter() == letter)
    }

    /// One step this way.
    #[inline]
    #[must_use]
    pub fn vector(self) -> Cell {
        match self {
            Self::North => Cell::new(0, -1),
            Self::South => Cell::new(0, 1),
            Self::East => Cell::new(1, 0),
            Self::West => Cell::new(-1, 0),
        }
    }

    /// The direction whose step this is.
    #[must_use]
    pub fn of(step: Cell) -> Option<Self> {
        Self::ALL.into_iter().find(|dir| dir.vector() == step)
    }
}

/// A quarter turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Rotation {
    /// Clockwise: north goes east, (x, y) becomes (-y, x).
    Cw,
    /// Counter-clockwise: (x, y) becomes (y, -x).
    Ccw,
}

impl Rotation {
    /// Both turns.
    pub const ALL: [Self; 2] = [Self::Cw, Self::Ccw];

    /// The word: cw, ccw.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Cw => "cw",
            Self::Ccw => "ccw",
        }
    }

    /// The turn of that word; case matters.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rotation| rotation.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clockwise_turns_north_to_east_to_south_to_west() {
        let mut cell = Direction::North.vector();
        for dir in [Direction::East, Direction::South, Direction::West, Direction::North] {
            cell = cell.turned(Rotation::Cw);
            assert_eq!(Direction::of(cell), Some(dir));
        }
        assert_eq!(Cell::new(2, 1).turned(Rotation::Cw).turned(Rotation::Ccw), Cell::new(2, 1));
    }

    #[test]
    fn a_diamond_of_radius_five_has_61_cells() {
        let cells: Vec<_> = Cell::new(3, 4).diamond(5).collect();
        assert_eq!(cells.len(), 61);
        assert!(cells.iter().all(|cell| (*cell - Cell::new(3, 4)).norm() <= 5));
    }

    #[test]
    fn directions_are_lower_case_letters_only() {
        assert_eq!(Direction::parse("n"), Some(Direction::North));
        for bad in ["N", "north", "", "ne"] {
            assert_eq!(Direction::parse(bad), None, "{bad}");
        }
    }
}
