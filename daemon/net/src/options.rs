//! Limits of a seat and its connection.

use crate::BackoffOptions;
use std::time::Duration;

/// Most bytes of one read.
pub(crate) const READ_BYTES_MAX: usize = 32 << 10;
/// Reports of all seats that may wait for a team before useless ones are dropped; also the most
/// that the team takes before it decides.
pub(crate) const INBOX_EVENTS_MAX: usize = 1_024;
/// Most actions that wait for one seat.
pub(crate) const ACTIONS_MAX: usize = 64;
/// How long a seat that leaves waits until its last bytes are read and its last events are taken.
pub(crate) const LEAVE_MAX: Duration = Duration::from_secs(1);
/// How long an agent must have been seated for the next loss to count as the first.
pub(crate) const SEATED_STABLE: Duration = Duration::from_secs(5);
/// The shortest sleep after a timeout that left the session's timer in the past.
pub(crate) const TIMER_REST: Duration = Duration::from_millis(1);

/// Limits of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOptions {
    /// Longest time for an attempt to connect, including name resolution.
    pub connect_timeout: Duration,
    /// Longest time from the open connection to the accepted login.
    pub login_timeout: Duration,
    /// Most bytes that may wait to be written; if the referee reads more slowly, the seat
    /// reconnects.
    pub write_bytes_max: usize,
    /// Waits between attempts.
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
