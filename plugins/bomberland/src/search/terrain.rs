//! What a search reads often and what never changes in a game: neighbours and the ring of fire.

use crate::rules::{CellIndex, EntityKind, GameBoard, GameState, UnitDirection};

/// No cell: the map ends there.
const OUTSIDE: CellIndex = CellIndex::MAX;

/// Neighbours of cells and the ticks in which they burn.
#[derive(Clone, Debug)]
pub(super) struct Terrain {
    /// By cell, in the order of [`UnitDirection::ALL`].
    near: Vec<[CellIndex; 4]>,
    /// The tick in which the ring of fire takes a cell.
    ring: Vec<i32>,
    /// Cells in the order in which they burn.
    order: Vec<(i32, CellIndex)>,
}

impl Terrain {
    pub(super) fn new(board: &GameBoard) -> Self {
        let near = (0..board.cells()).map(|cell| {
            let (x, y) = board.place(cell);
            UnitDirection::ALL.map(|direction| {
                let (dx, dy) = direction.vector();
                board.cell(x + dx, y + dy).unwrap_or(OUTSIDE)
            })
        });
        let mut ring = vec![i32::MAX; usize::from(board.cells())];
        let mut order = Vec::new();
        for index in 0..board.cells() {
            let Some(cell) = board.fire(usize::from(index)) else { break };
            let burns = f64::from(board.params.game_duration)
                + f64::from(index) * board.params.fire_interval;
            #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
            let burns = burns.ceil() as i32;
            order.push((burns, cell));
            if let Some(slot) = ring.get_mut(usize::from(cell)) {
                *slot = burns;
            }
        }
        Self { near: near.collect(), ring, order }
    }

    /// The neighbours of a cell with the steps that lead there.
    pub(super) fn near(
        &self,
        cell: CellIndex,
    ) -> impl Iterator<Item = (UnitDirection, CellIndex)> + use<> {
        let near = self.near.get(usize::from(cell)).copied().unwrap_or([OUTSIDE; 4]);
        UnitDirection::ALL.into_iter().zip(near).filter(|(_, to)| *to != OUTSIDE)
    }

    /// The step from a cell to its neighbour.
    pub(super) fn step(&self, from: CellIndex, to: CellIndex) -> Option<UnitDirection> {
        self.near(from).find(|(_, near)| *near == to).map(|(direction, _)| direction)
    }

    /// The neighbour of a cell in a direction.
    pub(super) fn toward(&self, cell: CellIndex, direction: UnitDirection) -> Option<CellIndex> {
        self.near(cell).find(|(step, _)| *step == direction).map(|(_, to)| to)
    }

    /// The tick in which the ring of fire takes a cell.
    pub(super) fn burns(&self, cell: CellIndex) -> i32 {
        self.ring.get(usize::from(cell)).copied().unwrap_or(i32::MAX)
    }

    /// Whether the ring of fire has taken a cell, but an item fell there and put the fire out.
    pub(super) fn island(&self, state: &GameState, cell: CellIndex) -> bool {
        self.burns(cell) <= state.tick && state.kind(cell) != Some(EntityKind::Fire)
    }

    /// The tick in which the ring of fire takes a cell. It comes once: where its fire is gone, the
    /// cell never burns again.
    pub(super) fn burns_yet(&self, state: &GameState, cell: CellIndex) -> i32 {
        if self.island(state, cell) { i32::MAX } else { self.burns(cell) }
    }

    /// The last tick in which the ring of fire takes a cell.
    pub(super) fn last_burn(&self) -> i32 {
        self.order.last().map_or(i32::MAX, |(tick, _)| *tick)
    }

    /// All cells with the ticks in which the ring takes them, the last one first.
    pub(super) fn latest(&self) -> impl Iterator<Item = (i32, CellIndex)> + '_ {
        self.order.iter().rev().copied()
    }

    /// The cells that the ring takes after `from` and not after `to`.
    pub(super) fn burning(
        &self,
        from: i32,
        to: i32,
    ) -> impl Iterator<Item = (i32, CellIndex)> + '_ {
        let start = self.order.partition_point(|(tick, _)| *tick <= from);
        let rest = self.order.get(start..).unwrap_or_default();
        rest.iter().copied().take_while(move |(tick, _)| *tick <= to)
    }

    pub(super) fn cells(&self) -> usize {
        self.near.len()
    }

    /// Calls `visit` for the cells that a blast from `cell` gets to, its own first. Blocks stop a
    /// blast. Items and bombs do not, since they may be gone by then.
    pub(super) fn blast(
        &self,
        state: &GameState,
        cell: CellIndex,
        radius: i32,
        visit: impl FnMut(CellIndex),
    ) {
        self.blast_past(state, cell, radius, |_| false, visit);
    }

    /// The same where some blocks are `gone` by then.
    pub(super) fn blast_past(
        &self,
        state: &GameState,
        cell: CellIndex,
        radius: i32,
        gone: impl Fn(CellIndex) -> bool,
        mut visit: impl FnMut(CellIndex),
    ) {
        visit(cell);
        for index in 0..4 {
            let mut at = cell;
            for _ in 0..radius {
                let near = self.near.get(usize::from(at)).and_then(|near| near.get(index));
                let Some(&next) = near.filter(|next| **next != OUTSIDE) else { break };
                at = next;
                visit(at);
                if solid(state, at) && !gone(at) {
                    break;
                }
            }
        }
    }
}

/// Whether a block is in a cell.
pub(super) fn solid(state: &GameState, cell: CellIndex) -> bool {
    matches!(
        state.kind(cell),
        Some(EntityKind::Metal | EntityKind::Wood | EntityKind::Ore | EntityKind::Treasure)
    )
}

/// Whether a block is in a cell that blasts destroy.
pub(super) fn destructible(state: &GameState, cell: CellIndex) -> bool {
    matches!(state.kind(cell), Some(EntityKind::Wood | EntityKind::Ore))
}

/// Whether no unit can enter a cell, whatever units do.
pub(super) fn closed(state: &GameState, cell: CellIndex) -> bool {
    state.kind(cell).is_some_and(|kind| !kind.walkable())
}

/// How far a bomb of that diameter reaches.
pub(super) fn radius(diameter: i32) -> i32 {
    (diameter - 1) / 2
}
