//! One percept as a square of cell signatures, so that two views are compared quickly.

use crate::percept::{Percept, ThingKind};
use phalanx_game::sorted::Order;
use phalanx_grid::Cell;
use rustc_hash::FxHasher;
use std::hash::{Hash as _, Hasher as _};

const GOAL: u64 = 1;
const OBSTACLE: u64 = 2;
const MARK: u64 = 4;
/// Bits below the hashed part.
const FLAG_BITS: u32 = 4;

/// What one agent sees, cell by cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Glance {
    pub(super) vision: i32,
    /// Signature of all that is on a cell now.
    all: Vec<u64>,
    /// Signature of what never moves: goal, dispensers, task boards.
    fixed: Vec<u64>,
    /// Where entities of the own team stand, the agent itself left out.
    pub(super) mates: Vec<Cell>,
}

/// How two views of one place agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fit {
    /// Cells where things that never move differ: one is a proof that the views are of two places.
    pub(super) broken: u32,
    /// Cells where only the obstacle differs.
    pub(super) changed: u32,
    /// Cells with something on them that agree.
    pub(super) agreed: u32,
}

impl Glance {
    pub(super) fn new(percept: &Percept, vision: i32, team: &str) -> Self {
        let side = usize::try_from(2 * vision + 1).unwrap_or(1);
        let mut glance = Self {
            vision,
            all: vec![0; side * side],
            fixed: vec![0; side * side],
            mates: Vec::new(),
        };
        for cell in &percept.goals {
            glance.flag(*cell, GOAL);
        }
        for cell in &percept.obstacles {
            glance.flag(*cell, OBSTACLE);
        }
        for thing in &percept.things {
            let Some(index) = glance.index(thing.cell) else { continue };
            if matches!(thing.kind, ThingKind::Marker(_)) {
                glance.flag(thing.cell, MARK);
                continue;
            }
            let mut hasher = FxHasher::default();
            thing.kind.hash_words(&mut hasher);
            let hash = hasher.finish() << FLAG_BITS;
            glance.add(index, hash, thing.kind.is_fixed());
            if thing.cell != Cell::ZERO
                && matches!(&thing.kind, ThingKind::Entity(name) if name == team)
            {
                glance.mates.push(thing.cell);
            }
        }
        glance.mates.order();
        glance.mates.dedup();
        glance
    }

    /// The same, when the mates among the entities are known.
    pub(super) fn again(percept: &Percept, vision: i32, mates: Vec<Cell>) -> Self {
        // The team's name only tells mates from others.
        Self { mates, ..Self::new(percept, vision, "") }
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        if cell.norm() > self.vision {
            return None;
        }
        let index = (cell.y + self.vision) * (2 * self.vision + 1) + cell.x + self.vision;
        usize::try_from(index).ok()
    }

    fn flag(&mut self, cell: Cell, flag: u64) {
        let Some(index) = self.index(cell) else { return };
        if let Some(signature) = self.all.get_mut(index) {
            *signature |= flag;
        }
        if flag == GOAL
            && let Some(signature) = self.fixed.get_mut(index)
        {
            *signature |= flag;
        }
    }

    fn add(&mut self, index: usize, hash: u64, fixed: bool) {
        // Addition of the hashed part: two equal things count twice, in any order.
        let add = |signature: &mut u64| *signature = signature.wrapping_add(hash);
        self.all.get_mut(index).into_iter().for_each(add);
        if fixed {
            self.fixed.get_mut(index).into_iter().for_each(add);
        }
    }

    /// Compares with a view of the same step from the cell `v` away: everything in the overlap
    /// must be the same. Returns how many cells with something on them agree.
    pub(super) fn same_step(&self, other: &Self, v: Cell) -> Option<u32> {
        let mut agreed = 0;
        for cell in Cell::ZERO.diamond(self.vision) {
            let Some(theirs) = other.index(cell - v) else { continue };
            let (mine, theirs) = (self.at(&self.all, cell), other.all.get(theirs).copied());
            if mine != theirs {
                return None;
            }
            agreed += u32::from(mine.is_some_and(|signature| signature != 0));
        }
        Some(agreed)
    }

    fn at(&self, list: &[u64], cell: Cell) -> Option<u64> {
        list.get(self.index(cell)?).copied()
    }

    /// Compares with an earlier view of the same agent that has moved by `v` since.
    pub(super) fn after_move(&self, earlier: &Self, v: Cell) -> Fit {
        let mut fit = Fit::default();
        for cell in Cell::ZERO.diamond(self.vision) {
            let Some(before) = earlier.index(cell + v) else { continue };
            let fixed = self.at(&self.fixed, cell).unwrap_or(0);
            let ground = self.at(&self.all, cell).unwrap_or(0) & OBSTACLE;
            let old_fixed = earlier.fixed.get(before).copied().unwrap_or(0);
            let old_ground = earlier.all.get(before).copied().unwrap_or(0) & OBSTACLE;
            if fixed != old_fixed {
                fit.broken += 1;
            } else if ground != old_ground {
                fit.changed += 1;
            } else if fixed | ground != 0 {
                fit.agreed += 1;
            }
        }
        fit
    }
}

impl ThingKind {
    fn hash_words(&self, hasher: &mut FxHasher) {
        self.words().hash(hasher);
    }

    fn is_fixed(&self) -> bool {
        match self {
            Self::Dispenser(_) | Self::Taskboard => true,
            Self::Entity(_) | Self::Block(_) | Self::Marker(_) | Self::Unknown { .. } => false,
        }
    }
}
