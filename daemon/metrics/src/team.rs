//! What a team shows, as numbers.

use crate::Metrics;
use phalanx_engine::{AlertKind, Counters, InheritedCounts, JournalEntry, JournalEvent, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Most roles of a team with a label of their own; the others are `other`.
pub const ROLES_MAX: usize = 64;
/// The label of what has none of its own.
const OTHER: &str = "other";
/// What becomes of a changed strategy.
const RESULTS: [&str; 4] = ["accepted", "refused", "held", "taken_back"];
/// All kinds of alerts.
const ALERTS: [AlertKind; 5] = [
    AlertKind::SilentAgent,
    AlertKind::StuckAgent,
    AlertKind::ShrinkingMargin,
    AlertKind::ErrorStorm,
    AlertKind::SuspendedScript,
];

/// A seat at the moment of a scrape.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatSample {
    pub name: String,
    /// Whether it is connected and logged in.
    pub up: bool,
    /// Connections opened so far.
    pub connections: u64,
    /// The smoothed round trip, once measured.
    pub round_trip: Option<Duration>,
}

/// An answer that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerSample {
    /// From the last byte of the request to the answer's last one.
    pub spent: Duration,
    /// Until the seat would have answered by itself; `None`: it was due already.
    pub margin: Option<Duration>,
}

/// A team at the moment of a scrape.
#[derive(Clone, Debug, Default)]
pub struct TeamSample {
    /// What it published last.
    pub snapshot: Arc<Snapshot>,
    pub seats: Vec<SeatSample>,
    /// Answers since the last sample.
    pub answers: Vec<AnswerSample>,
    /// Journal entries that slow readers missed so far.
    pub lost: u64,
    /// Restarts of its thread so far.
    pub restarts: u64,
    /// How often a thread that did not respond was replaced.
    pub replaced: u64,
    /// Abandoned threads that still run.
    pub abandoned: u32,
    /// The thread does not respond and is not replaced.
    pub stuck: bool,
    /// Events of seats that the thread never took.
    pub dropped: u64,
}

/// The figures of one team.
#[derive(Debug)]
pub struct TeamMetrics {
    metrics: Arc<Metrics>,
    team: String,
    roles: Mutex<BTreeSet<String>>,
    sums: Mutex<CounterSums>,
    /// What this team has added to each counter: another team of that name may have added more.
    added: Mutex<BTreeMap<(&'static str, String), u64>>,
    /// Seats and agents that were shown last.
    shown: Mutex<(BTreeSet<String>, BTreeSet<String>)>,
}

/// Counts over all lives of a team: its own begin at 0 when its thread restarts after a panic.
#[derive(Debug, Default)]
struct CounterSums {
    before: (u64, Counters),
    last: (u64, Counters),
}

impl CounterSums {
    fn add(&mut self, tick: u64, counters: &Counters) -> (u64, Counters) {
        if tick < self.last.0 || counters.asked < self.last.1.asked {
            self.before = plus(&self.before, &self.last);
        }
        self.last = (tick, *counters);
        plus(&self.before, &self.last)
    }
}

fn plus((tick, one): &(u64, Counters), (more, other): &(u64, Counters)) -> (u64, Counters) {
    let sum = Counters {
        asked: one.asked + other.asked,
        decided: one.decided + other.decided,
        fallback: one.fallback + other.fallback,
        ordered: one.ordered + other.ordered,
        held: one.held + other.held,
        late: one.late + other.late,
        script_errors: one.script_errors + other.script_errors,
        malformed: one.malformed + other.malformed,
    };
    (tick + more, sum)
}

/// Counters never go back below what they began with, but for answers that came too late.
fn minus(all: &Counters, before: &Counters) -> Counters {
    Counters {
        asked: all.asked.saturating_sub(before.asked),
        decided: all.decided.saturating_sub(before.decided),
        fallback: all.fallback.saturating_sub(before.fallback),
        ordered: all.ordered.saturating_sub(before.ordered),
        held: all.held.saturating_sub(before.held),
        late: all.late.saturating_sub(before.late),
        script_errors: all.script_errors.saturating_sub(before.script_errors),
        malformed: all.malformed.saturating_sub(before.malformed),
    }
}

impl TeamMetrics {
    /// The figures of the team of that name; what counts rare things is there with 0 at once, since
    /// a curve that begins at 1 shows no rise.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>, team: &str) -> Self {
        let (roles, sums, added, shown) = Default::default();
        let new = Self { metrics, team: team.to_owned(), roles, sums, added, shown };
        new.sample(&TeamSample::default());
        new
    }

