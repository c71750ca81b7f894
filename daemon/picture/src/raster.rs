//! Scenes as pixels, and pixels as PNG.

use crate::Unfit;
use crate::font::{self, Weight};
use crate::palette::Rgba;
use crate::scene::{
    Anchor, LineStroke, PageArea, PagePoint, SceneShape, ShapePaint, TextLine, VectorScene,
};
use crate::svg::halo_width;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Path, PathBuilder, Pixmap, Rect, StrokeDash, Transform,
};
use ttf_parser::{GlyphId, OutlineBuilder};

/// Most pixels of a picture: 256 MiB of memory.
const PIXELS_MAX: f64 = 67_108_864.0;

/// A picture in pixels, four bytes each: red, green, blue, 255.
#[derive(Debug)]
pub(crate) struct Pixels {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) bytes: Vec<u8>,
}

impl VectorScene {
    /// The picture as a PNG of that width, the same bytes for the same scene.
    ///
    /// # Errors
    /// When it would have too many pixels.
    pub fn png(&self, width: u32) -> Result<Vec<u8>, Unfit> {
        let pixels = self.pixels(width)?;
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, pixels.width, pixels.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        // Flat colours get a quarter smaller without.
        encoder.set_filter(png::Filter::NoFilter);
        // Nothing shines through a page.
        let opaque: Vec<u8> =
            pixels.bytes.chunks_exact(4).flat_map(|pixel| pixel.iter().take(3)).copied().collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&opaque)?;
        writer.finish()?;
        Ok(file)
    }

    /// As high as a picture of that width is, in pixels.
    pub(crate) fn pixels_high(&self, width: u32) -> u32 {
        whole(f64::from(width) * self.height / self.width).max(1)
    }

    pub(crate) fn pixels(&self, width: u32) -> Result<Pixels, Unfit> {
        let height = self.pixels_high(width);
        let too_large = || Unfit::Pixels { width, height };
        if f64::from(width) * f64::from(height) > PIXELS_MAX {
            return Err(too_large());
        }
        let mut pixmap = Pixmap::new(width, height).ok_or_else(too_large)?;
        pixmap.fill(solid(self.background));
        let scale = f64::from(width) / self.width;
        let mut canvas = PixelCanvas { pixmap, scale };
        for shape in &self.shapes {
            canvas.shape(shape);
        }
        let bytes = canvas.pixmap.take();
        Ok(Pixels { width, height, bytes })
    }
}

struct PixelCanvas {
    pixmap: Pixmap,
    /// Pixels a unit.
    scale: f64,
}

impl PixelCanvas {
    fn shape(&mut self, shape: &SceneShape) {
        match shape {
            SceneShape::Tiles { areas, color } => self.tiles(areas, *color),
            SceneShape::Rect { area, round, paint } => self.paint(rect(*area, *round), *paint),
            SceneShape::Disc { middle: (x, y), radius, paint } => {
                let disc = PathBuilder::from_circle(single(*x), single(*y), single(*radius));
                self.paint(disc, *paint);
            }
            SceneShape::Path { runs, closed, paint } => self.paint(path(runs, *closed), *paint),
            SceneShape::Text(text) => self.text(text),
        }
    }

    /// Every edge is on whole pixels: nothing shines through between neighbours.
    fn tiles(&mut self, areas: &[PageArea], color: Rgba) {
        let snap = |place: f64| single((place * self.scale).round());
        let rects = areas.iter().filter_map(|PageArea { x, y, width, height }| {
            Rect::from_ltrb(snap(*x), snap(*y), snap(x + width), snap(y + height))
        });
        let rects: Vec<Rect> = rects.filter(|rect| rect.width() * rect.height() > 0.0).collect();
        let mut paint = colored(color);
        paint.anti_alias = false;
        for rect in rects {
            self.pixmap.fill_rect(rect, &paint, Transform::identity(), None);
        }
    }

    fn paint(&mut self, path: Option<Path>, paint: ShapePaint) {
        let Some(path) = path else { return };
        if let Some(fill) = paint.fill {
            self.fill(&path, fill);
        }
        if let Some(stroke) = paint.stroke {
            self.stroke(&path, stroke);
        }
    }

