//! Small worlds as the games draw them.

use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{
    ScriptMark, Turn, World, WorldBody, WorldCarried, WorldCell, WorldEdge, WorldFact, WorldGraph,
    WorldGrid, WorldLayer, WorldLegend, WorldNode, WorldPart, WorldPlace, WorldPlane, WorldPoint,
    WorldScale, WorldSide, WorldSpot, WorldTone,
};
use prost_types::value::Kind;
use prost_types::{Struct, Value};

pub(crate) fn world(game: &str, parts: Vec<WorldPart>) -> World {
    World {
        team: "teams/A".into(),
        game: game.into(),
        turn: Some(Turn { round: 0, step: 42 }),
        tick: 43,
        parts,
        ..World::default()
    }
}

pub(crate) fn cell(x: i32, y: i32) -> Option<WorldPlace> {
    Some(WorldPlace { place: Some(Place::Cell(WorldCell { x, y })) })
}

pub(crate) fn body(name: &str, agent: Option<u32>, place: Option<WorldPlace>) -> WorldBody {
    let side = if agent.is_some() { WorldSide::Ours } else { WorldSide::Theirs };
    WorldBody {
        name: name.into(),
        side: side.into(),
        agent,
        role: if agent.is_some() { "worker".into() } else { String::new() },
        place,
        alive: true,
        ..WorldBody::default()
    }
}

fn spot(kind: &str, label: &str, tone: WorldTone, place: Option<WorldPlace>) -> WorldSpot {
    let (kind, label) = (kind.into(), label.into());
    WorldSpot { place, kind, label, tone: tone.into(), ..WorldSpot::default() }
}

pub(crate) fn legend(value: u32, name: &str, glyph: &str, tone: WorldTone) -> WorldLegend {
    WorldLegend { value, name: name.into(), glyph: glyph.into(), tone: tone.into() }
}

/// Cells by letters: `?` was never seen, others are values in the order of the legend.
pub(crate) fn layer(name: &str, (x, y): (i32, i32), rows: &[&str], keys: &str) -> WorldLayer {
    let value = |letter: char| match keys.chars().position(|key| key == letter) {
        Some(index) => u8::try_from(index + 1).unwrap(),
        None => 0,
    };
    WorldLayer {
        name: name.into(),
        x,
        y,
        width: u32::try_from(rows[0].len()).unwrap(),
        height: u32::try_from(rows.len()).unwrap(),
        cells: rows.iter().flat_map(|row| row.chars().map(value)).collect(),
        ..WorldLayer::default()
    }
}

fn numbers(name: &str, size: (u32, u32), cells: Vec<u8>, scale: WorldScale) -> WorldLayer {
    let (width, height) = size;
    WorldLayer {
        name: name.into(),
        width,
        height,
        cells,
        scale: Some(scale),
        ..WorldLayer::default()
    }
}

pub(crate) fn grid(y_up: bool) -> Option<Shape> {
    Some(Shape::Grid(WorldGrid { y_up, ..WorldGrid::default() }))
}

/// Blocks, goals and attachments on a torus of which a part was seen.
pub(crate) fn torus() -> World {
    let mut ground = layer("ground", (-1, 0), &["??..", "..GG", ".#GG", "...?"], ".G#");
    ground.legend = vec![
        legend(1, "free", ".", WorldTone::Ground),
        legend(2, "goal", "G", WorldTone::Goal),
        legend(3, "obstacle", "#", WorldTone::Obstacle),
    ];
    ground.seen = vec![43; 16];
    ground.seen[7] = 1;
    let mut blocks = layer("blocks", (-1, 0), &["??..", "..b.", "....", "...?"], ".b");
    blocks.legend = vec![
        legend(1, "none", ".", WorldTone::Ground),
        legend(2, "block b0", "0", WorldTone::Resource),
    ];
    let mut carrier = body("agentA1", Some(0), cell(0, 1));
    carrier.carried = vec![WorldCarried { x: 1, y: 0, what: "b0".into() }];
    carrier.detail = "energy 100".into();
    let mut down = body("agentA2", Some(1), cell(0, 3));
    down.alive = false;
    let shape = Shape::Grid(WorldGrid { width: Some(40), height: Some(30), y_up: false });
    let part = WorldPart {
        name: "map".into(),
        shape: Some(shape),
        layers: vec![ground, blocks],
        spots: vec![
            spot("dispenser", "b1", WorldTone::Resource, cell(-1, 3)),
            spot("clear", "", WorldTone::Danger, cell(2, 0)),
        ],
        bodies: vec![carrier, down, body("", None, cell(2, 3))],
        facts: vec![WorldFact { name: "step".into(), value: "42".into() }],
        ..WorldPart::default()
    };
    let mut world = world("blocks", vec![part]);
    world.marks = vec![path("agentA1", &[(0, 1), (0, 2), (1, 3)], "home")];
    world
}

