//! One simulation's configuration (spec, section 7).

use super::fields::FieldReader;
use super::image;
use super::include::FileReader;
use crate::arena::grid::Terrain;
use serde_json::Value;
use std::path::Path;

/// More teams than anybody ever let play at once.
pub(super) const MAX_TEAMS: i64 = 16;
/// A day.
pub(super) const MAX_MILLISECONDS: i64 = 86_400_000;
/// Columns or rows.
pub(super) const MAX_SIDE: i32 = 1000;
/// Agents of a team.
const MAX_ENTITIES: i64 = 500;
/// Steps of a simulation.
const MAX_STEPS: i32 = 1_000_000;
/// Distances and sizes.
const MAX_RADIUS: i32 = 100;
/// Counts, costs, durations.
const MAX_AMOUNT: i32 = 1_000_000;
/// Rounds of a cave instruction.
const MAX_ROUNDS: i64 = 1000;
/// Blocks of a task.
const MAX_SIZE: i32 = 100;

/// How the grid is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// Random obstacles, smoothed by a cellular automaton.
    Cave {
        /// Share of obstacles at first.
        share: f64,
        /// Rounds.
        rounds: u32,
        /// More obstacle neighbours than this make an obstacle.
        birth: i32,
        /// At least this many keep one.
        survival: i32,
    },
    /// A frame of that width.
    LineBorder(i32),
    /// A frame of about that width.
    RaggedBorder(i32),
}

/// Goal zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalRules {
    /// How many.
    pub number: i32,
    /// Bounds of their Manhattan radius.
    pub size: [i32; 2],
}

/// The grid.
#[derive(Clone, Debug, PartialEq)]
pub struct GridRules {
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// What makes obstacles, in order.
    pub instructions: Vec<Instruction>,
    /// Goal zones.
    pub goals: GoalRules,
    /// Terrain from an image: what it sets, cell by cell.
    pub image: Vec<(i32, i32, Terrain)>,
}

/// Tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRules {
    /// Bounds of the number of blocks.
    pub size: [i32; 2],
    /// Bounds of the life, in steps.
    pub duration: [i32; 2],
    /// Chance of a new one in each step.
    pub probability: f64,
    /// How many task boards.
    pub boards: i32,
    /// Bounds of the percent that each step takes from the reward.
    pub reward_decay: [i32; 2],
    /// Percent of the reward that always remains.
    pub lower_limit: i32,
    /// No board is nearer to a goal zone.
    pub board_distance: i32,
}

/// Clear events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRules {
    /// Percent, in each step.
    pub chance: i32,
    /// Bounds of the radius.
    pub radius: [i32; 2],
    /// Steps from announcement to effect.
    pub warning: i32,
    /// Bounds of obstacles created beyond those removed.
    pub create: [i32; 2],
    /// How far beyond the radius obstacles may appear.
    pub perimeter: i32,
}

/// Clear actions and energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearRules {
    /// Successful clears in a row until the effect.
    pub steps: i32,
    /// Energy that the effect costs.
    pub cost: i32,
    /// Steps that a hit entity is disabled.
    pub disable: i32,
    /// Energy at the start and at most.
    pub max_energy: i32,
}

/// One simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct SimConfig {
    /// How many steps.
    pub steps: i32,
    /// Percent of actions that fail by bad luck.
    pub random_fail: i32,
    /// Most members of a structure, entities included.
    pub attach_limit: usize,
    /// Agents of a team.
    pub entities: usize,
    /// Bounds of the size of start clusters.
    pub cluster: [i32; 2],
    /// Bounds of the number of block types.
    pub block_types: [i32; 2],
    /// Bounds of the number of dispensers of each type.
    pub dispensers: [i32; 2],
    /// Clear actions and energy.
    pub clear: ClearRules,
    /// The grid.
    pub grid: GridRules,
    /// Tasks.
    pub tasks: TaskRules,
    /// Clear events.
    pub events: EventRules,
    /// Start of the generator; `None`: the clock decides.
    pub seed: Option<i64>,
    /// Text of the set-up file.
    pub setup: Option<String>,
}

