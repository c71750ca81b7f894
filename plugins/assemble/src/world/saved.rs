//! The belief as bytes, and whether it is of the simulation that a daemon meets when it comes back.
//!
//! What follows from the rest is left out and computed again: digested views, indexes of charts, the
//! places of agents in structures, caches. Task lists, the same in most percepts of a step, are
//! written once. Bytes that were damaged and still can be read are checked: whatever is taken over
//! names only agents, frames and cells that exist.

use super::body::Structures;
use super::chart::{GroupMap, SeenCell, Types};
use super::doubt::Doubts;
use super::glance::Glance;
use super::meeting::{SIDE_MIN, Sightings};
use super::{AgentMemory, BeliefCounts, DigestedPercept, World};
use crate::action::Action;
use crate::percept::{Briefing, Percept, Task, VISION_MAX};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Met, RestoreError, Roster, freeze, thaw};
use phalanx_grid::{Cell, Extent, FrameId, Frames, Plane, Region};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Changes whenever something saved is laid out in another way.
const VERSION: u16 = 1;

/// All maps together have at most this many cells: eight whole charts.
const CELLS_MAX: usize = 8 << 20;

/// No agent goes further than this from where its frame began.
const FAR: i32 = 1 << 20;

#[derive(Serialize, Deserialize)]
struct SavedBelief {
    team: String,
    names: Vec<String>,
    round: Option<u32>,
    briefing: Option<Briefing>,
    tasks: TaskLists,
    minds: SortedMap<AgentId, SavedMind>,
    waiting: SortedMap<u32, SortedMap<AgentId, StoredPercept>>,
    frames: Frames,
    charts: SortedMap<FrameId, SavedChart>,
    bodies: Structures,
    types: Types,
    extent: Extent,
    task_births: SortedMap<String, u32>,
    sightings: Sightings,
    doubts: Doubts,
    counts: BeliefCounts,
}

/// Each task list once.
#[derive(Default, Serialize, Deserialize)]
struct TaskLists {
    lists: Vec<Vec<Task>>,
}

#[derive(Serialize, Deserialize)]
struct SavedMind {
    frame: FrameId,
    at: Cell,
    seen: Option<SavedSeen>,
    carried: Cell,
    before: Option<(SavedSeen, Cell)>,
    sent: VecDeque<(u32, Action)>,
}

#[derive(Serialize, Deserialize)]
struct SavedSeen {
    percept: StoredPercept,
    vision: i32,
    mates: Vec<Cell>,
}

/// A percept whose tasks stand elsewhere.
#[derive(Serialize, Deserialize)]
struct StoredPercept {
    percept: Percept,
    /// Index in [`TaskLists`].
    tasks: usize,
}

/// A chart's cells row by row, equal neighbours together.
#[derive(Serialize, Deserialize)]
struct SavedChart {
    min: Cell,
    max: Cell,
    runs: Vec<(usize, SeenCell)>,
}

pub(super) fn save(world: &World) -> Vec<u8> {
    let mut tasks = TaskLists::default();
    let minds = world.minds.iter().map(|(agent, mind)| (*agent, tasks.mind(mind))).collect();
    let waiting = world.waiting.iter().map(|(step, batch)| {
        let batch = batch.iter().map(|(agent, percept)| (*agent, tasks.percept(percept)));
        (*step, batch.collect())
    });
    let waiting = waiting.collect();
    let saved = SavedBelief {
        team: world.roster.team.clone(),
        names: world.roster.agents.iter().map(|entry| entry.name.clone()).collect(),
        round: world.round,
        briefing: world.briefing.clone(),
        tasks,
        minds,
        waiting,
        frames: world.frames.clone(),
        charts: world.charts.iter().map(|(frame, chart)| (*frame, runs(chart))).collect(),
        bodies: world.bodies.clone(),
        types: world.types.clone(),
        extent: world.extent,
        task_births: world.task_births.clone(),
        sightings: world.sightings.clone(),
        doubts: world.doubts.clone(),
        counts: world.counts,
    };
    freeze(VERSION, &saved)
}

impl TaskLists {
    fn mind(&mut self, mind: &AgentMemory) -> SavedMind {
        let AgentMemory { frame, at, seen, carried: _, before, sent, unsure_from: _ } = mind;
        SavedMind {
            frame: *frame,
            at: *at,
            seen: seen.as_ref().map(|seen| self.seen(seen)),
            carried: mind.carried(),
            before: before.as_ref().map(|(seen, at)| (self.seen(seen), *at)),
            sent: sent.clone(),
        }
    }

    fn seen(&mut self, seen: &DigestedPercept) -> SavedSeen {
        let DigestedPercept { percept, glance } = seen;
        let (vision, mates) = (glance.vision, glance.mates.clone());
        SavedSeen { percept: self.percept(percept), vision, mates }
    }

