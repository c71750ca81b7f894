//! What hangs on whom: structures of agents and blocks, followed by the results of actions.
//!
//! The percept's `attached` names everything that hangs on anybody; which of it is one's own must
//! be remembered (spec section 11).

use super::chart::TypeId;
use phalanx_game::AgentId;
use phalanx_game::sorted::{Order, SortedMap, SortedSet};
use phalanx_grid::{Cell, Rotation};
use serde::{Deserialize, Serialize};

/// A part of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum StructurePart {
    Agent(AgentId),
    Block(TypeId),
}

/// A rigid structure in coordinates of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Structure {
    parts: SortedMap<Cell, StructurePart>,
    /// Links between neighbours, the smaller cell first.
    links: SortedSet<(Cell, Cell)>,
}

/// All structures that contain agents of the team. Every agent is in exactly one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Structures {
    bodies: SortedMap<u32, Structure>,
    /// Where each agent is in them; follows from `bodies`.
    #[serde(skip)]
    places: SortedMap<AgentId, (u32, Cell)>,
    next: u32,
    /// Links of pieces that lost their last agent, relative to the agent that they hung on.
    #[serde(skip)]
    loosened: Vec<(AgentId, Cell, Cell)>,
}

impl Structures {
    /// What was saved, with what follows from it; `None` when an agent is in two places.
    pub(super) fn restored(mut self) -> Option<Self> {
        for (id, body) in &self.bodies {
            for (cell, part) in &body.parts {
                let StructurePart::Agent(agent) = part else { continue };
                if *id >= self.next || self.places.insert(*agent, (*id, *cell)).is_some() {
                    return None;
                }
            }
        }
        Some(self)
    }

    /// All agents that have a body, in order.
    pub(super) fn agents(&self) -> impl Iterator<Item = AgentId> {
        self.places.keys().copied()
    }

    /// All cells that are named, in the bodies' own coordinates.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> {
        self.bodies.values().flat_map(|body| {
            let links = body.links.iter().flat_map(|(one, other)| [*one, *other]);
            body.parts.keys().copied().chain(links)
        })
    }
}

fn link(one: Cell, other: Cell) -> (Cell, Cell) {
    if one < other { (one, other) } else { (other, one) }
}

impl Structures {
    /// A free agent, forgetting what it had.
    pub(super) fn reset(&mut self, agent: AgentId) {
        self.cut_agent(agent);
        self.settle_body(agent);
        if let Some((id, at)) = self.places.remove(&agent)
            && let Some(body) = self.bodies.get_mut(&id)
        {
            body.parts.remove(&at);
            if body.parts.is_empty() {
                self.bodies.remove(&id);
            }
        }
        let body = Structure {
            parts: [(Cell::ZERO, StructurePart::Agent(agent))].into(),
            ..Structure::default()
        };
        self.insert(body);
    }

    fn insert(&mut self, body: Structure) {
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        for (cell, part) in &body.parts {
            if let StructurePart::Agent(agent) = part {
                self.places.insert(*agent, (id, *cell));
            }
        }
        self.bodies.insert(id, body);
    }

    fn place(&self, agent: AgentId) -> Option<(&Structure, u32, Cell)> {
        let (id, at) = self.places.get(&agent)?;
        Some((self.bodies.get(id)?, *id, *at))
    }

    /// All parts of an agent's structure but itself, relative to it.
    pub(super) fn parts(&self, agent: AgentId) -> impl Iterator<Item = (Cell, StructurePart)> {
        let place = self.place(agent);
        place.into_iter().flat_map(|(body, _, at)| {
            body.parts
                .iter()
                .filter(move |(cell, _)| **cell != at)
                .map(move |(cell, part)| (*cell - at, *part))
        })
    }

    /// The agents of an agent's structure, itself included.
    pub(super) fn crew(&self, agent: AgentId) -> Vec<AgentId> {
        let mates = self.parts(agent).filter_map(|(_, part)| match part {
            StructurePart::Agent(mate) => Some(mate),
            StructurePart::Block(_) => None,
        });
        let mut crew: Vec<_> = mates.chain([agent]).collect();
        crew.order();
        crew
    }

    /// The part at a cell relative to an agent, when it belongs to the agent's structure.
    pub(super) fn part(&self, agent: AgentId, cell: Cell) -> Option<StructurePart> {
        let (body, _, at) = self.place(agent)?;
        body.parts.get(&(at + cell)).copied()
    }

