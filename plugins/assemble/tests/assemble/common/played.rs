//! Matches of our own arena in which everybody wanders, carries and digs: what a team perceives,
//! and where everything really is.

use phalanx_assemble::action::Action;
use phalanx_assemble::arena::act::Act;
use phalanx_assemble::arena::config::{ArenaConfig, SimConfig};
use phalanx_assemble::arena::grid::Pos;
use phalanx_assemble::arena::{PerceptWriter, Simulation};
use phalanx_assemble::percept::{Briefing, Percept, ThingKind};
use phalanx_assemble::wire::{self, Message};
use phalanx_assemble::world::World;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Roster, RosterEntry};
use phalanx_grid::{Cell, Direction, Extent, FrameId, Rotation};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The organisers' sample values.
fn config(agents: usize, side: i32, steps: u32) -> SimConfig {
    let text = include_str!("../arena_conformance/minimal.json")
        .replace("\"instructions\": []", "\"instructions\": [[\"cave\", 0.45, 9, 5, 4]]")
        .replace("\"chance\": 30, \"radius\": [1, 3]", "\"chance\": 15, \"radius\": [3, 5]")
        .replace("\"create\": [-3, 3]", "\"create\": [-3, 1]");
    let text = text.into_bytes();
    let config = ArenaConfig::load(Path::new("c.json"), &|_: &Path| Ok(text.clone())).unwrap();
    let mut sim = config.sims[0].clone();
    (sim.entities, sim.steps) = (agents, i32::try_from(steps).unwrap());
    (sim.grid.width, sim.grid.height) = (side, side);
    sim
}

/// A match of two teams, the second of which only digs and wanders.
#[derive(Clone)]
pub(crate) struct Match {
    sim: Simulation,
    agents: usize,
    seed: u64,
    pub(crate) extent: Extent,
}

/// What all agents of the team perceive in a step.
pub(crate) type ResumeFrame = SortedMap<AgentId, Percept>;

/// What all agents of the team do in a step.
pub(crate) type Done = SortedMap<AgentId, Action>;

impl Match {
    pub(crate) fn new(seed: u64, agents: usize, side: i32, steps: u32) -> Self {
        let names =
            |team: &str| (1..=agents).map(|number| format!("agent{team}{number}")).collect();
        let teams = ["A", "B"].map(|team| (team.to_owned(), names(team)));
        let config = Arc::new(config(agents, side, steps));
        let sim = Simulation::new(&config, &teams, i64::try_from(seed).unwrap());
        Self { sim, agents, seed, extent: Extent::new(side, side) }
    }

    pub(crate) fn roster(&self) -> Roster {
        let entities = self.sim.state.entities.iter().take(self.agents);
        let agents = entities.map(|entity| RosterEntry::new(entity.name.clone(), "w"));
        Roster { team: "A".to_owned(), agents: agents.collect() }
    }

    pub(crate) fn briefing(&self, agent: AgentId) -> Briefing {
        Briefing {
            time: 1_700_000_000_000,
            name: self.sim.state.entities[agent.index()].name.clone(),
            team: "A".to_owned(),
            team_size: u32::try_from(self.agents).unwrap(),
            steps: u32::try_from(self.sim.state.rules.steps).unwrap(),
            vision: 5,
        }
    }

    /// The next step's percepts.
    pub(crate) fn perceive(&mut self) -> ResumeFrame {
        self.sim.begin_step();
        let percepts = PerceptWriter::new(&self.sim.state);
        let heard = |index: usize| {
            let percept = String::from_utf8(percepts.json(index)).unwrap();
            let step = self.sim.state.step;
            let text = format!(
                "{{\"type\":\"request-action\",\"content\":{{\"id\":{step},\"time\":1,\
                 \"deadline\":4001,\"step\":{step},\"percept\":{percept}}}}}"
            );
            let Message::RequestAction(request) = wire::decode(text.as_bytes()).unwrap() else {
                panic!("{text}");
            };
            (AgentId(u16::try_from(index).unwrap()), request.percept)
        };
        (0..self.agents).map(heard).collect()
    }

    /// Executes the step; who says nothing does nothing.
    pub(crate) fn execute(&mut self, done: &Done) {
        let act = |action: &Action| Act::new(action.name(), action.params());
        let ours = (0..self.agents).map(|index| {
            let action = done.get(&AgentId(u16::try_from(index).unwrap()));
            action.map_or_else(Act::nothing, act)
        });
        let step = u32::try_from(self.sim.state.step).unwrap();
        let mut dice = Dice::new(self.seed, step, 1);
        let theirs = (0..self.agents).map(|index| {
            if dice.below(12) == 0 {
                return Act::new("clear", vec!["2".into(), "0".into()]);
            }
            Act::new("move", vec![heading(index + 7, step).letter().to_owned()])
        });
        let acts = ours.chain(theirs).collect();
        self.sim.execute(acts);
    }

    /// Where an agent really is.
    pub(crate) fn place(&self, agent: AgentId) -> Cell {
        cell(self.sim.state.place(agent.index()))
    }

