//! The newest scenes as people see them: a part for each world that our agents are in.

mod tables;

use super::World;
use crate::percept::{Percept, StateScene};
use crate::rules::catcher::{self, CatcherEntity};
use crate::rules::snake;
use phalanx_game::{
    AgentId, Area, Body, Layer, LayerDoc, Part, Picture, Place, Shape, Side, Spot, Table, Tone,
};
use tables::ChessPlayer;

/// Squares of a side of the chess board.
const SQUARES: u32 = 8;
/// An empty square.
const EMPTY: u8 = 1;
/// The letters of pieces, white ones first; the first one has the value after [`EMPTY`].
const PIECES: [(char, &str); 12] = [
    ('P', "white pawn"),
    ('N', "white knight"),
    ('B', "white bishop"),
    ('R', "white rook"),
    ('Q', "white queen"),
    ('K', "white king"),
    ('p', "black pawn"),
    ('n', "black knight"),
    ('b', "black bishop"),
    ('r', "black rook"),
    ('q', "black queen"),
    ('k', "black king"),
];

const FREE: u8 = 1;
const FOOD: u8 = 2;
const OWN: u8 = 3;
const OTHER: u8 = 4;
const CORPSE: u8 = 5;

/// Snake.
pub(crate) const CELLS: LayerDoc = LayerDoc {
    name: "cells",
    legend: &[
        (FREE, "free", '.', Tone::Ground),
        (FOOD, "food", '+', Tone::Resource),
        (OWN, "own snake", 'o', Tone::Ours),
        (OTHER, "other snake", 'x', Tone::Theirs),
        (CORPSE, "dead snake", '-', Tone::Other),
    ],
};
/// Chess; the pieces follow, whose colours depend on whose they are.
pub(crate) const BOARD: LayerDoc =
    LayerDoc { name: "board", legend: &[(EMPTY, "empty", '.', Tone::Ground)] };

/// One of our agents and what it perceives.
type OwnAgent<'a> = (AgentId, &'a Percept);

pub(super) fn picture(world: &World) -> Picture {
    let mut groups: Vec<Vec<OwnAgent<'_>>> = Vec::new();
    for (agent, percept) in &world.percepts {
        let same = |group: &&mut Vec<OwnAgent<'_>>| {
            group.first().is_some_and(|(_, first)| is_one_world(first, percept))
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push((*agent, percept)),
            None => groups.push(vec![(*agent, percept)]),
        }
    }
    let alone = groups.len() == 1;
    joined(groups.iter().filter_map(|group| part(group, alone)))
}

/// One picture of several parts, each with its tables.
pub(crate) fn joined(drawn: impl IntoIterator<Item = (Part, Vec<Table>)>) -> Picture {
    let mut picture = Picture::default();
    for (part, tables) in drawn {
        picture.parts.push(part);
        tables::merge(&mut picture.tables, tables);
    }
    picture
}

/// Whether two agents are in one world: in cherry_picker everybody has one.
fn is_one_world(one: &Percept, other: &Percept) -> bool {
    match (&*one.scene, &*other.scene) {
        (StateScene::Catcher(_), StateScene::Catcher(_)) => one.scene == other.scene,
        (StateScene::Snake(_), StateScene::Snake(_))
        | (StateScene::Chess(_), StateScene::Chess(_)) => true,
        (_, _) => false,
    }
}

fn part(group: &[OwnAgent<'_>], alone: bool) -> Option<(Part, Vec<Table>)> {
    // Perceived last is what holds.
    let (_, newest) = group.iter().max_by_key(|(_, percept)| percept.epoch)?;
    let names: Vec<&str> = group.iter().map(|(_, percept)| &*percept.me).collect();
    let name = if alone { "world".to_owned() } else { format!("world of {}", names.join(", ")) };
    let facts = vec![
        ("game".into(), newest.game()),
        ("epoch".into(), newest.epoch.to_string()),
        ("score".into(), format!("{:.0}", newest.score())),
    ];
    let part = Part { name, facts, ..Part::default() };
    let ours = group.iter().map(|(agent, percept)| (&*percept.me, Some(*agent))).collect();
    let owners = Owners { ours, team: &|_| String::new() };
    Some(match &*newest.scene {
        StateScene::Catcher(state) => {
            let rules = &newest.config.rules;
            plane(part, &owners, [rules.grid_width, rules.grid_height], state)
        }
        StateScene::Snake(state) => snakes(part, &owners, state),
        StateScene::Chess(scene) => {
            let players = group.iter().map(|(_, percept)| (percept.me.to_string(), scene.white));
            let players: Vec<_> = players.collect();
            let mut drawn = chess(part, &owners, (&scene.fen, scene.white), &players);
            let last = scene.last_move.clone();
            drawn.0.facts.extend(last.map(|last| ("last move".into(), last)));
            drawn
        }
        StateScene::Other => (part, Vec::new()),
    })
}

/// Who is ours, by the referee's ids, and which team the others are of.
pub(crate) struct Owners<'a> {
    pub(crate) ours: Vec<(&'a str, Option<AgentId>)>,
    /// The team of an agent; empty where that is not known.
    pub(crate) team: &'a dyn Fn(&str) -> String,
}

impl Owners<'_> {
    fn has(&self, id: &str) -> bool {
        self.ours.iter().any(|(ours, _)| *ours == id)
    }

    /// Our agent of that id.
    fn agent(&self, id: &str) -> Option<AgentId> {
        self.ours.iter().find(|(ours, _)| *ours == id).and_then(|(_, agent)| *agent)
    }

    fn side(&self, id: &str) -> Side {
        if self.has(id) { Side::Ours } else { Side::Theirs }
    }

    fn tone(&self, id: &str) -> Tone {
        if self.has(id) { Tone::Ours } else { Tone::Theirs }
    }
}

