//! Limits repeated log lines, so that a storm of errors does not fill the disk: per window, the
//! first lines of a kind about one team are written; the rest is counted and reported in one line.

use phalanx_game::sorted::SortedMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Length of a window.
pub(super) const WINDOW: Duration = Duration::from_secs(10);
/// Largest number of kinds; further ones share one counter.
const KINDS_MAX: usize = 4_096;
/// Longest team name by which kinds are distinguished, in characters.
const TEAM_CHARS_MAX: usize = 64;

/// A line's place in the code, and the team that it is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    target: &'static str,
    line: u32,
    team: String,
}

#[derive(Debug)]
struct Seen {
    since: Instant,
    lines: u32,
    dropped: u64,
}

/// The dropped lines of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeldBack {
    pub(super) place: String,
    pub(super) team: String,
    pub(super) lines: u64,
}

#[derive(Debug)]
pub(super) struct Flood {
    /// Lines per kind and window; 0: unlimited.
    limit: u32,
    kinds: Mutex<SortedMap<Kind, Seen>>,
    total: AtomicU64,
}

impl Flood {
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, kinds: Mutex::default(), total: AtomicU64::new(0) }
    }

    /// Lines that were dropped so far.
    pub(super) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Counts a line; whether it is written.
    fn admits(&self, kind: Kind, now: Instant) -> bool {
        if self.limit == 0 {
            return true;
        }
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = if kinds.len() < KINDS_MAX || kinds.contains_key(&kind) {
            kind
        } else {
            Kind { target: "others", line: 0, team: String::new() }
        };
        let seen = kinds.entry(kind).or_insert(Seen { since: now, lines: 0, dropped: 0 });
        if now.saturating_duration_since(seen.since) >= WINDOW {
            (seen.since, seen.lines) = (now, 0);
        }
        seen.lines = seen.lines.saturating_add(1);
        if seen.lines <= self.limit {
            return true;
        }
        seen.dropped += 1;
        self.total.fetch_add(1, Ordering::Relaxed);
        false
    }

    /// The lines dropped since the last call; kinds without new lines are removed.
    pub(super) fn take(&self, now: Instant) -> Vec<HeldBack> {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines_out = Vec::new();
        for (kind, seen) in kinds.iter_mut().filter(|(_, seen)| seen.dropped > 0) {
            let place = format!("{}:{}", kind.target, kind.line);
            let lines = std::mem::take(&mut seen.dropped);
            lines_out.push(HeldBack { place, team: kind.team.clone(), lines });
        }
        kinds.retain(|_, seen| now.saturating_duration_since(seen.since) < WINDOW);
        lines_out
    }
}

/// Applies the limit in front of the layer that writes.
#[derive(Debug)]
pub(super) struct FloodLayer(pub(super) Arc<Flood>);

impl<S: Subscriber> Layer<S> for FloodLayer {
    fn event_enabled(&self, event: &Event<'_>, _context: Context<'_, S>) -> bool {
        let about = event.metadata();
        // DEBUG and TRACE are enabled on purpose and for a short time: write all of them.
        if *about.level() > Level::INFO {
            return true;
        }
        let mut team = Team::default();
        event.record(&mut team);
        let kind =
            Kind { target: about.target(), line: about.line().unwrap_or_default(), team: team.0 };
        self.0.admits(kind, Instant::now())
    }
}

/// The team that a line is about.
#[derive(Default)]
struct Team(String);

impl Visit for Team {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "team" {
            self.0 = value.chars().take(TEAM_CHARS_MAX).collect();
        }
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn std::fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: u32, team: &str) -> Kind {
        Kind { target: "logs", line, team: team.to_owned() }
    }

    #[test]
    fn a_storm_of_one_kind_silences_no_other_and_is_told() {
        let (flood, begin) = (Flood::new(3), Instant::now());
        let admitted = |line, team: &str, count: u32| {
            (0..count).filter(|_| flood.admits(kind(line, team), begin)).count()
        };
        assert_eq!(admitted(7, "A", 100), 3);
        assert_eq!((admitted(7, "B", 2), admitted(8, "A", 3)), (2, 3));
        let held = HeldBack { place: "logs:7".into(), team: "A".into(), lines: 97 };
        assert_eq!(flood.take(begin), [held]);
        assert_eq!(flood.take(begin), [], "reported once");
        assert_eq!(flood.total(), 97);
        assert!(flood.admits(kind(7, "A"), begin + WINDOW), "a window later it is written again");
    }

    #[test]
    fn so_many_kinds_share_one_place_and_quiet_ones_are_forgotten() {
        let (flood, begin) = (Flood::new(1), Instant::now());
        let line = |line: usize| u32::try_from(line).expect("small");
        for at in 0..KINDS_MAX + 5 {
            flood.admits(kind(line(at), ""), begin);
        }
        assert_eq!(flood.total(), 4, "of the last five one was written");
        flood.take(begin + WINDOW);
        assert!(flood.admits(kind(1, ""), begin + WINDOW));
        assert_eq!(flood.kinds.lock().unwrap().len(), 1);
    }

    #[test]
    fn without_a_limit_everything_is_written() {
        let flood = Flood::new(0);
        assert!((0..10_000).all(|_| flood.admits(kind(1, ""), Instant::now())));
    }
}