    /// What really hangs on an agent, relative to it.
    pub(crate) fn body(&self, agent: AgentId) -> BTreeSet<Cell> {
        let state = &self.sim.state;
        let structure = state.bodies.structure(state.entities[agent.index()].body);
        let others = structure.iter().skip(1).map(|id| cell(state.bodies.get(*id).pos));
        others.map(|other| self.extent.delta(self.place(agent), other)).collect()
    }

    /// What a team of wanderers does that believes `world`.
    pub(crate) fn decide(&self, world: &World, heard: &ResumeFrame) -> Done {
        let mut done = Done::new();
        for (agent, percept) in heard {
            let mut dice = Dice::new(self.seed, percept.step, u64::from(agent.0) + 2);
            done.insert(*agent, wander(world, *agent, percept, &mut dice));
        }
        let mut dice = Dice::new(self.seed, u32::MAX, u64::from(world.step()));
        for (one, other, offset) in neighbours(world, heard) {
            let Some((mine, theirs)) = seam(world, one, other, offset) else { continue };
            if dice.below(3) == 0 {
                let connect = |mate: AgentId, cell| {
                    let agent = self.sim.state.entities[mate.index()].name.clone();
                    Action::Connect { agent, cell }
                };
                done.insert(one, connect(other, mine));
                done.insert(other, connect(one, theirs));
            }
        }
        done
    }
}

fn cell(pos: Pos) -> Cell {
    Cell::new(pos.x, pos.y)
}

/// Numbers that look random and are the same each time.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64, step: u32, who: u64) -> Self {
        let mut dice = Self(seed ^ (u64::from(step) << 20) ^ (who << 52));
        dice.below(1);
        dice
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

/// Some steps in one direction, then in the next.
fn heading(agent: usize, step: u32) -> Direction {
    let leg = usize::try_from(step / 9).unwrap() + agent;
    Direction::ALL[(leg * 7 + agent) % 4]
}

fn wander(world: &World, agent: AgentId, percept: &Percept, dice: &mut Dice) -> Action {
    let blocks = world.blocks(agent).len();
    let kind = |cell: Cell, wanted: fn(&ThingKind) -> bool| {
        percept.things.iter().any(|thing| thing.cell == cell && wanted(&thing.kind))
    };
    let mut sides = Direction::ALL;
    sides.rotate_left(usize::try_from(dice.below(4)).unwrap());
    for side in sides {
        let cell = side.vector();
        let block = kind(cell, |kind| matches!(kind, ThingKind::Block(_)));
        if block && !percept.attached.contains(&cell) && blocks < 4 && dice.below(4) > 0 {
            return Action::Attach(side);
        }
        let dispenser = kind(cell, |kind| matches!(kind, ThingKind::Dispenser(_)));
        if dispenser && !block && blocks < 3 && dice.below(3) > 0 {
            return Action::Request(side);
        }
    }
    let digs = percept.last_action == "clear" && percept.last_result.word() == "success";
    if let Some(Action::Clear(cell)) =
        Action::from_wire(&percept.last_action, &percept.last_params).filter(|_| digs)
        && dice.below(4) > 0
    {
        return Action::Clear(cell);
    }
    match dice.below(40) {
        0..=1 if blocks > 0 => Action::Rotate(dice.one(&Rotation::ALL)),
        2 if blocks > 0 => Action::Detach(dice.one(&Direction::ALL)),
        3 => Action::Clear(Cell::new(2, 0)),
        4 => Action::Skip,
        5 => Action::Move(dice.one(&Direction::ALL)),
        _ if !world.crew(agent).is_empty() && dice.below(4) == 0 => Action::Detach(sides[0]),
        _ => Action::Move(heading(agent.index(), percept.step)),
    }
}

/// Pairs of agents of one group that are near each other.
fn neighbours(world: &World, heard: &ResumeFrame) -> Vec<(AgentId, AgentId, Cell)> {
    let mut pairs = Vec::new();
    let places: Vec<(AgentId, (FrameId, Cell))> =
        heard.keys().filter_map(|agent| Some((*agent, world.position(*agent)?))).collect();
    for (index, (one, (frame, at))) in places.iter().enumerate() {
        for (other, (their_frame, there)) in places.iter().skip(index + 1) {
            let offset = world.extent().delta(*at, *there);
            if frame == their_frame && offset.norm() <= 5 {
                pairs.push((*one, *other, offset));
            }
        }
    }
    pairs
}

/// Where blocks of two agents touch: the first's block, and the other's as the other names it.
fn seam(world: &World, one: AgentId, other: AgentId, offset: Cell) -> Option<(Cell, Cell)> {
    if world.crew(one).iter().any(|(_, mate)| *mate == other) {
        return None;
    }
    let theirs = world.blocks(other);
    let touching = |mine: Cell| {
        let near = theirs.iter().find(|(cell, _)| (offset + *cell - mine).norm() == 1);
        near.map(|(cell, _)| (mine, *cell))
    };
    world.blocks(one).iter().find_map(|(cell, _)| touching(*cell))
}
