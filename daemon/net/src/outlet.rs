//! What leaves a team: one snapshot at a time, and a journal that never makes the team wait.

use phalanx_engine::JournalEntry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// Journal entries that are kept for slow readers; older ones are dropped for them and counted.
pub const JOURNAL_ENTRIES_MAX: usize = 8_192;

/// What a journal's reader gets.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalItem {
    /// The next entry.
    Entry(Arc<JournalEntry>),
    /// The reader was too slow: so many entries are missing here.
    Dropped(u64),
}

/// One reader of a team's journal. It sees what happens from now on.
#[derive(Debug)]
pub struct JournalStream {
    entries: broadcast::Receiver<Arc<JournalEntry>>,
    dropped: Arc<AtomicU64>,
}

impl JournalStream {
    pub(crate) fn new(
        entries: broadcast::Receiver<Arc<JournalEntry>>,
        dropped: Arc<AtomicU64>,
    ) -> Self {
        Self { entries, dropped }
    }

    /// The next item; `None` once the team has ended. Cancel-safe.
    pub async fn next(&mut self) -> Option<JournalItem> {
        match self.entries.recv().await {
            Ok(entry) => Some(JournalItem::Entry(entry)),
            Err(RecvError::Lagged(missing)) => Some(self.missing(missing)),
            Err(RecvError::Closed) => None,
        }
    }

    /// The next item, if there is one already.
    pub fn try_next(&mut self) -> Option<JournalItem> {
        match self.entries.try_recv() {
            Ok(entry) => Some(JournalItem::Entry(entry)),
            Err(TryRecvError::Lagged(missing)) => Some(self.missing(missing)),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }

    fn missing(&self, missing: u64) -> JournalItem {
        self.dropped.fetch_add(missing, Ordering::Relaxed);
        JournalItem::Dropped(missing)
    }
}
