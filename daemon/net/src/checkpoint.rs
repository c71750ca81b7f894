//! Checkpoints of a running team: taken between turns, as often as their cost allows, and handed to
//! a sink that stores them.

use crate::clock::{now, wall};
use crate::lease::Lease;
use crate::thread_recovery::ThreadRecovery;
use phalanx_engine::{Checkpoint, Freezer, Identity, JournalEvent, Keep, Snapshot, Team, inspect};
use phalanx_game::{Game, Turn};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// At most one part in this many of a team's time goes into checkpoints.
const SHARE: u32 = 50;

/// Stores the checkpoints of one team. It is called on the team's thread and returns at once,
/// however slow the disk is.
pub trait CheckpointSink: fmt::Debug + Send + Sync {
    /// Stores this checkpoint; an older one that is not written yet is dropped.
    fn put(&self, checkpoint: Box<dyn Freeze>);

    /// The team found another match than the checkpoint's.
    fn refused(&self, reason: &str);

    /// The checkpoints are of no use any more: the match is over, or the team left it for another.
    fn forget(&self);

    /// Why no checkpoint can be written at the moment; `None` while all is well.
    fn trouble(&self) -> Option<String> {
        None
    }
}

/// A checkpoint without its types.
pub trait Freeze: fmt::Debug + Send {
    /// The last turn in it, in the team's count.
    fn turn(&self) -> Turn;

    /// The time that it took on the team's thread.
    fn cost(&self) -> Duration;

    /// The checkpoint as bytes. Takes milliseconds: do not call it on the team's thread.
    fn freeze(&self, freezer: &mut Freezer) -> Vec<u8>;
}

/// How a team's checkpoints are kept.
#[derive(Clone, Debug, Default)]
pub struct CheckpointOptions {
    /// Shortest time between two of them.
    pub interval: Duration,
    /// Stores the checkpoints; `None`: only the team itself keeps one, in case of a panic.
    pub sink: Option<Arc<dyn CheckpointSink>>,
    /// The checkpoint to continue from; `None`: the team starts empty.
    pub from: Option<Arc<[u8]>>,
}

/// A checkpoint that is not written yet.
struct PendingCheckpoint<G: Game> {
    checkpoint: Arc<Mutex<Checkpoint<G>>>,
    identity: Identity,
    cost: Duration,
}

impl<G: Game> fmt::Debug for PendingCheckpoint<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCheckpoint")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Freeze for PendingCheckpoint<G> {
    fn turn(&self) -> Turn {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner).turn()
    }

    fn cost(&self) -> Duration {
        self.cost
    }

    fn freeze(&self, freezer: &mut Freezer) -> Vec<u8> {
        // Freezing changes nothing, so a checkpoint is intact even after a panic of another holder.
        let checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        checkpoint.freeze(&self.identity, freezer)
    }
}

/// Why a team is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It panicked.
    Panic,
    /// Its thread did not respond, or an operator requested it.
    Replacement,
}

/// The checkpoints of one team, on its thread.
pub(crate) struct Checkpoints<G: Game> {
    options: Option<CheckpointOptions>,
    team: String,
    /// When the round began.
    begun: SystemTime,
    /// The team has changed since the last checkpoint.
    due: bool,
    /// No checkpoint is taken before this instant; `None`: now.
    next: Option<Instant>,
    /// Holds the last one.
    thread_recovery: ThreadRecovery<G>,
}

impl<G: Game> Checkpoints<G> {
    pub(crate) fn new(
        team: String,
        options: Option<CheckpointOptions>,
        thread_recovery: ThreadRecovery<G>,
    ) -> Self {
        let last = thread_recovery.parts().last.as_ref().map(|(_, identity)| identity.begun);
        let from = options.as_ref().and_then(|options| options.from.as_deref());
        let from = from.and_then(|bytes| inspect(bytes).ok()).map(|found| found.identity.begun);
        let begun = last.or(from).unwrap_or_else(wall);
        Self { options, team, begun, due: false, next: None, thread_recovery }
    }

    fn sink(&self) -> Option<&Arc<dyn CheckpointSink>> {
        self.options.as_ref()?.sink.as_ref()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other kinds change no checkpoint")]
    pub(crate) fn journaled(&mut self, event: &JournalEvent) {
        match event {
            JournalEvent::TurnDone(_) | JournalEvent::RoundOver { .. } => self.due = true,
            JournalEvent::RoundStarted => {
                // A checkpoint of the round before is of no use in this one.
                (self.begun, self.next) = (wall(), None);
                self.thread_recovery.parts().last = None;
            }
            JournalEvent::CheckpointRefused { reason } => {
                self.sink().inspect(|sink| sink.refused(reason));
            }
            JournalEvent::Left { keep: Keep { world: false, .. }, .. }
            | JournalEvent::MatchOver => {
                self.due = false;
                self.thread_recovery.parts().last = None;
                self.sink().inspect(|sink| sink.forget());
            }
            _ => {}
        }
    }

    /// The team leaves: its current state is the last checkpoint.
    pub(crate) fn leaving(&mut self) {
        (self.due, self.next) = (true, None);
    }

    /// The team is idle: a good moment for a checkpoint. `server` is the address where it plays.
    pub(crate) fn keep(
        &mut self,
        team: &mut Team<G>,
        server: impl FnOnce() -> String,
        (present, lease): (Instant, &Lease),
    ) {
        let Some(options) = self.options.as_ref().filter(|_| self.due) else { return };
        if self.next.is_some_and(|next| present < next) {
            return;
        }
        let interval = options.interval;
        let Some(checkpoint) = lease.work(|| team.checkpoint()) else {
            // The next opportunity will do: there is no need for a wake-up.
            self.next = None;
            return;
        };
        self.due = false;
        let identity = Identity {
            team: self.team.clone(),
            game: team.declaration().name.to_owned(),
            server: server(),
            begun: self.begun,
            saved: wall(),
        };
        let checkpoint = Arc::new(Mutex::new(checkpoint));
        let taken = PendingCheckpoint {
            checkpoint: Arc::clone(&checkpoint),
            identity: identity.clone(),
            cost: now().saturating_duration_since(present),
        };
        self.sink().inspect(|sink| sink.put(Box::new(taken)));
        // The previous one may be dropped here, which takes time too.
        let before = self.thread_recovery.parts().last.replace((checkpoint, identity));
        drop(before);
        let end = now();
        let cost = end.saturating_duration_since(present);
        self.next = Some(end + interval.max(cost.saturating_mul(SHARE)));
    }

    /// The earliest instant for the next one, if it is not now.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.next.filter(|_| self.due && self.options.is_some())
    }

    /// The state for a fresh team: the last checkpoint, with the operators' changes since then.
    /// After a panic each checkpoint is used once, since it may be the reason of the panic.
    pub(crate) fn last(&self, snapshot: &Snapshot, after: After) -> Option<Arc<[u8]>> {
        let (checkpoint, identity) = match after {
            After::Panic => self.thread_recovery.parts().last.take()?,
            After::Replacement => self.thread_recovery.parts().last.clone()?,
        };
        let mut checkpoint = checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        checkpoint.steered(&snapshot.params, &snapshot.steering());
        Some(checkpoint.freeze(&identity, &mut Freezer::default()).into())
    }
}
