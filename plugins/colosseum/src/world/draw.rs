//! The newest scenes as people see them: a part for each world that our agents are in.

use super::World;
use crate::percept::{ChessScene, Percept, StateScene};
use crate::rules::catcher::{self, CatcherEntity};
use crate::rules::snake;
use phalanx_game::{AgentId, Area, Body, Layer, Part, Picture, Place, Shape, Side, Spot, Tone};

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
    Picture {
        parts: groups.iter().filter_map(|group| part(group, alone)).collect(),
        ..Picture::default()
    }
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

fn part(group: &[OwnAgent<'_>], alone: bool) -> Option<Part> {
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
    Some(match &*newest.scene {
        StateScene::Catcher(state) => plane(part, group, newest, state),
        StateScene::Snake(state) => snakes(part, group, state),
        StateScene::Chess(scene) => chess(part, group, scene),
        StateScene::Other => part,
    })
}

/// Our agent of that id.
fn agent_of(group: &[OwnAgent<'_>], id: &str) -> Option<AgentId> {
    group.iter().find(|(_, percept)| *percept.me == *id).map(|(agent, _)| *agent)
}

fn side(agent: Option<AgentId>) -> Side {
    if agent.is_some() { Side::Ours } else { Side::Theirs }
}

fn plane(
    part: Part,
    group: &[OwnAgent<'_>],
    newest: &Percept,
    state: &catcher::CatcherState,
) -> Part {
    let rules = &newest.config.rules;
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
        tone: if agent_of(group, &base.owner).is_some() { Tone::Ours } else { Tone::Theirs },
    });
    let actor = |actor: &CatcherEntity| {
        let agent = agent_of(group, &actor.owner);
        let health = actor.health.get();
        Body {
            agent,
            name: actor.id.to_string(),
            side: side(agent),
            kind: "actor".into(),
            place: Some(point(actor.position)),
            alive: health > 0.0,
            detail: format!("of {} health {health} food {}", actor.owner, actor.food.get()),
            ..Body::default()
        }
    };
    Part {
        shape: Shape::Plane { width: rules.grid_width, height: rules.grid_height },
        spots: foods.chain(bases).collect(),
        bodies: state.actors.iter().map(actor).collect(),
        ..part
    }
}

fn snakes(part: Part, group: &[OwnAgent<'_>], state: &snake::SnakeState) -> Part {
    let [columns, rows] = state.size.map(|side| u32::try_from(side).unwrap_or_default());
    let mut layer = Layer::new("cells", Area::new(0, 0, columns, rows)).with_legend(&[
        (FREE, "free", '.', Tone::Ground),
        (FOOD, "food", '+', Tone::Resource),
        (OWN, "own snake", 'o', Tone::Ours),
        (OTHER, "other snake", 'x', Tone::Theirs),
        (CORPSE, "dead snake", '-', Tone::Other),
    ]);
    layer.cells.fill(FREE);
    for [x, y] in &state.foods {
        layer.set(*x, *y, FOOD);
    }
    // The living are in front of the dead.
    let (dead, living): (Vec<_>, Vec<_>) = state.snakes.iter().partition(|snake| !snake.alive);
    for snake in dead.into_iter().chain(living) {
        let value = match (snake.alive, agent_of(group, &snake.agent)) {
            (false, _) => CORPSE,
            (true, Some(_)) => OWN,
            (true, None) => OTHER,
        };
        for [x, y] in &snake.body {
            layer.set(*x, *y, value);
        }
    }
    let bodies = state.snakes.iter().map(|snake| {
        let agent = agent_of(group, &snake.agent);
        Body {
            agent,
            name: snake.agent.to_string(),
            side: side(agent),
            kind: "snake".into(),
            place: snake.head().map(|[x, y]| Place::Cell(x, y)),
            alive: snake.alive,
            detail: format!("length {}", snake.body.len()),
            ..Body::default()
        }
    });
    Part {
        shape: Shape::Grid { width: None, height: None, up: false },
        bodies: bodies.collect(),
        layers: vec![layer],
        ..part
    }
}

fn chess(mut part: Part, group: &[OwnAgent<'_>], scene: &ChessScene) -> Part {
    let mut layer = Layer::new("board", Area::new(0, 0, SQUARES, SQUARES)).with_legend(&[(
        EMPTY,
        "empty",
        '.',
        Tone::Ground,
    )]);
    for (value, (glyph, name)) in (EMPTY + 1..).zip(PIECES) {
        let ours = glyph.is_ascii_uppercase() == scene.white;
        let tone = if ours { Tone::Ours } else { Tone::Theirs };
        layer = layer.with_legend(&[(value, name, glyph, tone)]);
    }
    let rows = scene.fen.split(' ').next().unwrap_or_default().split('/');
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
    part.facts.push(("we are".into(), if scene.white { "white" } else { "black" }.to_owned()));
    part.facts.extend(scene.last_move.clone().map(|last| ("last move".into(), last)));
    let players = group.iter().map(|(agent, percept)| Body {
        agent: Some(*agent),
        name: percept.me.to_string(),
        side: Side::Ours,
        kind: "player".into(),
        alive: true,
        ..Body::default()
    });
    Part {
        shape: Shape::Grid { width: None, height: None, up: true },
        bodies: players.collect(),
        layers: vec![layer],
        ..part
    }
}
