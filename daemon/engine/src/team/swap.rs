//! Changes of the generation: the swap, the probation, and the rollback.

use super::Team;
use super::generations::{ProbationState, SwapRoom};
use super::operator::not_run;
use crate::{
    BrainError, Carry, Fault, InstallStrategy, JournalEvent, Memory, Staged, StrategyOrigin, Ticket,
};
use phalanx_game::{DefaultCause, Game, Turn};
use std::sync::Arc;
use std::time::Duration;

impl<G: Game> Team<G> {
    pub(super) fn stage(&mut self, ticket: Ticket, install: InstallStrategy) {
        let InstallStrategy { staged, pinned } = install;
        if self.ending.is_draining() {
            self.answer::<InstallStrategy>(ticket, Err(not_run("the team is leaving")));
            return;
        }
        let number = staged.generation.number;
        if let Some(older) = self.generations.stage(ticket, (staged, pinned), self.turns.tick()) {
            let older_number = older.staged.generation.number;
            let text = format!(
                "generation {older_number} never decided: generation {number} came before its turn"
            );
            self.answer::<InstallStrategy>(older.ticket, Err(not_run(text)));
        }
    }

    /// Swaps if a generation waits and the turn, if one gathers, has time for it. Returns the
    /// expected duration of the swap.
    pub(super) fn swap(&mut self, spare: Duration) -> Option<Duration> {
        let room = SwapRoom { spare, tick: self.turns.tick() };
        if let Some(watch) = self.generations.take_failed(room) {
            let cost = watch.back.cost;
            self.take_back(watch);
            return Some(cost);
        }
        let waiting = self.generations.take_waiting(room)?;
        let cost = waiting.staged.cost;
        let installed = self.install(waiting.staged, waiting.pinned);
        self.answer::<InstallStrategy>(waiting.ticket, installed.map_err(Into::into));
        Some(cost)
    }

    fn install(&mut self, staged: Staged, pinned: bool) -> Result<(), BrainError> {
        let generation = Arc::clone(&staged.generation);
        let note = staged.note.clone();
        let spare = self.generations.spare_of(&staged);
        let spare = (staged.carry == Carry::Loose).then_some(spare.as_slice());
        let memories = match self.load(&staged, spare) {
            Ok(memories) => memories,
            Err(error) => {
                let faults = vec![Fault::from(&error)];
                let origin: StrategyOrigin = generation.origin.clone();
                self.journal(None, JournalEvent::StrategyRefused { origin, faults });
                return Err(error);
            }
        };
        let probation = (self.turns.next_decided(), self.options.probation);
        self.generations.installed(staged, pinned, memories, probation);
        self.journal(None, JournalEvent::Generation { generation, pinned, note });
        self.report_suspended();
        self.publish();
        Ok(())
    }

    /// Declarations of parameters belong to a generation; the operators' values belong to the team.
    fn load(
        &mut self,
        staged: &Staged,
        spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        // The log lines so far belong to the previous generation.
        self.journal_script_log();
        let before = self.shared.borrow().params.clone();
        self.shared.borrow_mut().params.forget_declarations();
        let loaded = self.brain.install(staged, spare);
        if loaded.is_err() {
            self.shared.borrow_mut().params = before;
        }
        loaded
    }

    fn take_back(&mut self, watch: ProbationState) {
        let reason = watch.reason();
        // It may have begun with empty memories once; now the team's memories are at stake.
        let back = Staged { carry: Carry::Loose, ..watch.back };
        match self.load(&back, Some(&watch.spare)) {
            Ok(_) => {
                let generation = Arc::clone(&back.generation);
                let failed = self.generations.returned(back).generation;
                self.journal(None, JournalEvent::TakenBack { failed, generation, reason });
                self.report_suspended();
            }
            Err(error) => {
                let number = self.generations.active().generation.number;
                let back = back.generation.number;
                let text = format!(
                    "generation {number} stays, though it fails ({reason}): \
                     generation {back} does not load any more: {error}"
                );
                self.journal(None, JournalEvent::Log { level: "error", text });
            }
        }
        self.publish();
    }

    /// A script of the new generation failed.
    pub(super) fn watch_trouble(&mut self, trouble: &str) {
        self.generations.troubled(trouble, self.options.probation, self.turns.tick());
    }

    /// An agent did not decide in this turn, which may belong to the previous generation.
    pub(super) fn watch_default(&mut self, turn: Turn, cause: DefaultCause) {
        if self.generations.is_watched_in(turn) {
            self.watch_trouble(&cause.to_string());
        }
    }
}
