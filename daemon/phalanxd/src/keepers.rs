//! What the keepers of all teams are made with.

use phalanx_games::shipped;
use std::sync::Arc;

/// The function with which a keeper reads its team's folder.
#[must_use]
pub fn reader() -> phalanx_strategy::ReadFolder {
    Arc::new(shipped::read)
}

/// The function with which a keeper completes files that came without a folder.
#[must_use]
pub fn completer() -> phalanx_strategy::Complete {
    Arc::new(|bundle| shipped::complete(&bundle))
}