    /// Whether two cells relative to the agent are linked directly.
    pub(super) fn linked(&self, agent: AgentId, one: Cell, other: Cell) -> bool {
        self.place(agent)
            .is_some_and(|(body, _, at)| body.links.contains(&link(at + one, at + other)))
    }

    /// The agent's structure turned about it; any other agent that was thought to be in it is not.
    pub(super) fn rotate(&mut self, agent: AgentId, rotation: Rotation) {
        for mate in self.crew(agent) {
            if mate != agent {
                self.cut_agent(mate);
                self.settle_body(agent);
            }
        }
        let Some((id, at)) = self.places.get(&agent).copied() else { return };
        let Some(body) = self.bodies.get_mut(&id) else { return };
        let turn = |cell: &Cell| at + (*cell - at).turned(rotation);
        body.parts = body.parts.iter().map(|(cell, part)| (turn(cell), *part)).collect();
        body.links = body.links.iter().map(|(one, other)| link(turn(one), turn(other))).collect();
    }

    /// A loose block beside a part of the agent's structure now hangs on it.
    pub(super) fn add_block(&mut self, agent: AgentId, beside: Cell, cell: Cell, kind: TypeId) {
        let Some((id, at)) = self.places.get(&agent).copied() else { return };
        let Some(body) = self.bodies.get_mut(&id) else { return };
        if (cell - beside).norm() == 1 && body.parts.contains_key(&(at + beside)) {
            body.parts.entry(at + cell).or_insert(StructurePart::Block(kind));
            body.links.insert(link(at + beside, at + cell));
        }
    }

    /// Links `cell` of the agent's structure with `other` (both relative to the agent), a part of
    /// the structure of `mate`, who is at `offset` from the agent.
    pub(super) fn join(
        &mut self,
        (agent, cell): (AgentId, Cell),
        (mate, offset): (AgentId, Cell),
        other: Cell,
    ) {
        let (Some((id, at)), Some((mate_id, mate_at))) =
            (self.places.get(&agent).copied(), self.places.get(&mate).copied())
        else {
            return;
        };
        let new_link = link(at + cell, at + other);
        let known = |body: &Structure, cell| body.parts.contains_key(&cell);
        if (cell - other).norm() != 1 {
            return;
        }
        if id == mate_id {
            if let Some(body) = self.bodies.get_mut(&id)
                && known(body, new_link.0)
                && known(body, new_link.1)
            {
                body.links.insert(new_link);
            }
            return;
        }
        let shift = at + offset - mate_at;
        let Some(theirs) = self.bodies.get(&mate_id).cloned() else { return };
        let Some(mine) = self.bodies.get_mut(&id) else { return };
        let clash = theirs.parts.keys().any(|part| mine.parts.contains_key(&(*part + shift)));
        let ends = known(mine, at + cell) && known(&theirs, at + other - shift);
        if clash || !ends {
            return;
        }
        for (part_cell, part) in theirs.parts {
            mine.parts.insert(part_cell + shift, part);
            if let StructurePart::Agent(moved) = part {
                self.places.insert(moved, (id, part_cell + shift));
            }
        }
        mine.links.extend(theirs.links.iter().map(|(a, b)| link(*a + shift, *b + shift)));
        mine.links.insert(new_link);
        self.bodies.remove(&mate_id);
    }

    /// Cuts one link; cells relative to the agent.
    pub(super) fn cut(&mut self, agent: AgentId, one: Cell, other: Cell) {
        let Some((id, at)) = self.places.get(&agent).copied() else { return };
        if let Some(body) = self.bodies.get_mut(&id) {
            body.links.remove(&link(at + one, at + other));
        }
        self.settle_body(agent);
    }

    /// The block at a cell relative to the agent is gone.
    pub(super) fn remove_block(&mut self, agent: AgentId, cell: Cell) {
        let Some((id, at)) = self.places.get(&agent).copied() else { return };
        if let Some(body) = self.bodies.get_mut(&id)
            && matches!(body.parts.get(&(at + cell)), Some(StructurePart::Block(_)))
        {
            body.parts.remove(&(at + cell));
            body.links.retain(|(one, other)| *one != at + cell && *other != at + cell);
        }
        self.settle_body(agent);
    }

