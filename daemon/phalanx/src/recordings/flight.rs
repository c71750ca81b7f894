//! A flight recorder, and the first trouble that nobody has written down yet.

use phalanx_record::FlightRecorder;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Keeps the last of what happens in a team, and why somebody may want to see it.
#[derive(Debug)]
pub(super) struct Flight {
    recorder: Arc<FlightRecorder>,
    cause: Mutex<Option<String>>,
    noticed: Notify,
}

impl Flight {
    pub(super) fn new(recorder: Arc<FlightRecorder>) -> Self {
        Self { recorder, cause: Mutex::default(), noticed: Notify::new() }
    }

    /// Something is wrong. Of several troubles in a row the first one counts.
    pub(super) fn trouble(&self, cause: String) {
        self.cause().get_or_insert(cause);
        self.noticed.notify_one();
    }

    /// Waits until something is wrong.
    pub(super) async fn noticed(&self) {
        self.noticed.notified().await;
    }

    /// Writes what there is. Blocks.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn write(&self, asked: Option<String>) -> io::Result<PathBuf> {
        let cause = asked.or_else(|| self.cause().clone()).unwrap_or_default();
        let written = self.recorder.write(&cause);
        *self.cause() = None;
        written
    }

    fn cause(&self) -> MutexGuard<'_, Option<String>> {
        self.cause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
