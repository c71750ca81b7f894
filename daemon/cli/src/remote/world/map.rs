//! A world as text for a terminal: maps with the bodies on them, then the legend.

use crate::paint::{Ink, Paint};
use crate::remote::Table;
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{
    World, WorldBody, WorldLayer, WorldPart, WorldPlace, WorldSide, WorldSpot, WorldTone,
};
use std::fmt::Write;

/// Signs of our agents, in the order of the roster.
const AGENTS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// Sign of further agents of ours.
const MORE: char = '@';
/// Sign of an agent that cannot act.
const DOWN: char = '%';
/// Sign of other agents.
const OTHERS: char = 'x';
/// Columns of the map of a plane.
const PLANE_COLUMNS: usize = 80;
/// Height of a character relative to its width.
const LETTER_SHAPE: f64 = 2.0;

/// A character and its colour.
pub(crate) type Sign = (char, Option<Ink>);

/// All parts of the world, with the layers of these names, or the first one.
pub(super) fn text(world: &World, layers: &[String], columns: usize, paint: Paint) -> String {
    let turn = world.turn.unwrap_or_default();
    let mut text = format!("{} in {}:{}\n", world.game, turn.round, turn.step);
    if world.parts.is_empty() {
        text.push_str("nothing is known of the world yet\n");
    }
    for part in &world.parts {
        text.push_str(&part_text(part, layers, columns, paint));
    }
    if world.cut {
        text.push_str("(the world is too large: some of it is not shown)\n");
    }
    text
}

fn part_text(part: &WorldPart, layers: &[String], columns: usize, paint: Paint) -> String {
    let facts = part.facts.iter().map(|fact| format!(", {} {}", fact.name, fact.value));
    let head = format!("{}{}", part.name, facts.collect::<String>());
    let mut text = format!("\n{}\n", paint.ink(Ink::Bold, &head));
    let first = part.layers.first().map(|layer| layer.name.clone());
    let wanted = if layers.is_empty() { first.as_slice() } else { layers };
    for layer in part.layers.iter().filter(|layer| wanted.contains(&layer.name)) {
        text.push_str(&layer_text(part, layer, columns, paint));
    }
    match &part.shape {
        Some(Shape::Plane(plane)) => {
            let (width, height) = (plane.width, plane.height);
            text.push_str(&plane_text(part, (width, height), columns, paint));
        }
        Some(Shape::Graph(_)) => text.push_str(&nodes(part)),
        Some(Shape::Grid(_)) | None => {}
    }
    text.push_str(&spots(part));
    text.push_str(&bodies(part));
    text
}

