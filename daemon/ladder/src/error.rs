//! Why a ladder cannot be read or go on.

use phalanx_queue::QueueError;
use std::io;
use std::path::PathBuf;

/// Why a ladder cannot be read or go on. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum LadderError {
    /// The system refused.
    #[error("{path}: could not {what}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        why: io::Error,
    },
    /// The server of the log refused, or another process plays its matches.
    #[error(transparent)]
    Server(#[from] QueueError),
    /// Another process plays the matches of this ladder.
    #[error(
        "{place}: {holder} plays the matches of this ladder; wait for it, or stop it and run this \
         command again"
    )]
    InUse {
        /// The ladder.
        place: String,
        /// The process, with its machine.
        holder: String,
    },
    /// The log does not hold what it should.
    #[error("{place}, entry {number}: {problem}")]
    Malformed {
        /// The log.
        place: String,
        /// Which entry, from 1.
        number: u64,
        /// What is wrong.
        problem: String,
    },
    /// There is no ladder.
    #[error("{place} holds no ladder; `phalanx ladder submit` begins one")]
    Missing {
        /// Where it was looked for.
        place: String,
    },
    /// What was asked for does not fit this ladder.
    #[error("{0}")]
    Refused(String),
}
