//! What the vertices of the left half are worth (spec, section 12, step 4).

use super::cut::{self, GridSegment};
use super::half::size;
use super::{MapEdge, MapParams};
use phalanx_massim::JavaRandom;

/// The values, by vertex.
pub(super) fn draw(
    params: &MapParams,
    cells: &[(i32, i32)],
    edges: &[MapEdge],
    random: &mut JavaRandom,
) -> Vec<i32> {
    let [low, high] = params.values.map(u32::cast_signed);
    let none = || vec![0; cells.len()];
    let noise = if params.random_weight > 0 {
        let [low, high] = params.values;
        let bound = (high + 1).saturating_sub(low);
        cells.iter().map(|_| (low + random.below(bound)).cast_signed()).collect()
    } else {
        none()
    };
    let gradient = if params.gradient_weight > 0 { gradient(params, cells) } else { none() };
    let optima =
        if params.optima_weight > 0 { hills(params, cells, edges, random) } else { none() };
    let [a, b, c] = [params.random_weight, params.gradient_weight, params.optima_weight];
    let sum = f64::from(a) + f64::from(b) + f64::from(c);
    let mean = |((noise, gradient), optima): ((&i32, &i32), &i32)| {
        let mixed = f64::from(a) * f64::from(*noise)
            + f64::from(b) * f64::from(*gradient)
            + f64::from(c) * f64::from(*optima);
        if sum > 0.0 { round(mixed / sum).clamp(low, high.max(low)) } else { low }
    };
    noise.iter().zip(&gradient).zip(&optima).map(mean).collect()
}

/// Half up.
#[expect(clippy::cast_possible_truncation, reason = "values are small, and the cast saturates")]
fn round(value: f64) -> i32 {
    (value + 0.5).floor() as i32
}

/// Best in the centre.
fn gradient(params: &MapParams, cells: &[(i32, i32)]) -> Vec<i32> {
    let (_, width, height) = size(params);
    let [low, high] = params.values.map(u32::cast_signed);
    let side = params.cell.cast_signed();
    let half = |cells: u32| f64::from(cells.cast_signed() * side / 2);
    let longest = half(width).hypot(half(height));
    let centre = |last: u32| f64::from(last.cast_signed() + 1) * f64::from(side) / 2.0;
    let (x0, y0) = (centre(params.grid_width), centre(params.grid_height));
    let place = |cell: i32| f64::from(cell * side + side / 2);
    let value = |(x, y): &(i32, i32)| {
        let distance = (place(*x) - x0).hypot(place(*y) - y0);
        1 + low + round(f64::from(high - low - 1) * (1.0 - distance / longest))
    };
    cells.iter().map(value).collect()
}

/// A few best vertices, from which the values fall off.
fn hills(
    params: &MapParams,
    cells: &[(i32, i32)],
    edges: &[MapEdge],
    random: &mut JavaRandom,
) -> Vec<i32> {
    let [low, high] = params.values.map(u32::cast_signed);
    let fixed: Vec<bool> = cells.iter().map(|_| random.percent(params.optima_percentage)).collect();
    let mut values: Vec<i32> = fixed.iter().map(|fixed| if *fixed { high } else { low }).collect();
    let around: Vec<Vec<(usize, f64)>> = neighbours(params, cells, edges);
    for _ in 0..params.blur_iterations {
        for (vertex, around) in around.iter().enumerate() {
            if fixed.get(vertex) == Some(&true) {
                continue;
            }
            let sum: f64 = around.iter().map(|(_, length)| length).sum();
            let share = |(next, length): &(usize, f64)| {
                length / sum * 95.0 * f64::from(values.get(*next).copied().unwrap_or(0))
            };
            let mixed: f64 = around.iter().map(share).sum();
            let blurred = round(mixed / 100.0);
            if let Some(value) = values.get_mut(vertex) {
                *value = blurred;
            }
        }
    }
    values
}

/// The neighbours of every vertex with the lengths of the edges to them.
fn neighbours(
    params: &MapParams,
    cells: &[(i32, i32)],
    edges: &[MapEdge],
) -> Vec<Vec<(usize, f64)>> {
    let mut around = vec![Vec::new(); cells.len()];
    for edge in edges {
        let ends = [edge.a, edge.b];
        let cell = |vertex: u32| cells.get(vertex as usize).copied().unwrap_or_default();
        let segment = GridSegment { ends, from: cell(edge.a), to: cell(edge.b) };
        let length = f64::from(cut::length(&segment, params.cell));
        for end in ends {
            if let Some(list) = around.get_mut(end as usize) {
                list.push((edge.from(end) as usize, length));
            }
        }
    }
    around
}
