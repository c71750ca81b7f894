//! Signs of who and what is on a map: each differs from the others by its shape, not only by colour.

use crate::palette::Palette;
use crate::scene::{PageArea, PagePoint, ShapePaint, VectorScene};
use phalanx_proto::v1::{WorldSide, WorldTone};

/// Half of the longer way through a sign with corners, measured by one that is round.
const POINTED: f64 = 1.2;

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
    let paint = if alive {
        ShapePaint::fill(color).with_stroke(colors.page, (half * 0.18).clamp(0.6, 2.0))
    } else {
        ShapePaint::fill(colors.page).with_stroke(color, (half * 0.25).clamp(0.8, 3.0))
    };
    if side == WorldSide::Ours {
        scene.disc(at, half, paint);
    } else {
        scene.polygon(diamond(at, half * POINTED), paint);
    }
    if !alive {
        let arm = half * 0.5;
        let paint = ShapePaint::stroke(color, (half * 0.25).clamp(0.8, 3.0));
        scene.lines(cross(at, arm), paint);
    }
}

/// A marked place: what one wants to have is a diamond, where one wants to be a ring, what hurts a
/// cross, what belongs to somebody a house, everything else a triangle.
pub(crate) fn spot(
    scene: &mut VectorScene,
    at: PagePoint,
    half: f64,
    tone: WorldTone,
    colors: &Palette,
) {
    let color = colors.tone(tone);
    let filled = ShapePaint::fill(color).with_stroke(colors.page, (half * 0.15).clamp(0.5, 2.0));
    let (x, y) = at;
    match tone {
        WorldTone::Resource => scene.polygon(diamond(at, half), filled),
        WorldTone::Goal => {
            scene.disc(at, half * 0.8, ShapePaint::stroke(colors.page, half * 0.7));
            scene.disc(at, half * 0.8, ShapePaint::stroke(color, half * 0.35));
        }
        WorldTone::Danger => {
            scene.lines(cross(at, half * 0.75), ShapePaint::stroke(color, half * 0.35));
        }
        WorldTone::Ours | WorldTone::Theirs => {
            let (left, right, roof, floor) = (x - half, x + half, y - half, y + half * 0.9);
            let walls = vec![(left, floor), (left, y - half * 0.1), (x, roof)];
            let walls = walls.into_iter().chain([(right, y - half * 0.1), (right, floor)]);
            scene.polygon(walls.collect(), filled);
        }
        WorldTone::Obstacle => scene.rect(PageArea::around(at, half * 0.85), filled),
        WorldTone::Unspecified | WorldTone::Ground | WorldTone::Other => {
            let corners =
                vec![(x, y - half), (x + half, y + half * 0.8), (x - half, y + half * 0.8)];
            scene.polygon(corners, filled);
        }
    }
}

fn diamond((x, y): PagePoint, half: f64) -> Vec<PagePoint> {
    vec![(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
}

fn cross((x, y): PagePoint, arm: f64) -> Vec<Vec<PagePoint>> {
    vec![vec![(x - arm, y - arm), (x + arm, y + arm)], vec![(x - arm, y + arm), (x + arm, y - arm)]]
}