    /// Counts an event of the team.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other kinds are not counted")]
    pub fn happened(&self, entry: &JournalEntry) {
        match &entry.event {
            JournalEvent::Decided { role, spent, .. } => {
                let role = self.role(role);
                let labels = [("team", self.team.as_str()), ("role", &role)];
                let seconds = self.metrics.histogram("phalanx_decision_seconds", &labels);
                seconds.record(spent.as_secs_f64());
            }
            JournalEvent::Generation { .. } => self.reloaded("accepted", 1),
            JournalEvent::StrategyRefused { faults, .. } => {
                // Without a mistake it is kept waiting for another reason.
                let refused = faults.is_empty() || faults.iter().any(|fault| fault.fatal);
                self.reloaded(if refused { "refused" } else { "held" }, 1);
            }
            JournalEvent::TakenBack { .. } => self.reloaded("taken_back", 1),
            JournalEvent::AlertBegan { alert, .. } => self.alert_begun(*alert, 1),
            _ => {}
        }
    }

    fn thread(&self, TeamSample { replaced, abandoned, stuck, dropped, .. }: &TeamSample) {
        self.count("phalanx_team_threads_replaced_total", *replaced);
        self.count("phalanx_team_events_dropped_total", *dropped);
        let labels = [("team", self.team.as_str())];
        let gauge = |name, value| self.metrics.gauge(name, &labels).set(value);
        gauge("phalanx_team_threads_abandoned", f64::from(*abandoned));
        gauge("phalanx_team_stuck", f64::from(u8::from(*stuck)));
    }

    /// How the team is right now.
    pub fn sample(&self, sample: &TeamSample) {
        let TeamSample { snapshot, seats, answers, lost, restarts, .. } = sample;
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        // What an earlier life counted was counted then, in this daemon or in another one.
        let InheritedCounts { tick, counters: before } = &snapshot.inherited;
        let (turns, counters) = (snapshot.tick.saturating_sub(*tick), &snapshot.counters);
        let (turns, counters) = sums.add(turns, &minus(counters, before));
        drop(sums);
        self.counts(&counters);
        self.count("phalanx_turns_total", turns);
        self.count("phalanx_journal_lost_total", *lost);
        self.count("phalanx_team_restarts_total", *restarts);
        self.thread(sample);
        self.place(snapshot);
        for result in RESULTS {
            self.reloaded(result, 0);
        }
        for kind in ALERTS {
            self.alert_begun(kind, 0);
            let open = snapshot.alerts.iter().filter(|alert| alert.kind == kind).count();
            let labels = [("team", self.team.as_str()), ("kind", kind.word())];
            self.metrics.gauge("phalanx_alerts", &labels).set(float(open as u64));
        }
        for agent in &snapshot.agents {
            let labels = [("team", self.team.as_str()), ("agent", &agent.name)];
            let silent = self.metrics.gauge("phalanx_silent_turns", &labels);
            silent.set(f64::from(agent.silent_turns));
        }
        for (name, value) in &snapshot.metrics {
            let labels = [("team", self.team.as_str()), ("name", name)];
            self.metrics.gauge("phalanx_script_value", &labels).set(*value);
        }
        seats.iter().for_each(|seat| self.seat(seat));
        self.forget(sample);
        answers.iter().for_each(|answer| self.answer(*answer));
    }

