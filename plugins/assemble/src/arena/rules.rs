//! The rules as a pure step function (spec, sections 9 and 10): [`State::begin_step`] is what
//! happens before the percepts, [`State::execute`] what the actions do.
//!
//! An action is first judged, without any change, then applied: [`State::judge`] and
//! [`State::apply`] are public so that a recorded match can be re-executed in another order.
#![allow(clippy::indexing_slicing, reason = "entities, tasks and teams are numbered by this state")]

mod apply;
mod judge;
mod step;

pub use judge::{Effect, Judgement};

use super::act::{Act, ResultCode};
use super::attach::{Attachables, BodyId};
use super::chance::{Chance, ClearEvent, NewTask, Requirements};
use super::config::SimConfig;
use super::grid::{Grid, Pos};
use super::{scenario, setup};
use phalanx_game::sorted::SortedMap;
use phalanx_massim::JavaRandom;
use std::sync::Arc;

/// An agent's body and everything that the referee remembers of the agent.
#[derive(Clone, Debug)]
pub struct Entity {
    /// The account's name.
    pub name: String,
    /// Index of the team.
    pub team: usize,
    /// Number in the team, from 1.
    pub number: usize,
    /// Number in replays.
    pub id: u32,
    /// Its attachable.
    pub body: BodyId,
    /// Energy left.
    pub energy: i32,
    /// Disabled while above 0.
    pub disabled: i32,
    /// The last action.
    pub act: Option<Act>,
    /// Its result; `None` while undecided.
    pub result: Option<ResultCode>,
    /// Name of the accepted task.
    pub accepted: Option<String>,
    pub(super) clear_cell: Option<Pos>,
    pub(super) clear_step: i32,
    pub(super) clear_count: i32,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaTask {
    /// Its name.
    pub name: String,
    /// The last step in which it can be submitted.
    pub deadline: i32,
    /// What a submit earns now.
    pub reward: i32,
    /// The reward never falls below this.
    pub floor: i32,
    /// Percent that each step takes.
    pub decay: i32,
    /// Its shape.
    pub requirements: Requirements,
    /// Somebody delivered it.
    pub completed: bool,
}

/// A team of the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// Its name.
    pub name: String,
    /// What it earned.
    pub score: i64,
}

/// The whole state of a simulation.
#[derive(Clone, Debug)]
pub struct State {
    /// The configuration.
    pub rules: Arc<SimConfig>,
    /// The torus.
    pub grid: Grid,
    /// Attachables.
    pub bodies: Attachables,
    /// Entities: team by team, by number. This is the canonical order (spec, section 12).
    pub entities: Vec<Entity>,
    /// Teams, in order.
    pub teams: Vec<Team>,
    /// All tasks that ever were, in order.
    pub tasks: Vec<ArenaTask>,
    /// Pending clear events, in order of creation.
    pub events: Vec<ClearEvent>,
    /// Names of the block types.
    pub block_types: Vec<String>,
    /// Dispensers: number in replays, cell, block type.
    pub dispensers: Vec<(u32, Pos, u8)>,
    /// Task boards.
    pub boards: Vec<Pos>,
    /// The running step; -1 before the first.
    pub step: i32,
    /// Tasks completed in this step: task name, team.
    pub completed: Vec<(String, usize)>,
    pub(super) names: SortedMap<String, usize>,
    pub(super) clear_marks: Vec<Pos>,
    ids: u32,
}

