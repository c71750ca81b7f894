//! Who takes which job at the least cost.

use pathfinding::prelude::{Matrix, kuhn_munkres_min};

/// Cost of a pair that must not be; jobs with this cost stay without a taker.
const FORBIDDEN: i64 = 1 << 40;

/// The cheapest pairing of rows (takers) with columns (jobs): for each row its column, `None` when
/// it gets none. `None` in `costs` forbids a pair; missing entries of short rows are forbidden.
/// As many pairs as possible are made first, then the sum is the least.
#[must_use]
pub fn assign(costs: &[Vec<Option<i64>>]) -> Vec<Option<usize>> {
    let jobs = costs.iter().map(Vec::len).max().unwrap_or(0);
    if jobs == 0 {
        return vec![None; costs.len()];
    }
    let width = jobs.max(costs.len());
    let cost = |row: usize, job: usize| -> i64 {
        let given = costs.get(row).and_then(|row| row.get(job)).copied().flatten();
        given.map_or(FORBIDDEN, |cost| cost.clamp(-FORBIDDEN / 1024, FORBIDDEN / 1024))
    };
    let matrix = Matrix::from_fn(costs.len(), width, |(row, job)| cost(row, job));
    let (_, columns) = kuhn_munkres_min(&matrix);
    columns
        .into_iter()
        .enumerate()
        .map(|(row, job)| (job < jobs && cost(row, job) < FORBIDDEN).then_some(job))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_the_least_not_each_choice() {
        let costs = vec![vec![Some(1), Some(2)], vec![Some(1), Some(9)]];
        assert_eq!(assign(&costs), [Some(1), Some(0)]);
    }

    #[test]
    fn forbidden_and_missing_pairs_are_not_made() {
        assert_eq!(assign(&[vec![None], vec![Some(5)]]), [None, Some(0)]);
        assert_eq!(assign(&[vec![], vec![]]), [None, None]);
        assert_eq!(assign(&[vec![Some(3), Some(1), Some(2)]]), [Some(1)]);
    }
}
