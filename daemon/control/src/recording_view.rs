//! What this crate needs from recordings.

use phalanx_proto::v1;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

/// The daemon's recordings. All methods read or write files and may take long: call them on threads
/// that may block.
pub trait RecordingDirectory: Send + Sync + 'static {
    /// All recordings, in any order, without their channels.
    ///
    /// # Errors
    /// When the folder cannot be read.
    fn recordings(&self) -> Result<Vec<v1::Recording>, RecordingRefusal>;

    /// One recording with its channels, by its id.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    fn recording(&self, id: &str) -> Result<v1::Recording, RecordingRefusal>;

    /// Its messages from this time on.
    ///
    /// # Errors
    /// As [`recording`](Self::recording).
    fn replay(&self, id: &str, from: Duration) -> Result<Messages, RecordingRefusal>;

    /// One of its files, by its number.
    ///
    /// # Errors
    /// As [`recording`](Self::recording), and when there is no such file.
    fn part(&self, id: &str, number: u32) -> Result<PartFile, RecordingRefusal>;

    /// Deletes it with all its files.
    ///
    /// # Errors
    /// As [`recording`](Self::recording), and while it is written.
    fn delete(&self, id: &str) -> Result<(), RecordingRefusal>;

    /// Writes the content of a team's flight recorder. Returns the id of the recording. `cause` is
    /// the reason, as text.
    ///
    /// # Errors
    /// When the team has none, or the disk fails.
    fn write_flight_recorder(&self, team: &str, cause: &str) -> Result<String, RecordingRefusal>;
}

/// The messages of a recording, in their order.
pub type Messages = Box<dyn Iterator<Item = v1::ReplayRecordingResponse> + Send>;

/// An open file of a recording.
#[derive(Debug)]
pub struct PartFile {
    /// Its name.
    pub path: PathBuf,
    /// The file.
    pub file: File,
}

/// Why a request for recordings failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingRefusal {
    /// There is no such recording or file.
    NotFound,
    /// It is being written.
    Written,
    /// The disk fails, or it is not a recording.
    Unreadable(String),
    /// The team has no flight recorder.
    NoFlightRecorder,
}
