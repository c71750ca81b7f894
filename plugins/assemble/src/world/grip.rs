//! What is seen to hang on an agent, although no one saw how it came to that: in steps that it
//! missed, or when a mate took hold of it.
//!
//! The percept lists what hangs on anybody. A structure whose blocks are all seen where they were
//! is as it was; one that is seen turned was turned. Blocks that hang on an agent, with no one but
//! the agent beside any of them, hang on the agent. Two agents that hang on an agent, with no one
//! but each other beside what they hold, hang on each other.

use super::World;
use super::body::StructurePart;
use super::missed::Missed;
use super::settle::block_at;
use crate::action::Action;
use crate::percept::{Percept, Thing, ThingKind};
use phalanx_game::AgentId;
use phalanx_game::sorted::SortedMap;
use phalanx_grid::{Cell, Rotation};
use std::collections::BTreeSet;

impl World {
    /// Lets go of agents that are seen not to hang on each other any more, and turns the agent's
    /// structure if that is how its blocks are seen.
    pub(super) fn turn_again(&mut self, agent: AgentId, missed: &SortedMap<AgentId, Missed>) {
        if self.has_parted(agent) {
            for mate in self.bodies.crew(agent) {
                self.cut_missed(mate, missed);
            }
        }
        if self.has_parted(agent) {
            self.bodies.strike(agent);
        }
        if self.bodies.crew(agent).len() > 1 {
            return;
        }
        let Some(missed) = missed.get(&agent) else { return };
        let mut turns = Vec::new();
        for action in missed.actions() {
            if let Action::Rotate(rotation) = action {
                turns.push(vec![*rotation]);
            }
        }
        if missed.unknown() > 0 {
            turns.extend([vec![Rotation::Cw], vec![Rotation::Ccw], vec![Rotation::Cw; 2]]);
        }
        let as_it_was = self.blocks_seen(agent, &[]);
        let best = turns.into_iter().map(|turns| (self.blocks_seen(agent, &turns), turns)).max();
        if let Some((_, turns)) = best.filter(|(seen, _)| *seen > as_it_was) {
            turns.into_iter().for_each(|rotation| self.bodies.rotate(agent, rotation));
        }
    }

    /// Whether an agent sees one of its structure that hangs on no agent.
    fn has_parted(&self, agent: AgentId) -> bool {
        let Some(percept) = self.sees(agent) else { return false };
        self.bodies.parts(agent).any(|(cell, part)| {
            let mate = matches!(part, StructurePart::Agent(_));
            mate && cell.norm() <= self.vision() && !percept.attached.contains(&cell)
        })
    }

    fn cut_missed(&mut self, agent: AgentId, missed: &SortedMap<AgentId, Missed>) {
        for action in missed.get(&agent).into_iter().flat_map(Missed::actions) {
            if let Action::Detach(dir) = action {
                self.bodies.cut(agent, Cell::ZERO, dir.vector());
            } else if let Action::Disconnect { from, to } = action {
                self.bodies.cut(agent, *from, *to);
            }
        }
    }

    /// How many blocks of the agent's structure are seen where they are after some turns.
    fn blocks_seen(&self, agent: AgentId, turns: &[Rotation]) -> usize {
        let Some(percept) = self.sees(agent) else { return 0 };
        let seen = self.bodies.parts(agent).filter(|(cell, part)| {
            let cell = turns.iter().fold(*cell, |cell, rotation| cell.turned(*rotation));
            let StructurePart::Block(kind) = part else { return false };
            block_at(percept, cell) == Some(self.types.name(*kind))
                && percept.attached.contains(&cell)
        });
        seen.count()
    }

    fn sees(&self, agent: AgentId) -> Option<&Percept> {
        self.minds.get(&agent)?.seen.as_ref().map(|seen| &seen.percept)
    }

    /// Takes what is seen to hang on the agent since it perceived last.
    pub(super) fn grip_again(&mut self, agent: AgentId, missed: &SortedMap<AgentId, Missed>) {
        let actions: Vec<Action> =
            missed.get(&agent).into_iter().flat_map(Missed::actions).cloned().collect();
        for action in actions {
            if let Action::Attach(dir) = action {
                let side = dir.vector();
                let mate = self.owner(agent, side).and_then(|mate| self.offset(agent, mate));
                if [Some(side), mate].into_iter().flatten().any(|at| self.hangs_since(agent, at)) {
                    self.attach(agent, side);
                }
            } else if let Action::Connect { agent: partner, cell } = action {
                self.connect_again(agent, &partner, cell, missed);
            }
        }
        self.grow(agent);
    }