/// One layer with everything on it, cut to `columns` around our own agents.
fn layer_text(part: &WorldPart, layer: &WorldLayer, columns: usize, paint: Paint) -> String {
    let overlay = overlay(part);
    let up = matches!(&part.shape, Some(Shape::Grid(grid)) if grid.y_up);
    let width = usize::try_from(layer.width).unwrap_or(usize::MAX).max(1);
    let window = window(part, layer, width, columns);
    let mut text = format!("{} from ({}, {})", layer.name, layer.x, layer.y);
    if window.len() < width {
        let from = i64::from(layer.x) + i64::try_from(window.start).unwrap_or_default();
        let columns = window.len();
        write!(text, ", {columns} of {width} columns from {from} on").unwrap_or_default();
    }
    text.push('\n');
    let mut rows: Vec<(i64, &[u8])> =
        (i64::from(layer.y)..).zip(layer.cells.chunks(width)).collect();
    if up {
        rows.reverse();
    }
    for (y, row) in rows {
        let cells = row.iter().enumerate().skip(window.start).take(window.len());
        for (column, value) in cells {
            let x = i64::from(layer.x) + i64::try_from(column).unwrap_or_default();
            let (sign, ink) = overlay.get(&(x, y)).copied().unwrap_or_else(|| cell(layer, *value));
            match ink {
                Some(ink) => text.push_str(&paint.ink(ink, sign.encode_utf8(&mut [0; 4]))),
                None => text.push(sign),
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text + &legend(layer)
}

/// The columns that are shown: all, or as many as fit around the middle of our own agents.
fn window(
    part: &WorldPart,
    layer: &WorldLayer,
    width: usize,
    columns: usize,
) -> std::ops::Range<usize> {
    let columns = columns.max(1);
    if width <= columns {
        return 0..width;
    }
    let ours = part.bodies.iter().filter(|body| body.side() == WorldSide::Ours);
    let xs: Vec<i64> = ours.filter_map(|body| Some(cell_of(body.place.as_ref())?.0)).collect();
    let count = i64::try_from(xs.len()).unwrap_or(i64::MAX);
    let middle = xs.iter().sum::<i64>().checked_div(count).unwrap_or_default();
    let middle = usize::try_from(middle - i64::from(layer.x)).unwrap_or_default();
    let start = middle.saturating_sub(columns / 2).min(width - columns);
    start..start + columns
}

pub(crate) fn cell(layer: &WorldLayer, value: u8) -> Sign {
    if value == 0 {
        return (' ', None);
    }
    if let Some(known) = layer.legend.iter().find(|legend| legend.value == u32::from(value)) {
        let glyph = known.glyph.chars().next().filter(|glyph| !glyph.is_control());
        return (glyph.unwrap_or('?'), ink(known.tone()));
    }
    match &layer.scale {
        // Scales 1 to 255 to the digits 0 to 9.
        Some(scale) => {
            let tenth = u32::from(value - 1) * 10 / 255;
            (
                char::from_digit(tenth, 10).unwrap_or('9'),
                (tenth > 4).then_some(ink(scale.tone())).flatten(),
            )
        }
        None => ('?', None),
    }
}

fn legend(layer: &WorldLayer) -> String {
    let used = layer.legend.iter().filter(|legend| {
        u8::try_from(legend.value).is_ok_and(|value| layer.cells.contains(&value))
    });
    let mut all: Vec<String> =
        used.map(|legend| format!("{} {}", legend.glyph, legend.name)).collect();
    if let Some(scale) = &layer.scale {
        all.push(format!("0 to 9: from {} to {} {}", scale.from, scale.to, scale.unit));
    }
    if all.is_empty() { String::new() } else { format!("  {}\n", all.join("  ")) }
}

/// What the signs of a part mean, in one line: of a layer, of its spots, of a graph.
pub(crate) fn legend_of(part: &WorldPart, layer: Option<&WorldLayer>) -> String {
    let mut all = match &part.shape {
        Some(Shape::Graph(_)) => {
            "A B … our agents  x others  ● zone  • probed  · not probed".to_owned()
        }
        Some(Shape::Grid(_) | Shape::Plane(_)) | None => "A B … our agents  x others".to_owned(),
    };
    for more in [layer.map(legend).unwrap_or_default(), spots(part)] {
        if !more.trim().is_empty() {
            all.push_str("  ");
            all.push_str(more.trim());
        }
    }
    all
}

/// The signs on cells: spots, and bodies in front of them.
pub(crate) fn overlay(part: &WorldPart) -> SortedMap<(i64, i64), Sign> {
    let spots =
        part.spots.iter().filter_map(|spot| Some((cell_of(spot.place.as_ref())?, spot_sign(spot))));
    let bodies = part
        .bodies
        .iter()
        .filter_map(|body| Some((cell_of(body.place.as_ref())?, body_sign(body))));
    spots.chain(bodies).collect()
}

pub(crate) fn cell_of(place: Option<&WorldPlace>) -> Option<(i64, i64)> {
    match place?.place.as_ref()? {
        Place::Cell(cell) => Some((cell.x.into(), cell.y.into())),
        Place::Point(_) | Place::Node(_) => None,
    }
}

fn spot_sign(spot: &WorldSpot) -> Sign {
    (spot.kind.chars().next().unwrap_or('*'), ink(spot.tone()))
}

pub(crate) fn body_sign(body: &WorldBody) -> Sign {
    let agent = body.agent.and_then(|agent| usize::try_from(agent).ok());
    let sign = match (agent, body.side()) {
        _ if !body.alive => DOWN,
        (Some(agent), _) => AGENTS.chars().nth(agent).unwrap_or(MORE),
        (None, WorldSide::Ours) => MORE,
        (None, WorldSide::Theirs | WorldSide::Nobody | WorldSide::Unspecified) => OTHERS,
    };
    let ours = body.side() == WorldSide::Ours;
    (sign, Some(if ours { Ink::Green } else { Ink::Red }))
}

fn ink(tone: WorldTone) -> Option<Ink> {
    match tone {
        WorldTone::Unspecified | WorldTone::Other => None,
        WorldTone::Ground | WorldTone::Obstacle => Some(Ink::Dim),
        WorldTone::Goal => Some(Ink::Cyan),
        WorldTone::Resource => Some(Ink::Yellow),
        WorldTone::Danger | WorldTone::Theirs => Some(Ink::Red),
        WorldTone::Ours => Some(Ink::Green),
    }
}

/// A plane; each character is a piece of it.
fn plane_text(
    part: &WorldPart,
    (width, height): (f64, f64),
    columns: usize,
    paint: Paint,
) -> String {
    if !(width > 0.0 && height > 0.0 && width.is_finite() && height.is_finite()) {
        return String::new();
    }
    let columns = columns.clamp(1, PLANE_COLUMNS);
    let rows = index(columns, height / width / LETTER_SHAPE).clamp(1, PLANE_COLUMNS);
    let mut map = vec![vec![(' ', None); columns]; rows];
    for (place, sign) in point_signs(part) {
        let Some(Place::Point(at)) = place.and_then(|place| place.place.as_ref()) else { continue };
        let (column, row) = (index(columns, at.x / width), index(rows, at.y / height));
        if let Some(cell) = map.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = sign;
        }
    }
    let edge = format!("+{}+\n", "-".repeat(columns));
    let mut text = edge.clone();
    for row in map {
        let signs = row.into_iter().map(|(sign, ink)| match ink {
            Some(ink) => paint.ink(ink, sign.encode_utf8(&mut [0; 4])),
            None => sign.to_string(),
        });
        writeln!(text, "|{}|", signs.collect::<String>()).unwrap_or_default();
    }
    text + &edge
}

/// Spots, then bodies, with their positions.
pub(crate) fn point_signs(
    part: &WorldPart,
) -> impl Iterator<Item = (Option<&WorldPlace>, Sign)> + '_ {
    let spots = part.spots.iter().map(|spot| (spot.place.as_ref(), spot_sign(spot)));
    let bodies = part.bodies.iter().map(|body| (body.place.as_ref(), body_sign(body)));
    spots.chain(bodies)
}

/// The position of a share among `count` columns or rows.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the cast saturates, and what is out of the map is not drawn"
)]
pub(crate) fn index(count: usize, share: f64) -> usize {
    if share < 0.0 { usize::MAX } else { (share * count as f64) as usize }
}

