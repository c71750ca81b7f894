//! What the team believes (spec section 14).
//!
//! Every agent begins in a frame of its own. Turn by turn its position follows from the results of
//! its moves and of the moves of an agent it hangs on. When two agents see each other and no one
//! else can be meant, their frames become one and their maps are laid over each other; when two
//! agents of one frame meet on another cell than they should, the surplus is the torus' size. An
//! agent whose surroundings contradict its position gets a fresh frame rather than a wrong one.
//!
//! - `chart`: the map of a group. `glance`: two views compared. `body`: what hangs on whom.
//! - `settle`: motion and structures. `meeting`: frames joined, the torus' size.
//! - `missed`, `likeness`, `doubt`, `grip`: where an agent is after steps that it did not see, and
//!   what hangs on it.
//! - `saved`: the belief as bytes, for a daemon that was killed.
//! - `query` and below: what scripts ask. `draw`: what people see.

mod body;
mod chart;
mod doubt;
pub(crate) mod draw;
mod glance;
mod grip;
mod likeness;
mod meeting;
mod missed;
mod query;
mod saved;
mod settle;

use crate::action::Action;
use crate::percept::{Briefing, Percept};
use body::{StructurePart, Structures};
use chart::{GroupMap, Types};
use glance::Glance;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    ActionError, AgentId, AgentState, Met, Picture, QueryError, RestoreError, Roster, Said, Turn,
    Value,
};
use phalanx_grid::{Cell, Extent, FrameId, Frames};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::VecDeque;

/// Percepts that wait for [`phalanx_game::World::settle`], in steps; the oldest are forgotten.
const STEPS_WAITING_MAX: usize = 64;

/// A percept tells of the last step only; older actions matter while percepts are missed.
const SENT_MAX: usize = 8;

/// Steps in which an agent was carried unseen that are remembered one by one.
const CARRIES_MAX: usize = 64;

/// How far an agent sees when no start message said so.
const VISION: i32 = 5;

/// The team's joined belief about one simulation.
#[derive(Clone, Debug)]
pub struct World {
    roster: Roster,
    round: Option<u32>,
    briefing: Option<Briefing>,
    minds: SortedMap<AgentId, AgentMemory>,
    waiting: SortedMap<u32, SortedMap<AgentId, Percept>>,
    frames: Frames,
    charts: SortedMap<FrameId, GroupMap>,
    bodies: Structures,
    types: Types,
    extent: Extent,
    /// Step in which each task was perceived first.
    task_births: SortedMap<String, u32>,
    sightings: meeting::Sightings,
    doubts: doubt::Doubts,
    counts: BeliefCounts,
    cache: RefCell<query::WalkCache>,
}

/// What the belief went through, for tests and diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeliefCounts {
    /// Frames joined.
    pub joins: u32,
    /// Agents whose position was given up.
    pub lost: u32,
    /// Corrections of a position by its surroundings.
    pub corrected: u32,
    /// Agents that could be at several places after steps that they missed.
    pub doubted: u32,
}

/// What is known of one agent of the team.
#[derive(Clone, Debug)]
struct AgentMemory {
    frame: FrameId,
    /// Where it is, in the coordinates of its group's head frame.
    at: Cell,
    seen: Option<DigestedPercept>,
    /// How others whom it hung on carried it since it perceived last: in percepts of which steps
    /// they told, and how far.
    carried: Vec<(u32, Cell)>,
    /// What it saw before, and where it was then.
    before: Option<(DigestedPercept, Cell)>,
    /// Actions that left and whose result was not perceived yet, with their steps.
    sent: VecDeque<(u32, Action)>,
    /// The belief was restored and the agent has perceived nothing since: from this step on it may
    /// have sent what was not saved.
    unsure_from: Option<u32>,
}

/// A percept, digested.
#[derive(Clone, Debug)]
struct DigestedPercept {
    percept: Percept,
    glance: Glance,
}

