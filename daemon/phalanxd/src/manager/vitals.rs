//! Decides which teams are stuck, and whether to feed the watchdog, from answers and times alone.

use phalanx_game::sorted::SortedMap;
use std::time::{Duration, Instant};

/// A team's thread that takes longer to answer counts as stuck: no decision, plan or new strategy
/// takes that long.
pub(super) const QUIET_MAX: Duration = Duration::from_secs(10);

/// For each team, since when a question has been waiting for its answer.
#[derive(Debug)]
pub(super) struct Vitals {
    quiet_max: Duration,
    since: SortedMap<String, Option<Instant>>,
}

impl Vitals {
    /// For a watchdog of this interval.
    pub(super) fn new(watchdog: Option<Duration>) -> Self {
        // The last feeding is at most half an interval old when feeding stops.
        let quiet_max = watchdog.map_or(QUIET_MAX, |max| QUIET_MAX.min(max / 2));
        Self { quiet_max, since: SortedMap::new() }
    }

    /// Takes for each team whether it has answered every question so far. Returns true for those to
    /// ask again.
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

    /// The stuck teams, and for how long they have been stuck.
    pub(super) fn stuck(&self, now: Instant) -> Vec<(&str, Duration)> {
        let quiet = |since: Instant| now.saturating_duration_since(since);
        let known =
            self.since.iter().filter_map(|(name, since)| Some((name.as_str(), quiet((*since)?))));
        known.filter(|(_, quiet)| *quiet > self.quiet_max).collect()
    }

    /// One moving team is enough to keep the daemon alive, since a restart would lose its map and
    /// memories. Meanwhile the seats of a stuck team answer. When no team moves, a restart loses
    /// nothing.
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
        assert!(vitals.is_alive(begin), "without teams none is stuck");
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
