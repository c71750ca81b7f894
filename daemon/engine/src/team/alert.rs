//! The team feeds its alerts and publishes their results.

use super::Team;
use crate::alerts::{Change, Presence};
use crate::{Alert, JournalEvent, SeatState, Steering};
use phalanx_game::{AgentId, Game, World};
use std::time::{Duration, Instant};

impl<G: Game> Team<G> {
    /// Writes alerts that begin or end now to the journal. True if there are any.
    pub(super) fn check_alerts(&mut self, now: Instant) -> bool {
        let presence: Vec<_> = self.crew.roster().ids().map(|agent| self.presence(agent)).collect();
        for (agent, presence) in self.crew.roster().ids().zip(&presence) {
            self.alerts.seat(agent, *presence, now);
        }
        let changes = self.alerts.check(&presence, now);
        let any = !changes.is_empty();
        for change in changes {
            self.report_alert(change);
        }
        any
    }

    /// As [`check_alerts`](Self::check_alerts), when no snapshot follows anyway.
    pub(super) fn check_alerts_alone(&mut self, now: Instant) {
        if self.check_alerts(now) {
            self.publish();
        }
    }

    pub(super) fn report_alert(&mut self, Change { kind, agent, text }: Change) {
        let event = match text {
            Some(text) => {
                let name = agent.map(|agent| self.crew.roster().name(agent).to_owned());
                let (since, tick) = (self.turn(), self.tick());
                let alert = Alert { kind, agent: name, since, tick, text: text.clone() };
                self.alerts.begin(agent, alert);
                JournalEvent::AlertBegan { alert: kind, text }
            }
            None => {
                let began = self.alerts.end(kind, agent);
                let turns = began.map_or(0, |began| self.tick().saturating_sub(began));
                JournalEvent::AlertEnded { alert: kind, turns }
            }
        };
        self.journal(agent, event);
    }

    fn presence(&self, agent: AgentId) -> Presence {
        let Some(member) = self.crew.get(agent) else { return Presence::Excused };
        if !self.crew.roster().is_present(agent) {
            return Presence::Excused;
        }
        let paused = matches!(member.shown.steering, Steering::Paused { .. });
        match &member.shown.seat {
            SeatState::Stopped | SeatState::Closed => Presence::Excused,
            _ if paused || self.tick() == 0 || !self.turns.rounds.is_running() => Presence::Excused,
            SeatState::Seated => Presence::Seated,
            SeatState::Idle
            | SeatState::Connecting { .. }
            | SeatState::Connected
            | SeatState::Refused { .. } => Presence::Away,
        }
    }

    /// Counts the turn as missed for agents that were not even asked in it.
    pub(super) fn count_absent(&mut self) {
        let Some(open) = &self.turns.open else { return };
        for agent in self.crew.roster().ids() {
            if !open.asked.contains_key(&agent) && self.presence(agent) == Presence::Away {
                self.alerts.missed(agent, self.turns.tick());
            }
        }
    }

    /// A turn of the agent passed without an action of its own, although nothing excused it.
    pub(super) fn count_missed(&mut self, agent: AgentId) {
        if self.presence(agent) != Presence::Excused {
            self.alerts.missed(agent, self.turns.tick());
        }
    }

    /// Checks the referee's results of these agents' last actions.
    pub(super) fn look_at_results(&mut self, present: &[AgentId]) {
        let world = self.world.borrow();
        for agent in present {
            let Some(member) = self.crew.get(*agent) else { continue };
            self.alerts.result(*agent, &member.shown.last_action, &world.state(*agent));
        }
    }

    /// A script's answer leaves with this much of its time left.
    pub(super) fn count_margin(&mut self, left: Duration, window: Duration) {
        if !window.is_zero() {
            self.alerts.margin(left.as_secs_f64() / window.as_secs_f64());
        }
    }
}
