//! How a seat deals with its connection.

use crate::BackoffOptions;
use std::time::Duration;

/// Bytes that one read takes at most.
pub(crate) const READ_BYTES_MAX: usize = 32 << 10;
/// So much waits for a team, over all of its seats, before what is of no use any more is dropped; and
/// so much it takes at most before it decides.
pub(crate) const INBOX_EVENTS_MAX: usize = 1_024;
/// Actions that wait for one seat at most.
pub(crate) const ACTIONS_MAX: usize = 64;
/// How long a seat that leaves waits for its last bytes to be read and its last events to be taken.
pub(crate) const LEAVE_MAX: Duration = Duration::from_secs(1);
/// How long an agent must have been seated before the next loss counts as the first.
pub(crate) const SEATED_STABLE: Duration = Duration::from_secs(5);
/// The shortest sleep after a timeout that left the session's timer in the past.
pub(crate) const TIMER_REST: Duration = Duration::from_millis(1);

/// Limits of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOptions {
    /// How long a try to connect may take, name resolution included.
    pub connect_timeout: Duration,
    /// How long the referee may take from the open connection to the accepted login.
    pub login_timeout: Duration,
    /// Bytes that may wait to be written; a referee that reads less than that is left.
    pub write_bytes_max: usize,
    /// Waits between tries.
    pub backoff: BackoffOptions,
    /// Seed of the jitter; each seat derives its own.
    pub seed: u64,
}

impl Default for SeatOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            login_timeout: Duration::from_secs(10),
            write_bytes_max: 1 << 20,
            backoff: BackoffOptions::default(),
            seed: 0,
        }
    }
}