impl State {
    /// An empty world with the teams' entities, which are not yet anywhere; each team is its name
    /// and its accounts' names.
    fn empty(rules: Arc<SimConfig>, teams: &[(String, Vec<String>)]) -> Self {
        let grid = Grid::new(rules.grid.width, rules.grid.height);
        let mut entities = Vec::new();
        for (team, (_, accounts)) in teams.iter().enumerate() {
            for (index, name) in accounts.iter().take(rules.entities).enumerate() {
                entities.push(Entity {
                    name: name.clone(),
                    team,
                    number: index + 1,
                    id: 0,
                    body: BodyId(0),
                    energy: rules.clear.max_energy,
                    disabled: 0,
                    act: None,
                    result: None,
                    accepted: None,
                    clear_cell: None,
                    clear_step: -1,
                    clear_count: 0,
                });
            }
        }
        let names = entities
            .iter()
            .enumerate()
            .map(|(index, entity)| (entity.name.clone(), index))
            .collect();
        let teams = teams.iter().map(|(name, _)| Team { name: name.clone(), score: 0 }).collect();
        Self {
            rules,
            grid,
            bodies: Attachables::default(),
            entities,
            teams,
            tasks: Vec::new(),
            events: Vec::new(),
            block_types: Vec::new(),
            dispensers: Vec::new(),
            boards: Vec::new(),
            step: -1,
            completed: Vec::new(),
            names,
            clear_marks: Vec::new(),
            ids: 0,
        }
    }

    pub(super) fn next_id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    /// Where an entity is.
    #[must_use]
    pub fn place(&self, entity: usize) -> Pos {
        self.bodies.get(self.entities[entity].body).pos
    }

    /// The index of the entity with that account name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The number of a block type.
    #[must_use]
    pub fn block_type(&self, name: &str) -> Option<u8> {
        let index = self.block_types.iter().position(|kind| kind == name)?;
        u8::try_from(index).ok()
    }

    /// The open task of that name; the newest if a set-up file used the name before.
    #[must_use]
    pub fn task(&self, name: &str) -> Option<usize> {
        self.tasks.iter().rposition(|task| task.name == name)
    }

    /// Adds a task that appears now.
    pub fn add_task(&mut self, name: String, new: NewTask) {
        let blocks = i32::try_from(new.requirements.len()).unwrap_or(0);
        let reward = 10 * blocks * blocks;
        let floor = (reward * self.rules.tasks.lower_limit + 99) / 100;
        self.tasks.push(ArenaTask {
            name,
            deadline: self.step.saturating_add(new.duration),
            reward,
            floor,
            decay: new.decay,
            requirements: new.requirements,
            completed: false,
        });
    }
}

/// A simulation with its own generator: same seed, same actions, same course.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Where everything is.
    pub state: State,
    /// Lines of the set-up file that could not be executed: number, text.
    pub skipped_setup: Vec<(usize, String)>,
    random: JavaRandom,
}

impl Simulation {
    /// Makes the world from the seed. Each team is its name and its accounts' names, of which the
    /// first `entities` play.
    #[must_use]
    pub fn new(config: &Arc<SimConfig>, teams: &[(String, Vec<String>)], seed: i64) -> Self {
        let mut random = JavaRandom::new(seed);
        let mut state = State::empty(Arc::clone(config), teams);
        scenario::build(&mut state, config, &mut random);
        let setup = config.setup.as_deref().map(|text| setup::run(&mut state, text, &mut random));
        Self { state, skipped_setup: setup.unwrap_or_default(), random }
    }

    /// Whether all steps are over.
    #[must_use]
    pub fn over(&self) -> bool {
        self.state.step + 1 >= self.state.rules.steps
    }

    /// Begins the next step: everything up to the percepts.
    pub fn begin_step(&mut self) {
        self.state.begin_step(&mut self.random);
    }

    /// Executes the step's actions, one for each entity in canonical order; a missing one is
    /// `no_action`.
    pub fn execute(&mut self, acts: Vec<Act>) {
        self.state.execute(acts, &mut self.random);
    }
}

impl State {
    /// A state that continues a record: `place` gives it everything the record says.
    #[must_use]
    pub fn resume(rules: Arc<SimConfig>, teams: &[(String, Vec<String>)]) -> Self {
        Self::empty(rules, teams)
    }

    /// Executes the step's actions (section 9, phase 2).
    pub fn execute(&mut self, acts: Vec<Act>, chance: &mut dyn Chance) {
        for entity in self.admit(acts, chance) {
            let judgement = self.judge(entity);
            self.apply(entity, judgement);
        }
    }
}
