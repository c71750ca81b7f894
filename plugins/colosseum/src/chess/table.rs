//! Positions that were searched before: how deep, what they are worth, and their best move.

use cozy_chess::Move;

/// Entries; a search of [`NODES_MAX`](super::NODES_MAX) positions overwrites some of them.
const SIZE: usize = 1 << 16;

/// What the worth of an entry means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    /// It is at least this.
    Lower,
    /// It is at most this.
    Upper,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TableEntry {
    pub(super) hash: u64,
    pub(super) depth: i32,
    pub(super) worth: i32,
    pub(super) bound: Bound,
    pub(super) best: Option<Move>,
}

#[derive(Debug)]
pub(super) struct PositionTable {
    entries: Vec<Option<TableEntry>>,
}

impl PositionTable {
    pub(super) fn new() -> Self {
        Self { entries: vec![None; SIZE] }
    }

    fn slot(hash: u64) -> usize {
        usize::try_from(hash % SIZE as u64).unwrap_or_default()
    }

    pub(super) fn get(&self, hash: u64) -> Option<TableEntry> {
        let entry = self.entries.get(Self::slot(hash)).copied().flatten();
        entry.filter(|entry| entry.hash == hash)
    }

    /// The newest entry replaces what was there: it is the one that the search needs next.
    pub(super) fn put(&mut self, entry: TableEntry) {
        if let Some(slot) = self.entries.get_mut(Self::slot(entry.hash)) {
            *slot = Some(entry);
        }
    }
}
