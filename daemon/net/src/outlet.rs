//! The output of a team: the newest snapshot, and a journal that never makes the team wait.

use phalanx_engine::JournalEntry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// Journal entries that are kept for slow readers; older ones are dropped and counted.
pub const JOURNAL_ENTRIES_MAX: usize = 8_192;

/// An item of a journal's reader.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalItem {
    /// The next entry.
    Entry(Arc<JournalEntry>),
    /// The reader was too slow: this many entries are missing here.
    Dropped(u64),
}

/// A reader of a team's journal, from now on.
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

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_engine::JournalEvent;
    use phalanx_game::Turn;

    #[test]
    fn a_slow_reader_is_told_what_it_missed_and_holds_nobody_up() {
        let (sender, entries) = broadcast::channel(4);
        let dropped = Arc::new(AtomicU64::new(0));
        let mut stream = JournalStream::new(entries, Arc::clone(&dropped));
        for step in 0..10 {
            let (turn, event) = (Turn::new(0, step), JournalEvent::RoundStarted);
            sender
                .send(Arc::new(JournalEntry { turn, agent: None, generation: 1, event }))
                .unwrap();
        }
        assert_eq!(stream.try_next(), Some(JournalItem::Dropped(6)));
        for step in 6..10 {
            let Some(JournalItem::Entry(entry)) = stream.try_next() else { panic!() };
            assert_eq!(entry.turn.step, step);
        }
        assert_eq!(stream.try_next(), None);
        assert_eq!(dropped.load(Ordering::Relaxed), 6);
    }
}
