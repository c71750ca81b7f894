//! The world as it is, drawn in the terms of a team's belief.

use super::attach::AttachableKind;
use super::grid::{Pos, Terrain};
use super::rules::{Entity, State};
use crate::world::draw::tables::{TASK_COLUMNS, TaskRow, counted};
use crate::world::draw::{BLOCKS, FREE, GOAL, GROUND, NONE, OBSTACLE};
use phalanx_game::sorted::Order;
use phalanx_game::{
    Area, Body, Layer, Legend, Part, Picture, Place, Row, Shape, Side, Spot, Table, Tone,
};

pub(super) fn picture(state: &State) -> Picture {
    let [width, height] =
        [state.grid.width(), state.grid.height()].map(|side| u32::try_from(side).unwrap_or(0));
    let area = Area::new(0, 0, width, height);
    let scores = state
        .teams
        .iter()
        .map(|team| (format!("score of {}", team.name).into(), team.score.to_string()));
    let step = ("step".into(), state.step.max(0).to_string());
    let part = Part {
        name: "map".to_owned(),
        shape: Shape::Grid { width: Some(width), height: Some(height), up: false },
        layers: vec![ground(state, area), blocks(state, area)],
        spots: spots(state, area),
        bodies: (0..).zip(&state.entities).map(|(index, it)| body(state, index, it)).collect(),
        facts: std::iter::once(step).chain(scores).collect(),
        ..Part::default()
    };
    Picture::of(part).with_tables([tasks(state)])
}

fn ground(state: &State, area: Area) -> Layer {
    let mut layer = Layer::declared(&GROUND, area);
    for (x, y) in area.each() {
        let value = match state.grid.terrain(Pos { x, y }) {
            Terrain::Empty => FREE,
            Terrain::Goal => GOAL,
            Terrain::Obstacle => OBSTACLE,
        };
        layer.set(x, y, value);
    }
    layer
}

fn blocks(state: &State, area: Area) -> Layer {
    let value = |kind: u8| kind.saturating_add(NONE + 1);
    let mut layer = Layer::declared(&BLOCKS, area);
    layer.cells.fill(NONE);
    layer.legend.extend((0..=u8::MAX).zip(&state.block_types).map(|(kind, name)| {
        let glyph = name.chars().next_back().filter(char::is_ascii_alphanumeric).unwrap_or('b');
        let name = format!("block {name}").into();
        Legend { value: value(kind), name, glyph, tone: Tone::Resource }
    }));
    for (_, thing) in state.bodies.iter() {
        if let AttachableKind::Block(kind) = thing.kind {
            layer.set(thing.pos.x, thing.pos.y, value(kind));
        }
    }
    layer
}

fn spots(state: &State, area: Area) -> Vec<Spot> {
    let spot = |at: Pos, kind: &'static str, label: &str, tone| Spot {
        place: place(at),
        kind: kind.into(),
        label: label.to_owned(),
        value: None,
        tone,
    };
    let dispensers = state
        .dispensers
        .iter()
        .map(|(_, at, kind)| spot(*at, "dispenser", block_type(state, *kind), Tone::Resource));
    let boards = state.boards.iter().map(|at| spot(*at, "taskboard", "", Tone::Goal));
    let clears = area.each().flat_map(|(x, y)| {
        let at = Pos { x, y };
        let [clear, now, around] = state.grid.markers(at);
        let kinds = [(clear, "clear"), (now, "clear now"), (around, "clear around")];
        kinds.into_iter().filter(|(count, _)| *count > 0).map(move |(_, kind)| (at, kind))
    });
    let clears = clears.map(|(at, kind)| spot(at, kind, "", Tone::Danger));
    dispensers.chain(boards).chain(clears).collect()
}

fn body(state: &State, index: usize, entity: &Entity) -> Body {
    let at = state.place(index);
    let structure = state.bodies.structure(entity.body).into_iter();
    let carried: Vec<(i32, i32, String)> = structure
        .filter_map(|part| {
            let part = state.bodies.get(part);
            let AttachableKind::Block(kind) = part.kind else { return None };
            let (x, y) = state.grid.way(at, part.pos);
            Some((x, y, block_type(state, kind).to_owned()))
        })
        .collect();
    let task = entity.accepted.as_deref().map(|task| format!(" for {task}")).unwrap_or_default();
    Body {
        name: entity.name.clone(),
        team: state.teams.get(entity.team).map(|team| team.name.clone()).unwrap_or_default(),
        side: if entity.team == 0 { Side::Ours } else { Side::Theirs },
        place: Some(place(at)),
        carrying: counted(carried.iter().map(|(_, _, kind)| kind.as_str())),
        carried,
        alive: entity.disabled == 0,
        detail: format!("energy {}{task}", entity.energy),
        ..Body::default()
    }
}

fn tasks(state: &State) -> Table {
    let mut open: Vec<_> =
        state.tasks.iter().filter(|task| !task.completed && task.deadline >= state.step).collect();
    open.order_by_key(|task| (task.deadline, &task.name));
    let rows = open.into_iter().map(|task| {
        let accepted = state.entities.iter();
        let accepted = accepted.filter(|it| it.accepted.as_deref() == Some(task.name.as_str()));
        let blocks = task.requirements.values().map(|kind| block_type(state, *kind));
        let shown = TaskRow {
            name: &task.name,
            blocks: counted(blocks),
            reward: task.reward.into(),
            deadline: task.deadline.into(),
            by: accepted.map(|entity| entity.name.as_str()).collect(),
        };
        shown.row(state.step.into())
    });
    Table::new("tasks", &TASK_COLUMNS).with_rows(rows.collect::<Vec<Row>>())
}

fn block_type(state: &State, kind: u8) -> &str {
    state.block_types.get(usize::from(kind)).map_or("", String::as_str)
}

fn place(at: Pos) -> Place {
    Place::Cell(at.x, at.y)
}