    fn percept(&mut self, percept: &Percept) -> StoredPercept {
        let tasks = self.lists.iter().position(|list| *list == percept.tasks);
        let tasks = tasks.unwrap_or_else(|| {
            self.lists.push(percept.tasks.clone());
            self.lists.len() - 1
        });
        StoredPercept { percept: without_tasks(percept), tasks }
    }

    fn percept_again(&self, saved: StoredPercept) -> Option<Percept> {
        let tasks = self.lists.get(saved.tasks)?.clone();
        Some(Percept { tasks, ..saved.percept })
    }

    fn seen_again(&self, saved: SavedSeen) -> Option<DigestedPercept> {
        let SavedSeen { percept, vision, mates } = saved;
        let percept = self.percept_again(percept)?;
        let known = (0..=VISION_MAX).contains(&vision);
        let glance = known.then(|| Glance::again(&percept, vision, mates))?;
        Some(DigestedPercept { percept, glance })
    }

    fn mind_again(&self, saved: SavedMind, step: u32) -> Option<AgentMemory> {
        let SavedMind { frame, at, seen, carried, before, sent } = saved;
        let seen = match seen {
            Some(seen) => Some(self.seen_again(seen)?),
            None => None,
        };
        let before = match before {
            Some((seen, at)) => Some((self.seen_again(seen)?, at)),
            None => None,
        };
        // Before everything that it perceives from now on.
        let carried = if carried == Cell::ZERO { Vec::new() } else { vec![(0, carried)] };
        Some(AgentMemory { frame, at, seen, carried, before, sent, unsure_from: Some(step) })
    }
}

/// A copy but for the tasks, which would be the larger part.
fn without_tasks(percept: &Percept) -> Percept {
    let Percept { step, score, energy, disabled, tasks: _, .. } = *percept;
    Percept {
        step,
        score,
        last_action: percept.last_action.clone(),
        last_result: percept.last_result.clone(),
        last_params: percept.last_params.clone(),
        energy,
        disabled,
        task: percept.task.clone(),
        attached: percept.attached.clone(),
        things: percept.things.clone(),
        goals: percept.goals.clone(),
        obstacles: percept.obstacles.clone(),
        strange_terrain: percept.strange_terrain.clone(),
        tasks: Vec::new(),
    }
}

fn runs(chart: &GroupMap) -> SavedChart {
    let (min, max) = chart.plane().region().corners();
    let values = chart.plane().values();
    let equal = values.chunk_by(|one, other| one == other);
    let runs = equal.filter_map(|run| Some((run.len(), *run.first()?))).collect();
    SavedChart { min, max, runs }
}

impl SavedChart {
    fn cells(&self) -> usize {
        self.runs.iter().fold(0, |sum: usize, (count, _)| sum.saturating_add(*count))
    }

    fn again(self, extent: Extent) -> Option<GroupMap> {
        let region = Region::new(self.min, self.max, extent);
        if region.corners() != (self.min, self.max) || region.len() != self.cells() {
            return None;
        }
        let values =
            self.runs.into_iter().flat_map(|(count, spot)| std::iter::repeat_n(spot, count));
        Plane::of(region, values.collect()).map(GroupMap::of)
    }
}

/// The world of saved bytes, for a team whose roster begins with that of the saved one.
pub(super) fn restored(bytes: &[u8], roster: &Roster) -> Result<World, RestoreError> {
    let saved: SavedBelief = thaw(VERSION, bytes)?;
    if saved.team != roster.team {
        let text = format!("it is of the team {:?}, this is {:?}", saved.team, roster.team);
        return Err(RestoreError::new(text));
    }
    for (index, name) in saved.names.iter().enumerate() {
        if roster.agents.get(index).is_none_or(|entry| entry.name != *name) {
            let text = format!("its agent {index} is {name:?}, this team has another one there");
            return Err(RestoreError::new(text));
        }
    }
    saved.check()?;
    saved.world(roster).ok_or_else(|| damaged("its parts do not belong together"))
}

fn damaged(what: &str) -> RestoreError {
    RestoreError::new(format!("the saved belief is damaged: {what}"))
}

