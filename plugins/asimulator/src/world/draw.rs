//! The belief as people see it: what the ground is, and how likely everything else is.

use super::{Belief, RunningSimulation, World};
use crate::rules::{Cell, TileKind};
use phalanx_game::{Area, Body, Layer, Part, Picture, Place, Scale, Shape, Side, Spot, Tone};

const CLEAR: u8 = 1;
const VISITED: u8 = 2;
const WALL: u8 = 3;
const DANGER: u8 = 4;

/// A layer of probabilities: its name, what its colour says, what it shows.
type Likely = (&'static str, Tone, fn(&Belief) -> f64);

/// What is only likely; the last ones are left out first where a picture is too large.
const LIKELY: [Likely; 4] = [
    ("death", Tone::Danger, |belief| belief.death),
    ("enemy", Tone::Theirs, |belief| belief.enemy),
    ("danger", Tone::Danger, |belief| belief.danger),
    ("item", Tone::Resource, |belief| belief.item),
];

pub(super) fn picture(world: &World, simulation: &RunningSimulation) -> Picture {
    let beliefs = &simulation.mind.beliefs;
    let mut part = Part {
        name: "map".to_owned(),
        shape: Shape::Grid { width: None, height: None, up: true },
        spots: spots(simulation),
        bodies: vec![body(world, simulation)],
        facts: vec![("score".into(), simulation.percept.ledger.score.to_string())],
        ..Part::default()
    };
    let cells = || beliefs.frame.cells().map(|at| (at.x, at.y));
    let Some(area) = Area::around(cells()) else { return Picture::of(part) };
    let tiles = || cells().zip(&beliefs.tiles);
    let mut ground = Layer::new("ground", area).with_legend(&[
        (CLEAR, "clear", '.', Tone::Ground),
        (VISITED, "visited", ',', Tone::Ground),
        (WALL, "wall", '#', Tone::Obstacle),
        (DANGER, "danger", '!', Tone::Danger),
    ]);
    for ((x, y), belief) in tiles() {
        ground.set(x, y, kind(belief));
    }
    part.layers.push(ground);
    for (name, tone, likely) in LIKELY {
        let scale = Scale { from: 0.0, to: 1.0, unit: "probability", tone };
        let mut layer = Layer::new(name, area).with_scale(scale);
        for ((x, y), belief) in tiles() {
            layer.set(x, y, scale.value(likely(belief)));
        }
        part.layers.push(layer);
    }
    Picture::of(part)
}

fn kind(belief: &Belief) -> u8 {
    match belief.kind {
        _ if belief.visited => VISITED,
        Some(TileKind::Clear) => CLEAR,
        Some(TileKind::Wall) => WALL,
        Some(TileKind::Danger) => DANGER,
        None => phalanx_game::CELL_UNKNOWN,
    }
}

/// Homes and items that are known, and what the simulator's own map shows.
fn spots(simulation: &RunningSimulation) -> Vec<Spot> {
    let spot = |at: Cell, kind: &'static str, label: String, tone| Spot {
        place: Place::Cell(at.x, at.y),
        kind: kind.into(),
        label,
        value: None,
        tone,
    };
    let homes = simulation.homes().into_iter();
    let homes = homes.map(|at| spot(at, "home", String::new(), Tone::Goal));
    let items = simulation.chart.iter().filter(|(_, fact)| fact.item == Some(true));
    let items = items.map(|(at, _)| spot(at, "item", String::new(), Tone::Resource));
    let shown = simulation.shown.iter();
    let shown = shown.map(|(at, symbol)| {
        let label = if let crate::wire::Symbol::Number(number) = symbol {
            number.to_string()
        } else {
            symbol.word().to_owned()
        };
        spot(*at, "shown", label, Tone::Other)
    });
    homes.chain(items).chain(shown).collect()
}

fn body(world: &World, simulation: &RunningSimulation) -> Body {
    let pose = simulation.chart.pose;
    Body {
        agent: Some(world.agent),
        side: Side::Ours,
        place: Some(Place::Cell(pose.at.x, pose.at.y)),
        alive: !simulation.percept.senses.end,
        detail: format!("facing {}", pose.heading.word()),
        ..Body::default()
    }
}
