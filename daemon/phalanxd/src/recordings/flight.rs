//! A flight recorder, with the first problem since it was last written.

use phalanx_record::FlightRecorder;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Keeps the last part of a match, and the reason to write it.
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

    /// Notes a problem. Of several in a row, the first one is kept.
    pub(super) fn trouble(&self, cause: String) {
        self.cause().get_or_insert(cause);
        self.noticed.notify_one();
    }

    /// Waits for a problem.
    pub(super) async fn noticed(&self) {
        self.noticed.notified().await;
    }

    /// Writes the kept part. Blocks.
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
