//! Replays and results in the organisers' format (spec, section 13).
#![allow(
    clippy::indexing_slicing,
    reason = "teams and block types are numbered by the state itself"
)]

use super::act::ResultCode;
use super::attach::BodyId;
use super::rules::State;
use super::text::JsonText;
use phalanx_game::sorted::Order;

/// States in one file.
pub const STEPS_PER_FILE: i32 = 5;

/// Collects the states of a simulation into the files of its replay.
#[derive(Clone, Debug, Default)]
pub struct ReplayWriter {
    open: Vec<(i32, Vec<u8>)>,
}

impl ReplayWriter {
    /// `static.json`.
    #[must_use]
    pub fn fixed(sim: &str, state: &State) -> Vec<u8> {
        let mut text = JsonText::default();
        text.raw("{\"sim\":").quoted(sim).raw(",\"grid\":{\"width\":").int(state.grid.width());
        text.raw(",\"height\":").int(state.grid.height()).raw("},\"teams\":{");
        for (number, team) in state.teams.iter().enumerate() {
            text.raw(if number > 0 { "," } else { "" });
            text.quoted(&team.name).raw(":{\"name\":").quoted(&team.name).raw("}");
        }
        text.raw("},\"blockTypes\":").list(&state.block_types, |text, name| {
            text.quoted(name);
        });
        text.raw(",\"steps\":").int(state.rules.steps).raw("}");
        text.0
    }

    /// Takes the state after a step (-1: the initial one). Returns a finished file: the step it is
    /// named after, and its content.
    pub fn push(&mut self, state: &State, last: bool) -> Option<(i32, Vec<u8>)> {
        self.open.push((state.step, snapshot(state)));
        let full = (state.step + 1) % STEPS_PER_FILE == 0 && state.step >= 0;
        if full || last { self.flush() } else { None }
    }

    /// The file under way, if any.
    pub fn flush(&mut self) -> Option<(i32, Vec<u8>)> {
        let (first, _) = self.open.first()?;
        let name = (*first).max(0) / STEPS_PER_FILE * STEPS_PER_FILE;
        let mut text = JsonText::default();
        for (number, (step, state)) in self.open.drain(..).enumerate() {
            text.raw(if number > 0 { ",\"" } else { "{\"" }).int(step).raw("\":");
            text.0.extend_from_slice(&state);
        }
        text.raw("}");
        Some((name, text.0))
    }
}

/// A state after its step's actions.
#[must_use]
pub fn snapshot(state: &State) -> Vec<u8> {
    let mut text = JsonText(Vec::with_capacity(16 * 1024));
    text.raw("{\"step\":").int(state.step).raw(",\"cells\":");
    let width = usize::try_from(state.grid.width()).unwrap_or(1);
    text.list(state.grid.terrains().chunks(width), |text, row| {
        text.list(row, |text, terrain| text.0.push(b'0' + terrain.code()));
    });
    entities(state, &mut text);
    blocks(state, &mut text);
    text.raw(",\"dispensers\":").list(&state.dispensers, |text, (id, pos, kind)| {
        text.raw("{\"id\":").int(*id);
        text.raw(",\"x\":").int(pos.x).raw(",\"y\":").int(pos.y);
        text.raw(",\"type\":").quoted(&state.block_types[usize::from(*kind)]).raw("}");
    });
    text.raw(",\"taskboards\":").list(&state.boards, |text, pos| {
        text.raw("{\"x\":").int(pos.x).raw(",\"y\":").int(pos.y).raw("}");
    });
    tasks(state, &mut text);
    text.raw(",\"clear\":").list(&state.events, |text, event| {
        text.raw("{\"x\":").int(event.pos.x).raw(",\"y\":").int(event.pos.y);
        text.raw(",\"radius\":").int(event.radius).raw("}");
    });
    text.raw(",\"scores\":{");
    for (number, team) in state.teams.iter().enumerate() {
        text.raw(if number > 0 { "," } else { "" }).quoted(&team.name).raw(":").int(team.score);
    }
    text.raw("},\"events\":").list(&state.completed, |text, (task, team)| {
        text.raw("{\"type\":\"task completed\",\"task\":").quoted(task);
        text.raw(",\"team\":").quoted(&state.teams[*team].name).raw("}");
    });
    text.raw("}");
    text.0
}

