//! Which teams move, and whether the daemon still deserves its sign of life: judged from answers
//! and times alone.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// So long a team's thread may take to answer before it counts as stuck: no decision, plan or new
/// strategy takes as long.
pub(super) const QUIET_MAX: Duration = Duration::from_secs(10);

/// When each team was asked for what it has not answered yet.
#[derive(Debug)]
pub(super) struct Vitals {
    quiet_max: Duration,
    since: BTreeMap<String, Option<Instant>>,
}

impl Vitals {
    /// For a manager that gives up after `watchdog` without a sign of life.
    pub(super) fn new(watchdog: Option<Duration>) -> Self {
        // The last sign of life is at most half of its time old when the signs end.
        let quiet_max = watchdog.map_or(QUIET_MAX, |max| QUIET_MAX.min(max / 2));
        Self { quiet_max, since: BTreeMap::new() }
    }

    /// Notes for each team whether it answered everything so far. True for those that are to be
    /// asked again.
    pub(super) fn look(&mut self, now: Instant, teams: &[(String, bool)]) -> Vec<bool> {
        self.since.retain(|name, _| teams.iter().any(|(team, _)| team == name));
        let ask = |(name, answered): &(String, bool)| {
            let since = self.since.entry(name.clone()).or_default();
            if *answered || since.is_none() {
                *since = Some(now);
            }
            *answered
        };
        teams.iter().map(ask).collect()
    }

    /// The teams whose threads do not move, and for how long.
    pub(super) fn stuck(&self, now: Instant) -> Vec<(&str, Duration)> {
        let quiet = |since: Instant| now.saturating_duration_since(since);
        let known =
            self.since.iter().filter_map(|(name, since)| Some((name.as_str(), quiet((*since)?))));
        known.filter(|(_, quiet)| *quiet > self.quiet_max).collect()
    }

    /// One team that moves is reason enough to let the daemon live: a restart would take its map
    /// and memories from it. A stuck team's seats answer meanwhile. When no team moves there is
    /// nothing to lose.
    pub(super) fn is_alive(&self, now: Instant) -> bool {
        self.since.is_empty() || self.stuck(now).len() < self.since.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teams(list: &[(&str, bool)]) -> Vec<(String, bool)> {
        list.iter().map(|(name, answered)| ((*name).to_owned(), *answered)).collect()
    }

    #[test]
    fn one_moving_team_keeps_the_daemon_alive_and_none_does_not() {
        let begin = crate::manager::watch::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut vitals = Vitals::new(Some(Duration::from_secs(8)));
        assert!(vitals.is_alive(begin), "without teams nobody is stuck");
        assert_eq!(vitals.look(begin, &teams(&[("A", true), ("B", true)])), [true, true]);
        assert_eq!(vitals.look(at(2), &teams(&[("A", false), ("B", true)])), [false, true]);
        assert_eq!(vitals.stuck(at(4)), []);
        vitals.look(at(5), &teams(&[("A", false), ("B", true)]));
        assert_eq!(vitals.stuck(at(5)), [("A", Duration::from_secs(5))]);
        assert!(vitals.is_alive(at(5)), "B moves");
        assert!(!vitals.is_alive(at(10)), "half of the watchdog's time is over for both");
        vitals.look(at(10), &teams(&[("A", true), ("B", false)]));
        assert!(vitals.is_alive(at(10)), "A moves again");
    }

    #[test]
    fn a_team_that_is_gone_is_not_waited_for() {
        let begin = crate::manager::watch::now();
        let mut vitals = Vitals::new(None);
        vitals.look(begin, &teams(&[("A", true)]));
        let late = begin + 2 * QUIET_MAX;
        assert_eq!(vitals.stuck(late), [("A", 2 * QUIET_MAX)]);
        vitals.look(late, &[]);
        assert!(vitals.stuck(late).is_empty() && vitals.is_alive(late));
    }
}
