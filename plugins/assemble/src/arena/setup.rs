//! Set-up files: absolute changes to the made world before the first step (spec, section 8.1).

use super::attach::AttachableKind;
use super::chance::{NewTask, Requirements};
use super::grid::{Pos, Terrain};
use super::rules::State;
use phalanx_game::sorted::Order;
use phalanx_massim::JavaRandom;

/// Executes a set-up file; what it cannot do it skips, and returns as (line, text).
pub(super) fn run(state: &mut State, text: &str, random: &mut JavaRandom) -> Vec<(usize, String)> {
    let mut skipped = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("stop") {
            break;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if execute(state, &words, random).is_none() {
            skipped.push((number + 1, line.to_owned()));
        }
    }
    skipped
}

fn cell(x: &str, y: &str) -> Option<Pos> {
    Some(Pos { x: x.parse().ok()?, y: y.parse().ok()? })
}

fn execute(state: &mut State, words: &[&str], random: &mut JavaRandom) -> Option<()> {
    match words {
        ["move", x, y, agent] => {
            let pos = cell(x, y)?;
            let entity = *state.names.get(*agent)?;
            let body = state.entities.get(entity)?.body;
            (state.grid.open(pos) && state.bodies.get(body).links.is_empty()).then_some(())?;
            state.bodies.relocate(&mut state.grid, &[(body, pos)]);
        }
        ["add", x, y, what, rest @ ..] => {
            let pos = cell(x, y)?;
            state.grid.open(pos).then_some(())?;
            match (*what, rest) {
                ("block", [kind]) => {
                    let kind = state.block_type(kind)?;
                    state.bodies.place(&mut state.grid, pos, AttachableKind::Block(kind));
                }
                ("dispenser", [kind]) => {
                    let kind = state.block_type(kind)?;
                    state.add_dispenser(pos, kind);
                }
                ("taskboard", _) => state.add_board(pos),
                _ => return None,
            }
        }
        ["create", "task", name, duration, shape] => {
            let requirements = requirements(state, shape)?;
            let duration = duration.parse().ok()?;
            let decay = random.between(state.rules.tasks.reward_decay);
            state.add_task((*name).to_owned(), NewTask { duration, requirements, decay });
        }
        ["attach", x1, y1, x2, y2] => {
            let a = state.bodies.single(&state.grid, cell(x1, y1)?)?;
            let b = state.bodies.single(&state.grid, cell(x2, y2)?)?;
            let mut joint = state.bodies.structure(a);
            joint.extend(state.bodies.structure(b));
            joint.order();
            joint.dedup();
            let fits = joint.len() <= state.rules.attach_limit;
            (fits && state.bodies.neighbours(&state.grid, a, b)).then_some(())?;
            state.bodies.link(a, b);
        }
        ["terrain", x, y, what] => {
            let terrain = match *what {
                "obstacle" => Terrain::Obstacle,
                "goal" => Terrain::Goal,
                "empty" => Terrain::Empty,
                _ => return None,
            };
            state.grid.set_terrain(cell(x, y)?, terrain);
        }
        _ => return None,
    }
    Some(())
}

fn requirements(state: &State, shape: &str) -> Option<Requirements> {
    let mut requirements = Requirements::new();
    for part in shape.split(';').filter(|part| !part.is_empty()) {
        let mut fields = part.split(',');
        let (x, y, kind) = (fields.next()?, fields.next()?, fields.next()?);
        let pos = cell(x, y)?;
        requirements.insert((pos.x, pos.y), state.block_type(kind)?);
    }
    (!requirements.is_empty()).then_some(requirements)
}