fn entities(state: &State, text: &mut JsonText) {
    let mut sorted: Vec<_> = state.entities.iter().collect();
    sorted.order_by_key(|entity| entity.id);
    text.raw(",\"entities\":").list(sorted, |text, entity| {
        let pos = state.bodies.get(entity.body).pos;
        text.raw("{\"id\":").int(entity.id).raw(",\"name\":").quoted(&entity.name);
        text.raw(",\"team\":").quoted(&state.teams[entity.team].name);
        text.raw(",\"x\":")
            .int(pos.x)
            .raw(",\"y\":")
            .int(pos.y)
            .raw(",\"energy\":")
            .int(entity.energy);
        text.raw(",\"vision\":").int(super::grid::VISION);
        let act = entity.act.as_ref();
        text.raw(",\"action\":").quoted(act.map_or("", |act| act.name.as_str()));
        let params = act.map_or(&[][..], |act| act.params.as_slice());
        text.raw(",\"actionParams\":").list(params, |text, param| {
            text.quoted(param);
        });
        text.raw(",\"actionResult\":").quoted(entity.result.map_or("", ResultCode::text));
        text.raw(",\"acceptedTask\":").quoted(entity.accepted.as_deref().unwrap_or(""));
        attached(state, entity.body, text);
        text.raw(if entity.disabled > 0 { ",\"disabled\":true}" } else { "}" });
    });
}

fn blocks(state: &State, text: &mut JsonText) {
    let blocks = state.bodies.iter().filter_map(|(id, body)| match body.kind {
        super::attach::AttachableKind::Block(kind) => Some((id, body.pos, kind)),
        super::attach::AttachableKind::Entity { .. } => None,
    });
    text.raw(",\"blocks\":").list(blocks, |text, (id, pos, kind)| {
        text.raw("{\"x\":").int(pos.x).raw(",\"y\":").int(pos.y);
        text.raw(",\"type\":").quoted(&state.block_types[usize::from(kind)]);
        attached(state, id, text);
        text.raw("}");
    });
}

fn attached(state: &State, id: BodyId, text: &mut JsonText) {
    if state.bodies.get(id).links.is_empty() {
        return;
    }
    let structure = state.bodies.structure(id);
    text.raw(",\"attached\":").list(structure.iter().skip(1), |text, other| {
        let pos = state.bodies.get(*other).pos;
        text.raw("{\"x\":").int(pos.x).raw(",\"y\":").int(pos.y).raw("}");
    });
}

fn tasks(state: &State, text: &mut JsonText) {
    let open = |task: &&super::rules::ArenaTask| !task.completed && task.deadline >= state.step;
    let mut tasks: Vec<_> = state.tasks.iter().filter(open).collect();
    tasks.order_by_key(|task| task.deadline);
    text.raw(",\"tasks\":").list(tasks, |text, task| {
        text.raw("{\"name\":").quoted(&task.name).raw(",\"deadline\":").int(task.deadline);
        text.raw(",\"reward\":").int(task.reward);
        text.raw(",\"requirements\":").list(&task.requirements, |text, ((x, y), kind)| {
            text.raw("{\"x\":").int(*x).raw(",\"y\":").int(*y);
            text.raw(",\"type\":").quoted(&state.block_types[usize::from(*kind)]).raw("}");
        });
        text.raw("}");
    });
}

/// A match's result file: simulation names with the teams' scores.
#[must_use]
pub fn result(sims: &[(String, Vec<(String, i64)>)]) -> Vec<u8> {
    let mut text = JsonText::default();
    text.raw("{");
    for (number, (sim, scores)) in sims.iter().enumerate() {
        text.raw(if number > 0 { ",\n    " } else { "\n    " }).quoted(sim).raw(": {");
        for (number, (team, score)) in scores.iter().enumerate() {
            text.raw(if number > 0 { ",\n        " } else { "\n        " });
            text.quoted(team).raw(": {\"score\": ").int(*score).raw("}");
        }
        text.raw("\n    }");
    }
    text.raw("\n}\n");
    text.0
}
