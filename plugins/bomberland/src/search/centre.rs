//! The way to the cells that burn last, through blocks.

use super::policy::entry_steps;
use super::position::Position;
use crate::rules::CellIndex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Steps that count for a cell from where no way leads to the centre.
const FAR: u32 = 80;

/// How many ticks earlier than the last one a cell of the centre may burn.
const WITHIN: i32 = 60;

/// Ticks by which a cell of the centre burns earlier that count as much as a step.
const TICKS_PER_STEP: i32 = 5;

/// Ticks before the ring of fire in which the centre begins to count in full.
const AHEAD: i32 = 120;

/// How far each cell is from the centre, and which blocks are on the ways of our units.
#[derive(Debug, Default)]
pub(super) struct Centre {
    steps: Vec<u32>,
    /// By cell: what a hit on a block in the way counts, 0 elsewhere.
    ways: Vec<f64>,
    /// How much the centre counts in this tick, 0 to 1.
    pub(super) urgency: f64,
}

impl Centre {
    /// The ways on a map where each hit on a block takes `dig` steps.
    pub(super) fn new(root: &Position<'_>, dig: u32) -> Self {
        let begin = root.board.params.game_duration - AHEAD;
        let urgency = f64::from(root.state.tick - begin) / f64::from(AHEAD);
        let mut centre = Self {
            steps: steps(root, dig),
            ways: vec![0.0; root.terrain.cells()],
            urgency: urgency.clamp(0.3, 1.0),
        };
        for (_, unit) in root.living(true) {
            centre.follow(root, unit.cell, dig);
        }
        centre
    }

    /// Steps from a cell to the centre.
    pub(super) fn steps(&self, cell: CellIndex) -> f64 {
        f64::from(self.steps.get(usize::from(cell)).copied().unwrap_or(FAR).min(FAR))
    }

    /// What a hit on the block in a cell counts.
    pub(super) fn way(&self, cell: CellIndex) -> f64 {
        self.ways.get(usize::from(cell)).copied().unwrap_or(0.0)
    }

    /// Marks the blocks on the way from a cell, the nearer the more.
    fn follow(&mut self, root: &Position<'_>, mut cell: CellIndex, dig: u32) {
        let mut worth = self.urgency;
        for _ in 0..FAR {
            let known =
                |to: CellIndex| self.steps.get(usize::from(to)).copied().unwrap_or(u32::MAX);
            if known(cell) == 0 {
                return;
            }
            let near = root.terrain.near(cell).filter_map(|(_, to)| {
                let entry = u32::try_from(entry_steps(root, to, Some(dig))?).ok()?;
                Some((known(to).saturating_add(entry), to))
            });
            let Some((_, next)) = near.min() else { return };
            if super::terrain::solid(&root.state, next)
                && let Some(slot) = self.ways.get_mut(usize::from(next))
            {
                *slot = slot.max(worth);
                worth *= 0.5;
            }
            cell = next;
        }
    }
}

/// Steps from each cell to the cells that burn last.
fn steps(root: &Position<'_>, dig: u32) -> Vec<u32> {
    let mut steps = vec![u32::MAX; root.terrain.cells()];
    let mut front = BinaryHeap::new();
    let last = root.terrain.last_burn();
    let cells = 0..CellIndex::try_from(steps.len()).unwrap_or(CellIndex::MAX);
    for cell in cells {
        let entry = entry_steps(root, cell, Some(dig));
        let early = last.saturating_sub(root.terrain.burns(cell));
        if early <= WITHIN && entry.is_some() {
            let cost = u32::try_from(early / TICKS_PER_STEP).unwrap_or(0);
            front.push(Reverse((cost, cell)));
        }
    }
    while let Some(Reverse((cost, cell))) = front.pop() {
        let Some(slot) = steps.get_mut(usize::from(cell)).filter(|slot| **slot > cost) else {
            continue;
        };
        *slot = cost;
        let entry = entry_steps(root, cell, Some(dig)).and_then(|entry| u32::try_from(entry).ok());
        let Some(entry) = entry else { continue };
        for (_, to) in root.terrain.near(cell) {
            front.push(Reverse((cost.saturating_add(entry), to)));
        }
    }
    steps
}
