//! Checks the teams once a second: feeds the manager's watchdog while they make progress, and
//! updates the status line.

use crate::manager::Manager;
use crate::manager::status::{self, TeamLine};
use crate::manager::vitals::Vitals;
use phalanx_game::sorted::SortedSet;
use phalanx_net::TeamHandle;
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;
use tracing::{error, info};

/// Shortest time between changes of the status line.
const STATUS_EVERY: Duration = Duration::from_secs(1);
/// By how much the manager's timeout is extended during a long operation.
const HOLD_ON: Duration = Duration::from_secs(5);
/// Feedings per watchdog interval, at least.
const FEEDINGS: u32 = 4;

/// The current time, for everything here.
pub(super) fn now() -> Instant {
    phalanx_net::now()
}

/// Feeds the watchdog and updates the status line, until the future is dropped. That it runs at all
/// shows that the runtime works; each team's thread is asked for an answer. `teams` returns the
/// running teams.
pub async fn watch(manager: Manager, teams: impl Fn() -> Vec<TeamHandle>) {
    let every = manager.watchdog().map_or(STATUS_EVERY, |max| STATUS_EVERY.min(max / FEEDINGS));
    let mut ticks = tokio::time::interval(every.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut watcher = Watcher::new(manager);
    loop {
        ticks.tick().await;
        // The handles are dropped at once, so that they keep no team alive.
        watcher.look(&teams(), now());
    }
}

/// Extends the manager's timeout repeatedly until it is dropped.
pub async fn hold_on(manager: &Manager) {
    loop {
        manager.extend(HOLD_ON);
        tokio::time::sleep(HOLD_ON / 5).await;
    }
}

#[derive(Debug)]
struct Watcher {
    manager: Manager,
    vitals: Vitals,
    /// The teams that were reported as stuck.
    stuck: SortedSet<String>,
    last_status: Option<(Instant, String)>,
}

impl Watcher {
    fn new(manager: Manager) -> Self {
        let vitals = Vitals::new(manager.watchdog());
        Self { manager, vitals, stuck: SortedSet::new(), last_status: None }
    }

    fn look(&mut self, teams: &[TeamHandle], now: Instant) {
        let answers: Vec<_> =
            teams.iter().map(|team| (team.name().to_owned(), team.pulse().is_answered())).collect();
        let ask = self.vitals.look(now, &answers);
        for (team, _) in teams.iter().zip(ask).filter(|(_, ask)| *ask) {
            team.pulse().ask();
        }
        if self.manager.watchdog().is_some() && self.vitals.is_alive(now) {
            self.manager.alive();
        }
        self.tell_stuck(now);
        self.tell_status(teams, now);
    }

    /// Logs once when a team gets stuck, and once when it moves again.
    fn tell_stuck(&mut self, now: Instant) {
        let stuck = self.vitals.stuck(now);
        for (team, quiet) in &stuck {
            if self.stuck.insert((*team).to_owned()) {
                error!(team, ?quiet, "the team's thread does not move; its seats send fallbacks");
            }
        }
        self.stuck.retain(|team| {
            let still = stuck.iter().any(|(name, _)| name == team);
            if !still {
                info!(team, "the team's thread moves again");
            }
            still
        });
    }

    fn tell_status(&mut self, teams: &[TeamHandle], now: Instant) {
        let due = |(at, _): &(Instant, String)| now.saturating_duration_since(*at) >= STATUS_EVERY;
        if !self.manager.is_there() || !self.last_status.as_ref().is_none_or(due) {
            return;
        }
        let line = |team: &TeamHandle| TeamLine {
            name: team.name().to_owned(),
            snapshot: team.snapshot(),
            seats: team.seats().into_iter().map(|(_, seat)| seat.state).collect(),
        };
        let shown: Vec<_> = teams.iter().map(line).collect();
        let text = status::text(&shown, &self.vitals.stuck(now));
        if self.last_status.as_ref().is_none_or(|(_, last_status)| *last_status != text) {
            self.manager.status(&text);
            self.last_status = Some((now, text));
        }
    }
}
