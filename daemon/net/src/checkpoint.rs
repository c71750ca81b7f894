//! Checkpoints of a running team: taken between turns, as often as their cost allows, and handed to
//! whoever keeps them.

use crate::clock::{now, wall};
use crate::estate::Estate;
use crate::lease::Lease;
use phalanx_engine::{
    Brain, Checkpoint, Freezer, Identity, JournalEvent, Keep, Snapshot, Team, inspect,
};
use phalanx_game::{Game, Turn};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Of a team's time at most one part in so many goes into checkpoints.
const SHARE: u32 = 50;

/// Keeps the checkpoints of one team. Called on the team's thread: it returns at once, whatever
/// disks do.
pub trait CheckpointSink: fmt::Debug + Send + Sync {
    /// Keeps this one; an older one that is not written yet never is.
    fn put(&self, checkpoint: Box<dyn Freeze>);

    /// The team met another match than the one from which it was to go on.
    fn refused(&self, reason: &str);

    /// There is nothing to go on with any more: the match is over, or the team left it for another.
    fn forget(&self);
}

/// A checkpoint without its types.
pub trait Freeze: fmt::Debug + Send {
    /// The last turn in it, in the team's count.
    fn turn(&self) -> Turn;

    /// The time that it took on the team's thread.
    fn cost(&self) -> Duration;

    /// The checkpoint as bytes. Takes milliseconds: not for the team's thread.
    fn freeze(&self, freezer: &mut Freezer) -> Vec<u8>;
}

/// How a team's checkpoints are kept.
#[derive(Clone, Debug, Default)]
pub struct CheckpointOptions {
    /// Shortest time between two of them.
    pub interval: Duration,
    /// Who keeps them; `None`: nobody but the team itself, for the case of a panic.
    pub sink: Option<Arc<dyn CheckpointSink>>,
    /// What the team goes on from; `None`: it knows nothing.
    pub from: Option<Arc<[u8]>>,
}

/// A checkpoint on its way.
struct Taken<G: Game> {
    checkpoint: Arc<Mutex<Checkpoint<G>>>,
    identity: Identity,
    cost: Duration,
}

impl<G: Game> fmt::Debug for Taken<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Taken").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl<G: Game> Freeze for Taken<G> {
    fn turn(&self) -> Turn {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner).turn()
    }

    fn cost(&self) -> Duration {
        self.cost
    }

    fn freeze(&self, freezer: &mut Freezer) -> Vec<u8> {
        // Freezing changes nothing: a checkpoint on which somebody panicked is as good as ever.
        let checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        checkpoint.freeze(&self.identity, freezer)
    }
}

/// Why a team is made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It panicked.
    Panic,
    /// Its thread did not respond, or an operator wants it.
    Replacement,
}

/// The checkpoints of one team, on its thread.
pub(crate) struct Checkpoints<G: Game> {
    options: Option<CheckpointOptions>,
    team: String,
    /// When the round began.
    begun: SystemTime,
    /// There is something that no checkpoint has.
    due: bool,
    /// None is taken before; `None`: now.
    next: Option<Instant>,
    /// Has the last one.
    estate: Estate<G>,
}

impl<G: Game> Checkpoints<G> {
    pub(crate) fn new(team: String, options: Option<CheckpointOptions>, estate: Estate<G>) -> Self {
        let last = estate.parts().last.as_ref().map(|(_, identity)| identity.begun);
        let from = options.as_ref().and_then(|options| options.from.as_deref());
        let from = from.and_then(|bytes| inspect(bytes).ok()).map(|found| found.identity.begun);
        let begun = last.or(from).unwrap_or_else(wall);
        Self { options, team, begun, due: false, next: None, estate }
    }

    fn sink(&self) -> Option<&Arc<dyn CheckpointSink>> {
        self.options.as_ref()?.sink.as_ref()
    }

