//! Cells: what colour each has, from all layers that are drawn.

use crate::frame::MapFrame;
use crate::layers::{LayerRole, has_glyph, numbered, role};
use crate::palette::{Palette, Rgba};
use crate::reach::{Cells, Panel, float};
use crate::scene::{PageArea, ShapePaint, TextLine, VectorScene};
use phalanx_proto::v1::{World, WorldLayer, WorldPart, WorldTone};
use std::collections::BTreeMap;

/// Smallest cell with a letter in it, in units of the page.
const LETTER_MIN: f64 = 9.0;
/// Smallest cell with lines around it.
const LINES_MIN: f64 = 6.0;
/// Shades of a number.
const SHADES: f64 = 16.0;
/// How much of the ground a number covers at most.
const COVER: f64 = 0.85;
/// Age in steps and how much a cell of that age fades.
const FADING: [(u32, f64); 4] = [(100, 0.4), (30, 0.26), (10, 0.14), (3, 0.06)];

/// What a value of a layer looks like.
#[derive(Clone, Debug)]
struct CellStyle {
    color: Rgba,
    glyph: Option<String>,
}

/// All values of a layer that are drawn.
struct Looks<'a> {
    layer: &'a WorldLayer,
    looks: Vec<Option<CellStyle>>,
}

impl<'a> Looks<'a> {
    fn new(part: &WorldPart, layer: &'a WorldLayer, colors: &Palette) -> Self {
        let ground = role(part, layer) == LayerRole::Ground;
        let mut looks = vec![None; 256];
        for (nth, legend) in numbered(part, layer) {
            let value = usize::try_from(legend.value).ok().filter(|value| *value > 0);
            let Some(look) = value.and_then(|value| looks.get_mut(value)) else { continue };
            if ground || legend.tone() != WorldTone::Ground {
                let color = colors.cell(legend.tone(), nth);
                let glyph = has_glyph(part, layer, legend).then(|| legend.glyph.clone());
                *look = Some(CellStyle { color, glyph });
            }
        }
        Self { layer, looks }
    }

    fn at(&self, x: i64, y: i64) -> Option<&CellStyle> {
        self.looks.get(usize::from(value(self.layer, x, y)))?.as_ref()
    }
}

/// The index of a cell in a layer.
fn index(layer: &WorldLayer, x: i64, y: i64) -> Option<usize> {
    let column = u32::try_from(x - i64::from(layer.x)).ok().filter(|it| *it < layer.width)?;
    let row = u32::try_from(y - i64::from(layer.y)).ok().filter(|it| *it < layer.height)?;
    usize::try_from(row * layer.width + column).ok()
}

fn value(layer: &WorldLayer, x: i64, y: i64) -> u8 {
    index(layer, x, y).and_then(|index| layer.cells.get(index)).copied().unwrap_or_default()
}

/// Draws the cells of a panel.
pub(crate) fn draw(
    scene: &mut VectorScene,
    (world, part, panel): (&World, &WorldPart, &Panel),
    (frame, cells): (&MapFrame<'_>, Cells),
    colors: &Palette,
) {
    let plain = part.layers.iter().filter(|layer| role(part, layer) != LayerRole::Numbers);
    let plain: Vec<Looks<'_>> = plain.map(|layer| Looks::new(part, layer, colors)).collect();
    let numbers = part.layers.iter().find(|layer| Some(&layer.name) == panel.numbers.as_ref());
    let now = world.turn.unwrap_or_default().step;
    let color = |x: i64, y: i64| {
        let look = plain.iter().rev().find_map(|looks| looks.at(x, y));
        let age = plain.first().map_or(0.0, |looks| faded(looks.layer, (x, y), now));
        let base = look.map(|look| look.color.mixed(colors.unknown, age));
        match numbers.and_then(|layer| shade(layer, value(layer, x, y), colors)) {
            Some((tone, share)) => Some(base.unwrap_or(colors.unknown).mixed(tone, share)),
            None => base,
        }
    };
    let mut tiles: BTreeMap<Rgba, Vec<PageArea>> = BTreeMap::new();
    for y in cells.y..cells.y + cells.height {
        let mut run: Option<(i64, Rgba)> = None;
        for x in cells.x..=cells.x + cells.width {
            let inside = x < cells.x + cells.width;
            let here = if inside { color(x, y) } else { None };
            if run.map(|(_, color)| color) == here {
                continue;
            }
            if let Some((from, color)) = run {
                tiles.entry(color).or_default().push(frame.row(from, x, y));
            }
            run = here.map(|color| (x, color));
        }
    }
    for (color, areas) in tiles {
        scene.tiles(areas, color);
    }
    lines(scene, frame, cells, colors);
    if frame.unit >= LETTER_MIN {
        glyphs(scene, &plain, frame, cells);
    }
}

/// How much of a cell has faded since it was seen.
fn faded(layer: &WorldLayer, (x, y): (i64, i64), now: u32) -> f64 {
    let seen = index(layer, x, y).and_then(|index| layer.seen.get(index)).copied().unwrap_or(0);
    let Some(seen) = seen.checked_sub(1) else { return 0.0 };
    let age = now.saturating_sub(seen);
    FADING.iter().find(|(steps, _)| age >= *steps).map_or(0.0, |(_, share)| *share)
}

/// The colour of a number and how much it covers.
pub(crate) fn shade(layer: &WorldLayer, value: u8, colors: &Palette) -> Option<(Rgba, f64)> {
    let scale = layer.scale.as_ref()?;
    let share = f64::from(value.checked_sub(1)?) / 254.0;
    let share = (share * SHADES).round() / SHADES;
    (share > 0.0).then(|| (colors.tone(scale.tone()), share * COVER))
}

/// Thin lines between cells.
fn lines(scene: &mut VectorScene, frame: &MapFrame<'_>, cells: Cells, colors: &Palette) {
    if frame.unit < LINES_MIN {
        return;
    }
    let PageArea { x, y, width, height } = frame.area;
    let step = |index: i64| float(index) * frame.unit;
    let down = (1..cells.width).map(|at| vec![(x + step(at), y), (x + step(at), y + height)]);
    let across = (1..cells.height).map(|at| vec![(x, y + step(at)), (x + width, y + step(at))]);
    let paint = ShapePaint::stroke(colors.rule.covering(0.55), 0.5);
    scene.lines(down.chain(across).collect(), paint);
}

fn glyphs(scene: &mut VectorScene, plain: &[Looks<'_>], frame: &MapFrame<'_>, cells: Cells) {
    for y in cells.y..cells.y + cells.height {
        for x in cells.x..cells.x + cells.width {
            let look = plain.iter().rev().find_map(|looks| looks.at(x, y));
            let glyph = look.and_then(|look| Some((look.color, look.glyph.as_ref()?)));
            let Some((color, glyph)) = glyph else { continue };
            let Some(at) = frame.cell(x, y) else { continue };
            let glyph: String = glyph.chars().take(1).collect();
            let size = (frame.unit * 0.62).min(40.0);
            scene.text(TextLine::new(at, size, color.contrast(), glyph).strong().centred());
        }
    }
}