impl SavedBelief {
    /// Whether all parts name only what there is.
    fn check(&self) -> Result<(), RestoreError> {
        let is_head = |frame: FrameId| self.frames.head(frame) == Some((frame, Cell::ZERO));
        let side = |side: Option<i32>| side.is_none_or(|side| (SIDE_MIN..=FAR).contains(&side));
        let near = |cell: Cell| cell.norm() <= FAR;
        let seen_from = |mind: &SavedMind| mind.before.as_ref().is_none_or(|(_, at)| near(*at));
        let minds = || self.minds.values();
        let cells = self.charts.values().map(SavedChart::cells);
        let all = cells.fold(0, usize::saturating_add);
        let doubts = || self.doubts.open.iter();
        for (holds, what) in [
            (self.minds.keys().all(|agent| agent.index() < self.names.len()), "its agents"),
            (minds().all(|mind| self.charts.contains_key(&mind.frame)), "its agents' maps"),
            (minds().all(|mind| near(mind.at) && near(mind.carried)), "its agents' places"),
            (minds().all(seen_from), "its agents' old places"),
            (self.charts.keys().all(|frame| is_head(*frame)), "its frames"),
            (side(self.extent.width) && side(self.extent.height), "the size of its torus"),
            (all <= CELLS_MAX, "the size of its maps"),
            (self.charts.values().all(|chart| near(chart.min) && near(chart.max)), "its maps"),
            (self.bodies.cells().all(near), "its structures"),
            (doubts().all(|(_, doubt)| doubt.offsets.iter().copied().all(near)), "its doubts"),
        ] {
            if !holds {
                return Err(damaged(&format!("{what} cannot be")));
            }
        }
        Ok(())
    }

    fn world(self, roster: &Roster) -> Option<World> {
        let (tasks, extent) = (self.tasks, self.extent);
        let seen = self.minds.values().filter_map(|mind| mind.seen.as_ref());
        let step = seen.map(|seen| seen.percept.percept.step).max().unwrap_or(0);
        let minds = self.minds.into_iter();
        let minds = minds.map(|(agent, mind)| Some((agent, tasks.mind_again(mind, step)?)));
        let waiting = self.waiting.into_iter().map(|(step, batch)| {
            let batch = batch.into_iter();
            let batch = batch.map(|(agent, saved)| Some((agent, tasks.percept_again(saved)?)));
            Some((step, batch.collect::<Option<_>>()?))
        });
        let charts = self.charts.into_iter();
        let charts = charts.map(|(frame, chart)| Some((frame, chart.again(extent)?)));
        let world = World {
            round: self.round,
            briefing: self.briefing,
            minds: minds.collect::<Option<_>>()?,
            waiting: waiting.collect::<Option<_>>()?,
            frames: self.frames,
            charts: charts.collect::<Option<_>>()?,
            bodies: self.bodies.restored()?,
            types: self.types,
            extent,
            task_births: self.task_births,
            sightings: self.sightings,
            doubts: self.doubts,
            counts: self.counts,
            ..World::new(roster)
        };
        let fits = world.bodies.agents().eq(world.minds.keys().copied());
        (fits && (0..=VISION_MAX).contains(&world.vision())).then_some(world)
    }
}

/// Whether what an agent meets can be of the belief's simulation (spec sections 3.2, 3.3 and 11).
pub(super) fn recognize(
    world: &World,
    agent: AgentId,
    met: Met<'_, Briefing, Percept>,
) -> Result<(), String> {
    match met {
        Met::Round(None) => Ok(()),
        Met::Round(Some(briefing)) => same_start(world, agent, briefing),
        Met::Turn(_, percept) => same_course(world, percept),
    }
}

fn same_start(world: &World, agent: AgentId, met: &Briefing) -> Result<(), String> {
    let Some(known) = &world.briefing else { return Ok(()) };
    let named = world.roster.find(&met.name);
    if named.is_some_and(|named| named != agent) {
        return Err(format!("the referee calls {} {:?}", world.roster.name(agent), met.name));
    }
    if known.team != met.team {
        return Err(format!("the team was {:?}, it is {:?}", known.team, met.team));
    }
    for (what, was, is) in [
        ("agents of the team", i64::from(known.team_size), i64::from(met.team_size)),
        ("steps", known.steps.into(), met.steps.into()),
        ("cells that agents see far", known.vision.into(), met.vision.into()),
        // The referee tells the same time in every repetition, and to every agent.
        ("the simulation's start in Unix milliseconds", known.time, met.time),
    ] {
        if was != is {
            return Err(format!("{what}: {was} before, {is} now"));
        }
    }
    Ok(())
}

fn same_course(world: &World, met: &Percept) -> Result<(), String> {
    let seen = world.minds.values().filter_map(|mind| mind.seen.as_ref());
    let Some(last) = seen.max_by_key(|seen| seen.percept.step).map(|seen| &seen.percept) else {
        return Ok(());
    };
    if met.step < last.step {
        return Err(format!("step {} is past, the last one was {}", met.step, last.step));
    }
    let steps = world.briefing.as_ref().map_or(0, |briefing| briefing.steps);
    if steps > 0 && met.step >= steps {
        return Err(format!("step {} of a simulation of {steps} steps", met.step));
    }
    if met.score < last.score {
        return Err(format!("the score fell from {} to {}", last.score, met.score));
    }
    for task in &met.tasks {
        let known = last.tasks.iter().find(|known| known.name == task.name);
        let same = known.is_none_or(|known| {
            known.deadline == task.deadline && known.requirements == task.requirements
        });
        if !same {
            let name = phalanx_game::excerpt(task.name.as_bytes());
            return Err(format!("{name} is another task than before"));
        }
    }
    Ok(())
}
