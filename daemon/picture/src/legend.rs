//! What the colours and signs of a picture mean.

use crate::font::{Weight, fitted};
use crate::looks::{AREA_COVER, looks};
use crate::palette::Palette;
use crate::scene::{PageArea, ShapePaint, TextLine, VectorScene};
use crate::signs;
use phalanx_game::sorted::SortedSet;
use phalanx_proto::v1::{WorldLayer, WorldSide, WorldTone};

/// Most lines of a legend.
const KEYS_MAX: usize = 40;
/// Height of a line.
pub(crate) const LINE: f64 = 18.0;
/// Size of its letters.
const LETTERS: f64 = 12.0;
/// Half of a sign.
const SIGN: f64 = 6.0;
/// Room for the sign of a line.
const INDENT: f64 = 24.0;
/// Steps of a scale of numbers.
const STEPS: u8 = 8;

/// One line of a legend, in the order in which they stand in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LegendLine {
    Ours,
    Theirs,
    Down,
    Zone,
    Value { tone: i32, nth: usize, glyph: Option<String>, name: String },
    Spot { tone: i32, kind: String },
    Scale { name: String, tone: i32, from: String, to: String, unit: String },
    Mark,
    Unknown,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LegendLines(SortedSet<LegendLine>);

impl LegendLine {
    pub(crate) fn scale(layer: &WorldLayer) -> Option<Self> {
        let scale = layer.scale.as_ref()?;
        Some(Self::Scale {
            name: layer.name.clone(),
            tone: scale.tone().into(),
            from: scale.from.to_string(),
            to: scale.to.to_string(),
            unit: scale.unit.clone(),
        })
    }

    fn text(&self) -> String {
        match self {
            Self::Ours => "our agents".to_owned(),
            Self::Theirs => "others".to_owned(),
            Self::Down => "cannot act".to_owned(),
            Self::Zone => "zones, by who owns them".to_owned(),
            Self::Value { name, .. } => name.clone(),
            Self::Spot { kind, .. } => kind.clone(),
            Self::Scale { name, from, to, unit, .. } => format!("{name}: {from} to {to} {unit}"),
            Self::Mark => "drawn by scripts".to_owned(),
            Self::Unknown => "never seen; paler: seen long ago".to_owned(),
        }
    }

    /// Shades of numbers stand in a line of their own.
    fn lines(&self) -> usize {
        if matches!(self, Self::Scale { .. }) { 2 } else { 1 }
    }

    fn sign(&self, scene: &mut VectorScene, (x, y): (f64, f64), colors: &Palette) {
        let square = PageArea::around((x, y), SIGN);
        let edge = |paint: ShapePaint| paint.with_stroke(colors.rule, 0.75);
        match self {
            Self::Ours => signs::body(scene, (x, y), SIGN, WorldSide::Ours, true, colors),
            Self::Theirs => signs::body(scene, (x, y), SIGN, WorldSide::Theirs, true, colors),
            Self::Down => signs::body(scene, (x, y), SIGN, WorldSide::Ours, false, colors),
            Self::Zone => {
                let (left, right) = (colors.zone(WorldSide::Ours), colors.zone(WorldSide::Theirs));
                scene.disc((x - 4.0, y), 5.0, edge(ShapePaint::fill(left)));
                scene.disc((x + 4.0, y), 5.0, edge(ShapePaint::fill(right)));
            }
            Self::Value { tone, nth, glyph, name } => {
                let tone = WorldTone::try_from(*tone).unwrap_or_default();
                let kind = looks().kind(name).filter(|kind| kind.own_sign().is_some());
                if let Some(kind) = kind {
                    signs::thing(scene, (x, y), SIGN, (kind, tone), colors);
                    return;
                }
                let color = colors.cell(tone, *nth);
                scene.rect(square, edge(ShapePaint::fill(color)));
                if let Some(glyph) = glyph {
                    let glyph: String = glyph.chars().take(1).collect();
                    let text = TextLine::new((x, y), 9.5, color.contrast(), glyph);
                    scene.text(text.strong().centred());
                }
            }
            Self::Spot { tone, kind } => {
                let tone = WorldTone::try_from(*tone).unwrap_or_default();
                if looks().is_area(kind) {
                    let color = colors.tone(tone);
                    let paint = ShapePaint::fill(color.covering(AREA_COVER));
                    scene.rect(square, paint.with_stroke(color, 1.5));
                } else {
                    signs::spot(scene, (x, y), SIGN, (kind, tone), colors);
                }
            }
            Self::Scale { .. } => {}
            Self::Mark => {
                let paint = ShapePaint::stroke(colors.other, 2.0);
                scene.line((x - SIGN, y + 3.0), (x + SIGN, y - 3.0), paint);
            }
            Self::Unknown => {
                scene.rect(square, edge(ShapePaint::fill(colors.unknown)));
                let paint = ShapePaint::stroke(colors.hatch, 1.5);
                scene.line((x - 4.0, y + 4.0), (x + 4.0, y - 4.0), paint);
            }
        }
    }

    fn shades(&self, scene: &mut VectorScene, area: PageArea, colors: &Palette) {
        let Self::Scale { tone, .. } = self else { return };
        let tone = colors.tone(WorldTone::try_from(*tone).unwrap_or_default());
        let wide = area.width / f64::from(STEPS);
        for step in 0..STEPS {
            let share = f64::from(step) / f64::from(STEPS - 1);
            let color = colors.ground.mixed(tone, share * 0.85);
            let x = area.x + f64::from(step) * wide;
            scene.tiles(vec![PageArea::new(x, area.y, wide, area.height)], color);
        }
        scene.rect(area, ShapePaint::stroke(colors.rule, 0.75));
    }
}

impl LegendLines {
    pub(crate) fn add(&mut self, key: LegendLine) {
        if self.0.len() < KEYS_MAX {
            self.0.insert(key);
        }
    }

    pub(crate) fn extend(&mut self, keys: impl IntoIterator<Item = LegendLine>) {
        keys.into_iter().for_each(|key| self.add(key));
    }

    /// Its height with this number of columns.
    pub(crate) fn height(&self, columns: usize) -> f64 {
        let lines: usize = self.0.iter().map(LegendLine::lines).sum();
        let rows = u32::try_from(lines.div_ceil(columns.max(1))).unwrap_or(u32::MAX);
        f64::from(rows) * LINE
    }

    /// Draws it below each other from a corner on, in columns.
    pub(crate) fn draw(
        &self,
        scene: &mut VectorScene,
        area: PageArea,
        columns: usize,
        colors: &Palette,
    ) {
        let wide = area.width / f64::from(u32::try_from(columns).unwrap_or(1).max(1));
        let (mut x, mut y) = (area.x, area.y);
        for key in &self.0 {
            if y + LINE > area.y + area.height + 0.5 {
                (x, y) = (x + wide, area.y);
            }
            let middle = y + LINE / 2.0;
            let long = key.lines() > 1;
            key.sign(scene, (x + 8.0, middle), colors);
            let indent = if long { 0.0 } else { INDENT };
            let name = fitted(&key.text(), LETTERS, Weight::Regular, wide - indent - 8.0);
            scene.text(TextLine::new((x + indent, middle + 4.2), LETTERS, colors.ink, name));
            y += LINE;
            if long {
                let shades = PageArea::new(x, y + 2.0, wide.min(200.0) - 8.0, LINE - 8.0);
                key.shades(scene, shades, colors);
                y += LINE;
            }
        }
    }
}