    pub(crate) fn told(&mut self, event: &JournalEvent) {
        match event {
            JournalEvent::TurnDone(_) | JournalEvent::RoundOver { .. } => self.due = true,
            JournalEvent::RoundStarted => {
                // What is known of the round before is of no use in this one.
                (self.begun, self.next) = (wall(), None);
                self.estate.parts().last = None;
            }
            JournalEvent::CheckpointRefused { reason } => {
                self.sink().inspect(|sink| sink.refused(reason));
            }
            JournalEvent::Left { keep: Keep { world: false, .. }, .. }
            | JournalEvent::MatchOver => {
                self.due = false;
                self.estate.parts().last = None;
                self.sink().inspect(|sink| sink.forget());
            }
            JournalEvent::Seat { .. }
            | JournalEvent::Resumed { .. }
            | JournalEvent::Decided { .. }
            | JournalEvent::Fallback { .. }
            | JournalEvent::ScriptError { .. }
            | JournalEvent::Generation { .. }
            | JournalEvent::StrategyRefused { .. }
            | JournalEvent::TakenBack { .. }
            | JournalEvent::ParamSet { .. }
            | JournalEvent::BoardSet { .. }
            | JournalEvent::Ran { .. }
            | JournalEvent::RoleSet { .. }
            | JournalEvent::Steered { .. }
            | JournalEvent::Ordered { .. }
            | JournalEvent::Held { .. }
            | JournalEvent::AgentAdded { .. }
            | JournalEvent::AgentRemoved { .. }
            | JournalEvent::Retuned { .. }
            | JournalEvent::Left { .. }
            | JournalEvent::Returned { .. }
            | JournalEvent::AlertBegan { .. }
            | JournalEvent::AlertEnded { .. }
            | JournalEvent::Defaulted { .. }
            | JournalEvent::Late
            | JournalEvent::Notice(_)
            | JournalEvent::Log { .. } => {}
        }
    }

    /// The team leaves: what it knows now is the last that is kept.
    pub(crate) fn leaving(&mut self) {
        (self.due, self.next) = (true, None);
    }

    /// The team has nothing to do: a good moment. `server` says where it plays.
    pub(crate) fn keep<B: Brain>(
        &mut self,
        team: &mut Team<G, B>,
        server: impl FnOnce() -> String,
        (present, lease): (Instant, &Lease),
    ) {
        let Some(options) = self.options.as_ref().filter(|_| self.due) else { return };
        if self.next.is_some_and(|next| present < next) {
            return;
        }
        let interval = options.interval;
        let Some(checkpoint) = lease.work(|| team.checkpoint()) else {
            // The next moment will do: nobody need be woken for it.
            self.next = None;
            return;
        };
        self.due = false;
        let identity = Identity {
            team: self.team.clone(),
            game: G::NAME.to_owned(),
            server: server(),
            begun: self.begun,
            saved: wall(),
        };
        let checkpoint = Arc::new(Mutex::new(checkpoint));
        let taken = Taken {
            checkpoint: Arc::clone(&checkpoint),
            identity: identity.clone(),
            cost: now().saturating_duration_since(present),
        };
        self.sink().inspect(|sink| sink.put(Box::new(taken)));
        // The one before may end here, which takes its time too.
        let before = self.estate.parts().last.replace((checkpoint, identity));
        drop(before);
        let end = now();
        let cost = end.saturating_duration_since(present);
        self.next = Some(end + interval.max(cost.saturating_mul(SHARE)));
    }

    /// When one may be taken that cannot be now.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.next.filter(|_| self.due && self.options.is_some())
    }

    /// What a fresh team goes on with: the last checkpoint, with what operators did since. After a
    /// panic each is used once, since it may be the reason.
    pub(crate) fn last(&self, snapshot: &Snapshot, after: After) -> Option<Arc<[u8]>> {
        let (checkpoint, identity) = match after {
            After::Panic => self.estate.parts().last.take()?,
            After::Replacement => self.estate.parts().last.clone()?,
        };
        let mut checkpoint = checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        let steering: Vec<_> = snapshot.agents.iter().map(|agent| agent.steering.clone()).collect();
        checkpoint.steered(&snapshot.params, &steering);
        Some(checkpoint.freeze(&identity, &mut Freezer::default()).into())
    }
}
