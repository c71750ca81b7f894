//! The things on a map: marked places, bodies and what they carry.

use crate::areas;
use crate::font::{Weight, fitted, width};
use crate::frame::MapFrame;
use crate::looks::looks;
use crate::palette::Palette;
use crate::reach::cell_of;
use crate::scene::{PageArea, PagePoint, ShapePaint, TextLine, VectorScene};
use crate::signs;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_proto::v1::{WorldBody, WorldPart, WorldSide, WorldTone};

/// Smallest unit in which signs have letters.
const LETTERS_MIN: f64 = 11.0;
/// Smallest half of a sign on the page.
const HALF_MIN: f64 = 2.5;
/// Half of a sign that is read well, and how far it may reach beyond its cell for that, in units of
/// the map.
const READ: f64 = 6.5;
const BEYOND: f64 = 0.65;
/// Smallest half of a sign with a number in it.
const SIGNED_MIN: f64 = 4.5;
/// Names of up to this length are shown whole.
const SHORT: usize = 2;
/// Room for the text beside a place, in units of the map, and at least on the page.
const LABEL: f64 = 2.4;
const LABEL_MIN: f64 = 40.0;

/// The sign of each body: the number of its name, as people call it, or a short name; where the names
/// of its side have none, its number in the roster, or for others a letter.
pub(crate) fn marks(bodies: &[WorldBody]) -> Vec<String> {
    let (ours, theirs) = (own_signs(bodies, WorldSide::Ours), own_signs(bodies, WorldSide::Theirs));
    let units = unit_signs(bodies);
    let mut others: SortedMap<String, usize> = SortedMap::new();
    let mark = |body: &WorldBody| {
        let own = if body.side() == WorldSide::Ours { &ours } else { &theirs };
        if let Some(sign) = own.get(body.name.as_str()) {
            return (*sign).to_owned();
        }
        if let Some(agent) = body.agent {
            let number = units.get(body.name.as_str()).copied();
            return number.unwrap_or_else(|| agent.saturating_add(1)).to_string();
        }
        if body.side() == WorldSide::Ours || body.name.is_empty() {
            return String::new();
        }
        // Not by name: in the order in which they stand in the table.
        let next = others.len();
        letters(*others.entry(body.name.clone()).or_insert(next))
    };
    bodies.iter().map(mark).collect()
}

/// Where an agent has several units, their numbers in the order of the bodies: the agent's number
/// would be the same for all.
fn unit_signs(bodies: &[WorldBody]) -> SortedMap<&str, u32> {
    let own = bodies.iter().filter(|body| body.side() == WorldSide::Ours && !body.name.is_empty());
    let mut names: SortedMap<&str, u32> = SortedMap::new();
    let mut agents: SortedSet<u32> = SortedSet::new();
    let mut next = 1;
    for (body, agent) in own.filter_map(|body| Some((body, body.agent?))) {
        agents.insert(agent);
        names.entry(body.name.as_str()).or_insert_with(|| {
            next += 1;
            next - 1
        });
    }
    if names.len() == agents.len() { SortedMap::new() } else { names }
}

/// The signs that the names of a side contain, if all of them contain one, each another one.
fn own_signs(bodies: &[WorldBody], side: WorldSide) -> SortedMap<&str, &str> {
    let named = bodies.iter().filter(|body| body.side() == side && !body.name.is_empty());
    let names: SortedSet<&str> = named.map(|body| body.name.as_str()).collect();
    let signs = names.iter().filter_map(|name| Some((*name, own_sign(name)?)));
    let signs: SortedMap<&str, &str> = signs.collect();
    let different: SortedSet<&str> = signs.values().copied().collect();
    let all = signs.len() == names.len() && different.len() == names.len();
    if all { signs } else { SortedMap::new() }
}

/// The number at the end of a name, or all of a short one.
fn own_sign(name: &str) -> Option<&str> {
    if name.chars().count() <= SHORT {
        return Some(name);
    }
    let word = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = name.get(word.len()..)?;
    let plain = !word.contains(|letter: char| letter.is_ascii_digit());
    (plain && (1..=3).contains(&digits.len())).then_some(digits)
}

/// a to z, then aa to zz.
fn letters(index: usize) -> String {
    let letter = |index: usize| char::from(b'a' + u8::try_from(index % 26).unwrap_or_default());
    match index / 26 {
        0 => letter(index).to_string(),
        more => format!("{}{}", letter(more - 1), letter(index)),
    }
}

