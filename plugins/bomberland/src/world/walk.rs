//! Ways through space: distances from a cell, and the steps to another.

use crate::percept::TickScene;
use crate::rules::{CellIndex, EntityKind, UnitDirection};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Distances from one cell to all others.
#[derive(Clone, Debug)]
pub struct WalkCosts {
    from: CellIndex,
    costs: Vec<Option<u32>>,
    came: Vec<Option<UnitDirection>>,
}

/// Distances from a cell. Blocks, bombs and corpses are in the way, and so are living units right
/// beside the start; with `dig`, each hit that wood or ore still takes costs that much more.
#[must_use]
pub fn walk(scene: &TickScene, from: CellIndex, dig: Option<u32>) -> WalkCosts {
    let cells = scene.state.len();
    let mut walk = WalkCosts { from, costs: vec![None; cells], came: vec![None; cells] };
    let mut queue = BinaryHeap::from([Reverse((0_u32, from))]);
    walk.set(from, 0, None);
    while let Some(Reverse((cost, cell))) = queue.pop() {
        if walk.cost(cell) != Some(cost) {
            continue;
        }
        let (x, y) = scene.board.place(cell);
        for direction in UnitDirection::ALL {
            let (dx, dy) = direction.vector();
            let Some(next) = scene.board.cell(x + dx, y + dy) else { continue };
            let Some(price) = price(scene, next, dig, cell == from) else { continue };
            let cost = cost.saturating_add(price);
            if walk.cost(next).is_none_or(|known| known > cost) {
                walk.set(next, cost, Some(direction));
                queue.push(Reverse((cost, next)));
            }
        }
    }
    walk
}

fn price(scene: &TickScene, cell: CellIndex, dig: Option<u32>, first: bool) -> Option<u32> {
    let state = &scene.state;
    if first && state.occupied(cell) || state.body_in(cell) {
        return None;
    }
    let Some(entity) = state.entity(cell) else { return Some(1) };
    match entity.kind {
        EntityKind::Fire
        | EntityKind::Ammo
        | EntityKind::BlastUp
        | EntityKind::FreezeUp
        | EntityKind::Treasure => Some(1),
        EntityKind::Metal | EntityKind::Bomb => None,
        EntityKind::Wood | EntityKind::Ore => {
            let hits = u32::try_from(entity.hp.unwrap_or(1).max(1)).unwrap_or(1);
            dig.map(|price| price.saturating_mul(hits).saturating_add(1))
        }
    }
}

impl WalkCosts {
    fn set(&mut self, cell: CellIndex, cost: u32, came: Option<UnitDirection>) {
        let index = usize::from(cell);
        if let (Some(known), Some(from)) = (self.costs.get_mut(index), self.came.get_mut(index)) {
            (*known, *from) = (Some(cost), came);
        }
    }

    /// What it costs to get to a cell; `None` when it cannot be reached.
    #[must_use]
    pub fn cost(&self, cell: CellIndex) -> Option<u32> {
        self.costs.get(usize::from(cell)).copied().flatten()
    }

    /// The cells on the way to a cell, each with the step that enters it.
    #[must_use]
    pub fn steps(
        &self,
        scene: &TickScene,
        to: CellIndex,
    ) -> Option<Vec<(UnitDirection, CellIndex)>> {
        self.cost(to)?;
        let (mut at, mut steps) = (to, Vec::new());
        while at != self.from {
            let direction = self.came.get(usize::from(at)).copied().flatten()?;
            steps.push((direction, at));
            let ((x, y), (dx, dy)) = (scene.board.place(at), direction.vector());
            at = scene.board.cell(x - dx, y - dy)?;
        }
        steps.reverse();
        Some(steps)
    }
}
