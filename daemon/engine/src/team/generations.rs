//! The generations of a team's strategy: the one that decides, the one that waits, the one to
//! return to, and the scripts that are not called any more.

use crate::{Memory, Probation, Staged, Suspension, Ticket};
use phalanx_game::Turn;
use std::sync::Arc;
use std::time::Duration;

/// While a turn gathers, a swap needs this many times its expected duration.
const ROOM_FACTOR: u32 = 10;
/// After this many turns without such a gap, the generation takes over before the agents of a turn
/// decide: turns that follow each other without a gap must not delay it for ever.
const WAIT_TURNS_MAX: u64 = 20;
/// Most suspensions that a team keeps; usually there is one for each role.
const SUSPENSIONS_MAX: usize = 64;

/// The generations of a team.
#[derive(Debug)]
pub(super) struct Generations {
    /// The one that decides.
    active: Staged,
    waiting: Option<Waiting>,
    watch: Option<ProbationState>,
    suspended: Vec<Suspension>,
}

/// A generation that waits for a gap between turns.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) ticket: Ticket,
    pub(super) staged: Staged,
    pub(super) pinned: bool,
    /// The number of turns begun before it came.
    since: u64,
}

/// The generation that decides is on probation.
#[derive(Debug)]
pub(super) struct ProbationState {
    /// The last generation that passed its probation.
    pub(super) back: Staged,
    /// The agents' memories when that generation decided last.
    pub(super) spare: Vec<Memory>,
    /// Defaults of earlier turns do not count against the new generation.
    from: Turn,
    decisions: u32,
    troubles: u32,
    last_trouble: String,
    /// It failed too often and waits for its rollback since this turn count.
    failed: Option<u64>,
}

/// The room for a swap: the time that the turn has left, and the turns begun so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwapRoom {
    pub(super) spare: Duration,
    pub(super) tick: u64,
}

impl SwapRoom {
    fn fits(self, staged: &Staged, since: u64) -> bool {
        staged.cost.saturating_mul(ROOM_FACTOR) <= self.spare
            || self.tick.saturating_sub(since) >= WAIT_TURNS_MAX
    }
}

impl ProbationState {
    /// Why the generation is taken back.
    pub(super) fn reason(&self) -> String {
        let Self { decisions, troubles, last_trouble, .. } = self;
        format!(
            "{troubles} errors and fallbacks in its first {decisions} decisions; \
             the last: {last_trouble}"
        )
    }
}

impl Generations {
    pub(super) fn new(active: Staged) -> Self {
        Self { active, waiting: None, watch: None, suspended: Vec::new() }
    }

    /// The generation that decides.
    pub(super) fn active(&self) -> &Staged {
        &self.active
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    pub(super) fn is_on_probation(&self) -> bool {
        self.watch.is_some()
    }

    /// A generation waits from now on; returns the one whose place it takes.
    pub(super) fn stage(
        &mut self,
        ticket: Ticket,
        (staged, pinned): (Staged, bool),
        tick: u64,
    ) -> Option<Waiting> {
        // The replacement inherits the waiting time: saving again and again must not delay both for
        // ever.
        let since = self.waiting.as_ref().map_or(tick, |older| older.since);
        self.waiting.replace(Waiting { ticket, staged, pinned, since })
    }

    /// The generation on probation failed, and there is room to take it back.
    pub(super) fn take_failed(&mut self, room: SwapRoom) -> Option<ProbationState> {
        self.watch.take_if(|watch| watch.failed.is_some_and(|since| room.fits(&watch.back, since)))
    }

    /// The waiting generation, if there is room for it.
    pub(super) fn take_waiting(&mut self, room: SwapRoom) -> Option<Waiting> {
        self.waiting.take_if(|waiting| room.fits(&waiting.staged, waiting.since))
    }

    /// The memories of a generation from before the one on probation; empty for any other.
    pub(super) fn spare_of(&self, staged: &Staged) -> Vec<Memory> {
        // Only a generation on probation still has the memories from before it.
        let back = self.watch.as_ref().filter(|watch| watch.back.generation == staged.generation);
        back.map_or_else(Vec::new, |watch| watch.spare.clone())
    }

    /// Another generation decides, first in the turn `from`; `memories` are those of the one before.
    pub(super) fn installed(
        &mut self,
        staged: Staged,
        pinned: bool,
        memories: Vec<Memory>,
        (from, probation): (Turn, Probation),
    ) {
        let generation = Arc::clone(&staged.generation);
        let before = std::mem::replace(&mut self.active, staged);
        // A generation that is still on probation is no target for a rollback.
        let (back, spare) = match self.watch.take() {
            Some(watch) => (watch.back, watch.spare),
            None => (before, memories),
        };
        // A generation that returns needs no probation, and it cannot be rolled back to itself.
        let is_back = back.generation == generation;
        if !pinned && !is_back && probation.decisions > 0 {
            let last_trouble = String::new();
            let (decisions, troubles, failed) = (0, 0, None);
            self.watch = Some(ProbationState {
                back,
                spare,
                from,
                decisions,
                troubles,
                last_trouble,
                failed,
            });
        }
    }

    /// The generation of before decides again; returns the one that failed.
    pub(super) fn returned(&mut self, back: Staged) -> Staged {
        std::mem::replace(&mut self.active, back)
    }

    /// The new generation decided once more; enough of that without trouble proves it.
    pub(super) fn decided(&mut self, limits: Probation) {
        if let Some(watch) = &mut self.watch {
            watch.decisions += 1;
        }
        self.watch.take_if(|watch| watch.decisions >= limits.decisions && watch.failed.is_none());
    }

    /// A script of the new generation failed.
    pub(super) fn troubled(&mut self, trouble: &str, limits: Probation, tick: u64) {
        if let Some(watch) = &mut self.watch {
            watch.troubles = watch.troubles.saturating_add(1);
            trouble.clone_into(&mut watch.last_trouble);
            if watch.troubles > limits.errors {
                watch.failed.get_or_insert(tick);
            }
        }
    }

    /// Whether a generation is on probation that had to decide this turn.
    pub(super) fn is_watched_in(&self, turn: Turn) -> bool {
        self.watch.as_ref().is_some_and(|watch| turn >= watch.from)
    }

    /// These scripts are not called any more.
    pub(super) fn suspend(&mut self, suspended: Vec<Suspension>) {
        for suspension in suspended.into_iter().take(SUSPENSIONS_MAX) {
            self.suspended.retain(|known| known.role != suspension.role);
            self.suspended.push(suspension);
        }
    }

    /// The suspensions of the generation that decides.
    pub(super) fn suspended(&self) -> impl Iterator<Item = &Suspension> {
        let generation = self.active.generation.number;
        self.suspended.iter().filter(move |suspension| suspension.generation == generation)
    }

    /// The suspension of a role's script, or with `None` of the team's plan; `None` if it is not
    /// suspended.
    pub(super) fn suspension(&self, role: Option<&str>) -> Option<&Suspension> {
        self.suspended().find(|suspension| suspension.role.as_deref() == role)
    }

    /// The script of the role is called again.
    pub(super) fn lift_suspension(&mut self, role: &str) {
        self.suspended.retain(|suspension| suspension.role.as_deref() != Some(role));
    }
}
