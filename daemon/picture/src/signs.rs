//! Signs of who and what is on a map: each differs from the others by its shape, not only by colour.

use crate::looks::{KindLook, SignInk, SignShape, looks};
use crate::palette::{Palette, Rgba};
use crate::scene::{PageArea, PagePoint, ShapePaint, VectorScene};
use phalanx_proto::v1::{WorldSide, WorldTone};

/// Widths of a sign's lines on the page.
const WIDE: (f64, f64) = (0.6, 3.0);

/// Somebody: ours are round, others pointed; who cannot act is hollow and crossed.
pub(crate) fn body(
    scene: &mut VectorScene,
    at: PagePoint,
    half: f64,
    side: WorldSide,
    alive: bool,
    colors: &Palette,
) {
    let color = colors.side(side);
    let sign = looks().body(side == WorldSide::Ours);
    if alive {
        draw(scene, sign, at, half, color, colors);
        return;
    }
    let hollow = |shape: &SignShape| SignShape {
        fill: Some(SignInk::Page),
        stroke: Some(SignInk::Thing),
        wide: 0.25,
        ..shape.clone()
    };
    let hollow: Vec<SignShape> = sign.iter().map(hollow).collect();
    draw(scene, &hollow, at, half, color, colors);
    draw(scene, looks().gone(), at, half, color, colors);
}

/// A marked place, by what kind of place it is, or else by what its colour is to say.
pub(crate) fn spot(
    scene: &mut VectorScene,
    at: PagePoint,
    half: f64,
    (kind, tone): (&str, WorldTone),
    colors: &Palette,
) {
    let color = looks().kind(kind).map_or_else(|| colors.tone(tone), |it| it.color(tone, colors));
    draw(scene, looks().spot(kind, tone), at, half, color, colors);
}

/// A thing on a cell that has a sign of its own.
pub(crate) fn thing(
    scene: &mut VectorScene,
    at: PagePoint,
    half: f64,
    (kind, tone): (&KindLook, WorldTone),
    colors: &Palette,
) {
    let Some(sign) = kind.own_sign() else { return };
    draw(scene, sign, at, half, kind.color(tone, colors), colors);
}

fn draw(
    scene: &mut VectorScene,
    sign: &[SignShape],
    (x, y): PagePoint,
    half: f64,
    color: Rgba,
    colors: &Palette,
) {
    let point = |(dx, dy): &(f64, f64)| (x + dx * half, y + dy * half);
    for shape in sign {
        let fill = shape.fill.map(|ink| ink.color(color, colors));
        let mut paint = ShapePaint { fill, ..ShapePaint::default() };
        if let Some(ink) = shape.stroke {
            let wide = (shape.wide * half).clamp(WIDE.0, WIDE.1.max(half * 0.8));
            paint = paint.with_stroke(ink.color(color, colors), wide);
        }
        if let Some((dx, dy, radius)) = shape.disc {
            scene.disc(point(&(dx, dy)), radius * half, paint);
        }
        if let Some((dx, dy, wide, high, round)) = shape.area {
            let (left, top) = point(&(dx, dy));
            scene.rounded(PageArea::new(left, top, wide * half, high * half), round * half, paint);
        }
        if !shape.points.is_empty() {
            scene.polygon(shape.points.iter().map(point).collect(), paint);
        }
        let runs = shape.lines.iter().map(|run| run.iter().map(point).collect());
        scene.lines(runs.collect(), paint);
    }
}