impl AgentMemory {
    /// Others tell in their percepts of a step that they carried the agent.
    fn carry(&mut self, step: u32, way: Cell) {
        if self.carried.len() >= CARRIES_MAX {
            let (_, oldest) = self.carried.remove(0);
            if let Some((_, next)) = self.carried.first_mut() {
                *next = *next + oldest;
            }
        }
        self.carried.push((step, way));
    }

    /// How far it was carried since it perceived last.
    fn carried(&self) -> Cell {
        self.carried.iter().fold(Cell::ZERO, |all, (_, way)| all + *way)
    }

    /// The part of that after a step.
    fn carried_after(&self, step: u32) -> Cell {
        let later = self.carried.iter().filter(|(its, _)| *its > step);
        later.fold(Cell::ZERO, |all, (_, way)| all + *way)
    }
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new(roster: &Roster) -> Self {
        Self {
            roster: roster.clone(),
            round: None,
            briefing: None,
            minds: SortedMap::new(),
            waiting: SortedMap::new(),
            frames: Frames::default(),
            charts: SortedMap::new(),
            bodies: Structures::default(),
            types: Types::default(),
            extent: Extent::default(),
            task_births: SortedMap::new(),
            sightings: meeting::Sightings::default(),
            doubts: doubt::Doubts::default(),
            counts: BeliefCounts::default(),
            cache: RefCell::default(),
        }
    }

    fn forget_round(&mut self, round: u32) {
        *self = Self { round: Some(round), ..Self::new(&self.roster) };
    }

    fn mind_of(&mut self, agent: AgentId) -> &mut AgentMemory {
        let (frames, charts, bodies, extent) =
            (&mut self.frames, &mut self.charts, &mut self.bodies, self.extent);
        self.minds.entry(agent).or_insert_with(|| {
            let frame = frames.add();
            charts.insert(frame, GroupMap::new(extent));
            bodies.reset(agent);
            AgentMemory {
                frame,
                at: Cell::ZERO,
                seen: None,
                carried: Vec::new(),
                before: None,
                sent: VecDeque::new(),
                unsure_from: None,
            }
        })
    }

    fn percept(&self, agent: AgentId) -> Option<&Percept> {
        let waiting = self.waiting.values().rev().find_map(|batch| batch.get(&agent));
        waiting.or_else(|| self.minds.get(&agent)?.seen.as_ref().map(|seen| &seen.percept))
    }

    fn vision(&self) -> i32 {
        self.briefing.as_ref().map_or(VISION, |briefing| briefing.vision)
    }

    fn team(&self) -> &str {
        match &self.briefing {
            Some(briefing) if !briefing.team.is_empty() => &briefing.team,
            Some(_) | None => &self.roster.team,
        }
    }

    /// The step that the team has perceived last.
    #[must_use]
    pub fn step(&self) -> u32 {
        let steps = self.minds.values().filter_map(|mind| mind.seen.as_ref());
        steps.map(|seen| seen.percept.step).max().unwrap_or(0)
    }

    /// Which group an agent belongs to and where it is in the group's coordinates.
    #[must_use]
    pub fn position(&self, agent: AgentId) -> Option<(FrameId, Cell)> {
        self.minds.get(&agent).map(|mind| (mind.frame, mind.at))
    }

    /// The blocks of an agent's structure, relative to it, with their types.
    #[must_use]
    pub fn blocks(&self, agent: AgentId) -> Vec<(Cell, &str)> {
        let block = |(cell, part)| match part {
            StructurePart::Block(kind) => Some((cell, self.types.name(kind))),
            StructurePart::Agent(_) => None,
        };
        self.bodies.parts(agent).filter_map(block).collect()
    }

    /// The other agents of an agent's structure, relative to it.
    #[must_use]
    pub fn crew(&self, agent: AgentId) -> Vec<(Cell, AgentId)> {
        let mate = |(cell, part)| match part {
            StructurePart::Agent(mate) => Some((cell, mate)),
            StructurePart::Block(_) => None,
        };
        self.bodies.parts(agent).filter_map(mate).collect()
    }

