//! Whether a team's thread still moves. A thread that sits in one native call answers nothing: its
//! seats send fallbacks by themselves, and somebody should know.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// Asks a team's thread for a sign of life and looks for the answer, without waiting. Clones share
/// it; it keeps no team alive.
#[derive(Clone, Debug, Default)]
pub struct Pulse {
    asked: Arc<watch::Sender<u64>>,
    answered: Arc<AtomicU64>,
}

impl Pulse {
    /// Asks: the thread answers when it next comes by, between two steps of its work.
    pub fn ask(&self) {
        self.asked.send_modify(|asked| *asked = asked.saturating_add(1));
    }

    /// Whether everything that was asked is answered. True for a thread that has ended.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed) >= *self.asked.borrow()
    }

    /// The thread's end of it.
    pub(crate) fn beat(&self) -> Beat {
        Beat { asked: self.asked.subscribe(), answered: Arc::clone(&self.answered), retired: false }
    }
}

/// What the thread answers with; dropped, everything is answered for good.
#[derive(Debug)]
pub(crate) struct Beat {
    asked: watch::Receiver<u64>,
    answered: Arc<AtomicU64>,
    /// Another thread answers now.
    retired: bool,
}

impl Beat {
    /// Answers what was asked.
    pub(crate) fn answer(&mut self) {
        let asked = *self.asked.borrow_and_update();
        self.answered.store(asked, Ordering::Relaxed);
    }

    /// The thread was abandoned: it answers for nobody any more.
    pub(crate) fn retire(&mut self) {
        self.retired = true;
    }

    /// Waits until somebody asks; for ever when nobody can any more.
    pub(crate) async fn asked(&mut self) {
        if self.asked.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        if !self.retired {
            self.answered.store(u64::MAX, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_answers_lives_and_who_is_gone_is_not_waited_for() {
        let pulse = Pulse::default();
        let mut beat = pulse.beat();
        assert!(pulse.is_answered(), "nothing was asked");
        pulse.ask();
        assert!(!pulse.is_answered());
        beat.answer();
        assert!(pulse.is_answered());
        pulse.ask();
        drop(beat);
        assert!(pulse.is_answered());
    }
}
