//! The simulations of a match, and how their maps are made.

use super::MarsSim;
use super::reader::TomlReader;
use crate::rules::map::{GRID, MapParams, NODES};
use toml::Table;

/// Most simulations of a match.
const SIMULATIONS_MAX: usize = 100;
/// Most steps of a simulation.
const STEPS_MAX: u32 = 100_000;

/// All simulations of a match; mistakes in their tables go to `nested`.
pub(super) fn read<'t>(
    reader: &mut TomlReader<'t>,
    empty: &'t Table,
    nested: &mut Vec<String>,
) -> Vec<MarsSim> {
    let steps = reader.small("steps", 1..=STEPS_MAX, 750);
    let seed = reader.number("seed", i64::MIN..=i64::MAX);
    let mut map = TomlReader::new(reader.table("map", empty), "map.");
    let common = map_params(&mut map, &MapParams::default());
    nested.extend(map.finish());
    let list = reader.tables("simulations", SIMULATIONS_MAX);
    let list = list.unwrap_or_else(|| vec![empty; 3]);
    let mut sims = Vec::new();
    for (number, table) in (0i64..).zip(list) {
        let mut sim = TomlReader::new(table, &format!("simulations[{number}]."));
        let nodes = sim.small("nodes", NODES, common.nodes);
        let own = sim.number("seed", i64::MIN..=i64::MAX);
        sims.push(MarsSim {
            steps: sim.small("steps", 1..=STEPS_MAX, steps),
            map: MapParams { nodes, ..common },
            seed: own.or(seed.map(|seed| seed.wrapping_add(number))),
        });
        nested.extend(sim.finish());
    }
    sims
}

fn map_params(map: &mut TomlReader<'_>, default: &MapParams) -> MapParams {
    let mut side = |key, default| {
        let side = map.small(key, GRID, default);
        if side.is_multiple_of(2) {
            map.note(key, "an odd number is wanted: halves are mirrored");
        }
        side
    };
    let (width, height) =
        (side("grid_width", default.grid_width), side("grid_height", default.grid_height));
    let mut pair = |low, high, most, [a, b]: [u32; 2]| {
        let (least, greatest) = (map.small(low, 1..=most, a), map.small(high, 1..=most, b));
        if least > greatest {
            map.note(low, &format!("{least} is more than {greatest}"));
        }
        [least, greatest]
    };
    let values = pair("min_value", "max_value", 1000, default.values);
    let weights = pair("min_weight", "weight_limit", 1000, default.weights);
    MapParams {
        nodes: map.small("nodes", NODES, default.nodes),
        grid_width: width,
        grid_height: height,
        cell: map.small("cell", 1..=1000, default.cell),
        values,
        weights,
        random_weight: map.small("random_weight", 0..=1000, default.random_weight),
        gradient_weight: map.small("gradient_weight", 0..=1000, default.gradient_weight),
        optima_weight: map.small("optima_weight", 0..=1000, default.optima_weight),
        blur_iterations: map.small("blur_iterations", 0..=1000, default.blur_iterations),
        optima_percentage: map.small("optima_percentage", 0..=100, default.optima_percentage),
    }
}
