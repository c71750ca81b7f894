//! A picture as plain data: a list of shapes, back to front, the only input of the file writers.

use crate::font::{Weight, clean};
use crate::palette::Rgba;

/// A place on the page, in units from its upper left corner: to the right, down.
pub(crate) type PagePoint = (f64, f64);

/// A rectangle on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PageArea {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorScene {
    /// Units across.
    pub(crate) width: f64,
    /// Units down.
    pub(crate) height: f64,
    pub(crate) background: Rgba,
    /// What it shows, for those who do not see it.
    pub(crate) title: String,
    pub(crate) shapes: Vec<SceneShape>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SceneShape {
    /// Rectangles side by side, without seams.
    Tiles {
        areas: Vec<PageArea>,
        color: Rgba,
    },
    Rect {
        area: PageArea,
        round: f64,
        paint: ShapePaint,
    },
    Disc {
        middle: PagePoint,
        radius: f64,
        paint: ShapePaint,
    },
    /// Lines from point to point, each run apart; closed ones are filled, too.
    Path {
        runs: Vec<Vec<PagePoint>>,
        closed: bool,
        paint: ShapePaint,
    },
    Text(TextLine),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ShapePaint {
    pub(crate) fill: Option<Rgba>,
    pub(crate) stroke: Option<LineStroke>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineStroke {
    pub(crate) color: Rgba,
    pub(crate) width: f64,
    pub(crate) dashed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextLine {
    /// Where its base line begins, has its middle, or ends.
    pub(crate) at: PagePoint,
    pub(crate) anchor: Anchor,
    /// Height of the letters with what is left above and below, in units.
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) color: Rgba,
    /// Around the letters, where they stand on a map.
    pub(crate) halo: Option<Rgba>,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl ShapePaint {
    pub(crate) fn fill(color: Rgba) -> Self {
        Self { fill: Some(color), stroke: None }
    }

    pub(crate) fn stroke(color: Rgba, width: f64) -> Self {
        Self { fill: None, stroke: Some(LineStroke { color, width, dashed: false }) }
    }

    pub(crate) fn with_stroke(mut self, color: Rgba, width: f64) -> Self {
        self.stroke = Some(LineStroke { color, width, dashed: false });
        self
    }

    pub(crate) fn dashed(mut self) -> Self {
        if let Some(stroke) = &mut self.stroke {
            stroke.dashed = true;
        }
        self
    }
}

impl PageArea {
    pub(crate) fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    pub(crate) fn around((x, y): PagePoint, half: f64) -> Self {
        Self::new(x - half, y - half, 2.0 * half, 2.0 * half)
    }
}

impl TextLine {
    /// Starts at a point, of regular weight.
    pub(crate) fn new(at: PagePoint, size: f64, color: Rgba, text: impl Into<String>) -> Self {
        let (anchor, weight, text) = (Anchor::Start, Weight::Regular, text.into());
        Self { at, anchor, size, weight, color, halo: None, text }
    }

    pub(crate) fn strong(self) -> Self {
        Self { weight: Weight::Medium, ..self }
    }

    pub(crate) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) fn with_halo(self, halo: Rgba) -> Self {
        Self { halo: Some(halo), ..self }
    }

    /// Around a point in both directions.
    pub(crate) fn centred(self) -> Self {
        // Half the height of digits and capitals.
        let at = (self.at.0, self.at.1 + self.size * 0.355);
        Self { at, anchor: Anchor::Middle, ..self }
    }
}

impl VectorScene {
    pub(crate) fn new(width: f64, height: f64, background: Rgba, title: &str) -> Self {
        let title = clean(title);
        Self { width, height, background, title, shapes: Vec::new() }
    }

    pub(crate) fn tiles(&mut self, areas: Vec<PageArea>, color: Rgba) {
        if !areas.is_empty() {
            self.shapes.push(SceneShape::Tiles { areas, color });
        }
    }

    pub(crate) fn rect(&mut self, area: PageArea, paint: ShapePaint) {
        self.shapes.push(SceneShape::Rect { area, round: 0.0, paint });
    }

    pub(crate) fn rounded(&mut self, area: PageArea, round: f64, paint: ShapePaint) {
        self.shapes.push(SceneShape::Rect { area, round, paint });
    }

    pub(crate) fn disc(&mut self, middle: PagePoint, radius: f64, paint: ShapePaint) {
        self.shapes.push(SceneShape::Disc { middle, radius, paint });
    }

    pub(crate) fn line(&mut self, from: PagePoint, to: PagePoint, paint: ShapePaint) {
        self.lines(vec![vec![from, to]], paint);
    }

    pub(crate) fn lines(&mut self, runs: Vec<Vec<PagePoint>>, paint: ShapePaint) {
        if !runs.is_empty() {
            self.shapes.push(SceneShape::Path { runs, closed: false, paint });
        }
    }

    pub(crate) fn polygon(&mut self, corners: Vec<PagePoint>, paint: ShapePaint) {
        self.shapes.push(SceneShape::Path { runs: vec![corners], closed: true, paint });
    }

    /// Letters that no file can hold, or that would turn the rest of a line, are replaced.
    pub(crate) fn text(&mut self, mut text: TextLine) {
        text.text = clean(&text.text);
        if !text.text.is_empty() {
            self.shapes.push(SceneShape::Text(text));
        }
    }

    /// Units across and down.
    #[must_use]
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }
}
