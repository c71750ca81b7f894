//! What the keepers of all teams are made with.

use phalanx_games::shipped;
use std::sync::Arc;

/// The function with which a keeper reads its team's folder. `tuned`: the values of `tuned.toml`
/// count.
#[must_use]
pub fn reader(tuned: bool) -> phalanx_strategy::ReadFolder {
    Arc::new(move |folder| shipped::with_tuned_values(shipped::read(folder)?, tuned))
}

/// The function with which a keeper completes files that came without a folder.
#[must_use]
pub fn completer() -> phalanx_strategy::Complete {
    Arc::new(|bundle| shipped::complete(&bundle))
}