pub(crate) fn text(text: &str) -> Value {
    Value { kind: Some(Kind::StringValue(text.into())) }
}

pub(crate) fn place(x: i32, y: i32) -> Value {
    let number = |number: i32| Value { kind: Some(Kind::NumberValue(number.into())) };
    let fields = [("x".to_owned(), number(x)), ("y".to_owned(), number(y))];
    Value { kind: Some(Kind::StructValue(Struct { fields: fields.into_iter().collect() })) }
}

fn path(agent: &str, cells: &[(i32, i32)], label: &str) -> ScriptMark {
    let values = cells.iter().map(|(x, y)| place(*x, *y)).collect();
    let list = Value { kind: Some(Kind::ListValue(prost_types::ListValue { values })) };
    ScriptMark { agent: agent.into(), shape: "path".into(), args: vec![list, text(label)] }
}

/// An arena with walls of several kinds, a bomb, and where it will burn.
pub(crate) fn arena() -> World {
    let mut things = layer("things", (0, 0), &["..#", ".o.", "%.."], ".#%o");
    things.legend = vec![
        legend(1, "free", ".", WorldTone::Ground),
        legend(2, "metal", "#", WorldTone::Obstacle),
        legend(3, "wood", "%", WorldTone::Obstacle),
        legend(4, "bomb", "o", WorldTone::Danger),
    ];
    let scale = || WorldScale {
        from: 63.0,
        to: 0.0,
        unit: "ticks until it burns".into(),
        tone: WorldTone::Danger.into(),
    };
    let danger = numbers("danger", (3, 3), vec![0, 200, 0, 200, 255, 200, 0, 200, 0], scale());
    let possible = numbers("possible danger", (3, 3), vec![0; 9], scale());
    let part = WorldPart {
        name: "map".into(),
        shape: grid(true),
        layers: vec![things, danger, possible],
        bodies: vec![body("c", Some(0), cell(0, 0)), body("d", None, cell(2, 2))],
        ..WorldPart::default()
    };
    world("bombs", vec![part])
}

/// A graph with zones of both teams, and an unprobed node.
pub(crate) fn graph() -> World {
    let node = |name: &str, value: Option<i32>, zone: WorldSide| WorldNode {
        name: name.into(),
        value,
        owner: zone.into(),
        zone: zone.into(),
    };
    let edge = |a, b, weight| WorldEdge { a, b, weight };
    let at = |node| Some(WorldPlace { place: Some(Place::Node(node)) });
    let mut saboteur = body("b1", None, at(3));
    saboteur.kind = "Saboteur".into();
    let part = WorldPart {
        name: "map".into(),
        shape: Some(Shape::Graph(WorldGraph {})),
        nodes: vec![
            node("v0", Some(7), WorldSide::Ours),
            node("v1", Some(2), WorldSide::Ours),
            node("v2", None, WorldSide::Nobody),
            node("v3", Some(9), WorldSide::Theirs),
        ],
        edges: vec![edge(0, 1, Some(4)), edge(1, 2, None), edge(2, 3, Some(1))],
        bodies: vec![body("a1", Some(0), at(0)), body("a2", Some(1), at(0)), saboteur],
        facts: vec![WorldFact { name: "score".into(), value: "12".into() }],
        ..WorldPart::default()
    };
    world("zones", vec![part])
}