pub(super) fn parse(
    sim: &mut FieldReader<'_, '_>,
    folder: &Path,
    read: FileReader<'_>,
) -> Option<SimConfig> {
    let steps = sim.i32("steps", 1, MAX_STEPS);
    let random_fail = sim.i32("randomFail", 0, 100);
    let attach_limit = sim.int("attachLimit", 0, i64::from(MAX_AMOUNT));
    let entities = entities(sim);
    let cluster = sim.bounds("clusterBounds", 1, MAX_AMOUNT);
    let block_types = sim.bounds("blockTypes", 1, 100);
    let dispensers = sim.bounds("dispensers", 0, MAX_AMOUNT);
    let clear = clear(sim);
    let grid = sim.section("grid", |grid| parse_grid(grid, folder, read));
    let tasks = sim.section("tasks", parse_tasks);
    let events = sim.section("events", parse_events);
    let seed = match sim.optional("randomSeed") {
        None => None,
        Some(_) => Some(sim.int("randomSeed", i64::MIN, i64::MAX)?),
    };
    let setup = match sim.optional("setup") {
        None => None,
        Some(_) => {
            let name = sim.text("setup")?;
            let bytes = attached_file(sim, "setup", folder, &name, read)?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
    };
    Some(SimConfig {
        steps: steps?,
        random_fail: random_fail?,
        attach_limit: usize::try_from(attach_limit?).ok()?,
        entities: entities?,
        cluster: cluster?,
        block_types: block_types?,
        dispensers: dispensers?,
        clear: clear?,
        grid: grid?,
        tasks: tasks?,
        events: events?,
        seed,
        setup,
    })
}

/// A file named by a value: relative to the configuration or, as the original's samples write
/// (`conf/setup/test.txt`), to the folder above it.
fn attached_file(
    fields: &mut FieldReader<'_, '_>,
    key: &str,
    folder: &Path,
    name: &str,
    read: FileReader<'_>,
) -> Option<Vec<u8>> {
    let beside = folder.join(name);
    let above = folder.parent().map(|parent| parent.join(name));
    match read(&beside).or_else(|error| above.map_or(Err(error), |above| read(&above))) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            fields.wrong(key, &format!("{}: {error}", beside.display()));
            None
        }
    }
}

/// The numbers of all roles are added up: roles have no meaning.
fn entities(sim: &mut FieldReader<'_, '_>) -> Option<usize> {
    let roles = sim.object("entities")?;
    let mut sum = 0i64;
    for (role, number) in &roles {
        match number.as_i64().filter(|number| (0..=MAX_ENTITIES).contains(number)) {
            Some(number) => sum += number,
            None => sim.wrong(
                &format!("entities.{role}"),
                &format!("an integer of 0..{MAX_ENTITIES} expected"),
            ),
        }
    }
    if !(1..=MAX_ENTITIES).contains(&sum) {
        sim.wrong("entities", &format!("1..{MAX_ENTITIES} agents in all expected, got {sum}"));
        return None;
    }
    usize::try_from(sum).ok()
}

fn clear(sim: &mut FieldReader<'_, '_>) -> Option<ClearRules> {
    let steps = sim.i32("clearSteps", 0, MAX_AMOUNT);
    let cost = sim.i32("clearEnergyCost", 0, MAX_AMOUNT);
    let disable = sim.i32("disableDuration", 0, MAX_AMOUNT);
    let max_energy = sim.i32("maxEnergy", 0, MAX_AMOUNT);
    Some(ClearRules { steps: steps?, cost: cost?, disable: disable?, max_energy: max_energy? })
}