pub(crate) fn plane(
    part: Part,
    owners: &Owners<'_>,
    [width, height]: [f64; 2],
    state: &catcher::CatcherState,
) -> (Part, Vec<Table>) {
    let point = |[x, y]: [f64; 2]| Place::Point(x, y);
    let foods = state.foods.iter().map(|food| Spot {
        place: point(food.position),
        kind: "food".into(),
        label: food.id.to_string(),
        value: Some(food.quantity.get()),
        tone: Tone::Resource,
    });
    let bases = state.bases.iter().map(|base| Spot {
        place: point(base.position),
        kind: "base".into(),
        label: base.owner.to_string(),
        value: Some(base.food.get()),
        tone: owners.tone(&base.owner),
    });
    let actor = |actor: &CatcherEntity| {
        let health = actor.health.get();
        let food = actor.food.get();
        let most = actor.max_health.get();
        Body {
            agent: owners.agent(&actor.owner),
            name: actor.id.to_string(),
            team: (owners.team)(&actor.owner),
            side: owners.side(&actor.owner),
            kind: "actor".into(),
            place: Some(point(actor.position)),
            alive: health > 0.0,
            detail: format!("of {} health {health:.0} food {food:.0}", actor.owner),
            carrying: if food > 0.0 { format!("{food:.0} food") } else { String::new() },
            health: (most > 0.0).then(|| (health / most).clamp(0.0, 1.0)),
            ..Body::default()
        }
    };
    let tables = tables::catcher(&part.name, owners, state);
    let part = Part {
        shape: Shape::Plane { width, height },
        spots: foods.chain(bases).collect(),
        bodies: state.actors.iter().map(actor).collect(),
        ..part
    };
    (part, tables)
}

pub(crate) fn snakes(
    part: Part,
    owners: &Owners<'_>,
    state: &snake::SnakeState,
) -> (Part, Vec<Table>) {
    let [columns, rows] = state.size.map(|side| u32::try_from(side).unwrap_or_default());
    let mut layer = Layer::declared(&CELLS, Area::new(0, 0, columns, rows));
    layer.cells.fill(FREE);
    for [x, y] in &state.foods {
        layer.set(*x, *y, FOOD);
    }
    // The living are in front of the dead.
    let (dead, living): (Vec<_>, Vec<_>) = state.snakes.iter().partition(|snake| !snake.alive);
    for snake in dead.into_iter().chain(living) {
        let value = match (snake.alive, owners.has(&snake.agent)) {
            (false, _) => CORPSE,
            (true, true) => OWN,
            (true, false) => OTHER,
        };
        for [x, y] in &snake.body {
            layer.set(*x, *y, value);
        }
    }
    let bodies = state.snakes.iter().map(|snake| Body {
        agent: owners.agent(&snake.agent),
        name: snake.agent.to_string(),
        team: (owners.team)(&snake.agent),
        side: owners.side(&snake.agent),
        kind: "snake".into(),
        place: snake.head().map(|[x, y]| Place::Cell(x, y)),
        alive: snake.alive,
        detail: format!("length {}", snake.body.len()),
        ..Body::default()
    });
    let tables = tables::snakes(&part.name, owners, state);
    let part = Part {
        shape: Shape::Grid { width: None, height: None, up: false },
        bodies: bodies.collect(),
        layers: vec![layer],
        ..part
    };
    (part, tables)
}

/// A board with its position and whether we are white.
pub(crate) fn chess(
    mut part: Part,
    owners: &Owners<'_>,
    (fen, white): (&str, bool),
    players: &[ChessPlayer],
) -> (Part, Vec<Table>) {
    let mut layer = Layer::declared(&BOARD, Area::new(0, 0, SQUARES, SQUARES));
    for (value, (glyph, name)) in (EMPTY + 1..).zip(PIECES) {
        let ours = glyph.is_ascii_uppercase() == white;
        let tone = if ours { Tone::Ours } else { Tone::Theirs };
        layer = layer.with_legend(&[(value, name, glyph, tone)]);
    }
    let rows = fen.split(' ').next().unwrap_or_default().split('/');
    for (y, row) in (0..=7).rev().zip(rows) {
        let mut x = 0;
        for sign in row.chars().take(SQUARES as usize) {
            if let Some(gap) = sign.to_digit(10) {
                let end = x + i32::try_from(gap).unwrap_or_default();
                (x..end).for_each(|x| layer.set(x, y, EMPTY));
                x = end;
            } else {
                let piece = (EMPTY + 1..).zip(PIECES).find(|(_, (glyph, _))| *glyph == sign);
                if let Some((value, _)) = piece {
                    layer.set(x, y, value);
                }
                x += 1;
            }
        }
    }
    part.facts.push(("we are".into(), if white { "white" } else { "black" }.to_owned()));
    let tables = tables::chess(owners, fen, players);
    let players = players.iter().map(|(name, _)| Body {
        agent: owners.agent(name),
        name: name.clone(),
        team: (owners.team)(name),
        side: owners.side(name),
        kind: "player".into(),
        alive: true,
        ..Body::default()
    });
    let part = Part {
        shape: Shape::Grid { width: None, height: None, up: true },
        bodies: players.collect(),
        layers: vec![layer],
        ..part
    };
    (part, tables)
}
