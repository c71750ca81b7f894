//! The daemon's one clock.

use phalanx_game::Origin;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// This instant; in a paused test runtime the virtual one.
#[must_use]
pub fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Pairs an instant with its wall-clock time, for arenas that send the time.
#[must_use]
pub fn origin() -> Origin {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Origin { instant: now(), unix_ms: u64::try_from(unix.as_millis()).unwrap_or(u64::MAX) }
}

/// The wall clock, for people and other processes.
pub(crate) fn wall() -> SystemTime {
    SystemTime::now()
}

/// Waits until `at`; for ever if it is `None`.
pub(crate) async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
