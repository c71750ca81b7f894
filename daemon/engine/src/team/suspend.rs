//! Scripts that did not return are not called again.

use super::Team;
use crate::{JournalEvent, Suspension};
use phalanx_game::{AgentId, Game};
use std::time::Instant;

impl<G: Game> Team<G> {
    /// The team replaced one whose thread failed.
    pub(super) fn restarted(&mut self, reason: String, suspended: Vec<Suspension>, now: Instant) {
        if !reason.is_empty() {
            self.journal(None, JournalEvent::Log { level: "warn", text: reason });
        }
        self.generations.suspend(suspended);
        self.report_suspended();
        self.check_alerts(now);
        self.publish();
    }

    /// Whether the script of the agent's role is suspended.
    pub(super) fn is_suspended(&self, agent: AgentId) -> bool {
        self.generations.suspension(Some(self.shared.borrow().role(agent))).is_some()
    }

    /// Begins and ends the alerts of suspensions. Call it when suspensions or the generation have
    /// changed.
    pub(super) fn report_suspended(&mut self) {
        for change in self.alerts.check_suspended(self.generations.suspended()) {
            self.report_alert(change);
        }
    }
}