/// A cave in which things are only likely.
pub(crate) fn cave() -> World {
    let mut ground = layer("ground", (0, 0), &[".#", "?,"], ".,#");
    ground.legend = vec![
        legend(1, "clear", ".", WorldTone::Ground),
        legend(2, "visited", ",", WorldTone::Ground),
        legend(3, "wall", "#", WorldTone::Obstacle),
    ];
    let likely = |tone: WorldTone| WorldScale {
        from: 0.0,
        to: 1.0,
        unit: "probability".into(),
        tone: tone.into(),
    };
    let death = numbers("death", (2, 2), vec![1, 1, 128, 1], likely(WorldTone::Danger));
    let item = numbers("item", (2, 2), vec![64, 1, 255, 1], likely(WorldTone::Resource));
    let part = WorldPart {
        name: "map".into(),
        shape: grid(true),
        layers: vec![ground, death, item],
        spots: vec![spot("home", "", WorldTone::Goal, cell(1, 1))],
        bodies: vec![body("scout", Some(0), cell(1, 1))],
        ..WorldPart::default()
    };
    world("caves", vec![part])
}

/// A plane with food and bases.
pub(crate) fn plane() -> World {
    let at = |x, y| Some(WorldPlace { place: Some(Place::Point(WorldPoint { x, y })) });
    let part = WorldPart {
        name: "world".into(),
        shape: Some(Shape::Plane(WorldPlane { width: 400.0, height: 200.0 })),
        spots: vec![
            spot("food", "f1", WorldTone::Resource, at(100.0, 50.0)),
            spot("base", "a1", WorldTone::Ours, at(20.0, 20.0)),
        ],
        bodies: vec![
            body("a1", Some(0), at(200.0, 100.0)),
            body("b1", None, at(390.0, 190.0)),
            body("lost", None, at(-5.0, f64::NAN)),
        ],
        ..WorldPart::default()
    };
    world("food", vec![part])
}

/// A board whose pieces are letters in the colours of both sides.
pub(crate) fn board() -> World {
    let mut squares = layer("board", (0, 0), &["K.", "Qk"], ".KkQ");
    squares.legend = vec![
        legend(1, "empty", ".", WorldTone::Ground),
        legend(2, "white king", "K", WorldTone::Ours),
        legend(3, "black king", "k", WorldTone::Theirs),
        legend(4, "white queen", "Q", WorldTone::Ours),
    ];
    let mut player = body("a1", Some(0), None);
    player.kind = "player".into();
    let part = WorldPart {
        name: "world".into(),
        shape: grid(true),
        layers: vec![squares],
        bodies: vec![player],
        facts: vec![WorldFact { name: "we are".into(), value: "white".into() }],
        ..WorldPart::default()
    };
    world("chess", vec![part])
}

/// Two agents that do not know where the other one is.
pub(crate) fn apart() -> World {
    let map = |name: &str, agent: u32| {
        let mut ground = layer("ground", (0, 0), &["..", ".."], ".");
        ground.legend = vec![legend(1, "free", ".", WorldTone::Ground)];
        WorldPart {
            name: format!("map of {name}"),
            shape: grid(false),
            layers: vec![ground],
            bodies: vec![body(name, Some(agent), cell(0, 0))],
            ..WorldPart::default()
        }
    };
    world("blocks", vec![map("a1", 0), map("a2", 1)])
}

/// All of them with a name each.
pub(crate) fn all() -> Vec<(&'static str, World)> {
    vec![
        ("torus", torus()),
        ("arena", arena()),
        ("graph", graph()),
        ("cave", cave()),
        ("plane", plane()),
        ("board", board()),
        ("apart", apart()),
        ("nothing", world("blocks", Vec::new())),
    ]
}
