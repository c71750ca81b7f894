//! Journal lines and snapshots.

use super::Team;
use crate::turn::Phase;
use crate::{JournalEntry, JournalEvent, LogLevel, Output, Snapshot};
use phalanx_game::{AgentId, Game, World};
use std::sync::Arc;
use std::time::Instant;

impl<G: Game> Team<G> {
    pub(super) fn journal(&mut self, agent: Option<AgentId>, event: JournalEvent) {
        let agent = agent.map(|agent| self.crew.roster().name(agent).to_owned());
        let entry =
            JournalEntry { turn: self.turn(), agent, generation: self.brain.generation(), event };
        self.outputs.push_back(Output::Journal(entry));
    }

    pub(super) fn trouble(&mut self, agent: AgentId, text: String) {
        if let Some(member) = self.crew.get_mut(agent) {
            member.shown.trouble = text;
        }
    }

    /// Reports the turn, even if the referee went on before all agents decided.
    pub(super) fn close_turn(&mut self, now: Instant) {
        if self.turns.is_busy() {
            self.turn_done(now);
        }
    }

    /// Every asked agent has an answer on its way, or the turn is over.
    pub(super) fn turn_done(&mut self, now: Instant) {
        self.give_up_pilots();
        if let Some(open) = &mut self.turns.open {
            open.phase = Phase::Done;
        }
        self.journal_script_log();
        let mut done = self.counters.take_turn();
        done.score = self.world.borrow().score();
        self.journal(None, JournalEvent::TurnDone(done));
        self.end_profile_if_done();
        self.count_absent();
        self.check_alerts(now);
        self.publish();
    }

    /// Journals what scripts logged since the last time.
    pub(super) fn journal_script_log(&mut self) {
        let (lines, dropped) = self.shared.borrow_mut().take_log();
        for line in lines {
            let level = level_name(line.level);
            self.journal(line.agent, JournalEvent::Log { level, text: line.text });
        }
        if dropped > 0 {
            let text = format!("{dropped} more log lines of scripts in this turn were dropped");
            self.journal(None, JournalEvent::Log { level: "warn", text });
        }
    }

    /// Publishes a snapshot.
    pub(super) fn publish(&mut self) {
        let mut shared = self.shared.borrow_mut();
        let params = shared.params_copy();
        let world = self.world.borrow();
        let agents = self.crew.iter_mut().map(|(agent, entry, member)| {
            let state = world.state(agent);
            shared.role(agent).clone_into(&mut member.shown.role);
            member.shown.gone = entry.gone;
            member.shown.summary = state.summary;
            member.shown.last_result = state.last_result;
            member.shown.silent_turns = self.alerts.silent_turns(agent);
            member.shown.clone()
        });
        let agents = agents.collect();
        let snapshot = Snapshot {
            turn: self.turns.shown(),
            tick: self.turns.tick(),
            score: world.score(),
            rounds: self.counters.scores().to_vec(),
            generation: self.brain.generation(),
            on_probation: self.generations.is_on_probation(),
            params,
            agents,
            alerts: self.alerts.open().values().cloned().collect(),
            counters: self.counters.all(),
            inherited: self.counters.inherited(),
            board_keys: shared.board.len(),
            board_revision: shared.board.revision(),
            marks: shared.marks().to_vec(),
            metrics: shared.metrics.clone(),
            over: self.ending.is_over(),
        };
        drop((shared, world));
        self.outputs.push_back(Output::Publish(Arc::new(snapshot)));
    }
}

fn level_name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    }
}
