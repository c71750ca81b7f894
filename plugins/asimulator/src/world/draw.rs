//! The belief as people see it: what the ground is, and how likely everything else is.

pub(crate) mod tables;

use super::{Belief, Fact, RunningSimulation, World};
use crate::rules::{Cell, TileKind};
use phalanx_game::{
    Area, Body, Layer, LayerDoc, Part, Picture, Place, Scale, Shape, Side, Spot, Tone,
};
use tables::Account;

/// The name of the one part.
pub(crate) const PART: &str = "map";

pub(crate) const CLEAR: u8 = 1;
const VISITED: u8 = 2;
pub(crate) const WALL: u8 = 3;
pub(crate) const DANGER: u8 = 4;

pub(crate) const GROUND: LayerDoc = LayerDoc {
    name: "ground",
    legend: &[
        (CLEAR, "clear", '.', Tone::Ground),
        (VISITED, "visited", ',', Tone::Ground),
        (WALL, "wall", '#', Tone::Obstacle),
        (DANGER, "danger", '!', Tone::Danger),
    ],
};

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
        name: PART.to_owned(),
        shape: Shape::Grid { width: None, height: None, up: true },
        spots: spots(simulation),
        bodies: vec![body(world, simulation)],
        facts: vec![
            ("step".into(), simulation.step.to_string()),
            ("score".into(), simulation.percept.ledger.score.to_string()),
        ],
        ..Part::default()
    };
    let tables =
        [account(simulation).table(&simulation.opening.rules), tables::options(&world.choices())];
    let tiles = || beliefs.frame.cells().map(|at| (at.x, at.y)).zip(&beliefs.tiles);
    let Some(area) = Area::around(concerned(tiles())) else {
        return Picture::of(part).with_tables(tables);
    };
    let mut ground = ground_of(area);
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
    Picture::of(part).with_tables(tables)
}

/// The tiles that are known, and those beside them where there is no wall: what is behind a wall would
/// only make the rest smaller.
fn concerned<'a>(
    tiles: impl Iterator<Item = ((i32, i32), &'a Belief)>,
) -> impl Iterator<Item = (i32, i32)> {
    let known = tiles.filter(|(_, belief)| belief.visited || belief.kind.is_some());
    known.flat_map(|((x, y), belief)| {
        let reach = i32::from(belief.kind != Some(TileKind::Wall));
        [(x - reach, y - reach), (x + reach, y + reach)]
    })
}

/// The ground of which nothing is known.
pub(crate) fn ground_of(area: Area) -> Layer {
    Layer::declared(&GROUND, area)
}

fn account(simulation: &RunningSimulation) -> Account {
    let ledger = &simulation.percept.ledger;
    let count = |wanted: fn(&Fact) -> bool| {
        simulation.chart.iter().filter(|(_, fact)| wanted(fact)).count()
    };
    Account {
        score: ledger.score,
        cost: ledger.cost,
        ammunition: ledger.ammunition,
        items: count(|fact| fact.item == Some(true)),
        homes: count(|fact| fact.home == Some(true)),
        enemies: count(|fact| fact.enemy == Some(true)),
    }
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
        carrying: account(simulation).carrying(),
        ..Body::default()
    }
}
