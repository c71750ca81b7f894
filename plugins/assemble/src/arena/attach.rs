//! Attachables (entities and blocks), their places and the links between them.
#![allow(clippy::indexing_slicing, reason = "body numbers come from this storage alone")]

use super::grid::{Grid, NO_BODY, Pos};

/// Number of an attachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

/// What an attachable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachableKind {
    /// An agent's body.
    Entity {
        /// Index in the simulation's list of entities.
        entity: usize,
        /// Index in the simulation's list of teams.
        team: usize,
    },
    /// A block of a type.
    Block(u8),
}

/// An attachable.
#[derive(Clone, Debug)]
pub struct Attachable {
    /// Where it is, inside the size.
    pub pos: Pos,
    /// What it is.
    pub kind: AttachableKind,
    /// What it is directly linked to.
    pub links: Vec<BodyId>,
    next: u32,
    alive: bool,
}

/// All attachables.
#[derive(Clone, Debug, Default)]
pub struct Attachables {
    list: Vec<Attachable>,
    spare: Vec<u32>,
}

impl Attachables {
    /// The attachable of that number.
    #[must_use]
    pub fn get(&self, id: BodyId) -> &Attachable {
        &self.list[id.0 as usize]
    }

    /// All that exist, by number.
    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &Attachable)> {
        self.list
            .iter()
            .zip(0u32..)
            .filter(|(body, _)| body.alive)
            .map(|(body, n)| (BodyId(n), body))
    }

    /// One more than the highest number in use.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.list.len()
    }

    /// Creates an attachable.
    pub fn place(&mut self, grid: &mut Grid, pos: Pos, kind: AttachableKind) -> BodyId {
        let pos = grid.wrap(pos);
        let body = Attachable { pos, kind, links: Vec::new(), next: NO_BODY, alive: true };
        let id = if let Some(id) = self.spare.pop() {
            self.list[id as usize] = body;
            id
        } else {
            self.list.push(body);
            u32::try_from(self.list.len() - 1).unwrap_or(NO_BODY)
        };
        self.enter(grid, id, pos);
        BodyId(id)
    }

    /// Removes an attachable with all its links.
    pub fn remove(&mut self, grid: &mut Grid, id: BodyId) {
        self.unlink_all(id);
        self.leave(grid, id.0);
        self.list[id.0 as usize].alive = false;
        self.spare.push(id.0);
    }

    /// Moves attachables together to new places.
    pub fn relocate(&mut self, grid: &mut Grid, moves: &[(BodyId, Pos)]) {
        for (id, _) in moves {
            self.leave(grid, id.0);
        }
        for (id, pos) in moves {
            self.enter(grid, id.0, *pos);
        }
    }

    fn enter(&mut self, grid: &mut Grid, id: u32, pos: Pos) {
        let pos = grid.wrap(pos);
        let body = &mut self.list[id as usize];
        body.pos = pos;
        body.next = grid.head(pos);
        grid.set_head(pos, id);
    }

    fn leave(&mut self, grid: &mut Grid, id: u32) {
        let Attachable { pos, next, .. } = self.list[id as usize];
        let mut at = grid.head(pos);
        if at == id {
            grid.set_head(pos, next);
            return;
        }
        while at != NO_BODY {
            let after = self.list[at as usize].next;
            if after == id {
                self.list[at as usize].next = next;
                return;
            }
            at = after;
        }
    }

    /// Everything on a cell.
    pub fn on<'a>(&'a self, grid: &Grid, pos: Pos) -> impl Iterator<Item = BodyId> + use<'a> {
        let mut at = grid.head(pos);
        std::iter::from_fn(move || {
            let here = (at != NO_BODY).then_some(at)?;
            at = self.list[here as usize].next;
            Some(BodyId(here))
        })
    }

    /// "The attachable at a cell": there is one only if it is alone there (spec, section 10).
    #[must_use]
    pub fn single(&self, grid: &Grid, pos: Pos) -> Option<BodyId> {
        let head = grid.head(pos);
        (head != NO_BODY && self.list[head as usize].next == NO_BODY).then_some(BodyId(head))
    }

    /// The block on a cell, if it is alone there.
    #[must_use]
    pub fn single_block(&self, grid: &Grid, pos: Pos) -> Option<(BodyId, u8)> {
        let id = self.single(grid, pos)?;
        match self.get(id).kind {
            AttachableKind::Block(kind) => Some((id, kind)),
            AttachableKind::Entity { .. } => None,
        }
    }

    /// The connected component of an attachable, itself first.
    #[must_use]
    pub fn structure(&self, id: BodyId) -> Vec<BodyId> {
        let mut all = vec![id];
        let mut next = 0;
        while let Some(here) = all.get(next).copied() {
            next += 1;
            for link in &self.get(here).links {
                if !all.contains(link) {
                    all.push(*link);
                }
            }
        }
        all
    }

    /// Whether two attachables are directly linked.
    #[must_use]
    pub fn linked(&self, a: BodyId, b: BodyId) -> bool {
        self.get(a).links.contains(&b)
    }

    /// Links two attachables; again is no change.
    pub fn link(&mut self, a: BodyId, b: BodyId) {
        if a != b && !self.linked(a, b) {
            self.list[a.0 as usize].links.push(b);
            self.list[b.0 as usize].links.push(a);
        }
    }

    /// Removes one link.
    pub fn unlink(&mut self, a: BodyId, b: BodyId) {
        self.list[a.0 as usize].links.retain(|id| *id != b);
        self.list[b.0 as usize].links.retain(|id| *id != a);
    }

    /// Removes all links of one attachable.
    pub fn unlink_all(&mut self, id: BodyId) {
        for other in std::mem::take(&mut self.list[id.0 as usize].links) {
            self.list[other.0 as usize].links.retain(|link| *link != id);
        }
    }

    /// Whether one cell of the torus is next to another.
    #[must_use]
    pub fn neighbours(&self, grid: &Grid, a: BodyId, b: BodyId) -> bool {
        grid.distance(self.get(a).pos, self.get(b).pos) == 1
    }
}
