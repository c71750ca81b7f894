//! What an agent perceives (spec, section 11). What all agents share is written once a step.
#![allow(clippy::indexing_slicing, reason = "bodies and cells are numbered by the state itself")]

use super::act::ResultCode;
use super::attach::AttachableKind;
use super::grid::{Pos, Terrain, VISION};
use super::rules::State;
use super::text::JsonText;

const MARKERS: [&str; 3] = ["clear", "ci", "cp"];

/// Writes one step's percepts.
#[derive(Debug)]
pub struct PerceptWriter<'s> {
    state: &'s State,
    /// `"tasks":[...]`.
    tasks: Vec<u8>,
    /// By body: listed under `attached` when in view.
    listed: Vec<bool>,
    /// Offsets in view; on a small torus each cell once.
    view: Vec<(i32, i32)>,
    teams: Vec<String>,
    blocks: Vec<String>,
}

impl<'s> PerceptWriter<'s> {
    /// Prepares the percepts of the state as it is.
    #[must_use]
    pub fn new(state: &'s State) -> Self {
        let mut tasks = JsonText::default();
        write_tasks(state, &mut tasks);
        let quote = |name: &str| {
            let mut text = JsonText::default();
            text.quoted(name);
            String::from_utf8(text.0).unwrap_or_default()
        };
        Self {
            state,
            tasks: tasks.0,
            listed: listed(state),
            view: view(state),
            teams: state.teams.iter().map(|team| quote(&team.name)).collect(),
            blocks: state.block_types.iter().map(|name| quote(name)).collect(),
        }
    }

    /// The percept object of an entity, as compact JSON.
    #[must_use]
    pub fn json(&self, entity: usize) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(entity, &mut out);
        out
    }

    /// Appends the percept object of an entity.
    pub fn write(&self, entity: usize, out: &mut Vec<u8>) {
        let mut text = JsonText(std::mem::take(out));
        let state = self.state;
        let me = &state.entities[entity];
        text.raw("{\"score\":").int(state.teams[me.team].score);
        let act = me.act.as_ref();
        text.raw(",\"lastAction\":").quoted(act.map_or("", |act| act.name.as_str()));
        text.raw(",\"lastActionResult\":").quoted(me.result.map_or("", ResultCode::text));
        let params = act.map_or(&[][..], |act| act.params.as_slice());
        text.raw(",\"lastActionParams\":").list(params, |text, param| {
            text.quoted(param);
        });
        text.raw(",\"energy\":").int(me.energy);
        text.raw(if me.disabled > 0 { ",\"disabled\":true" } else { ",\"disabled\":false" });
        text.raw(",\"task\":").quoted(me.accepted.as_deref().unwrap_or(""));
        self.surroundings(entity, &mut text);
        text.0.push(b',');
        text.0.extend_from_slice(&self.tasks);
        text.0.push(b'}');
        *out = text.0;
    }

    fn surroundings(&self, entity: usize, text: &mut JsonText) {
        let state = self.state;
        let place = state.place(entity);
        let (mut attached, mut goals, mut walls) =
            (JsonText::default(), JsonText::default(), JsonText::default());
        text.raw(",\"things\":[");
        let before = text.0.len();
        for (dx, dy) in &self.view {
            let pos = state.grid.at(place, *dx, *dy);
            if state.grid.bare(state.grid.index(pos)) {
                continue;
            }
            match state.grid.terrain(pos) {
                Terrain::Empty => {}
                Terrain::Goal => pair(&mut goals, *dx, *dy),
                Terrain::Obstacle => pair(&mut walls, *dx, *dy),
            }
            let mut held = false;
            for id in state.bodies.on(&state.grid, pos) {
                let body = state.bodies.get(id);
                match body.kind {
                    AttachableKind::Entity { team, .. } => {
                        thing(text, *dx, *dy, "entity", &self.teams[team])
                    }
                    AttachableKind::Block(kind) => {
                        thing(text, *dx, *dy, "block", &self.blocks[usize::from(kind)])
                    }
                }
                held |= self.listed[id.0 as usize] && id != state.entities[entity].body;
            }
            if held {
                pair(&mut attached, *dx, *dy);
            }
            self.fixtures(pos, *dx, *dy, text);
        }
        if text.0.len() > before {
            text.0.pop();
        }
        text.raw("],\"attached\":[");
        append(text, &attached);
        text.raw("],\"terrain\":{");
        if !goals.0.is_empty() {
            text.raw("\"goal\":[");
            append(text, &goals);
            text.raw(if walls.0.is_empty() { "]" } else { "]," });
        }
        if !walls.0.is_empty() {
            text.raw("\"obstacle\":[");
            append(text, &walls);
            text.raw("]");
        }
        text.raw("}");
    }

    fn fixtures(&self, pos: Pos, dx: i32, dy: i32, text: &mut JsonText) {
        let grid = &self.state.grid;
        if let Some(kind) = grid.dispenser(pos) {
            thing(text, dx, dy, "dispenser", &self.blocks[usize::from(kind)]);
        }
        if grid.board(pos) {
            thing(text, dx, dy, "taskboard", "\"\"");
        }
        for (count, name) in grid.markers(pos).into_iter().zip(MARKERS) {
            for _ in 0..count {
                text.raw("{\"x\":").int(dx).raw(",\"y\":").int(dy);
                text.raw(",\"type\":\"marker\",\"details\":\"").raw(name).raw("\"},");
            }
        }
    }
}

