//! What the referee tells an agent, typed (spec sections 3.2 and 11).

use crate::action::Outcome;
use phalanx_game::Value;
use phalanx_grid::Cell;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// No referee is believed that agents see further than this.
pub const VISION_MAX: i32 = 50;

/// The start message of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Briefing {
    /// When the referee built it, Unix milliseconds on its clock; the same in a repetition.
    pub time: i64,
    /// The agent's name.
    pub name: String,
    /// The team's name, as entities show it.
    pub team: String,
    /// Agents of the team in this simulation.
    pub team_size: u32,
    /// Steps of the simulation.
    pub steps: u32,
    /// How far the agent sees, Manhattan.
    pub vision: i32,
}

/// One request-action's percept. Cells are relative to the agent, the shortest way round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percept {
    /// The step, from 0.
    pub step: u32,
    /// The team's score.
    pub score: i64,
    /// The last action as the referee names it: also `no_action` and names it did not know.
    pub last_action: String,
    /// How it went.
    pub last_result: Outcome,
    /// Its parameters.
    pub last_params: Vec<String>,
    /// Energy for clear actions.
    pub energy: i64,
    /// True: this step's action will fail.
    pub disabled: bool,
    /// The accepted task; empty when there is none.
    pub task: String,
    /// Visible things that are attached to any entity of any team; not only one's own.
    pub attached: Vec<Cell>,
    /// Everything in sight, the agent itself included.
    pub things: Vec<Thing>,
    /// Goal cells in sight.
    pub goals: Vec<Cell>,
    /// Obstacle cells in sight.
    pub obstacles: Vec<Cell>,
    /// Cells of terrain kinds that this program does not know.
    pub strange_terrain: Vec<(String, Vec<Cell>)>,
    /// Tasks that are not completed, expired ones included.
    pub tasks: Vec<Task>,
}

/// Something in sight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Thing {
    /// Where, relative.
    pub cell: Cell,
    /// What.
    pub kind: ThingKind,
}

/// What a thing is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ThingKind {
    /// An agent of the named team.
    Entity(String),
    /// A block of that type.
    Block(String),
    /// A dispenser of blocks of that type.
    Dispenser(String),
    /// A task board.
    Taskboard,
    /// A cell where a clear event or action shows.
    Marker(MarkerKind),
    /// A kind that this program does not know.
    Unknown {
        /// The referee's word.
        kind: String,
        /// Its details.
        details: String,
    },
}

impl ThingKind {
    /// The referee's word and details.
    #[must_use]
    pub fn words(&self) -> (&str, &str) {
        match self {
            Self::Entity(team) => ("entity", team),
            Self::Block(kind) => ("block", kind),
            Self::Dispenser(kind) => ("dispenser", kind),
            Self::Taskboard => ("taskboard", ""),
            Self::Marker(marker) => ("marker", marker.word()),
            Self::Unknown { kind, details } => (kind, details),
        }
    }
}

/// What a marker announces (spec section 9).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MarkerKind {
    /// A clear event or action reaches this cell.
    Clear,
    /// A clear event strikes here within two steps.
    ClearImmediate,
    /// The rim of a clear event: an obstacle may grow here.
    ClearPerimeter,
    /// A word that this program does not know.
    Unknown(String),
}

impl MarkerKind {
    /// The marker of that word.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        match word {
            "clear" => Self::Clear,
            "ci" => Self::ClearImmediate,
            "cp" => Self::ClearPerimeter,
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// The referee's word.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Clear => "clear",
            Self::ClearImmediate => "ci",
            Self::ClearPerimeter => "cp",
            Self::Unknown(word) => word,
        }
    }
}

/// A task that waits for somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// The last step in which it can be delivered.
    pub deadline: u32,
    /// What a delivery in this step earns.
    pub reward: i64,
    /// Which block where, relative to the delivering agent.
    pub requirements: Vec<Requirement>,
}

/// One block of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Requirement {
    /// Where, relative to the delivering agent.
    pub cell: Cell,
    /// The block type.
    pub kind: String,
}

impl Percept {
    /// One field as scripts see it; `None` for an unknown name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Value> {
        Some(match name {
            "step" => self.step.into(),
            "score" => self.score.into(),
            "last_action" => self.last_action.clone().into(),
            "last_result" => self.last_result.word().to_owned().into(),
            "last_params" => self.last_params.clone().into(),
            "energy" => self.energy.into(),
            "disabled" => self.disabled.into(),
            "task" if self.task.is_empty() => Value::Nil,
            "task" => self.task.clone().into(),
            "attached" => cells(&self.attached),
            "things" => Value::List(self.things.iter().map(Thing::value).collect()),
            "terrain" => self.terrain(),
            "tasks" => Value::List(self.tasks.iter().map(Task::value).collect()),
            _ => return None,
        })
    }

    fn terrain(&self) -> Value {
        let mut kinds =
            vec![("goal".into(), cells(&self.goals)), ("obstacle".into(), cells(&self.obstacles))];
        for (kind, list) in &self.strange_terrain {
            kinds.push((Cow::Owned(kind.clone()), cells(list)));
        }
        Value::Map(kinds)
    }
}

impl Thing {
    fn value(&self) -> Value {
        let (kind, details) = self.kind.words();
        Value::map([
            ("x", self.cell.x.into()),
            ("y", self.cell.y.into()),
            ("type", kind.to_owned().into()),
            ("details", details.to_owned().into()),
        ])
    }
}

impl Task {
    fn value(&self) -> Value {
        Value::map([
            ("name", self.name.clone().into()),
            ("deadline", self.deadline.into()),
            ("reward", self.reward.into()),
            ("requirements", self.requirements_value()),
        ])
    }

    /// The required blocks as scripts see them: `{x, y, type}`.
    #[must_use]
    pub fn requirements_value(&self) -> Value {
        let one = |requirement: &Requirement| {
            Value::map([
                ("x", requirement.cell.x.into()),
                ("y", requirement.cell.y.into()),
                ("type", requirement.kind.clone().into()),
            ])
        };
        Value::List(self.requirements.iter().map(one).collect())
    }
}

/// Cells as scripts see them.
#[must_use]
pub fn cells(cells: &[Cell]) -> Value {
    Value::List(cells.iter().map(|cell| Value::cell(cell.x, cell.y)).collect())
}