    fn fill(&mut self, path: &Path, color: Rgba) {
        let scale = single(self.scale);
        let transform = Transform::from_scale(scale, scale);
        self.pixmap.fill_path(path, &colored(color), FillRule::Winding, transform, None);
    }

    fn stroke(&mut self, path: &Path, stroke: LineStroke) {
        let wide = single(stroke.width);
        let dash =
            if stroke.dashed { StrokeDash::new(vec![wide * 3.0, wide * 3.0], 0.0) } else { None };
        let (line_cap, line_join) = (LineCap::Round, LineJoin::Round);
        let how =
            tiny_skia::Stroke { width: wide, line_cap, line_join, dash, ..Default::default() };
        let scale = single(self.scale);
        let transform = Transform::from_scale(scale, scale);
        self.pixmap.stroke_path(path, &colored(stroke.color), &how, transform, None);
    }

    fn text(&mut self, text: &TextLine) {
        let long = font::width(&text.text, text.size, text.weight);
        let begin = match text.anchor {
            Anchor::Start => text.at.0,
            Anchor::Middle => text.at.0 - long / 2.0,
            Anchor::End => text.at.0 - long,
        };
        let letters = letters(&text.text, (begin, text.at.1), text.size, text.weight);
        let Some(letters) = letters else { return };
        if let Some(color) = text.halo {
            self.stroke(
                &letters,
                LineStroke { color, width: halo_width(text.size), dashed: false },
            );
        }
        self.fill(&letters, text.color);
    }
}

fn rect(area: PageArea, round: f64) -> Option<Path> {
    let PageArea { x, y, width, height } = area;
    let round = round.min(width / 2.0).min(height / 2.0);
    if round <= 0.0 {
        let rect = Rect::from_xywh(single(x), single(y), single(width), single(height))?;
        return Some(PathBuilder::from_rect(rect));
    }
    let (right, below) = (x + width, y + height);
    let mut path = PathBuilder::new();
    let at = |x: f64, y: f64| (single(x), single(y));
    let mut corner = |from: (f32, f32), over: (f32, f32), to: (f32, f32), first: bool| {
        if first {
            path.move_to(from.0, from.1)
        } else {
            path.line_to(from.0, from.1)
        }
        path.quad_to(over.0, over.1, to.0, to.1);
    };
    corner(at(x, y + round), at(x, y), at(x + round, y), true);
    corner(at(right - round, y), at(right, y), at(right, y + round), false);
    corner(at(right, below - round), at(right, below), at(right - round, below), false);
    corner(at(x + round, below), at(x, below), at(x, below - round), false);
    path.close();
    path.finish()
}

fn path(runs: &[Vec<PagePoint>], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for run in runs {
        for (index, (x, y)) in run.iter().enumerate() {
            let (x, y) = (single(*x), single(*y));
            if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        if closed {
            path.close();
        }
    }
    path.finish()
}

/// The outlines of a text whose base line begins at a point.
fn letters(text: &str, (x, y): PagePoint, size: f64, weight: Weight) -> Option<Path> {
    let mut path = PathBuilder::new();
    font::outline(text, weight, |along, face, letter: GlyphId| {
        let scale = size / f64::from(face.units_per_em().max(1));
        let mut pen = Pen {
            path: &mut path,
            x: single(x + along * size),
            y: single(y),
            scale: single(scale),
        };
        font::trace(face, letter, &mut pen);
    });
    path.finish()
}

/// Puts the outline of a letter where it belongs; letters grow upwards.
struct Pen<'a> {
    path: &'a mut PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

fn solid(color: Rgba) -> tiny_skia::Color {
    tiny_skia::Color::from_rgba8(color.red, color.green, color.blue, color.alpha)
}

fn colored(color: Rgba) -> tiny_skia::Paint<'static> {
    let mut paint = tiny_skia::Paint::default();
    paint.set_color(solid(color));
    paint
}

fn single(number: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "places on a page are small numbers")]
    let single = number as f32;
    single
}

fn whole(number: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates; what is no number becomes 0"
    )]
    let whole = number.round() as u32;
    whole
}
