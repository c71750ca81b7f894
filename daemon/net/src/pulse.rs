//! Whether a team's thread still moves. A thread in a native call answers nothing; its seats send
//! fallbacks by themselves, and the watchdog has to notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// Asks a team's thread for a sign of life and reads the answer, without waiting. Clones share it;
/// it does not keep the team alive.
#[derive(Clone, Debug, Default)]
pub struct Pulse {
    asked: Arc<watch::Sender<u64>>,
    answered: Arc<AtomicU64>,
}

impl Pulse {
    /// Asks: the thread answers between two steps of its work.
    pub fn ask(&self) {
        self.asked.send_modify(|asked| *asked = asked.saturating_add(1));
    }

    /// Whether the thread has answered every question. True for a thread that has ended.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed) >= *self.asked.borrow()
    }

    /// The thread's end of it.
    pub(crate) fn beat(&self) -> Beat {
        Beat { asked: self.asked.subscribe(), answered: Arc::clone(&self.answered), retired: false }
    }
}

/// The thread's end. When it is dropped, every question counts as answered.
#[derive(Debug)]
pub(crate) struct Beat {
    asked: watch::Receiver<u64>,
    answered: Arc<AtomicU64>,
    /// Another thread answers instead.
    retired: bool,
}

impl Beat {
    /// Answers all questions.
    pub(crate) fn answer(&mut self) {
        let asked = *self.asked.borrow_and_update();
        self.answered.store(asked, Ordering::Relaxed);
    }

    /// The thread was abandoned, so its answers no longer count.
    pub(crate) fn retire(&mut self) {
        self.retired = true;
    }

    /// Waits for a question; for ever when there can be no further one.
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
