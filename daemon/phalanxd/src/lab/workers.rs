//! Which workers of a queue play for a league, a tune run or a ladder.

use phalanx_proto::v1;
use phalanx_queue::QueueWorker;
use std::path::Path;

/// The workers that the coordinator of a run noted in its folder lately. Blocks.
pub(crate) fn workers(folder: &Path) -> Vec<v1::QueueWorker> {
    let shown = |QueueWorker { name, version, matches }| v1::QueueWorker { name, version, matches };
    phalanx_queue::recent_workers(folder).into_iter().map(shown).collect()
}
