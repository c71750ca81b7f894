//! Another generation decides: the swap, the time in which it is watched, and the way back.

use super::operator::refusal;
use super::{Drain, Team};
use crate::{
    Answer, Brain, BrainError, Carry, Fault, JournalEvent, Memory, Staged, StrategyOrigin, Ticket,
};
use phalanx_game::{DefaultCause, Game, Turn};
use std::sync::Arc;
use std::time::Duration;

/// While a turn gathers, a swap needs this many times the time that it is expected to take.
const ROOM_FACTOR: u32 = 10;
/// After so many turns without such room it comes all the same, before the agents of a turn decide:
/// turns that follow each other without a gap must not keep a generation out for ever.
const WAIT_TURNS_MAX: u64 = 20;

/// A generation that waits for the border.
#[derive(Debug)]
pub(super) struct Waiting {
    ticket: Ticket,
    staged: Staged,
    pinned: bool,
    /// Turns that were begun before it came.
    since: u64,
}

/// The generation that decides is new, and may be taken back.
#[derive(Debug)]
pub(super) struct Watch {
    /// The last generation that proved itself.
    back: Staged,
    /// What the agents remembered when that one decided last.
    spare: Vec<Memory>,
    /// Defaults of earlier turns say nothing about the new generation.
    from: Turn,
    decisions: u32,
    troubles: u32,
    last_trouble: String,
    /// It failed too often, and waits to be taken back since so many turns were begun.
    failed: Option<u64>,
}

impl<G: Game, B: Brain> Team<G, B> {
    pub(super) fn stage(&mut self, ticket: Ticket, staged: Staged, pinned: bool) {
        if self.drain != Drain::No {
            self.answer(ticket, Answer::Installed(Err(refusal("the team is leaving"))));
            return;
        }
        let number = staged.generation.number;
        // Its turns of waiting count for the one that takes its place: saving again and again must
        // not keep both out.
        let since = self.waiting.as_ref().map_or(self.tick, |older| older.since);
        if let Some(older) = self.waiting.replace(Waiting { ticket, staged, pinned, since }) {
            let older_number = older.staged.generation.number;
            let text = format!(
                "generation {older_number} never decided: generation {number} came before its turn"
            );
            self.answer(older.ticket, Answer::Installed(Err(refusal(text))));
        }
    }

    /// Swaps if something is to be swapped and the turn, if one gathers, has room for it. Returns
    /// the time that it is expected to have taken.
    pub(super) fn swap(&mut self, spare: Duration) -> Option<Duration> {
        let tick = self.tick;
        let may_come = |staged: &Staged, since: u64| {
            let has_room = staged.cost.saturating_mul(ROOM_FACTOR) <= spare;
            has_room || tick.saturating_sub(since) >= WAIT_TURNS_MAX
        };
        if let Some(watch) = self
            .watch
            .take_if(|watch| watch.failed.is_some_and(|since| may_come(&watch.back, since)))
        {
            let cost = watch.back.cost;
            self.take_back(watch);
            return Some(cost);
        }
        let waiting = self.waiting.take_if(|waiting| may_come(&waiting.staged, waiting.since))?;
        let cost = waiting.staged.cost;
        let answer = self.install(waiting.staged, waiting.pinned);
        self.answer(waiting.ticket, Answer::Installed(answer));
        Some(cost)
    }

