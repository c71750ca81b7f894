//! Samples what a recording shows in addition to what replay needs: percepts, the board, pictures
//! of the world. It does so between turns, and only while the queue has room.

use crate::tape::Tape;
use crate::{Percepts, Taped};
use phalanx_engine::{BoardRead, JournalEntry, JournalEvent, Snapshot, Team};
use phalanx_game::Game;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The world is drawn in the first turn that comes at least this many turns after the last drawing.
const KEYFRAME_TURNS: u64 = 10;
/// The team is sampled this long after a turn: the seats write their actions first.
const LOOK_AFTER: Duration = Duration::from_millis(5);

/// Samples a team at the end of each turn.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    /// When to sample the last turn; earlier if the team gets an input first. `None`: it is sampled
    /// already.
    due: Option<Instant>,
    /// The snapshot that the team published last, until it is recorded.
    snapshot: Option<Arc<Snapshot>>,
    /// The board's changes are recorded up to this revision.
    board: u64,
    /// The tick of the last drawing.
    drawn: Option<u64>,
}

impl Sampler {
    pub(crate) fn journaled(&mut self, entry: &JournalEntry, now: Instant) {
        if let JournalEvent::TurnDone(_) = entry.event {
            self.due = Some(now + LOOK_AFTER);
        } else if let JournalEvent::RoundStarted = entry.event {
            // The world is new: draw it after the next turn.
            self.drawn = None;
        }
    }

    pub(crate) fn published(&mut self, snapshot: &Arc<Snapshot>) {
        self.snapshot = Some(Arc::clone(snapshot));
    }

    /// When to sample.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Samples the team if a turn is done. Call it before the team gets input of the next turn.
    pub(crate) fn look<G: Game>(&mut self, team: &Team<G>, tape: &Tape, now: Instant) {
        if self.due.take().is_none() {
            return;
        }
        let Some(snapshot) = self.snapshot.take() else { return };
        tape.put(now, || Taped::Snapshot(snapshot));
        if !tape.wants_everything() {
            return;
        }
        let turn = team.turn();
        let percepts = Percepts { turn, agents: team.percepts() };
        tape.put(now, || Taped::Percepts(Arc::new(percepts)));
        let page = team.board(&BoardRead::Since(self.board));
        if page.revision != self.board || !page.items.is_empty() || !page.gone.is_empty() {
            self.board = page.revision;
            tape.put(now, || Taped::Board { turn, page: Arc::new(page) });
        }
        let tick = team.tick();
        if self.drawn.is_none_or(|drawn| tick >= drawn + KEYFRAME_TURNS) {
            self.drawn = Some(tick);
            tape.put(now, || Taped::Drawing(Arc::new(team.drawing())));
        }
    }
}