    /// Where another agent of the group is, relative to this one.
    fn offset(&self, agent: AgentId, mate: AgentId) -> Option<Cell> {
        let (mine, theirs) = (self.minds.get(&agent)?, self.minds.get(&mate)?);
        (mine.frame == theirs.frame).then(|| self.extent.delta(mine.at, theirs.at))
    }

    /// Whether what is on a cell hangs on somebody now, and did not when the agent perceived last.
    fn hangs_since(&self, agent: AgentId, cell: Cell) -> bool {
        let Some(mind) = self.minds.get(&agent) else { return false };
        let (Some(seen), Some((before, at))) = (&mind.seen, &mind.before) else { return false };
        let old = cell + self.extent.delta(*at, mind.at);
        seen.percept.attached.contains(&cell) && !before.percept.attached.contains(&old)
    }

    fn connect_again(
        &mut self,
        agent: AgentId,
        partner: &str,
        cell: Cell,
        missed: &SortedMap<AgentId, Missed>,
    ) {
        let Some(mate) = self.roster.find(partner) else { return };
        let me = self.roster.name(agent);
        let theirs = missed.get(&mate).into_iter().flat_map(Missed::actions);
        let told = theirs.filter(
            |action| matches!(action, Action::Connect { agent, .. } if agent.as_str() == me),
        );
        let told: Vec<(AgentId, Action)> = told.map(|action| (mate, action.clone())).collect();
        let joined = self.offset(agent, mate).is_some_and(|at| self.hangs_since(agent, at));
        if joined && !told.is_empty() {
            self.connect(agent, cell, partner, &told);
        }
    }

    /// Agents of the team beside the agent's structure that hang on somebody: it may be on this one,
    /// although that is not known.
    pub(super) fn suspects(&self, agent: AgentId) -> Vec<Cell> {
        let Some(percept) = self.sees(agent) else { return Vec::new() };
        let mate =
            |thing: &&Thing| matches!(&thing.kind, ThingKind::Entity(team) if team == self.team());
        let mates = percept.things.iter().filter(mate).map(|thing| thing.cell);
        let mates: Vec<Cell> = mates.filter(|cell| percept.attached.contains(cell)).collect();
        if mates.is_empty() {
            return mates;
        }
        let held = held_from_here(percept);
        let known =
            |cell: &Cell| matches!(self.bodies.part(agent, *cell), Some(StructurePart::Agent(_)));
        mates.into_iter().filter(|cell| held.contains(cell) && !known(cell)).collect()
    }

    /// Makes two agents one structure that can only hang on each other.
    pub(super) fn hang_on(&mut self, agent: AgentId) {
        let Some((mate, offset)) = self.proven_mate(agent) else { return };
        let Some(percept) = self.sees(agent) else { return };
        let blocks = held_from_here(percept).into_iter();
        let mut blocks: Vec<(Cell, String)> =
            blocks.filter_map(|cell| Some((cell, block_at(percept, cell)?.to_owned()))).collect();
        let mut found = true;
        while found {
            let left = blocks.len();
            blocks.retain(|(cell, kind)| !self.adopt((agent, mate, offset), *cell, kind));
            found = blocks.len() < left;
        }
        let mine: Vec<Cell> = self.bodies.parts(agent).map(|(cell, _)| cell).collect();
        for cell in mine.into_iter().chain([Cell::ZERO]) {
            let side = cell.neighbours().into_iter().find(|next| {
                let there = *next - offset;
                there == Cell::ZERO || self.bodies.part(mate, there).is_some()
            });
            if let Some(side) = side {
                return self.bodies.join((agent, cell), (mate, offset), side);
            }
        }
    }

