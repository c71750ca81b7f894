//! Cells: what colour each has, from all layers that are drawn.

use crate::areas;
use crate::frame::MapFrame;
use crate::layers::{LayerRole, has_glyph, numbered, role};
use crate::looks::{KindLook, looks};
use crate::palette::{Palette, Rgba};
use crate::reach::{Cells, Panel, float};
use crate::scene::{PageArea, ShapePaint, TextLine, VectorScene};
use crate::signs;
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::{World, WorldLayer, WorldPart, WorldTone};

/// Smallest cell with a letter in it, in units of the page.
const LETTER_MIN: f64 = 9.0;
/// Smallest cell with lines around it.
const LINES_MIN: f64 = 6.0;
/// Shades of a number.
const SHADES: f64 = 16.0;
/// Smallest cell with a sign in it.
const SIGN_MIN: f64 = 4.0;

/// What a value of a layer looks like.
#[derive(Clone, Debug)]
struct CellStyle {
    color: Rgba,
    glyph: Option<String>,
    tone: WorldTone,
    /// It has a sign of its own, on ordinary ground.
    kind: Option<&'static KindLook>,
}

/// All values of a layer that are drawn.
struct LayerLooks<'a> {
    layer: &'a WorldLayer,
    looks: Vec<Option<CellStyle>>,
}

impl<'a> LayerLooks<'a> {
    fn new(part: &WorldPart, layer: &'a WorldLayer, colors: &Palette) -> Self {
        let ground = role(part, layer) == LayerRole::Ground;
        let mut styles = vec![None; 256];
        for (nth, legend) in numbered(part, layer) {
            let value = usize::try_from(legend.value).ok().filter(|value| *value > 0);
            let Some(look) = value.and_then(|value| styles.get_mut(value)) else { continue };
            if ground || legend.tone() != WorldTone::Ground {
                let kind = looks().kind(&legend.name).filter(|kind| kind.own_sign().is_some());
                let color = colors.cell(legend.tone(), nth);
                let color = if kind.is_some() { colors.ground } else { color };
                let glyph = has_glyph(part, layer, legend).then(|| legend.glyph.clone());
                *look = Some(CellStyle { color, glyph, tone: legend.tone(), kind });
            }
        }
        Self { layer, looks: styles }
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
    let plain: Vec<LayerLooks<'_>> =
        plain.map(|layer| LayerLooks::new(part, layer, colors)).collect();
    let numbers = part.layers.iter().find(|layer| Some(&layer.name) == panel.numbers.as_ref());
    let now = world.turn.unwrap_or_default().step;
    let top = |x: i64, y: i64| plain.iter().rev().find_map(|looks| looks.at(x, y));
    let is_solid = |x, y| {
        top(x, y).is_some_and(|look| look.tone == WorldTone::Obstacle && look.kind.is_none())
    };
    let color = |x: i64, y: i64| {
        let look = plain.iter().rev().find_map(|looks| looks.at(x, y));
        let age = plain.first().map_or(0.0, |looks| faded(looks.layer, (x, y), now));
        let base = look.map(|look| look.color.mixed(colors.unknown, age));
        match numbers.and_then(|layer| shade(layer, value(layer, x, y), colors)) {
            Some((tone, share)) => Some(base.unwrap_or(colors.unknown).mixed(tone, share)),
            None => base,
        }
    };
    // What is in the way covers the lines between cells, so that caves are solid.
    let mut tiles: SortedMap<(bool, Rgba), Vec<PageArea>> = SortedMap::new();
    for y in cells.y..cells.y + cells.height {
        let mut run: Option<(i64, (bool, Rgba))> = None;
        for x in cells.x..=cells.x + cells.width {
            let inside = x < cells.x + cells.width;
            let here = if inside { color(x, y).map(|it| (is_solid(x, y), it)) } else { None };
            if run.map(|(_, color)| color) == here {
                continue;
            }
            if let Some((from, color)) = run {
                tiles.entry(color).or_default().push(frame.row(from, x, y));
            }
            run = here.map(|color| (x, color));
        }
    }
    let (solid, flat): (Vec<_>, Vec<_>) = tiles.into_iter().partition(|((solid, _), _)| *solid);
    for ((_, color), areas) in flat {
        scene.tiles(areas, color);
    }
    lines(scene, frame, cells, colors);
    for ((_, color), areas) in solid {
        scene.tiles(areas, color);
    }
    let goals =
        cells.each().filter(|(x, y)| top(*x, *y).is_some_and(|it| it.tone == WorldTone::Goal));
    areas::outline(scene, &goals.collect(), frame, colors.tone(WorldTone::Goal));
    glyphs(scene, &plain, frame, cells, colors);
}

/// How much of a cell has faded since it was seen.
fn faded(layer: &WorldLayer, (x, y): (i64, i64), now: u32) -> f64 {
    let seen = index(layer, x, y).and_then(|index| layer.seen.get(index)).copied().unwrap_or(0);
    let Some(seen) = seen.checked_sub(1) else { return 0.0 };
    let age = now.saturating_sub(seen);
    looks().fading.iter().find(|(steps, _)| age >= *steps).map_or(0.0, |(_, share)| *share)
}

/// The colour of a number and how much it covers.
pub(crate) fn shade(layer: &WorldLayer, value: u8, colors: &Palette) -> Option<(Rgba, f64)> {
    let scale = layer.scale.as_ref()?;
    let share = f64::from(value.checked_sub(1)?) / 254.0;
    let share = (share * SHADES).round() / SHADES;
    (share > 0.0).then(|| (colors.tone(scale.tone()), share * looks().cover))
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

/// Signs of things, and letters where there are none.
fn glyphs(
    scene: &mut VectorScene,
    plain: &[LayerLooks<'_>],
    frame: &MapFrame<'_>,
    cells: Cells,
    colors: &Palette,
) {
    for (x, y) in cells.each() {
        let look = plain.iter().rev().find_map(|looks| looks.at(x, y));
        let (Some(look), Some(at)) = (look, frame.cell(x, y)) else { continue };
        if let Some(kind) = look.kind {
            let half = (frame.unit * looks().sizes.spot * 1.1).max(SIGN_MIN / 2.0);
            signs::thing(scene, at, half, (kind, look.tone), colors);
            continue;
        }
        let Some(glyph) = look.glyph.as_ref().filter(|_| frame.unit >= LETTER_MIN) else {
            continue;
        };
        let glyph: String = glyph.chars().take(1).collect();
        let size = (frame.unit * 0.62).min(40.0);
        scene.text(TextLine::new(at, size, look.color.contrast(), glyph).strong().centred());
    }
}
