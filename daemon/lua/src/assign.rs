//! Who does what at the least total cost: `team.assign`.

use pathfinding::prelude::{Matrix, kuhn_munkres_min};

/// Largest side of a cost matrix: the search takes the cube of it, some milliseconds at this size.
pub(crate) const SIDE_MAX: usize = 100;
/// Costs are rounded to this part of the largest one.
const RESOLUTION: f64 = 1e9;

/// The column of each row, each column used once, so that the sum of the costs is the least; `None`
/// for a row that gets none, since there are too few columns or all that were left are infinite.
/// As many rows as possible get a column of finite cost. All rows have the same length; no NaN.
pub(crate) fn assign(costs: &[Vec<f64>]) -> Vec<Option<usize>> {
    let (rows, columns) = (costs.len(), costs.first().map_or(0, Vec::len));
    if rows == 0 || columns == 0 {
        return vec![None; rows];
    }
    let finite = || costs.iter().flatten().copied().filter(|cost| cost.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let span = (finite().fold(f64::NEG_INFINITY, f64::max) - low).max(f64::MIN_POSITIVE);
    // One forbidden pair must cost more than all allowed ones together.
    let side = i64::try_from(rows.max(columns)).unwrap_or(i64::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "scaled into 0 ..= RESOLUTION")]
    let weigh = |cost: f64| match cost.is_finite() {
        true => ((cost - low) / span * RESOLUTION).round() as i64,
        false => (RESOLUTION as i64 + 1).saturating_mul(side),
    };
    let cell = |row: usize, column: usize| {
        costs.get(row).and_then(|line| line.get(column)).copied().unwrap_or(f64::INFINITY)
    };
    let mut found = vec![None; rows];
    if rows <= columns {
        let (_, chosen) = kuhn_munkres_min(&Matrix::from_fn(rows, columns, |(row, column)| {
            weigh(cell(row, column))
        }));
        for (slot, column) in found.iter_mut().zip(chosen) {
            *slot = Some(column);
        }
    } else {
        // The algorithm wants no more rows than columns.
        let (_, chosen) = kuhn_munkres_min(&Matrix::from_fn(columns, rows, |(column, row)| {
            weigh(cell(row, column))
        }));
        for (column, row) in chosen.into_iter().enumerate() {
            if let Some(slot) = found.get_mut(row) {
                *slot = Some(column);
            }
        }
    }
    for (row, slot) in found.iter_mut().enumerate() {
        *slot = slot.filter(|column| cell(row, *column).is_finite());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const NO: f64 = f64::INFINITY;

    #[rstest]
    #[case::the_sum_counts_not_the_first_row(vec![vec![1.0, 2.0], vec![1.0, 9.0]], vec![Some(1), Some(0)])]
    #[case::more_rows_than_columns(vec![vec![5.0], vec![1.0], vec![3.0]], vec![None, Some(0), None])]
    #[case::more_columns_than_rows(vec![vec![5.0, 4.0, 9.0]], vec![Some(1)])]
    #[case::what_is_infinite_is_never_chosen(vec![vec![NO, 1.0], vec![NO, 2.0]], vec![Some(1), None])]
    #[case::a_dear_pair_is_better_than_none(vec![vec![1.0, 100.0], vec![1.0, NO]], vec![Some(1), Some(0)])]
    #[case::negative_costs(vec![vec![-5.0, 0.0], vec![-6.0, -2.0]], vec![Some(0), Some(1)])]
    #[case::all_equal(vec![vec![3.0, 3.0], vec![3.0, 3.0]], vec![Some(0), Some(1)])]
    #[case::no_rows(vec![], vec![])]
    #[case::no_columns(vec![vec![], vec![]], vec![None, None])]
    fn rows_get_the_cheapest_columns(
        #[case] costs: Vec<Vec<f64>>,
        #[case] want: Vec<Option<usize>>,
    ) {
        assert_eq!(assign(&costs), want);
    }
}
