//! A small world of each game, in the shape in which the game draws it.

use phalanx_proto::v1;
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;

/// A world of team A.
pub(super) fn world(game: &str) -> v1::World {
    let part = match game {
        "assemble" => assemble(),
        "bomberland" => bomberland(),
        "asimulator" => asimulator(),
        "colosseum" => colosseum(),
        _ => mars(),
    };
    v1::World {
        team: "teams/A".into(),
        game: game.to_owned(),
        turn: Some(v1::Turn { round: 0, step: 29 }),
        parts: vec![part],
        ..v1::World::default()
    }
}

fn at(place: Place) -> Option<v1::WorldPlace> {
    Some(v1::WorldPlace { place: Some(place) })
}

fn cell(x: i32, y: i32) -> Place {
    Place::Cell(v1::WorldCell { x, y })
}

/// An agent of ours, or an opponent without a number.
fn body(number: Option<u32>, place: Place) -> v1::WorldBody {
    let side = if number.is_some() { v1::WorldSide::Ours } else { v1::WorldSide::Theirs };
    v1::WorldBody {
        name: number.map_or("enemy".to_owned(), |number| format!("agentA{number}")),
        side: side.into(),
        agent: number.map(|number| number - 1),
        place: at(place),
        alive: true,
        ..v1::WorldBody::default()
    }
}

fn spot(kind: &str, tone: v1::WorldTone, place: Place) -> v1::WorldSpot {
    v1::WorldSpot {
        kind: kind.to_owned(),
        tone: tone.into(),
        place: at(place),
        ..Default::default()
    }
}

/// Cells from a picture: one letter each, a space is unknown.
fn layer(name: &str, rows: &[String]) -> v1::WorldLayer {
    let signs = ".#%*o";
    let value = |sign| signs.find(sign).map_or(0, |at| u8::try_from(at + 1).unwrap());
    let legend = signs.chars().zip(1..).map(|(sign, value)| v1::WorldLegend {
        value,
        name: sign.to_string(),
        glyph: sign.to_string(),
        ..v1::WorldLegend::default()
    });
    v1::WorldLayer {
        name: name.to_owned(),
        width: u32::try_from(rows[0].len()).unwrap(),
        height: u32::try_from(rows.len()).unwrap(),
        cells: rows.iter().flat_map(|row| row.chars().map(value)).collect(),
        legend: legend.collect(),
        ..v1::WorldLayer::default()
    }
}

/// A torus, partly unknown, and larger than a pane.
fn assemble() -> v1::WorldPart {
    let row = |y: usize| {
        let sign = |x: usize| match (x, y) {
            (0..4, 0..3) => ' ',
            _ if (x * 7 + y * 3).is_multiple_of(11) => '#',
            _ => '.',
        };
        (0..60).map(sign).collect::<String>()
    };
    v1::WorldPart {
        name: "map of agentA1, agentA2".into(),
        shape: Some(Shape::Grid(v1::WorldGrid { width: Some(60), ..v1::WorldGrid::default() })),
        layers: vec![layer("ground", &(0..40).map(row).collect::<Vec<_>>())],
        spots: vec![
            spot("dispenser", v1::WorldTone::Resource, cell(22, 8)),
            spot("taskboard", v1::WorldTone::Goal, cell(26, 11)),
        ],
        bodies: vec![
            body(Some(1), cell(24, 10)),
            body(Some(2), cell(20, 11)),
            body(None, cell(30, 9)),
        ],
        ..v1::WorldPart::default()
    }
}

/// Rows that grow to the north, with a second layer of danger.
fn bomberland() -> v1::WorldPart {
    let rows = ["...o....*", ".%.%.%.*.", "..#...#..", ".%.%.%.%.", "........."];
    let rows: Vec<String> = rows.map(str::to_owned).to_vec();
    let mut danger = layer("danger", &rows);
    danger.legend.clear();
    danger.scale = Some(v1::WorldScale { from: 63.0, to: 0.0, ..v1::WorldScale::default() });
    v1::WorldPart {
        name: "map".into(),
        shape: Some(Shape::Grid(v1::WorldGrid { y_up: true, ..v1::WorldGrid::default() })),
        layers: vec![layer("things", &rows), danger],
        bodies: vec![body(Some(1), cell(0, 0)), body(Some(2), cell(8, 4)), body(None, cell(4, 2))],
        ..v1::WorldPart::default()
    }
}

/// Probabilities in tenths.
fn asimulator() -> v1::WorldPart {
    let scale = v1::WorldScale { to: 1.0, unit: "probability".into(), ..Default::default() };
    let cells = (0..48).map(|at: u8| if at.is_multiple_of(5) { 0 } else { at * 5 + 1 }).collect();
    let death = v1::WorldLayer {
        name: "death".into(),
        x: -4,
        y: -3,
        width: 8,
        height: 6,
        cells,
        scale: Some(scale),
        ..v1::WorldLayer::default()
    };
    v1::WorldPart {
        name: "map".into(),
        shape: Some(Shape::Grid(v1::WorldGrid { y_up: true, ..v1::WorldGrid::default() })),
        layers: vec![death],
        spots: vec![spot("home", v1::WorldTone::Goal, cell(-1, 2))],
        bodies: vec![body(Some(1), cell(0, 0))],
        ..v1::WorldPart::default()
    }
}

/// Points on a plane.
fn colosseum() -> v1::WorldPart {
    let point = |x, y| Place::Point(v1::WorldPoint { x, y });
    v1::WorldPart {
        name: "map".into(),
        shape: Some(Shape::Plane(v1::WorldPlane { width: 40.0, height: 40.0 })),
        spots: vec![
            spot("food", v1::WorldTone::Resource, point(10.0, 30.0)),
            spot("base", v1::WorldTone::Ours, point(2.0, 2.0)),
        ],
        bodies: vec![body(Some(1), point(20.0, 20.0)), body(None, point(39.0, 39.0))],
        ..v1::WorldPart::default()
    }
}

fn node(number: u32) -> v1::WorldNode {
    v1::WorldNode {
        name: format!("vertex{number}"),
        value: i32::try_from(number).ok().filter(|number| *number > 0),
        owner: v1::WorldSide::Nobody.into(),
        zone: if number < 3 { v1::WorldSide::Ours } else { v1::WorldSide::Nobody }.into(),
    }
}

/// A node with an agent of ours on it.
pub(super) fn on_node(place: u32, agent: u32) -> (v1::WorldNode, v1::WorldBody) {
    (node(place), body(Some(agent), Place::Node(place)))
}

/// A graph: five nodes in a ring.
fn mars() -> v1::WorldPart {
    let edge = |a: u32| v1::WorldEdge { a, b: (a + 1) % 5, weight: Some(3) };
    v1::WorldPart {
        name: "map".into(),
        shape: Some(Shape::Graph(v1::WorldGraph {})),
        nodes: (0..5).map(node).collect(),
        edges: (0..5).map(edge).collect(),
        bodies: vec![
            body(Some(1), Place::Node(0)),
            body(Some(2), Place::Node(0)),
            body(None, Place::Node(3)),
        ],
        ..v1::WorldPart::default()
    }
}