    fn install(&mut self, staged: Staged, pinned: bool) -> Result<(), BrainError> {
        let generation = Arc::clone(&staged.generation);
        let note = staged.note.clone();
        // Only what is watched still has its memories of before at hand.
        let back = self.watch.as_ref().filter(|watch| watch.back.generation == generation);
        let spare = back.map_or_else(Vec::new, |watch| watch.spare.clone());
        let spare = (staged.carry == Carry::Loose).then_some(spare.as_slice());
        let memories = match self.load(&staged, spare) {
            Ok(memories) => memories,
            Err(error) => {
                let faults = vec![fault(&error)];
                let origin: StrategyOrigin = generation.origin.clone();
                self.journal(None, JournalEvent::StrategyRefused { origin, faults });
                return Err(error);
            }
        };
        let before = std::mem::replace(&mut self.active, staged);
        // A generation that is still on probation is nothing to return to.
        let (back, spare) = match self.watch.take() {
            Some(watch) => (watch.back, watch.spare),
            None => (before, memories),
        };
        // One that comes back has proved itself; and there is no way back from it to itself.
        let is_back = back.generation == generation;
        if !pinned && !is_back && self.options.probation.decisions > 0 {
            let from = self.next_decided_turn();
            self.watch = Some(Watch {
                back,
                spare,
                from,
                decisions: 0,
                troubles: 0,
                last_trouble: String::new(),
                failed: None,
            });
        }
        self.journal(None, JournalEvent::Generation { generation, pinned, note });
        self.tell_suspended();
        self.publish();
        Ok(())
    }

    /// Declarations of parameters belong to a generation; what operators set belongs to the team.
    fn load(
        &mut self,
        staged: &Staged,
        spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        // What was logged so far belongs to the generation that goes.
        self.tell_log();
        let before = self.shared.borrow().params.clone();
        self.shared.borrow_mut().params.forget_declarations();
        let loaded = self.brain.install(staged, spare);
        if loaded.is_err() {
            self.shared.borrow_mut().params = before;
        }
        loaded
    }

    fn take_back(&mut self, watch: Watch) {
        let Watch { back, spare, decisions, troubles, last_trouble, .. } = watch;
        // It may have begun with empty memories once; now the team's memories are at stake.
        let back = Staged { carry: Carry::Loose, ..back };
        let reason = format!(
            "{troubles} errors and defaulted turns in its first {decisions} decisions; \
             the last: {last_trouble}"
        );
        match self.load(&back, Some(&spare)) {
            Ok(_) => {
                let generation = Arc::clone(&back.generation);
                let failed = std::mem::replace(&mut self.active, back).generation;
                self.journal(None, JournalEvent::TakenBack { failed, generation, reason });
                self.tell_suspended();
            }
            Err(error) => {
                let (number, back) = (self.active.generation.number, back.generation.number);
                let text = format!(
                    "generation {number} stays, though it fails ({reason}): \
                     generation {back} does not load any more: {error}"
                );
                self.journal(None, JournalEvent::Log { level: "error", text });
            }
        }
        self.publish();
    }

    /// The earliest turn that the present generation decides.
    fn next_decided_turn(&self) -> Turn {
        let turn = self.turn();
        let done = self.open.as_ref().is_some_and(|open| !open.is_gathering());
        if done { Turn::new(turn.round, turn.step.saturating_add(1)) } else { turn }
    }

    /// The new generation decided once more; enough of that without trouble proves it.
    pub(super) fn watch_decision(&mut self) {
        let limits = self.options.probation;
        if let Some(watch) = &mut self.watch {
            watch.decisions += 1;
        }
        self.watch.take_if(|watch| watch.decisions >= limits.decisions && watch.failed.is_none());
    }

    /// A script of the new generation failed.
    pub(super) fn watch_trouble(&mut self, trouble: &str) {
        let (tick, errors) = (self.tick, self.options.probation.errors);
        if let Some(watch) = &mut self.watch {
            watch.troubles = watch.troubles.saturating_add(1);
            trouble.clone_into(&mut watch.last_trouble);
            if watch.troubles > errors {
                watch.failed.get_or_insert(tick);
            }
        }
    }

    /// Nobody decided in this turn, which may be one of the generation before.
    pub(super) fn watch_default(&mut self, turn: Turn, cause: DefaultCause) {
        if self.watch.as_ref().is_some_and(|watch| turn >= watch.from) {
            self.watch_trouble(&cause.to_string());
        }
    }
}

/// A failed swap as a finding of a trial.
fn fault(error: &BrainError) -> Fault {
    let (file, line) = match &error.place {
        Some((file, line)) => (file.clone(), Some(*line)),
        None => ("strategy".to_owned(), None),
    };
    Fault {
        fatal: true,
        file,
        line,
        column: None,
        message: error.message.clone(),
        help: String::new(),
        excerpt: String::new(),
    }
}
