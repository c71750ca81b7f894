//! Looks after the teams once a second: feeds the manager's watchdog while they move, and keeps
//! the status line true.

use crate::manager::Manager;
use crate::manager::status::{self, TeamLine};
use crate::manager::vitals::Vitals;
use phalanx_net::TeamHandle;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;
use tracing::{error, info};

/// The status line changes at most so often.
const STATUS_EVERY: Duration = Duration::from_secs(1);
/// How much longer the manager is asked to wait while something takes its time.
const HOLD_ON: Duration = Duration::from_secs(5);
/// A watchdog is fed at least so many times in its time.
const FEEDINGS: u32 = 4;

/// The moment, for everything here.
pub(super) fn now() -> Instant {
    phalanx_net::now()
}

/// Feeds the watchdog and tells how the teams do, until it is dropped. That this runs at all shows
/// that the runtime does; that the teams move is asked of their threads. `teams` are those that
/// play now.
pub async fn watch(manager: Manager, teams: impl Fn() -> Vec<TeamHandle>) {
    let every = manager.watchdog().map_or(STATUS_EVERY, |max| STATUS_EVERY.min(max / FEEDINGS));
    let mut ticks = tokio::time::interval(every.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut watcher = Watcher::new(manager);
    loop {
        ticks.tick().await;
        // The handles go at once: nothing here keeps a team alive.
        watcher.look(&teams(), now());
    }
}

/// Tells the manager again and again that what is going on needs its time, until it is dropped.
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
    /// The teams that were told to be stuck.
    stuck: BTreeSet<String>,
    told: Option<(Instant, String)>,
}

impl Watcher {
    fn new(manager: Manager) -> Self {
        let vitals = Vitals::new(manager.watchdog());
        Self { manager, vitals, stuck: BTreeSet::new(), told: None }
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

    /// Once when a team gets stuck, once when it moves again.
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
        if !self.manager.is_there() || !self.told.as_ref().is_none_or(due) {
            return;
        }
        let line = |team: &TeamHandle| TeamLine {
            name: team.name().to_owned(),
            snapshot: team.snapshot(),
            seats: team.seats().into_iter().map(|(_, seat)| seat.state).collect(),
        };
        let shown: Vec<_> = teams.iter().map(line).collect();
        let text = status::text(&shown, &self.vitals.stuck(now));
        if self.told.as_ref().is_none_or(|(_, told)| *told != text) {
            self.manager.status(&text);
            self.told = Some((now, text));
        }
    }
}