    /// The torus as far as it is known.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// What the belief went through in this round.
    #[must_use]
    pub fn counts(&self) -> BeliefCounts {
        self.counts
    }

    /// Every cell that an agent's group knows: whether it is an obstacle, and when it was seen.
    pub fn known(&self, agent: AgentId) -> impl Iterator<Item = (Cell, bool, u32)> {
        let chart = self.minds.get(&agent).and_then(|mind| self.charts.get(&mind.frame));
        chart.into_iter().flat_map(|chart| chart.plane().iter()).filter_map(|(cell, spot)| {
            Some((cell, spot.ground == chart::KnownTerrain::Obstacle, spot.seen()?))
        })
    }
}

impl phalanx_game::World for World {
    type Briefing = Briefing;
    type Percept = Percept;
    type Action = Action;

    fn enroll(&mut self, roster: &Roster) {
        // Memories stay: a removed agent's body is still there, and hangs on whom it hung on.
        self.roster.clone_from(roster);
    }

    fn begin(&mut self, round: u32, agent: AgentId, briefing: Option<&Briefing>) {
        if self.round != Some(round) {
            self.forget_round(round);
        }
        if let Some(briefing) = briefing {
            self.briefing = Some(briefing.clone());
        }
        self.mind_of(agent);
    }

    fn observe(&mut self, turn: Turn, agent: AgentId, percept: Percept) {
        if self.round != Some(turn.round) {
            self.forget_round(turn.round);
        }
        self.waiting.entry(percept.step).or_default().insert(agent, percept);
        while self.waiting.len() > STEPS_WAITING_MAX {
            self.waiting.pop_first();
        }
    }

    fn settle(&mut self, _turn: Turn) {
        while let Some((step, batch)) = self.waiting.pop_first() {
            self.settle_step(step, batch);
        }
        self.cache = RefCell::default();
    }

    fn acted(&mut self, turn: Turn, agent: AgentId, action: &Action) {
        if self.round == Some(turn.round)
            && let Some(mind) = self.minds.get_mut(&agent)
        {
            mind.sent.push_back((turn.step, action.clone()));
            if mind.sent.len() > SENT_MAX {
                mind.sent.pop_front();
            }
        }
    }

    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.percept(agent)?.field(name)
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        query::answer(self, agent, name, args)
    }

    fn parse(&self, _agent: AgentId, said: &Said) -> Result<Action, ActionError> {
        Action::from_said(said)
    }

    fn fallback(&self, _agent: AgentId) -> Action {
        Action::Skip
    }

    fn score(&self) -> Option<i64> {
        let newest = self.minds.values().filter_map(|mind| mind.seen.as_ref());
        newest.max_by_key(|seen| seen.percept.step).map(|seen| seen.percept.score)
    }

    fn state(&self, agent: AgentId) -> AgentState {
        let Some(percept) = self.percept(agent) else { return AgentState::default() };
        let Some((_, at)) = self.position(agent) else { return AgentState::default() };
        let mut summary = format!("({}, {})", at.x, at.y);
        let blocks: Vec<_> = self.blocks(agent).into_iter().map(|(_, kind)| kind).collect();
        if !blocks.is_empty() {
            summary += " carrying ";
            summary += &blocks.join("+");
        }
        if !percept.task.is_empty() {
            summary += " for ";
            summary += &phalanx_game::excerpt(percept.task.as_bytes());
        }
        if percept.disabled {
            summary += " disabled";
        }
        AgentState { summary, last_result: percept.last_result.word().to_owned() }
    }

    fn draw(&self) -> Picture {
        draw::picture(self)
    }

    fn save(&self) -> Vec<u8> {
        saved::save(self)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        *self = saved::restored(saved, &self.roster)?;
        Ok(())
    }

    fn recognize(&self, agent: AgentId, met: Met<'_, Briefing, Percept>) -> Result<(), String> {
        saved::recognize(self, agent, met)
    }
}
