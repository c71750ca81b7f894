//! Replays of the real server: where everything really was.

use phalanx_game::sorted::SortedMap;
use phalanx_grid::{Cell, Extent};
use serde_json::Value;
use std::io::Read as _;

/// One entity as the server knew it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entity {
    /// Absolute.
    pub(crate) at: Cell,
    /// Whole structure without the entity, absolute.
    pub(crate) attached: Vec<Cell>,
}

/// The state after the actions of a step; the percepts of the next step show it, but for what the
/// next step's events change first.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) entities: SortedMap<String, Entity>,
    /// Rows of 0 empty, 1 goal, 2 obstacle.
    pub(crate) cells: Vec<Vec<u8>>,
    pub(crate) blocks: SortedMap<Cell, String>,
}

/// A whole replay.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    pub(crate) extent: Extent,
    pub(crate) states: SortedMap<i64, State>,
}

impl Truth {
    /// Reads a replay archive under `PHALANX_TRACES`.
    pub(crate) fn load(name: &str) -> Option<Self> {
        let packed = phalanx_testkit::traces::bytes(name)?;
        let mut archive = tar::Archive::new(packed.as_slice());
        let mut truth = Self { extent: Extent::default(), states: SortedMap::new() };
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().to_string_lossy().into_owned();
            let mut text = String::new();
            if !path.ends_with(".json") || entry.read_to_string(&mut text).is_err() {
                continue;
            }
            let json: Value = serde_json::from_str(&text).unwrap();
            if path.ends_with("static.json") {
                let side = |key: &str| i32::try_from(json["grid"][key].as_i64().unwrap()).unwrap();
                truth.extent = Extent::new(side("width"), side("height"));
                continue;
            }
            for (step, state) in json.as_object().unwrap() {
                truth.states.insert(step.parse().unwrap(), State::read(state));
            }
        }
        Some(truth)
    }
}

impl State {
    fn read(json: &Value) -> Self {
        let list = |key: &str| json[key].as_array().cloned().unwrap_or_default();
        let mut state = Self::default();
        for entity in list("entities") {
            let name = entity["name"].as_str().unwrap().to_owned();
            let attached = entity["attached"].as_array().cloned().unwrap_or_default();
            let attached = attached.iter().map(cell).collect();
            state.entities.insert(name, Entity { at: cell(&entity), attached });
        }
        for block in list("blocks") {
            state.blocks.insert(cell(&block), block["type"].as_str().unwrap().to_owned());
        }
        let row = |row: &Value| {
            let row = row.as_array().unwrap().iter();
            row.map(|cell| u8::try_from(cell.as_u64().unwrap()).unwrap()).collect()
        };
        state.cells = list("cells").iter().map(row).collect();
        state
    }
}

fn cell(json: &Value) -> Cell {
    let part = |key: &str| i32::try_from(json[key].as_i64().unwrap()).unwrap();
    Cell::new(part("x"), part("y"))
}