    /// The agent was hit by a clear: all its own links are gone.
    pub(super) fn strike(&mut self, agent: AgentId) {
        self.cut_agent(agent);
        self.settle_body(agent);
    }

    fn cut_agent(&mut self, agent: AgentId) {
        let Some((id, at)) = self.places.get(&agent).copied() else { return };
        if let Some(body) = self.bodies.get_mut(&id) {
            body.links.retain(|(one, other)| *one != at && *other != at);
        }
    }

    /// Takes the links of pieces that lost their last agent since it was asked last.
    pub(super) fn loosened(&mut self) -> Vec<(AgentId, Cell, Cell)> {
        std::mem::take(&mut self.loosened)
    }

    /// Splits the agent's structure where it does not hang together any more; of pieces without an
    /// agent only the links are kept for a while, since no agent can move them.
    fn settle_body(&mut self, agent: AgentId) {
        let Some((id, at)) = self.places.get(&agent).copied() else { return };
        let Some(body) = self.bodies.remove(&id) else { return };
        let mut left = body.parts.clone();
        while let Some((first, _)) = left.first_key_value() {
            let mut piece = Structure::default();
            let mut open = vec![*first];
            while let Some(cell) = open.pop() {
                let Some(part) = left.remove(&cell) else { continue };
                piece.parts.insert(cell, part);
                let next = cell.neighbours().into_iter();
                open.extend(next.filter(|next| body.links.contains(&link(cell, *next))));
            }
            let inside = |(one, _): &&(Cell, Cell)| piece.parts.contains_key(one);
            piece.links = body.links.iter().filter(inside).copied().collect();
            if piece.parts.values().any(|part| matches!(part, StructurePart::Agent(_))) {
                self.insert(piece);
            } else {
                let links = piece.links.iter().map(|(one, other)| (agent, *one - at, *other - at));
                self.loosened.extend(links);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: AgentId = AgentId(0);
    const B: AgentId = AgentId(1);
    const S: Cell = Cell::new(0, 1);

    fn two() -> Structures {
        let mut bodies = Structures::default();
        bodies.reset(A);
        bodies.reset(B);
        bodies
    }

    fn cells(bodies: &Structures, agent: AgentId) -> Vec<Cell> {
        bodies.parts(agent).map(|(cell, _)| cell).collect()
    }

    #[test]
    fn connected_structures_move_as_one_and_part_at_the_cut() {
        // A at (0,0) with blocks (0,1),(0,2); B at (0,4) with block (0,3): the rules' example.
        let mut bodies = two();
        bodies.add_block(A, Cell::ZERO, S, 0);
        bodies.add_block(A, S, Cell::new(0, 2), 1);
        bodies.add_block(B, Cell::ZERO, Cell::new(0, -1), 2);
        bodies.join((A, Cell::new(0, 2)), (B, Cell::new(0, 4)), Cell::new(0, 3));
        assert_eq!(bodies.crew(B), [A, B]);
        assert_eq!(bodies.part(B, Cell::new(0, -3)), Some(StructurePart::Block(0)));
        bodies.cut(B, Cell::ZERO, Cell::new(0, -1));
        assert_eq!(cells(&bodies, A), [S, Cell::new(0, 2), Cell::new(0, 3)]);
        assert_eq!(cells(&bodies, B), []);
    }

    #[test]
    fn a_rotation_turns_every_part() {
        let mut bodies = two();
        bodies.add_block(A, Cell::ZERO, S, 0);
        bodies.add_block(A, S, Cell::new(1, 1), 0);
        bodies.rotate(A, Rotation::Cw);
        assert_eq!(cells(&bodies, A), [Cell::new(-1, 0), Cell::new(-1, 1)]);
        assert!(bodies.linked(A, Cell::ZERO, Cell::new(-1, 0)));
    }

    #[test]
    fn a_struck_agent_loses_all_and_a_lost_block_takes_what_hung_on_it() {
        let mut bodies = two();
        bodies.add_block(A, Cell::ZERO, S, 0);
        bodies.add_block(A, S, Cell::new(0, 2), 0);
        bodies.remove_block(A, S);
        assert_eq!(cells(&bodies, A), []);
        bodies.add_block(A, Cell::ZERO, S, 0);
        bodies.strike(A);
        assert_eq!(cells(&bodies, A), []);
        bodies.reset(A);
        assert_eq!(bodies.crew(A), [A]);
    }
}