/// The nodes of a graph that are occupied or belong to a zone.
fn nodes(part: &WorldPart) -> String {
    let mut there: SortedMap<usize, Vec<&str>> = SortedMap::new();
    for body in &part.bodies {
        if let Some(Place::Node(node)) = body.place.as_ref().and_then(|place| place.place) {
            there.entry(usize::try_from(node).unwrap_or(usize::MAX)).or_default().push(&body.name);
        }
    }
    let known = part.nodes.iter().filter(|node| node.value.is_some()).count();
    let count = (part.nodes.len(), part.edges.len());
    let mut text = format!("{} nodes, {known} of them probed, {} edges\n", count.0, count.1);
    let mut table = Table::new(&["NODE", "VALUE", "OWNER", "ZONE", "WHO"]);
    for (index, node) in part.nodes.iter().enumerate() {
        let who = there.get(&index).map(|names| names.join(" ")).unwrap_or_default();
        if who.is_empty() && node.zone() == WorldSide::Nobody {
            continue;
        }
        let value = node.value.map_or_else(|| "?".to_owned(), |value| value.to_string());
        let side =
            |side| if side == WorldSide::Nobody { String::new() } else { super::side_word(side) };
        table.row([node.name.clone(), value, side(node.owner()), side(node.zone()), who]);
    }
    text.push_str(&table.shown());
    text + "\n"
}

