//! Scenes as SVG: one element a shape, and nothing that loads or runs anything.

use crate::font::{Weight, width};
use crate::palette::Rgba;
use crate::scene::{Anchor, PageArea, PagePoint, SceneShape, ShapePaint, TextLine, VectorScene};
use std::fmt::Write;

/// Fonts in the order in which they are looked for; each text is made as long as ours.
const FONTS: &str = "Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";

impl VectorScene {
    /// The picture as SVG text, the same bytes for the same scene. `pixels`: the width that the
    /// file declares; a viewer may scale it.
    #[must_use]
    pub fn svg(&self, pixels: u32) -> String {
        let high = (f64::from(pixels) * self.height / self.width).round();
        let mut out = Out(String::new());
        out.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{pixels}\" height=\"{}\" \
             viewBox=\"0 0 {} {}\" font-family=\"{FONTS}\" role=\"img\">\n<title>{}</title>\n",
            SvgNumber(high),
            SvgNumber(self.width),
            SvgNumber(self.height),
            Escaped(&self.title),
        ));
        let page = PageArea::new(0.0, 0.0, self.width, self.height);
        out.rect(page, 0.0, ShapePaint::fill(self.background));
        for shape in &self.shapes {
            out.shape(shape);
        }
        out.add(format_args!("</svg>\n"));
        out.0
    }
}

struct Out(String);

impl Out {
    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // A text takes everything.
        self.0.write_fmt(text).unwrap_or_default();
    }

    fn shape(&mut self, shape: &SceneShape) {
        match shape {
            SceneShape::Tiles { areas, color } => self.tiles(areas, *color),
            SceneShape::Rect { area, round, paint } => self.rect(*area, *round, *paint),
            SceneShape::Disc { middle: (x, y), radius, paint } => {
                let (x, y, radius) = (SvgNumber(*x), SvgNumber(*y), SvgNumber(*radius));
                self.add(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\""));
                self.paint(*paint);
            }
            SceneShape::Path { runs, closed, paint } => self.path(runs, *closed, *paint),
            SceneShape::Text(text) => self.text(text),
        }
    }

    fn tiles(&mut self, areas: &[PageArea], color: Rgba) {
        self.add(format_args!("<path shape-rendering=\"crispEdges\" d=\""));
        for PageArea { x, y, width, height } in areas {
            let (x, y, width, height) =
                (SvgNumber(*x), SvgNumber(*y), SvgNumber(*width), SvgNumber(*height));
            self.add(format_args!("M{x} {y}h{width}v{height}h-{width}z"));
        }
        self.add(format_args!("\""));
        self.paint(ShapePaint::fill(color));
    }

    fn rect(&mut self, area: PageArea, round: f64, paint: ShapePaint) {
        let PageArea { x, y, width, height } = area;
        let (x, y, width, height) =
            (SvgNumber(x), SvgNumber(y), SvgNumber(width), SvgNumber(height));
        self.add(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""));
        if round > 0.0 {
            self.add(format_args!(" rx=\"{}\"", SvgNumber(round)));
        }
        self.paint(paint);
    }

    fn path(&mut self, runs: &[Vec<PagePoint>], closed: bool, paint: ShapePaint) {
        self.add(format_args!("<path d=\""));
        for run in runs {
            for (index, (x, y)) in run.iter().enumerate() {
                let letter = if index == 0 { 'M' } else { 'L' };
                self.add(format_args!("{letter}{} {}", SvgNumber(*x), SvgNumber(*y)));
            }
            if closed {
                self.add(format_args!("z"));
            }
        }
        self.add(format_args!("\""));
        self.paint(paint);
    }

    fn paint(&mut self, paint: ShapePaint) {
        match paint.fill {
            Some(color) => self.color("fill", color),
            None => self.add(format_args!(" fill=\"none\"")),
        }
        if let Some(stroke) = paint.stroke {
            self.color("stroke", stroke.color);
            self.add(format_args!(" stroke-width=\"{}\"", SvgNumber(stroke.width)));
            self.add(format_args!(" stroke-linejoin=\"round\" stroke-linecap=\"round\""));
            if stroke.dashed {
                let (dash, gap) = (SvgNumber(stroke.width * 3.0), SvgNumber(stroke.width * 3.0));
                self.add(format_args!(" stroke-dasharray=\"{dash} {gap}\""));
            }
        }
        self.add(format_args!("/>\n"));
    }

    fn color(&mut self, what: &str, color: Rgba) {
        let Rgba { red, green, blue, alpha } = color;
        self.add(format_args!(" {what}=\"#{red:02x}{green:02x}{blue:02x}\""));
        if alpha < 255 {
            let share = SvgNumber(f64::from(alpha) / 255.0);
            self.add(format_args!(" {what}-opacity=\"{share}\""));
        }
    }

    fn text(&mut self, text: &TextLine) {
        let (x, y, size) = (SvgNumber(text.at.0), SvgNumber(text.at.1), SvgNumber(text.size));
        self.add(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\""));
        match text.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.add(format_args!(" text-anchor=\"middle\"")),
            Anchor::End => self.add(format_args!(" text-anchor=\"end\"")),
        }
        if text.weight == Weight::Medium {
            self.add(format_args!(" font-weight=\"500\""));
        }
        let long = SvgNumber(width(&text.text, text.size, text.weight));
        self.add(format_args!(" textLength=\"{long}\" lengthAdjust=\"spacingAndGlyphs\""));
        if let Some(halo) = text.halo {
            self.color("stroke", halo);
            let wide = SvgNumber(halo_width(text.size));
            self.add(format_args!(
                " stroke-width=\"{wide}\" stroke-linejoin=\"round\" paint-order=\"stroke\""
            ));
        }
        self.color("fill", text.color);
        self.add(format_args!(">{}</text>\n", Escaped(&text.text)));
    }
}

/// How wide the line around letters is, one half of it outside of them.
pub(crate) fn halo_width(size: f64) -> f64 {
    size * 0.25
}

/// A number with two decimals at most; what is none is 0.
struct SvgNumber(f64);

impl std::fmt::Display for SvgNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let number = if self.0.is_finite() { self.0 } else { 0.0 };
        let text = format!("{number:.2}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

/// A text that stays one, whatever is in it.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let all = [0.0, -0.001, 1.0, 1.5, 1.256, 1e9, f64::NAN].map(|it| SvgNumber(it).to_string());
        assert_eq!(all, ["0", "0", "1", "1.5", "1.26", "1000000000", "0"]);
    }

    #[test]
    fn a_text_stays_a_text() {
        let mut scene = VectorScene::new(10.0, 10.0, Rgba::hex(0), "</title><script>");
        let ink = Rgba::hex(0xFF_FF_FF);
        scene.text(TextLine::new((0.0, 0.0), 10.0, ink, "\"><a b='c'>&\u{8}</text>"));
        let svg = scene.svg(10);
        assert!(svg.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"), "{svg}");
        let text = "&quot;&gt;&lt;a b=&#39;c&#39;&gt;&amp;\u{FFFD}&lt;/text&gt;</text>";
        assert!(svg.contains(text), "{svg}");
    }
}