    /// Agents that were removed leave no last word behind that looks as if they still played.
    fn forget(&self, sample: &TeamSample) {
        let seats = sample.seats.iter().map(|seat| seat.name.clone()).collect();
        let agents = sample.snapshot.agents.iter().map(|agent| agent.name.clone()).collect();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *shown, (seats, agents));
        for seat in before.0.difference(&shown.0) {
            let labels = [("team", self.team.as_str()), ("seat", seat)];
            self.metrics.gauge("phalanx_seat_up", &labels).set(0.0);
        }
        for agent in before.1.difference(&shown.1) {
            let labels = [("team", self.team.as_str()), ("agent", agent)];
            self.metrics.gauge("phalanx_silent_turns", &labels).set(0.0);
        }
    }

    fn counts(&self, counters: &Counters) {
        let Counters { asked, decided, fallback, ordered, held, late, script_errors, malformed } =
            *counters;
        self.count("phalanx_requests_total", asked);
        self.count("phalanx_script_errors_total", script_errors);
        self.count("phalanx_malformed_messages_total", malformed);
        let outcomes = [
            ("decided", decided),
            ("ordered", ordered),
            ("held", held),
            ("fallback", fallback),
            ("late", late),
        ];
        for (outcome, total) in outcomes {
            self.count_of("phalanx_actions_total", ("outcome", outcome), total);
        }
    }

    fn place(&self, snapshot: &Snapshot) {
        self.show("phalanx_round", f64::from(snapshot.turn.round));
        self.show("phalanx_turn", f64::from(snapshot.turn.step));
        self.show("phalanx_generation", f64::from(snapshot.generation));
        self.show("phalanx_on_probation", f64::from(u8::from(snapshot.on_probation)));
        self.show("phalanx_board_keys", float(snapshot.board_keys as u64));
        if let Some(score) = snapshot.score.or(snapshot.rounds.last().copied()) {
            let size = float(score.unsigned_abs());
            self.show("phalanx_score", if score < 0 { -size } else { size });
        }
    }

    fn seat(&self, seat: &SeatSample) {
        let labels = [("team", self.team.as_str()), ("seat", &seat.name)];
        self.metrics.gauge("phalanx_seat_up", &labels).set(f64::from(u8::from(seat.up)));
        let again = seat.connections.saturating_sub(1);
        self.count_of("phalanx_reconnects_total", ("seat", &seat.name), again);
        if let Some(time) = seat.round_trip {
            let gauge = self.metrics.gauge("phalanx_seat_round_trip_seconds", &labels);
            gauge.set(time.as_secs_f64());
        }
    }

    fn answer(&self, answer: AnswerSample) {
        let labels = [("team", self.team.as_str())];
        let margin = answer.margin.unwrap_or_default().as_secs_f64();
        self.metrics.histogram("phalanx_deadline_margin_seconds", &labels).record(margin);
        let spent = answer.spent.as_secs_f64();
        self.metrics.histogram("phalanx_answer_seconds", &labels).record(spent);
    }

    fn reloaded(&self, result: &str, times: u64) {
        let labels = [("team", self.team.as_str()), ("result", result)];
        self.metrics.counter("phalanx_reloads_total", &labels).increment(times);
    }

    fn alert_begun(&self, kind: AlertKind, times: u64) {
        let labels = [("team", self.team.as_str()), ("kind", kind.word())];
        self.metrics.counter("phalanx_alerts_begun_total", &labels).increment(times);
    }

    fn count(&self, name: &'static str, total: u64) {
        self.metrics.counter(name, &[("team", &self.team)]).increment(self.more(name, "", total));
    }

    fn count_of(&self, name: &'static str, label: (&'static str, &str), total: u64) {
        let labels = [("team", self.team.as_str()), label];
        self.metrics.counter(name, &labels).increment(self.more(name, label.1, total));
    }

    /// What a total has grown by since it was counted last.
    fn more(&self, name: &'static str, label: &str, total: u64) -> u64 {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let before = added.entry((name, label.to_owned())).or_default();
        let more = total.saturating_sub(*before);
        *before += more;
        more
    }

    fn show(&self, name: &'static str, value: f64) {
        self.metrics.gauge(name, &[("team", &self.team)]).set(value);
    }

    /// The label of a role. Scripts and operators name roles, so the number of labels is limited.
    fn role(&self, role: &str) -> String {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        if !roles.contains(role) {
            if roles.len() >= ROLES_MAX {
                return OTHER.to_owned();
            }
            roles.insert(role.to_owned());
        }
        role.to_owned()
    }
}

/// Exact up to 2^53, which no count here reaches.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}