fn parse_grid(
    grid: &mut FieldReader<'_, '_>,
    folder: &Path,
    read: FileReader<'_>,
) -> Option<GridRules> {
    let width = grid.i32("width", 1, MAX_SIDE);
    let height = grid.i32("height", 1, MAX_SIDE);
    let instructions = grid.list("instructions").map(|list| {
        let mut read = Vec::new();
        for (number, value) in list.iter().enumerate() {
            match instruction(value) {
                Ok(instruction) => read.extend(instruction),
                Err(problem) => grid.wrong(&format!("instructions[{number}]"), &problem),
            }
        }
        read
    });
    let goals = grid.section("goals", |goals| {
        let number = goals.i32("number", 0, MAX_AMOUNT);
        let size = goals.bounds("size", 0, MAX_RADIUS);
        Some(GoalRules { number: number?, size: size? })
    });
    let image = match grid.optional("file") {
        None => Vec::new(),
        Some(_) => {
            let name = grid.text("file")?;
            let bytes = attached_file(grid, "file", folder, &name, read)?;
            match image::read(&bytes) {
                Ok(cells) => cells,
                Err(problem) => {
                    grid.wrong("file", &problem);
                    return None;
                }
            }
        }
    };
    Some(GridRules {
        width: width?,
        height: height?,
        instructions: instructions?,
        goals: goals?,
        image,
    })
}

/// `Ok(None)`: an unknown name is skipped, as the original does.
fn instruction(value: &Value) -> Result<Option<Instruction>, String> {
    let list = value.as_array().ok_or("a list [name, ...] expected")?;
    let name = list.first().and_then(Value::as_str).ok_or("a name expected first")?;
    let int = |slot: usize, high: i64| {
        let number =
            list.get(slot).and_then(Value::as_i64).filter(|number| (0..=high).contains(number));
        number.ok_or(format!("{name}: an integer of 0..{high} expected as parameter {slot}"))
    };
    let small = |slot: usize| {
        int(slot, i64::from(MAX_SIDE)).map(|number| i32::try_from(number).unwrap_or(MAX_SIDE))
    };
    Ok(match name {
        "cave" => Some(Instruction::Cave {
            share: list
                .get(1)
                .and_then(Value::as_f64)
                .ok_or("cave: a share expected as parameter 1")?,
            rounds: u32::try_from(int(2, MAX_ROUNDS)?).unwrap_or(0),
            birth: small(3)?,
            survival: small(4)?,
        }),
        "line-border" => Some(Instruction::LineBorder(small(1)?)),
        "ragged-border" => Some(Instruction::RaggedBorder(small(1)?)),
        _ => None,
    })
}

fn parse_tasks(tasks: &mut FieldReader<'_, '_>) -> Option<TaskRules> {
    let size = tasks.bounds("size", 1, MAX_SIZE);
    let duration = tasks.bounds("duration", 0, MAX_AMOUNT);
    let probability = tasks.float("probability", 0.0, 1.0);
    let boards = tasks.i32("taskboards", 0, MAX_AMOUNT);
    let reward_decay = tasks.bounds("rewardDecay", 0, 100);
    let lower_limit = tasks.i32("lowerRewardLimit", 0, 100);
    let board_distance = tasks.i32("distanceToTaskboards", 0, MAX_RADIUS);
    Some(TaskRules {
        size: size?,
        duration: duration?,
        probability: probability?,
        boards: boards?,
        reward_decay: reward_decay?,
        lower_limit: lower_limit?,
        board_distance: board_distance?,
    })
}

fn parse_events(events: &mut FieldReader<'_, '_>) -> Option<EventRules> {
    let chance = events.i32("chance", 0, 100);
    let radius = events.bounds("radius", 0, MAX_RADIUS);
    let warning = events.i32("warning", 0, MAX_AMOUNT);
    let create = events.bounds("create", -MAX_AMOUNT, MAX_AMOUNT);
    let perimeter = events.i32("perimeter", 0, MAX_RADIUS);
    Some(EventRules {
        chance: chance?,
        radius: radius?,
        warning: warning?,
        create: create?,
        perimeter: perimeter?,
    })
}
