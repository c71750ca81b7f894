//! Which of two edges is in the other's way, in whole numbers (spec, section 12, step 3).

/// An edge in the plane, in cells of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridSegment {
    pub(super) ends: [u32; 2],
    pub(super) from: (i32, i32),
    pub(super) to: (i32, i32),
}

/// Its length as the original computes it: in single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
pub(super) fn length(segment: &GridSegment, cell: u32) -> f32 {
    let side = i64::from(cell);
    let squared = i64::from(segment.squared()) * side * side;
    (squared as f64).sqrt() as f32
}

fn cross(a: (i32, i32), b: (i32, i32)) -> i32 {
    a.0 * b.1 - a.1 * b.0
}

fn minus(a: (i32, i32), b: (i32, i32)) -> (i32, i32) {
    (a.0 - b.0, a.1 - b.1)
}

impl GridSegment {
    /// Its length squared, in cells.
    pub(super) fn squared(&self) -> i32 {
        let (x, y) = minus(self.to, self.from);
        x * x + y * y
    }

    /// Whether it makes room for an edge of the same or a lesser length: that one points the same
    /// way from the same vertex, or crosses it.
    pub(super) fn yields_to(&self, other: &Self) -> bool {
        let [a, b] = self.ends;
        let [c, d] = other.ends;
        let (along, their) = (minus(self.to, self.from), minus(other.to, other.from));
        if a == c || b == d {
            same_direction(along, their)
        } else if a == d || b == c {
            same_direction(along, minus((0, 0), their))
        } else {
            self.crosses(other)
        }
    }

    /// Whether the insides of the two edges meet in one point. Edges that share an end never do.
    pub(super) fn crosses(&self, other: &Self) -> bool {
        let (along, their) = (minus(self.to, self.from), minus(other.to, other.from));
        let denominator = cross(along, their);
        let between = minus(other.from, self.from);
        let inside = |numerator: i32| {
            let (numerator, denominator) = (numerator * denominator.signum(), denominator.abs());
            0 < numerator && numerator < denominator
        };
        denominator != 0 && inside(cross(between, their)) && inside(cross(between, along))
    }
}

fn same_direction(a: (i32, i32), b: (i32, i32)) -> bool {
    cross(a, b) == 0 && a.0 * b.0 + a.1 * b.1 > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(ends: [u32; 2], from: (i32, i32), to: (i32, i32)) -> GridSegment {
        GridSegment { ends, from, to }
    }

    #[test]
    fn only_insides_cross() {
        let flat = segment([0, 1], (0, 1), (4, 1));
        assert!(flat.crosses(&segment([2, 3], (2, 0), (2, 2))));
        assert!(flat.crosses(&segment([2, 3], (3, 2), (1, 0))));
        assert!(!flat.crosses(&segment([2, 3], (4, 0), (4, 2))), "touches an end");
        assert!(!flat.crosses(&segment([2, 3], (2, 1), (2, 3))), "ends on it");
        assert!(!flat.crosses(&segment([2, 3], (1, 1), (6, 1))), "lies on it");
        assert!(!flat.crosses(&segment([2, 3], (9, 0), (9, 2))));
    }

    #[test]
    fn the_longer_of_two_edges_that_point_the_same_way_yields() {
        let long = segment([0, 1], (0, 0), (4, 2));
        assert!(long.yields_to(&segment([0, 2], (0, 0), (2, 1))));
        assert!(long.yields_to(&segment([2, 1], (2, 1), (4, 2))));
        assert!(long.yields_to(&segment([2, 0], (2, 1), (0, 0))));
        assert!(!long.yields_to(&segment([2, 0], (-2, -1), (0, 0))), "points away");
        assert!(!long.yields_to(&segment([0, 2], (0, 0), (2, 2))));
    }
}