pub(crate) fn spots(
    scene: &mut VectorScene,
    part: &WorldPart,
    frame: &MapFrame<'_>,
    colors: &Palette,
) {
    let half = (frame.unit * looks().sizes.spot).max(HALF_MIN);
    areas::of_spots(scene, part, frame, colors);
    for spot in part.spots.iter().filter(|spot| !looks().is_area(&spot.kind)) {
        let Some(at) = frame.place(spot.place.as_ref()) else { continue };
        signs::spot(scene, at, half, (&spot.kind, spot.tone()), colors);
        if frame.unit >= LETTERS_MIN {
            let size = (frame.unit * 0.45).clamp(8.0, 12.0);
            let room = (frame.unit * LABEL).max(LABEL_MIN);
            let label = fitted(&spot.label, size, Weight::Medium, room);
            let inside = width(&label, size, Weight::Medium) <= half * 1.3
                && spot.tone() == WorldTone::Resource;
            let text = if inside {
                let ink = colors.tone(spot.tone()).contrast();
                TextLine::new(at, size, ink, label).strong().centred()
            } else {
                let below = (at.0, at.1 + half + size * 0.45);
                TextLine::new(below, size, colors.ink, label).centred().with_halo(colors.ground)
            };
            scene.text(text);
        }
    }
}

/// Everybody; ours are in front.
pub(crate) fn bodies(
    scene: &mut VectorScene,
    part: &WorldPart,
    frame: &MapFrame<'_>,
    colors: &Palette,
) {
    let signs = marks(&part.bodies);
    let mut all: Vec<(&WorldBody, &String)> = part.bodies.iter().zip(&signs).collect();
    all.sort_by_key(|(body, _)| body.side() == WorldSide::Ours);
    for (body, _) in &all {
        carried(scene, body, frame, colors);
    }
    for Placed { at, half, body, sign } in placed(&all, frame) {
        let (side, alive) = (body.side(), body.alive);
        signs::body(scene, at, half, side, alive, colors);
        let size = half * if sign.len() > 1 { 1.15 } else { 1.35 };
        if alive && half >= SIGNED_MIN {
            let ink = colors.side(side).contrast();
            scene.text(TextLine::new(at, size, ink, sign).strong().centred());
        }
    }
}

/// A body on the page.
struct Placed<'a> {
    at: PagePoint,
    half: f64,
    body: &'a WorldBody,
    sign: &'a str,
}

/// Where everybody is; those on one place stand close together, and are smaller.
fn placed<'a>(all: &[(&'a WorldBody, &'a String)], frame: &MapFrame<'_>) -> Vec<Placed<'a>> {
    // Points count as equal within a hundredth of a unit of the page.
    let key = |(x, y): PagePoint| (format!("{x:.2}"), format!("{y:.2}"));
    let at = |body: &WorldBody| frame.place(body.place.as_ref());
    let mut crowds: SortedMap<(String, String), (u32, u32)> = SortedMap::new();
    for point in all.iter().filter_map(|(body, _)| at(body)) {
        crowds.entry(key(point)).or_default().0 += 1;
    }
    // On small cells bodies reach beyond theirs, as far as their signs can be read.
    let full = (frame.unit * looks().sizes.body).max(READ.min(frame.unit * BEYOND)).max(HALF_MIN);
    let mut placed = Vec::new();
    for (body, sign) in all {
        let Some(point) = at(body) else { continue };
        let Some((count, nth)) = crowds.get_mut(&key(point)) else { continue };
        // As square as they can stand.
        let columns = (1..=*count).find(|side| side * side >= *count).unwrap_or(1);
        let rows = count.div_ceil(columns);
        let half =
            full * if *count == 1 { 1.0 } else { (1.6 / f64::from(columns)).clamp(0.55, 0.8) };
        let shift =
            |index: u32, all: u32| (f64::from(index) - f64::from(all - 1) / 2.0) * 2.1 * half;
        let dx = shift(*nth % columns, columns.min(*count));
        let dy = shift(*nth / columns, rows);
        *nth += 1;
        placed.push(Placed { at: (point.0 + dx, point.1 + dy), half, body, sign });
    }
    placed
}

/// What hangs on somebody: a bar to it, and a frame around it.
fn carried(scene: &mut VectorScene, body: &WorldBody, frame: &MapFrame<'_>, colors: &Palette) {
    let Some((x, y)) = cell_of(body.place.as_ref()) else { return };
    let Some(from) = frame.cell(x, y) else { return };
    let color = colors.side(body.side());
    for it in &body.carried {
        let Some(to) = frame.cell(x + i64::from(it.x), y + i64::from(it.y)) else { continue };
        scene.line(from, to, ShapePaint::stroke(color, (frame.unit * 0.16).max(1.0)));
        let edge = (frame.unit * 0.1).max(0.8);
        let inner = PageArea::around(to, frame.unit * looks().sizes.carried);
        let paint = ShapePaint::fill(colors.tone(WorldTone::Resource)).with_stroke(color, edge);
        scene.rounded(inner, frame.unit * 0.12, paint);
        if frame.unit >= LETTERS_MIN {
            let last: String = it.what.chars().next_back().into_iter().collect();
            let ink = colors.tone(WorldTone::Resource).contrast();
            scene.text(TextLine::new(to, frame.unit * 0.62, ink, last).strong().centred());
        }
    }
}
