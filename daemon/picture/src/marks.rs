//! What scripts drew: cells, lines, ways and texts, as far as what they gave can be understood.

use crate::frame::MapFrame;
use crate::palette::Palette;
use crate::scene::{PageArea, PagePoint, ShapePaint, TextLine, VectorScene};
use phalanx_proto::v1::ScriptMark;
use prost_types::Value;
use prost_types::value::Kind;

/// Most marks on a map.
const MARKS_MAX: usize = 2_000;
/// Most points of one way.
const POINTS_MAX: usize = 4_096;
/// Most letters of a text.
const TEXT_CHARS: usize = 40;

pub(crate) fn draw<'a>(
    scene: &mut VectorScene,
    marks: impl Iterator<Item = &'a ScriptMark>,
    frame: &MapFrame<'_>,
    colors: &Palette,
) {
    for mark in marks.take(MARKS_MAX) {
        draw_one(scene, mark, frame, colors);
    }
}

fn draw_one(scene: &mut VectorScene, mark: &ScriptMark, frame: &MapFrame<'_>, colors: &Palette) {
    let at = |index: usize| point(mark.args.get(index)?, frame);
    let (around, wide) = (colors.page.covering(0.7), (frame.unit * 0.1).clamp(1.2, 3.0));
    match mark.shape.as_str() {
        "line" => {
            if let (Some(from), Some(to)) = (at(0), at(1)) {
                scene.line(from, to, ShapePaint::stroke(around, wide * 2.0));
                scene.line(from, to, ShapePaint::stroke(colors.other, wide));
            }
            label(scene, at(1), mark.args.get(2), frame, colors);
        }
        "path" => {
            let list = match mark.args.first().and_then(|it| it.kind.as_ref()) {
                Some(Kind::ListValue(list)) => list.values.as_slice(),
                Some(_) | None => &[],
            };
            let way = list.iter().take(POINTS_MAX).filter_map(|it| point(it, frame));
            let way: Vec<PagePoint> = way.collect();
            let end = way.last().copied();
            if way.len() > 1 {
                scene.lines(vec![way.clone()], ShapePaint::stroke(around, wide * 2.0));
                scene.lines(vec![way], ShapePaint::stroke(colors.other, wide).dashed());
            }
            if let Some(end) = end {
                let paint = ShapePaint::fill(colors.other).with_stroke(around, wide / 2.0);
                scene.disc(end, wide * 1.6, paint);
            }
            label(scene, end, mark.args.get(1), frame, colors);
        }
        "text" => label(scene, at(0), mark.args.get(1), frame, colors),
        // A cell, or a shape of tomorrow that begins with one.
        _ => {
            if let Some(at) = at(0) {
                let area = PageArea::around(at, frame.unit * 0.42);
                scene.rounded(area, 1.5, ShapePaint::stroke(around, wide * 2.0));
                scene.rounded(area, 1.5, ShapePaint::stroke(colors.other, wide));
            }
            label(scene, at(0), mark.args.get(1), frame, colors);
        }
    }
}

/// A word below a place.
fn label(
    scene: &mut VectorScene,
    at: Option<PagePoint>,
    word: Option<&Value>,
    frame: &MapFrame<'_>,
    colors: &Palette,
) {
    let (Some((x, y)), Some(word)) = (at, word.and_then(text)) else { return };
    let word: String = word.chars().take(TEXT_CHARS).collect();
    let size = (frame.unit * 0.36).clamp(8.0, 12.0);
    let below = (x, y + frame.unit * 0.3 + size * 0.5);
    scene.text(TextLine::new(below, size, colors.ink, word).centred().with_halo(colors.ground));
}

fn text(value: &Value) -> Option<String> {
    match value.kind.as_ref()? {
        Kind::StringValue(text) => Some(text.clone()),
        Kind::NumberValue(number) => Some(number.to_string()),
        Kind::BoolValue(_) | Kind::NullValue(_) | Kind::StructValue(_) | Kind::ListValue(_) => None,
    }
}

/// A table with `x` and `y`, two numbers, or the name of a node.
fn point(value: &Value, frame: &MapFrame<'_>) -> Option<PagePoint> {
    let number = |value: Option<&Value>| match value?.kind.as_ref()? {
        Kind::NumberValue(number) => Some(*number),
        Kind::StringValue(_)
        | Kind::BoolValue(_)
        | Kind::NullValue(_)
        | Kind::StructValue(_)
        | Kind::ListValue(_) => None,
    };
    let (x, y) = match value.kind.as_ref()? {
        Kind::StringValue(name) => return frame.node(name),
        Kind::StructValue(table) => {
            (number(table.fields.get("x"))?, number(table.fields.get("y"))?)
        }
        Kind::ListValue(list) => (number(list.values.first())?, number(list.values.get(1))?),
        Kind::NumberValue(_) | Kind::BoolValue(_) | Kind::NullValue(_) => return None,
    };
    frame.point(x, y).or_else(|| frame.cell(whole(x)?, whole(y)?))
}

fn whole(number: f64) -> Option<i64> {
    let near = number.is_finite() && number.abs() < 1e9;
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    let whole = number.round() as i64;
    near.then_some(whole)
}
