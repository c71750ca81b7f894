//! What the organisers' files do not say.

use super::config::Launch;
use std::time::Duration;

/// How this referee differs from the original's behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaOptions {
    /// Seed of the first simulation instead of the configured one; each later simulation of the
    /// run takes the next number.
    pub seed: Option<i64>,
    /// When to begin, instead of the configured launch.
    pub launch: Option<Launch>,
    /// Least time from one step's requests to the next ones'; zero is as fast as the answers come.
    pub pace: Duration,
    /// After a new login send the request again that is still unanswered.
    pub resend_request: bool,
    /// After a packet that the original chokes on never read that connection again, as it does;
    /// otherwise skip the packet.
    pub deaf_after_broken: bool,
    /// Emit replay files.
    pub replays: bool,
    /// Emit result files.
    pub results: bool,
    /// Local time minus UTC, for dates in file names and launch at a time of day.
    pub utc_offset_minutes: i32,
}

impl Default for ArenaOptions {
    fn default() -> Self {
        Self {
            seed: None,
            launch: None,
            pace: Duration::ZERO,
            resend_request: false,
            deaf_after_broken: true,
            replays: true,
            results: true,
            utc_offset_minutes: 0,
        }
    }
}

impl ArenaOptions {
    /// Local wall-clock milliseconds.
    pub(super) fn local_ms(&self, unix_ms: u64) -> u64 {
        unix_ms.saturating_add_signed(i64::from(self.utc_offset_minutes) * 60_000)
    }
}