    /// The one agent that an agent must hang on: it is the only one at all that the structure
    /// touches, and each sees that the other hangs on somebody.
    fn proven_mate(&self, agent: AgentId) -> Option<(AgentId, Cell)> {
        let suspects = self.suspects(agent);
        let [offset] = suspects.as_slice() else { return None };
        let percept = self.sees(agent)?;
        let mate = self.mate_at(agent, *offset)?;
        let theirs = self.sees(mate)?;
        let alone = |agent| self.bodies.crew(agent).len() == 1;
        let mutual = theirs.attached.contains(&-*offset);
        let held = held_from_here(percept);
        let in_sight = held.iter().all(|cell| cell.norm() < self.vision());
        let touches = |at: Cell| {
            let block = |cell: &Cell| held.contains(cell) && block_at(percept, *cell).is_some();
            held.contains(&at) || at.neighbours().iter().any(block)
        };
        let others = percept.things.iter().filter(|thing| is_entity(thing));
        let mut others = others.filter(|thing| thing.cell != Cell::ZERO);
        let only = others.all(|thing| thing.cell == *offset || !touches(thing.cell));
        let proven = mutual && in_sight && only && alone(agent) && alone(mate);
        proven.then_some((mate, *offset))
    }

    /// The agent of the same group that is believed to be on a cell relative to this one, and that
    /// perceived in the same step.
    pub(super) fn mate_at(&self, agent: AgentId, cell: Cell) -> Option<AgentId> {
        let (mind, step) = (self.minds.get(&agent)?, self.sees(agent)?.step);
        let mates = self.minds.iter().filter(|(mate, other)| {
            **mate != agent
                && other.frame == mind.frame
                && self.extent.delta(mind.at, other.at) == cell
        });
        let mut mates = mates.map(|(mate, _)| *mate);
        mates.find(|mate| self.sees(*mate).is_some_and(|percept| percept.step == step))
    }

    /// Adds a block to the structure of one of two agents, if it is beside it; whether it is now
    /// part of one.
    fn adopt(
        &mut self,
        (agent, mate, offset): (AgentId, AgentId, Cell),
        cell: Cell,
        kind: &str,
    ) -> bool {
        for (owner, from) in [(agent, Cell::ZERO), (mate, offset)] {
            if self.bodies.part(owner, cell - from).is_some() {
                return true;
            }
        }
        for (owner, from) in [(agent, Cell::ZERO), (mate, offset)] {
            let there = cell - from;
            let beside = there
                .neighbours()
                .into_iter()
                .find(|next| *next == Cell::ZERO || self.bodies.part(owner, *next).is_some());
            if let Some(beside) = beside {
                let kind = self.types.intern(kind);
                self.bodies.add_block(owner, beside, there, kind);
                return true;
            }
        }
        false
    }

    /// Adds the blocks that can hang on no one else.
    fn grow(&mut self, agent: AgentId) {
        let Some(percept) = self.sees(agent) else { return };
        let is_block =
            |cell: &Cell| percept.attached.contains(cell) && block_at(percept, *cell).is_some();
        let (mut reached, mut open) = (BTreeSet::from([Cell::ZERO]), vec![Cell::ZERO]);
        let mut found = Vec::new();
        while let Some(beside) = open.pop() {
            for cell in beside.neighbours() {
                if is_block(&cell) && reached.insert(cell) {
                    found.push((beside, cell, block_at(percept, cell).unwrap_or("").to_owned()));
                    open.push(cell);
                }
            }
        }
        let entities =
            percept.things.iter().filter(|thing| is_entity(thing)).map(|thing| thing.cell);
        // The agent itself is on the zero cell; on a start cell another one may be there too.
        let blocks = |cell: &Cell| *cell != Cell::ZERO && reached.contains(cell);
        let shared = entities.clone().filter(|at| *at == Cell::ZERO).count() > 1;
        let others = entities.filter(|at| *at != Cell::ZERO);
        let others = shared || others.into_iter().any(|at| at.neighbours().iter().any(blocks));
        let in_sight = reached.iter().all(|cell| cell.norm() < self.vision());
        if others || !in_sight {
            return;
        }
        for (beside, cell, kind) in found {
            if self.bodies.part(agent, cell).is_some() {
                continue;
            }
            let kind = self.types.intern(&kind);
            self.bodies.add_block(agent, beside, cell, kind);
        }
    }
}

fn is_entity(thing: &Thing) -> bool {
    matches!(thing.kind, ThingKind::Entity(_))
}

/// Everything that hangs on somebody and touches the agent, directly or through more of it.
fn held_from_here(percept: &Percept) -> BTreeSet<Cell> {
    let (mut held, mut open) = (BTreeSet::new(), vec![Cell::ZERO]);
    while let Some(cell) = open.pop() {
        for next in cell.neighbours() {
            if next != Cell::ZERO && percept.attached.contains(&next) && held.insert(next) {
                open.push(next);
            }
        }
    }
    held
}
