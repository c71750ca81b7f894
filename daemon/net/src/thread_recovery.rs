//! The state that outlives a team's thread: seats, rounds, requests, and the last checkpoint.

use crate::recovery_log::RecoveryLog;
use phalanx_engine::{Checkpoint, Identity, Input, Staged};
use phalanx_game::{Event, Game};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A checkpoint from which a replacement of the team can continue.
pub(crate) type LastCheckpoint<G> = (Arc<Mutex<Checkpoint<G>>>, Identity);

/// Shared between the thread that acts for a team and its replacement. Its lock is only taken for
/// lasting inputs, never for a request of a turn.
pub(crate) struct ThreadRecovery<G: Game>(Arc<Mutex<Parts<G>>>);

/// The shared state.
pub(crate) struct Parts<G: Game> {
    pub(crate) recovery: RecoveryLog<G>,
    pub(crate) last: Option<LastCheckpoint<G>>,
}

impl<G: Game> Clone for ThreadRecovery<G> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<G: Game> ThreadRecovery<G> {
    /// The state of a team that begins with this strategy.
    pub(crate) fn new(first: Staged) -> Self {
        Self(Arc::new(Mutex::new(Parts { recovery: RecoveryLog::new(first), last: None })))
    }

    /// Notes an input on its way to the team.
    pub(crate) fn note(&self, input: &Input<G>) {
        if lasts(input) {
            self.parts().recovery.note(input);
        }
    }

    /// Locks the state. Never held while the team works.
    pub(crate) fn parts(&self) -> MutexGuard<'_, Parts<G>> {
        // A panic in a clone leaves the previous value.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a replacement of the team has to know the input.
fn lasts<G: Game>(input: &Input<G>) -> bool {
    let Input::Event { event, .. } = input else { return !matches!(input, Input::Late { .. }) };
    match event {
        Event::Percept { .. }
        | Event::Asked { .. }
        | Event::Defaulted { .. }
        | Event::Notice(_)
        | Event::Refused { .. } => false,
        Event::Seated { .. }
        | Event::RoundStarted { .. }
        | Event::Out { .. }
        | Event::RoundOver { .. }
        | Event::MatchOver => true,
    }
}
