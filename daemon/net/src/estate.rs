//! What outlives a team's thread: where seats, rounds and requests stand, and the last checkpoint.

use crate::ledger::Ledger;
use crate::standing::Standing;
use phalanx_engine::{Checkpoint, Identity, Input, Staged};
use phalanx_game::{Event, Game};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A checkpoint that another life of the team may go on from.
pub(crate) type Last<G> = (Arc<Mutex<Checkpoint<G>>>, Identity);

/// Shared between the thread that acts for a team and the one that replaces it. Its lock is taken
/// for what lasts only, never for what a referee asks in a turn.
pub(crate) struct Estate<G: Game>(Arc<Mutex<Parts<G>>>);

/// What is in it.
pub(crate) struct Parts<G: Game> {
    pub(crate) standing: Standing<G>,
    pub(crate) ledger: Ledger,
    pub(crate) last: Option<Last<G>>,
}

impl<G: Game> Clone for Estate<G> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<G: Game> Estate<G> {
    /// Of a team that begins with this strategy.
    pub(crate) fn new(first: Staged) -> Self {
        let (standing, ledger) = (Standing::default(), Ledger::new(first));
        Self(Arc::new(Mutex::new(Parts { standing, ledger, last: None })))
    }

    /// An input passes on its way to the team.
    pub(crate) fn note(&self, input: &Input<G>) {
        if lasts(input) {
            let mut parts = self.parts();
            parts.standing.note(input);
            parts.ledger.note(input);
        }
    }

    /// All of it. Never held while the team works.
    pub(crate) fn parts(&self) -> MutexGuard<'_, Parts<G>> {
        // A panic in a clone leaves what was there before.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether another team in the place of this one has to know it.
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
        | Event::RoundOver { .. }
        | Event::MatchOver => true,
    }
}