/// A thing with a comma after it; the details are quoted already.
fn thing(text: &mut JsonText, dx: i32, dy: i32, kind: &str, details: &str) {
    text.raw("{\"x\":").int(dx).raw(",\"y\":").int(dy);
    text.raw(",\"type\":\"").raw(kind).raw("\",\"details\":").raw(details).raw("},");
}

/// A position with a comma after it.
fn pair(text: &mut JsonText, dx: i32, dy: i32) {
    text.raw("[").int(dx).raw(",").int(dy).raw("],");
}

/// Appends a list without its last comma.
fn append(text: &mut JsonText, list: &JsonText) {
    text.0.extend_from_slice(list.0.strip_suffix(b",").unwrap_or(&list.0));
}

fn write_tasks(state: &State, text: &mut JsonText) {
    let open = state.tasks.iter().filter(|task| !task.completed);
    text.raw("\"tasks\":").list(open, |text, task| {
        text.raw("{\"name\":").quoted(&task.name).raw(",\"deadline\":").int(task.deadline);
        text.raw(",\"reward\":").int(task.reward);
        text.raw(",\"requirements\":").list(&task.requirements, |text, ((x, y), kind)| {
            text.raw("{\"x\":").int(*x).raw(",\"y\":").int(*y);
            text.raw(",\"type\":")
                .quoted(&state.block_types[usize::from(*kind)])
                .raw(",\"details\":\"\"}");
        });
        text.raw("}");
    });
}

/// Everything whose structure has an entity other than itself.
fn listed(state: &State) -> Vec<bool> {
    let mut listed = vec![false; state.bodies.bound()];
    for entity in &state.entities {
        let body = entity.body;
        if state.bodies.get(body).links.is_empty() {
            continue;
        }
        let structure = state.bodies.structure(body);
        let is_entity = |id| matches!(state.bodies.get(id).kind, AttachableKind::Entity { .. });
        let several = structure.iter().filter(|id| is_entity(**id)).count() > 1;
        for id in structure {
            listed[id.0 as usize] = several || id != body;
        }
    }
    listed
}

fn view(state: &State) -> Vec<(i32, i32)> {
    let centre = Pos { x: 0, y: 0 };
    state.grid.area(centre, VISION).into_iter().map(|pos| state.grid.way(centre, pos)).collect()
}
