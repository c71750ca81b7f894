//! The newest scene as people see it, with what will burn when.

pub(crate) mod tables;

use super::{DangerLevel, HORIZON, World};
use crate::percept::TickScene;
use crate::rules::{AgentIndex, CellEntity, EntityKind, GameBoard, GameState, Setup, UnitIndex};
use phalanx_game::{Area, Body, Layer, LayerDoc, Part, Picture, Place, Scale, Shape, Side, Tone};

/// The name of the one part.
pub(crate) const PART: &str = "map";

const FREE: u8 = 1;
const END_FIRE: u8 = 2;

/// Danger counts backwards: the nearer the fire, the larger the value.
const DANGER: Scale =
    Scale { from: 63.0, to: 0.0, unit: "ticks until it burns", tone: Tone::Danger };

pub(super) fn picture(world: &World) -> Picture {
    let Some(scene) = world.scene() else { return Picture::default() };
    let board = &scene.board;
    let area = Area::new(0, 0, board.width().into(), board.height().into());
    let forecast = world.forecast(scene);
    let things = things(board, &scene.state, area);
    let mut certain = Layer::new("danger", area).with_scale(DANGER);
    let mut possible = Layer::new("possible danger", area).with_scale(DANGER);
    for (x, y) in area.each() {
        let Some(cell) = board.cell(x, y) else { continue };
        for (layer, danger) in
            [(&mut certain, DangerLevel::Certain), (&mut possible, DangerLevel::Possible)]
        {
            if let Some(ticks) = forecast.first(cell, danger, 1) {
                layer.set(x, y, DANGER.value(f64::from(ticks.min(HORIZON))));
            }
        }
    }
    let units = (0..=UnitIndex::MAX).zip(scene.state.units());
    let known = |index| seen(world, scene, index);
    let part = Part {
        name: PART.to_owned(),
        shape: Shape::Grid { width: None, height: None, up: true },
        layers: vec![things, certain, possible],
        bodies: units.filter_map(|(index, _)| known(index)).collect(),
        facts: vec![("tick".into(), scene.state.tick.to_string())],
        ..Part::default()
    };
    Picture::of(part).with_tables(tables::tables(board, &scene.state, scene.agent))
}

/// After the first two, the kinds of entities in the order of [`EntityKind::ALL`].
pub(crate) const THINGS: LayerDoc = LayerDoc {
    name: "things",
    legend: &[
        (FREE, "free", '.', Tone::Ground),
        (END_FIRE, "fire that stays", '^', Tone::Danger),
        (END_FIRE + 1, "metal", '#', Tone::Obstacle),
        (END_FIRE + 2, "wood", '%', Tone::Obstacle),
        (END_FIRE + 3, "ore", '&', Tone::Obstacle),
        (END_FIRE + 4, "bomb", 'o', Tone::Danger),
        (END_FIRE + 5, "fire", '*', Tone::Danger),
        (END_FIRE + 6, "ammunition", '+', Tone::Resource),
        (END_FIRE + 7, "blast powerup", '!', Tone::Resource),
        (END_FIRE + 8, "freeze powerup", '~', Tone::Resource),
        (END_FIRE + 9, "treasure", '$', Tone::Other),
    ],
};

pub(crate) fn things(board: &GameBoard, state: &GameState, area: Area) -> Layer {
    let mut layer = Layer::declared(&THINGS, area);
    for (x, y) in area.each() {
        if let Some(cell) = board.cell(x, y) {
            layer.set(x, y, state.entity(cell).map_or(FREE, value));
        }
    }
    layer
}

fn number(kind: EntityKind) -> u8 {
    let index = EntityKind::ALL.iter().position(|known| *known == kind).unwrap_or_default();
    u8::try_from(index).unwrap_or_default().saturating_add(END_FIRE + 1)
}

fn value(entity: &CellEntity) -> u8 {
    if entity.kind == EntityKind::Fire && entity.permanent() {
        END_FIRE
    } else {
        number(entity.kind)
    }
}

/// A unit of a scene, with the agent that decides for it.
fn seen(world: &World, scene: &TickScene, index: UnitIndex) -> Option<Body> {
    let body = body(&scene.board, &scene.state, index, scene.agent)?;
    let agent = world.percepts.iter().find(|(_, percept)| percept.unit == Some(index));
    let agent = agent.map(|(agent, _)| *agent).filter(|_| body.side == Side::Ours);
    Some(Body { agent, ..body })
}

/// A unit. `ours`: which agent counts as our own.
pub(crate) fn body(
    board: &GameBoard,
    state: &GameState,
    index: UnitIndex,
    ours: AgentIndex,
) -> Option<Body> {
    let unit = state.unit(index)?;
    let (x, y) = board.place(unit.cell);
    let frozen = unit.frozen(state.tick.max(1));
    let frozen = if frozen && unit.alive() { " frozen" } else { "" };
    Some(Body {
        name: board.unit(index).map(|unit| unit.name.clone()).unwrap_or_default(),
        side: if unit.agent == ours { Side::Ours } else { Side::Theirs },
        place: Some(Place::Cell(x, y)),
        alive: unit.alive(),
        detail: format!("hp {} bombs {} diameter {}{frozen}", unit.hp, unit.bombs, unit.diameter),
        // The usual lives: the referee does not say how many there were.
        health: Some((f64::from(unit.hp) / f64::from(Setup::default().hp)).clamp(0.0, 1.0)),
        ..Body::default()
    })
}
