//! What a recording shows beside what it needs: percepts, the board, pictures of the world, looked at
//! between turns while there is room for it.

use crate::tape::Tape;
use crate::{Percepts, Taped};
use phalanx_engine::{BoardRead, Brain, JournalEntry, JournalEvent, Snapshot, Team};
use phalanx_game::Game;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The world is drawn in each turn that is so many turns after the last drawing.
const KEYFRAME_TURNS: u64 = 10;
/// So long after a turn the team is looked at: the seats write their actions first.
const LOOK_AFTER: Duration = Duration::from_millis(5);

/// Looks at a team at the end of each turn.
#[derive(Debug, Default)]
pub(crate) struct Lookout {
    /// A turn is through and was not looked at yet: when to look at the latest, unless something
    /// happens to the team before.
    due: Option<Instant>,
    /// What the team published last, if nobody has kept it yet.
    snapshot: Option<Arc<Snapshot>>,
    /// Up to this revision the board's changes are kept.
    board: u64,
    /// The tick of the last drawing.
    drawn: Option<u64>,
}

impl Lookout {
    pub(crate) fn told(&mut self, entry: &JournalEntry, now: Instant) {
        if let JournalEvent::TurnDone(_) = entry.event {
            self.due = Some(now + LOOK_AFTER);
        } else if let JournalEvent::RoundStarted = entry.event {
            // Another world: the next turn shows it.
            self.drawn = None;
        }
    }

    pub(crate) fn published(&mut self, snapshot: &Arc<Snapshot>) {
        self.snapshot = Some(Arc::clone(snapshot));
    }

    /// When to look.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Looks if a turn is through. The team must not have heard of the next one yet.
    pub(crate) fn look<G: Game, B: Brain>(&mut self, team: &Team<G, B>, tape: &Tape, now: Instant) {
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
