//! Small square matrices, for the equations behind ratings.

/// A square matrix of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The number there; 0 outside.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        let inside = column < self.size;
        self.cells.get(row * self.size + column).copied().filter(|_| inside).unwrap_or_default()
    }

    /// Adds to the number there; nothing happens outside.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        if column < self.size
            && let Some(cell) = self.cells.get_mut(row * self.size + column)
        {
            *cell += value;
        }
    }

    /// The inverse of a symmetric positive definite matrix, by elimination: such a matrix needs no
    /// exchange of rows.
    pub(crate) fn inverse(&self) -> Self {
        let (mut left, mut right) = (self.clone(), Self::zero(self.size));
        (0..self.size).for_each(|index| right.add(index, index, 1.0));
        for pivot in 0..self.size {
            let factor = 1.0 / left.at(pivot, pivot);
            left.scale(pivot, factor);
            right.scale(pivot, factor);
            for row in (0..self.size).filter(|row| *row != pivot) {
                let factor = left.at(row, pivot);
                left.subtract(row, pivot, factor);
                right.subtract(row, pivot, factor);
            }
        }
        right
    }

    /// The product with a vector.
    pub(crate) fn times(&self, vector: &[f64]) -> Vec<f64> {
        let row = |row| vector.iter().enumerate().map(|(at, value)| self.at(row, at) * value).sum();
        (0..self.size).map(row).collect()
    }

    fn scale(&mut self, row: usize, factor: f64) {
        for column in 0..self.size {
            let value = self.at(row, column);
            self.add(row, column, value * factor - value);
        }
    }

    /// Takes a multiple of one row from another.
    fn subtract(&mut self, row: usize, from: usize, factor: f64) {
        for column in 0..self.size {
            let value = self.at(from, column);
            self.add(row, column, -factor * value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let mut matrix = Matrix::zero(3);
        for (row, column, value) in
            [(0, 0, 4.0), (1, 1, 5.0), (2, 2, 3.0), (0, 1, -1.0), (0, 2, -2.0), (1, 2, 0.5)]
        {
            matrix.add(row, column, value);
            if row != column {
                matrix.add(column, row, value);
            }
        }
        let inverse = matrix.inverse();
        for column in 0..3 {
            let unit: Vec<f64> = (0..3).map(|row| inverse.at(row, column)).collect();
            let product = matrix.times(&unit);
            for (row, value) in product.into_iter().enumerate() {
                let expected = if row == column { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-12, "{row} {column}: {value}");
            }
        }
    }
}
