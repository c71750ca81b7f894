//! Reads replays in the organisers' format: theirs and ours (spec, section 13).

use phalanx_game::sorted::SortedMap;
use serde::Deserialize;

/// `static.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StaticRecord {
    /// The simulation's name.
    pub sim: String,
    /// The size of the torus.
    pub grid: GridSize,
    /// The teams, by name.
    pub teams: SortedMap<String, serde_json::Value>,
    /// Names of the block types.
    pub block_types: Vec<String>,
    /// Steps of the simulation.
    pub steps: i32,
}

/// The size of the torus.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct GridSize {
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
}

/// A cell.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedCell {
    /// East.
    pub x: i32,
    /// South.
    pub y: i32,
}

/// A cell with a block type, maybe attached to others.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypedCell {
    /// East.
    pub x: i32,
    /// South.
    pub y: i32,
    /// Block type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The rest of its structure.
    #[serde(default)]
    pub attached: Vec<RecordedCell>,
}

/// An entity.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedEntity {
    /// Number.
    pub id: u32,
    /// Account.
    pub name: String,
    /// Team.
    pub team: String,
    /// East.
    pub x: i32,
    /// South.
    pub y: i32,
    /// Energy left.
    pub energy: i32,
    /// The action of the step.
    pub action: String,
    /// Its parameters.
    pub action_params: Vec<String>,
    /// Its result.
    pub action_result: String,
    /// Name of the accepted task, or empty.
    pub accepted_task: String,
    /// The rest of its structure.
    #[serde(default)]
    pub attached: Vec<RecordedCell>,
    /// Whether it is disabled.
    #[serde(default)]
    pub disabled: bool,
}

/// An open task.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedTask {
    /// Its name.
    pub name: String,
    /// Its last step.
    pub deadline: i32,
    /// What it earns now.
    pub reward: i32,
    /// Its shape.
    pub requirements: Vec<TypedCell>,
}

/// A pending clear event.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedClear {
    /// East.
    pub x: i32,
    /// South.
    pub y: i32,
    /// Radius.
    pub radius: i32,
}

/// A task that was completed in the step.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedEvent {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: String,
    /// The task.
    #[serde(default)]
    pub task: String,
    /// The team.
    #[serde(default)]
    pub team: String,
}

/// The state after a step's actions.
#[derive(Clone, Debug, Deserialize)]
pub struct StepRecord {
    /// The step; -1 is the initial state.
    pub step: i32,
    /// Terrain codes, row by row.
    pub cells: Vec<Vec<u8>>,
    /// Entities.
    pub entities: Vec<RecordedEntity>,
    /// Blocks.
    pub blocks: Vec<TypedCell>,
    /// Dispensers.
    pub dispensers: Vec<TypedCell>,
    /// Task boards.
    pub taskboards: Vec<RecordedCell>,
    /// Tasks that are neither completed nor expired.
    pub tasks: Vec<RecordedTask>,
    /// Pending clear events.
    pub clear: Vec<RecordedClear>,
    /// Scores by team.
    pub scores: SortedMap<String, i64>,
    /// Completed tasks.
    #[serde(default)]
    pub events: Vec<RecordedEvent>,
}

/// A whole replay.
#[derive(Clone, Debug)]
pub struct ReplayRecord {
    /// `static.json`.
    pub fixed: StaticRecord,
    /// The states by step, from -1.
    pub frames: SortedMap<i32, StepRecord>,
}

impl ReplayRecord {
    /// Reads a replay from its files: name inside the replay's folder and content. Files that are
    /// not `static.json` or `<number>.json` are skipped.
    ///
    /// # Errors
    /// Which file is not as it should be, and why.
    pub fn read<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Result<Self, String> {
        let mut fixed = None;
        let mut frames = SortedMap::new();
        for (name, bytes) in files {
            let Some(stem) = name.strip_suffix(".json") else { continue };
            if stem == "static" {
                let read =
                    serde_json::from_slice(bytes).map_err(|error| format!("{name}: {error}"))?;
                fixed = Some(read);
            } else if stem.parse::<i32>().is_ok() {
                let read: SortedMap<i32, StepRecord> =
                    serde_json::from_slice(bytes).map_err(|error| format!("{name}: {error}"))?;
                frames.extend(read);
            }
        }
        Ok(Self { fixed: fixed.ok_or("static.json is missing")?, frames })
    }
}
