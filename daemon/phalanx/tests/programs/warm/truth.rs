//! Compares the referee's replay with what a team believes.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Columns and rows of the map.
pub(super) const SIDE: i64 = 30;

pub(super) type Cell = (i64, i64);

/// The referee's states after each step; -1: the initial one.
pub(super) fn replay(dir: &Path) -> BTreeMap<i64, Value> {
    let mut states = BTreeMap::new();
    for folder in std::fs::read_dir(dir.join("replays")).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.file_stem().unwrap() == "static" {
                continue;
            }
            let text = std::fs::read(path).unwrap();
            let part: BTreeMap<String, Value> = serde_json::from_slice(&text).unwrap();
            let part = part.into_iter().map(|(step, state)| (step.parse().unwrap(), state));
            states.extend(part);
        }
    }
    states
}

/// The steps in which an agent of the team gave no answer.
pub(super) fn unanswered(states: &BTreeMap<i64, Value>, team: &str) -> BTreeSet<u64> {
    let silent = |state: &Value| {
        let mut entities = state["entities"].as_array().unwrap().iter();
        entities.any(|entity| entity["team"] == team && entity["action"] == "no_action")
    };
    let played = states.iter().filter(|(step, _)| **step >= 0);
    let silent = played.filter(|(_, state)| silent(state));
    silent.map(|(step, _)| u64::try_from(*step).unwrap()).collect()
}

/// The map as a team believes it.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) parts: Vec<Part>,
}

/// A map of agents that know their positions relative to each other.
#[derive(Debug)]
pub(super) struct Part {
    agents: BTreeMap<String, Cell>,
    /// Known cells: 1 free, 2 goal, 3 obstacle.
    pub(super) ground: BTreeMap<Cell, u64>,
}

impl Picture {
    /// Parses the control API's output.
    pub(super) fn of(parts: &Value) -> Self {
        Self { parts: parts.as_array().unwrap().iter().map(Part::of).collect() }
    }

    /// Checks that nothing in it is wrong.
    pub(super) fn holds_in(&self, state: &Value) {
        assert!(self.parts.iter().any(|part| !part.agents.is_empty()));
        self.parts.iter().for_each(|part| part.holds_in(state));
    }

    /// Whether everything in `before` is still known.
    pub(super) fn keeps(&self, before: &Self) -> bool {
        before.parts.iter().all(|part| self.parts.iter().any(|now| now.keeps(part)))
    }
}

impl Part {
    fn of(part: &Value) -> Self {
        let cell = |at: &Value| (at["x"].as_i64().unwrap(), at["y"].as_i64().unwrap());
        let ours = part["bodies"].as_array().unwrap().iter().filter(|body| body["side"] == "ours");
        let agent = |body: &Value| {
            (body["name"].as_str().unwrap().to_owned(), cell(&body["place"]["cell"]))
        };
        let layers = part["layers"].as_array().unwrap();
        let ground = layers.iter().find(|layer| layer["name"] == "ground");
        let ground = ground.map(|layer| {
            let ((left, top), width) = (cell(layer), layer["width"].as_i64().unwrap());
            let cells = layer["cells"].as_array().unwrap().iter().zip(0..);
            let seen = cells.map(|(value, at)| (value.as_u64().unwrap(), at));
            let seen = seen.filter(|(value, _)| *value > 0);
            seen.map(|(value, at)| (wrap((left + at % width, top + at / width)), value)).collect()
        });
        Self { agents: ours.map(agent).collect(), ground: ground.unwrap_or_default() }
    }

    /// The possible offsets from the map's cells to the real ones, by its agents: one, if it is
    /// right.
    pub(super) fn offsets(&self, state: &Value) -> BTreeSet<Cell> {
        let entities = state["entities"].as_array().unwrap();
        let place = |name: &str| {
            let entity = entities.iter().find(|entity| entity["name"] == name).unwrap();
            (entity["x"].as_i64().unwrap(), entity["y"].as_i64().unwrap())
        };
        let off = |(name, at): (&String, &Cell)| {
            let real = place(name);
            wrap((real.0 - at.0, real.1 - at.1))
        };
        self.agents.iter().map(off).collect()
    }

    fn holds_in(&self, state: &Value) {
        let (step, offsets) = (&state["step"], self.offsets(state));
        assert!(offsets.len() <= 1, "after step {step} {:?} are wrong", self.agents);
        // A map without an agent whose place is certain.
        let Some(offset) = offsets.first() else { return };
        for ((x, y), ground) in &self.ground {
            let (x, y) = wrap((x + offset.0, y + offset.1));
            let real = state["cells"][usize::try_from(y).unwrap()][usize::try_from(x).unwrap()]
                .as_u64()
                .unwrap();
            assert_eq!(real + 1, *ground, "after step {step} at ({x}, {y})");
        }
    }

    /// Whether this is a later state of `before`, independent of its coordinates.
    fn keeps(&self, before: &Self) -> bool {
        let found = |(dx, dy): Cell| {
            let mut cells = before.ground.iter();
            cells.all(|((x, y), ground)| self.ground.get(&wrap((x + dx, y + dy))) == Some(ground))
        };
        let offsets = (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y)));
        offsets.into_iter().any(found)
    }
}

pub(super) fn wrap((x, y): Cell) -> Cell {
    (x.rem_euclid(SIDE), y.rem_euclid(SIDE))
}
