//! A picture as plain data: shapes, the hindmost first. Whoever writes files knows nothing else.

use crate::font::{Weight, clean};
use crate::palette::Color;

/// A place on the page, in units from its upper left corner: to the right, down.
pub(crate) type Point = (f64, f64);

/// A rectangle on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Units across.
    pub(crate) width: f64,
    /// Units down.
    pub(crate) height: f64,
    pub(crate) background: Color,
    /// What it shows, for those who do not see it.
    pub(crate) title: String,
    pub(crate) shapes: Vec<Shape>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Rectangles side by side, without seams.
    Tiles {
        areas: Vec<Area>,
        color: Color,
    },
    Rect {
        area: Area,
        round: f64,
        paint: Paint,
    },
    Disc {
        middle: Point,
        radius: f64,
        paint: Paint,
    },
    /// Lines from point to point, each run apart; closed ones are filled, too.
    Path {
        runs: Vec<Vec<Point>>,
        closed: bool,
        paint: Paint,
    },
    Text(Text),
}

/// How a shape is painted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Paint {
    pub(crate) fill: Option<Color>,
    pub(crate) stroke: Option<Stroke>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) color: Color,
    pub(crate) width: f64,
    pub(crate) dashed: bool,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    /// Where its base line begins, has its middle, or ends.
    pub(crate) at: Point,
    pub(crate) anchor: Anchor,
    /// Height of the letters with what is left above and below, in units.
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) color: Color,
    /// Around the letters, where they stand on a map.
    pub(crate) halo: Option<Color>,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Paint {
    pub(crate) fn fill(color: Color) -> Self {
        Self { fill: Some(color), stroke: None }
    }

    pub(crate) fn stroke(color: Color, width: f64) -> Self {
        Self { fill: None, stroke: Some(Stroke { color, width, dashed: false }) }
    }

    pub(crate) fn with_stroke(mut self, color: Color, width: f64) -> Self {
        self.stroke = Some(Stroke { color, width, dashed: false });
        self
    }

    pub(crate) fn dashed(mut self) -> Self {
        if let Some(stroke) = &mut self.stroke {
            stroke.dashed = true;
        }
        self
    }
}

impl Area {
    pub(crate) fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    pub(crate) fn around((x, y): Point, half: f64) -> Self {
        Self::new(x - half, y - half, 2.0 * half, 2.0 * half)
    }
}

impl Text {
    /// Starts at a point, of regular weight.
    pub(crate) fn new(at: Point, size: f64, color: Color, text: impl Into<String>) -> Self {
        let (anchor, weight, text) = (Anchor::Start, Weight::Regular, text.into());
        Self { at, anchor, size, weight, color, halo: None, text }
    }

    pub(crate) fn strong(self) -> Self {
        Self { weight: Weight::Medium, ..self }
    }

    pub(crate) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) fn with_halo(self, halo: Color) -> Self {
        Self { halo: Some(halo), ..self }
    }

    /// Around a point in both directions.
    pub(crate) fn centred(self) -> Self {
        // Half the height of digits and capitals.
        let at = (self.at.0, self.at.1 + self.size * 0.355);
        Self { at, anchor: Anchor::Middle, ..self }
    }
}

impl Scene {
    pub(crate) fn new(width: f64, height: f64, background: Color, title: &str) -> Self {
        let title = clean(title);
        Self { width, height, background, title, shapes: Vec::new() }
    }

    pub(crate) fn tiles(&mut self, areas: Vec<Area>, color: Color) {
        if !areas.is_empty() {
            self.shapes.push(Shape::Tiles { areas, color });
        }
    }

    pub(crate) fn rect(&mut self, area: Area, paint: Paint) {
        self.shapes.push(Shape::Rect { area, round: 0.0, paint });
    }

    pub(crate) fn rounded(&mut self, area: Area, round: f64, paint: Paint) {
        self.shapes.push(Shape::Rect { area, round, paint });
    }

    pub(crate) fn disc(&mut self, middle: Point, radius: f64, paint: Paint) {
        self.shapes.push(Shape::Disc { middle, radius, paint });
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, paint: Paint) {
        self.lines(vec![vec![from, to]], paint);
    }

    pub(crate) fn lines(&mut self, runs: Vec<Vec<Point>>, paint: Paint) {
        if !runs.is_empty() {
            self.shapes.push(Shape::Path { runs, closed: false, paint });
        }
    }

    pub(crate) fn polygon(&mut self, corners: Vec<Point>, paint: Paint) {
        self.shapes.push(Shape::Path { runs: vec![corners], closed: true, paint });
    }

    /// Letters that no file can hold, or that would turn the rest of a line, are replaced.
    pub(crate) fn text(&mut self, mut text: Text) {
        text.text = clean(&text.text);
        if !text.text.is_empty() {
            self.shapes.push(Shape::Text(text));
        }
    }

    /// Units across and down.
    #[must_use]
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }
}
