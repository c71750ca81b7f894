//! The checkpoints of the teams, on a disk with faults.

use crate::disk::FaultyDisk;
use phalanx_game::sorted::SortedMap;
use std::sync::Arc;

/// As in the daemon, a checkpoint replaces the one before as a whole: what the disk does not take
/// leaves the older one.
#[derive(Debug, Default)]
pub(crate) struct CheckpointFiles {
    files: SortedMap<usize, Arc<[u8]>>,
    /// Bytes that a team's file, when it is read next, has lost at its end.
    lost: SortedMap<usize, usize>,
}

impl CheckpointFiles {
    pub(crate) fn write(&mut self, team: usize, checkpoint: Arc<[u8]>, disk: &FaultyDisk) {
        if disk.keeps(checkpoint.len()) {
            self.files.insert(team, checkpoint);
        }
    }

    /// Power goes before the disk has everything.
    pub(crate) fn lose(&mut self, team: usize, bytes: u32) {
        let lost = self.lost.entry(team).or_default();
        *lost = lost.saturating_add(usize::try_from(bytes).unwrap_or(usize::MAX));
    }

    pub(crate) fn read(&mut self, team: usize) -> Option<Arc<[u8]>> {
        let whole = self.files.get(&team)?;
        let left = whole.len().saturating_sub(self.lost.remove(&team).unwrap_or_default());
        whole.get(..left).map(Into::into)
    }
}
