//! Adjacent cells as areas: where one wants to be, and what was announced for many cells at once.

use crate::frame::MapFrame;
use crate::looks::{AREA_COVER, looks};
use crate::palette::{Palette, Rgba};
use crate::reach::cell_of;
use crate::scene::{PageArea, PagePoint, ShapePaint, VectorScene};
use phalanx_proto::v1::{WorldPart, WorldTone};
use std::collections::{BTreeMap, BTreeSet};

/// Width of its outline, in units of the map.
const EDGE: f64 = 0.1;

/// Draws the marked places that are areas.
pub(crate) fn of_spots(
    scene: &mut VectorScene,
    part: &WorldPart,
    frame: &MapFrame<'_>,
    colors: &Palette,
) {
    let mut tones: BTreeMap<&str, WorldTone> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, BTreeSet<(i64, i64)>> = BTreeMap::new();
    for spot in part.spots.iter().filter(|spot| looks().is_area(&spot.kind)) {
        let Some(cell) = cell_of(spot.place.as_ref()) else { continue };
        tones.entry(&spot.kind).or_insert(spot.tone());
        kinds.entry(&spot.kind).or_default().insert(cell);
    }
    for (tone, cells) in tones.into_values().zip(kinds.into_values()) {
        let color = colors.tone(tone);
        let half = frame.unit / 2.0;
        let tiles = cells.iter().filter_map(|(x, y)| frame.cell(*x, *y));
        let tiles: Vec<PageArea> = tiles.map(|at| PageArea::around(at, half)).collect();
        scene.tiles(tiles, color.covering(AREA_COVER));
        outline(scene, &cells, frame, color);
    }
}

/// Draws a line around cells, where their neighbours are others.
pub(crate) fn outline(
    scene: &mut VectorScene,
    cells: &BTreeSet<(i64, i64)>,
    frame: &MapFrame<'_>,
    color: Rgba,
) {
    let half = frame.unit / 2.0;
    let mut runs: Vec<Vec<PagePoint>> = Vec::new();
    for (x, y) in cells {
        let Some((left, top)) = frame.cell(*x, *y).map(|(x, y)| (x - half, y - half)) else {
            continue;
        };
        let (right, bottom) = (left + frame.unit, top + frame.unit);
        let (above, below) = if frame.up { (y + 1, y - 1) } else { (y - 1, y + 1) };
        let sides = [
            ((*x, above), (left, top), (right, top)),
            ((*x, below), (left, bottom), (right, bottom)),
            ((x - 1, *y), (left, top), (left, bottom)),
            ((x + 1, *y), (right, top), (right, bottom)),
        ];
        let open = sides.into_iter().filter(|(beside, _, _)| !cells.contains(beside));
        runs.extend(open.map(|(_, from, to)| vec![from, to]));
    }
    scene.lines(runs, ShapePaint::stroke(color, (frame.unit * EDGE).max(1.0)));
}
