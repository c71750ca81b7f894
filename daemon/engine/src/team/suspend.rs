//! Scripts that did not return are not called again.

use super::Team;
use crate::alerts::Change;
use crate::{AlertKind, Brain, JournalEvent, Suspension};
use phalanx_game::{AgentId, Game};
use std::time::Instant;

/// Most suspensions that a team keeps; one for each role is the usual.
const SUSPENSIONS_MAX: usize = 64;

impl<G: Game, B: Brain> Team<G, B> {
    /// The team took the place of another one.
    pub(super) fn restarted(&mut self, reason: String, suspended: Vec<Suspension>, now: Instant) {
        if !reason.is_empty() {
            self.journal(None, JournalEvent::Log { level: "warn", text: reason });
        }
        for suspension in suspended.into_iter().take(SUSPENSIONS_MAX) {
            self.suspended.retain(|known| known.role != suspension.role);
            self.suspended.push(suspension);
        }
        self.tell_suspended();
        self.check_alerts(now);
        self.publish();
    }

    /// Why the script of a role, or `None`: of the team, is not called; `None` when it is.
    pub(super) fn suspension(&self, role: Option<&str>) -> Option<&Suspension> {
        let generation = self.active.generation.number;
        let holds = |suspension: &&Suspension| {
            suspension.generation == generation && suspension.role.as_deref() == role
        };
        self.suspended.iter().find(holds)
    }

    /// Whether the script of the agent's role is not called.
    pub(super) fn is_suspended(&self, agent: AgentId) -> bool {
        !self.suspended.is_empty()
            && self.suspension(Some(self.shared.borrow().role(agent))).is_some()
    }

    /// An operator set the role again: its script is called from now on.
    pub(super) fn lift_suspension(&mut self, role: &str) {
        self.suspended.retain(|suspension| suspension.role.as_deref() != Some(role));
        self.tell_suspended();
    }

    /// Alerts begin and end with what they are about. To be called when suspensions or the
    /// generation have changed.
    pub(super) fn tell_suspended(&mut self) {
        let kind = AlertKind::SuspendedScript;
        let generation = self.active.generation.number;
        let mut begin = Vec::new();
        let mut end: Vec<_> =
            self.alerts_open.keys().filter(|(open, _)| *open == kind).copied().collect();
        for suspension in &self.suspended {
            let key = (kind, suspension.agent);
            if suspension.generation != generation {
                continue;
            }
            end.retain(|open| *open != key);
            if !self.alerts_open.contains_key(&key) {
                begin.push((suspension.agent, suspension.reason.clone()));
            }
        }
        for (_, agent) in end {
            self.tell_alert(Change { kind, agent, text: None });
        }
        for (agent, text) in begin {
            self.tell_alert(Change { kind, agent, text: Some(text) });
        }
    }
}