/// Each kind of spot once, with its count.
fn spots(part: &WorldPart) -> String {
    let mut kinds: SortedMap<&str, usize> = SortedMap::new();
    for spot in &part.spots {
        *kinds.entry(&spot.kind).or_default() += 1;
    }
    let sign = |kind: &str| kind.chars().next().unwrap_or('*');
    let each = kinds.iter().map(|(kind, count)| format!("{} {kind} ({count})", sign(kind)));
    let all: Vec<String> = each.collect();
    if all.is_empty() { String::new() } else { format!("  {}\n", all.join("  ")) }
}

fn bodies(part: &WorldPart) -> String {
    if part.bodies.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["", "NAME", "ROLE", "KIND", "WHERE", "CARRIES", "HOW"]);
    for body in &part.bodies {
        let (sign, ink) = body_sign(body);
        let carried: Vec<_> = body.carried.iter().map(|it| it.what.as_str()).collect();
        table.row([
            sign.to_string(),
            body.name.clone(),
            body.role.clone(),
            body.kind.clone(),
            place(part, body.place.as_ref()),
            carried.join(" "),
            body.detail.clone(),
        ]);
        if let Some(ink) = ink {
            table.ink(0, ink);
        }
    }
    table.shown() + "\n"
}

fn place(part: &WorldPart, place: Option<&WorldPlace>) -> String {
    match place.and_then(|place| place.place.as_ref()) {
        None => "?".to_owned(),
        Some(Place::Cell(cell)) => format!("({}, {})", cell.x, cell.y),
        Some(Place::Point(at)) => format!("({:.1}, {:.1})", at.x, at.y),
        Some(Place::Node(node)) => {
            let node = usize::try_from(*node).ok().and_then(|node| part.nodes.get(node));
            node.map_or_else(|| "?".to_owned(), |node| node.name.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::{
        WorldCell, WorldFact, WorldGraph, WorldGrid, WorldLegend, WorldNode, WorldPlane,
        WorldPoint, WorldScale,
    };

    fn at(place: Place) -> Option<WorldPlace> {
        Some(WorldPlace { place: Some(place) })
    }

    fn body(agent: Option<u32>, side: WorldSide, place: Place) -> WorldBody {
        let name = agent.map_or("enemy".to_owned(), |agent| format!("a{agent}"));
        let (side, place) = (side.into(), at(place));
        WorldBody { name, side, agent, place, alive: true, ..WorldBody::default() }
    }

    /// A map of one row more than there are columns, with a wall in its first cell.
    fn part(columns: u32, y_up: bool) -> WorldPart {
        let mut cells = vec![1; usize::try_from(columns * 2).unwrap()];
        cells[0] = 2;
        cells[1] = 0;
        let legend = |value, name: &str, glyph: &str| WorldLegend {
            value,
            name: name.to_owned(),
            glyph: glyph.to_owned(),
            ..WorldLegend::default()
        };
        let legend = vec![legend(1, "free", "."), legend(2, "wall", "#"), legend(3, "sea", "~")];
        let layer = WorldLayer {
            name: "ground".into(),
            x: -1,
            width: columns,
            height: 2,
            cells,
            legend,
            ..WorldLayer::default()
        };
        let cell = |x, y| Place::Cell(WorldCell { x, y });
        let spot = WorldSpot { place: at(cell(1, 0)), kind: "home".into(), ..WorldSpot::default() };
        WorldPart {
            name: "map".into(),
            shape: Some(Shape::Grid(WorldGrid { y_up, ..WorldGrid::default() })),
            layers: vec![layer],
            spots: vec![spot],
            bodies: vec![
                body(Some(1), WorldSide::Ours, cell(2, 0)),
                body(None, WorldSide::Theirs, cell(0, 1)),
            ],
            facts: vec![WorldFact { name: "step".into(), value: "7".into() }],
            ..WorldPart::default()
        }
    }

    fn shown(part: WorldPart, layers: &[&str], columns: usize) -> String {
        let world = World { game: "toy".into(), parts: vec![part], ..World::default() };
        let layers: Vec<String> = layers.iter().map(|name| (*name).to_owned()).collect();
        text(&world, &layers, columns, Paint::none())
    }

    #[test]
    fn a_map_has_everybody_on_it_and_only_what_is_used_in_its_legend() {
        let text = shown(part(4, false), &[], 80);
        assert!(text.contains("map, step 7\nground from (-1, 0)\n# hB\n.x..\n"), "{text}");
        assert!(text.contains("  . free  # wall\n"), "{text}");
        assert!(text.contains("h home (1)") && !text.contains("sea"), "{text}");
        let up = shown(part(4, true), &[], 80);
        assert!(up.contains("\n.x..\n# hB\n"), "{up}");
    }

    #[test]
    fn a_map_that_is_too_wide_is_cut_around_our_own() {
        let mut wide = part(300, false);
        wide.bodies[0].place = at(Place::Cell(WorldCell { x: 250, y: 0 }));
        let text = shown(wide, &["ground"], 40);
        assert!(text.contains("40 of 300 columns from 230 on"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.contains("....B...."), "{text}");
    }

    #[test]
    fn numbers_are_tenths_and_nothing_is_blank() {
        let mut scaled = part(4, false);
        scaled.layers[0].legend.clear();
        scaled.layers[0].cells = vec![0, 1, 26, 255, 128, 0, 255, 77];
        scaled.layers[0].scale =
            Some(WorldScale { to: 1.0, unit: "risk".into(), ..WorldScale::default() });
        (scaled.bodies, scaled.spots) = (Vec::new(), Vec::new());
        let text = shown(scaled, &[], 80);
        assert!(text.contains("\n 009\n4 92\n  0 to 9: from 0 to 1 risk\n"), "{text}");
    }

    #[test]
    fn a_plane_and_a_graph_show_who_is_where() {
        let point = |x, y| Place::Point(WorldPoint { x, y });
        let plane = WorldPart {
            shape: Some(Shape::Plane(WorldPlane { width: 40.0, height: 40.0 })),
            bodies: vec![
                body(Some(0), WorldSide::Ours, point(0.0, 0.0)),
                body(Some(9), WorldSide::Ours, point(-3.0, f64::NAN)),
                body(None, WorldSide::Theirs, point(39.0, 39.0)),
            ],
            ..WorldPart::default()
        };
        let text = shown(plane, &[], 20);
        let rows: Vec<_> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!((rows.len(), rows[0]), (10, "|A                   |"), "{text}");
        assert_eq!(rows[9], "|                   x|", "{text}");
        let node = |name: &str, zone: WorldSide| WorldNode {
            name: name.into(),
            value: Some(3),
            owner: WorldSide::Nobody.into(),
            zone: zone.into(),
        };
        let graph = WorldPart {
            shape: Some(Shape::Graph(WorldGraph {})),
            nodes: vec![
                node("v0", WorldSide::Nobody),
                node("v1", WorldSide::Ours),
                node("v2", WorldSide::Nobody),
            ],
            bodies: vec![body(Some(0), WorldSide::Ours, Place::Node(2))],
            ..WorldPart::default()
        };
        let text = shown(graph, &[], 80);
        assert!(text.contains("3 nodes, 3 of them probed, 0 edges"), "{text}");
        assert!(text.contains("v1") && text.contains("a0") && !text.contains("v0"), "{text}");
    }
}
