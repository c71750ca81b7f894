//! The figures that a scrape returns.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_engine::{
    AgentSnapshot, Alert, AlertKind, Counters, InheritedCounts, JournalEntry, JournalEvent,
    Snapshot,
};
use phalanx_metrics::{
    AnswerSample, ApiMetrics, CheckpointMetrics, FoxgloveMetrics, FoxgloveSample, LabMetrics,
    LabSample, METRICS, MetricKind, Metrics, MetricsSource, ROLES_MAX, RecordingMetrics,
    RecordingSample, SeatSample, TeamMetrics, TeamSample, document,
};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The value of the first line that begins with `name` and has all these labels.
fn value(text: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let fits = |line: &&str| {
        let rest = line.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['{', ' ']))
            && labels.iter().all(|label| line.contains(label))
    };
    text.lines().find(fits)?.rsplit(' ').next()?.parse().ok()
}

fn team() -> (Arc<Metrics>, TeamMetrics) {
    let metrics = Arc::new(Metrics::new("1.2.3"));
    let team = TeamMetrics::new(Arc::clone(&metrics), "A");
    (metrics, team)
}

fn happened(event: JournalEvent) -> JournalEntry {
    JournalEntry { turn: Default::default(), agent: None, generation: 1, event }
}

fn decided(role: &str, spent: Duration) -> JournalEntry {
    let (action, role) = ("skip".to_owned(), role.to_owned());
    happened(JournalEvent::Decided { action, role, reason: None, spent, grounds: Box::default() })
}

fn sample() -> TeamSample {
    let agent = AgentSnapshot { name: "a1".into(), silent_turns: 7, ..Default::default() };
    let alert = Alert {
        kind: AlertKind::SilentAgent,
        agent: Some("a1".into()),
        since: Default::default(),
        tick: 3,
        text: "7 turns".into(),
    };
    let counters = Counters {
        asked: 21,
        decided: 10,
        fallback: 5,
        ordered: 3,
        held: 2,
        late: 1,
        script_errors: 4,
        malformed: 6,
    };
    let snapshot = Snapshot {
        tick: 9,
        score: Some(-40),
        generation: 3,
        on_probation: true,
        agents: vec![agent],
        alerts: vec![alert],
        counters,
        board_keys: 11,
        metrics: [("blocks".to_owned(), 2.5)].into(),
        ..Default::default()
    };
    let seat = |name: &str, up, connections, round_trip| SeatSample {
        name: name.to_owned(),
        up,
        connections,
        round_trip,
    };
    let answer = |spent, margin: Option<u64>| AnswerSample {
        spent: Duration::from_millis(spent),
        margin: margin.map(Duration::from_millis),
    };
    TeamSample {
        snapshot: Arc::new(snapshot),
        seats: vec![
            seat("a1", true, 3, Some(Duration::from_millis(20))),
            seat("a2", false, 0, None),
        ],
        answers: vec![answer(2, Some(3_900)), answer(30, Some(1_200)), answer(4_000, None)],
        lost: 8,
        restarts: 1,
        replaced: 2,
        abandoned: 1,
        stuck: true,
        dropped: 9,
    }
}

#[test]
fn the_next_match_of_a_team_counts_on() {
    let (metrics, first) = team();
    first.sample(&sample());
    let next = TeamMetrics::new(Arc::clone(&metrics), "A");
    next.sample(&sample());
    next.sample(&sample());
    let text = metrics.render();
    assert_eq!(value(&text, "phalanx_requests_total", &[]), Some(42.0));
    assert_eq!(value(&text, "phalanx_turns_total", &[]), Some(18.0));
    assert_eq!(value(&text, "phalanx_actions_total", &["outcome=\"late\""]), Some(2.0));
}

#[test]
fn a_team_is_shown_as_it_counts_itself() {
    let (metrics, team) = team();
    team.sample(&sample());
    let text = metrics.render();
    let near = |name: &str, labels: &[&str], want: f64| {
        let found = value(&text, name, labels);
        let found = found.unwrap_or_else(|| panic!("no {name} {labels:?} in\n{text}"));
        assert!((found - want).abs() < 1e-9, "{name} {labels:?} is {found}, not {want}");
    };
    for (outcome, want) in
        [("decided", 10.0), ("ordered", 3.0), ("held", 2.0), ("fallback", 5.0), ("late", 1.0)]
    {
        let outcome = format!("outcome=\"{outcome}\"");
        near("phalanx_actions_total", &["team=\"A\"", &outcome], want);
    }
    for (name, want) in [
        ("phalanx_requests_total", 21.0),
        ("phalanx_script_errors_total", 4.0),
        ("phalanx_malformed_messages_total", 6.0),
        ("phalanx_turns_total", 9.0),
        ("phalanx_score", -40.0),
        ("phalanx_generation", 3.0),
        ("phalanx_on_probation", 1.0),
        ("phalanx_board_keys", 11.0),
        ("phalanx_journal_lost_total", 8.0),
        ("phalanx_team_restarts_total", 1.0),
        ("phalanx_team_threads_replaced_total", 2.0),
        ("phalanx_team_threads_abandoned", 1.0),
        ("phalanx_team_stuck", 1.0),
        ("phalanx_team_events_dropped_total", 9.0),
        ("phalanx_deadline_margin_seconds_count", 3.0),
        ("phalanx_answer_seconds_count", 3.0),
    ] {
        near(name, &["team=\"A\""], want);
    }
    near("phalanx_silent_turns", &["agent=\"a1\""], 7.0);
    near("phalanx_alerts", &["kind=\"silent_agent\""], 1.0);
    near("phalanx_alerts", &["kind=\"stuck_agent\""], 0.0);
    near("phalanx_seat_up", &["seat=\"a1\""], 1.0);
    near("phalanx_seat_up", &["seat=\"a2\""], 0.0);
    near("phalanx_reconnects_total", &["seat=\"a1\""], 2.0);
    near("phalanx_reconnects_total", &["seat=\"a2\""], 0.0);
    near("phalanx_seat_round_trip_seconds", &["seat=\"a1\""], 0.02);
    near("phalanx_script_value", &["name=\"blocks\""], 2.5);
    near("phalanx_deadline_margin_seconds_bucket", &["le=\"0\""], 1.0);
    near("phalanx_deadline_margin_seconds_bucket", &["le=\"1.5\""], 2.0);
    near("phalanx_deadline_margin_seconds_sum", &[], 5.1);
}

#[test]
fn who_was_removed_looks_neither_silent_nor_present() {
    let (metrics, team) = team();
    team.sample(&sample());
    team.sample(&TeamSample::default());
    let text = metrics.render();
    assert_eq!(value(&text, "phalanx_seat_up", &["seat=\"a1\""]), Some(0.0), "{text}");
    assert_eq!(value(&text, "phalanx_silent_turns", &["agent=\"a1\""]), Some(0.0), "{text}");
}

#[test]
fn counts_go_on_where_the_team_had_to_begin_anew() {
    let (metrics, team) = team();
    team.sample(&sample());
    let fresh = Counters { asked: 2, decided: 2, ..Default::default() };
    let snapshot = Arc::new(Snapshot { tick: 1, counters: fresh, ..Default::default() });
    for _ in 0..2 {
        team.sample(&TeamSample { snapshot: Arc::clone(&snapshot), ..Default::default() });
    }
    let text = metrics.render();
    assert_eq!(value(&text, "phalanx_requests_total", &[]), Some(23.0), "{text}");
    let decided = &["outcome=\"decided\""];
    assert_eq!(value(&text, "phalanx_actions_total", decided), Some(12.0), "{text}");
    assert_eq!(value(&text, "phalanx_turns_total", &[]), Some(10.0), "{text}");
}

#[test]
fn what_an_earlier_life_counted_is_not_counted_again() {
    let (metrics, team) = team();
    team.sample(&sample());
    // It went on with what it had counted a little before its end, and counted on.
    let counted = |asked| Counters { asked, decided: asked, ..Default::default() };
    let inherited = InheritedCounts { tick: 8, counters: counted(20) };
    let counters = counted(25);
    let snapshot = Arc::new(Snapshot { tick: 10, counters, inherited, ..Default::default() });
    for _ in 0..2 {
        team.sample(&TeamSample { snapshot: Arc::clone(&snapshot), ..Default::default() });
    }
    let text = metrics.render();
    assert_eq!(value(&text, "phalanx_requests_total", &[]), Some(21.0 + 5.0), "{text}");
    assert_eq!(value(&text, "phalanx_turns_total", &[]), Some(9.0 + 2.0), "{text}");
}

#[test]
fn the_journal_gives_decisions_reloads_and_alerts() {
    let (metrics, team) = team();
    team.happened(&decided("worker", Duration::from_micros(300)));
    team.happened(&decided("worker", Duration::from_millis(40)));
    team.happened(&decided("scout", Duration::from_millis(1)));
    let alert = AlertKind::ErrorStorm;
    team.happened(&happened(JournalEvent::AlertBegan { alert, text: "oh".into() }));
    let text = metrics.render();
    let worker = &["role=\"worker\""];
    assert_eq!(value(&text, "phalanx_decision_seconds_count", worker), Some(2.0), "{text}");
    let slow = &["role=\"worker\"", "le=\"0.0005\""];
    assert_eq!(value(&text, "phalanx_decision_seconds_bucket", slow), Some(1.0), "{text}");
    let storm = &["kind=\"error_storm\""];
    assert_eq!(value(&text, "phalanx_alerts_begun_total", storm), Some(1.0), "{text}");
    for result in ["accepted", "refused", "held", "taken_back"] {
        let result = format!("result=\"{result}\"");
        assert_eq!(value(&text, "phalanx_reloads_total", &[&result]), Some(0.0), "{text}");
    }
}

#[test]
fn roles_beyond_the_bound_share_a_label() {
    let (metrics, team) = team();
    for role in 0..ROLES_MAX + 10 {
        team.happened(&decided(&format!("role{role}"), Duration::from_millis(1)));
    }
    let text = metrics.render();
    let count = "phalanx_decision_seconds_count";
    assert_eq!(value(&text, count, &["role=\"other\""]), Some(10.0));
    assert_eq!(text.lines().filter(|line| line.starts_with(count)).count(), ROLES_MAX + 1);
}

/// Tells how often it was asked, and leaves after the second time.
#[derive(Debug)]
struct Leaving(Arc<AtomicU64>);

impl MetricsSource for Leaving {
    fn sample(&mut self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) < 1
    }
}

#[test]
fn a_source_is_asked_until_it_is_gone() {
    let (metrics, asked) = (Metrics::new("1"), Arc::new(AtomicU64::new(0)));
    metrics.ask(Box::new(Leaving(Arc::clone(&asked))));
    (0..3).for_each(|_| metrics.upkeep());
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn a_call_that_nobody_ends_was_cancelled() {
    let metrics = Arc::new(Metrics::new("1"));
    let api = ApiMetrics::new(Arc::clone(&metrics));
    let (given_up, mut well) = (api.began("M"), api.began("M"));
    let open = value(&metrics.render(), "phalanx_api_open_calls", &[]);
    assert_eq!(open, Some(2.0));
    well.answers(Duration::from_millis(3));
    well.ended("OK");
    drop((given_up, well));
    let text = metrics.render();
    assert_eq!(value(&text, "phalanx_api_open_calls", &[]), Some(0.0));
    for code in ["code=\"OK\"", "code=\"Cancelled\""] {
        assert_eq!(value(&text, "phalanx_api_calls_total", &[code]), Some(1.0), "{text}");
    }
}

/// Every metric of the table, with a value.
fn everything() -> String {
    let (metrics, team) = team();
    team.happened(&decided("worker", Duration::from_millis(1)));
    team.sample(&sample());
    let api = ApiMetrics::new(Arc::clone(&metrics));
    let call = api.began("phalanx.v1.Teams/ListTeams");
    call.answers(Duration::from_millis(1));
    drop(call);
    let _open = api.connected("unix");
    api.hung_up("tcp");
    api.evicted("tcp", "idle");
    api.stream_evicted("events", "stalled");
    metrics.log_lines_dropped(2);
    let moment = Duration::from_millis(1);
    CheckpointMetrics::new(Arc::clone(&metrics), "A").written(moment, moment, 9);
    RecordingMetrics::new(Arc::clone(&metrics), "A").sample(&RecordingSample::default());
    FoxgloveMetrics::new(Arc::clone(&metrics)).sample(&FoxgloveSample::default());
    LabMetrics::new(Arc::clone(&metrics)).sample(&LabSample {
        kind: "league",
        name: "night",
        played: 3,
        failed: 1,
        planned: 9,
        playing: true,
        workers: 2,
    });
    metrics.render()
}

#[test]
fn every_metric_of_the_table_is_there_and_no_other() {
    let text = everything();
    let told: BTreeSet<_> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    let ours: BTreeSet<_> = told.into_iter().filter(|line| line.starts_with("phalanx_")).collect();
    let kind = |kind: MetricKind| match kind {
        MetricKind::Counter => "counter",
        MetricKind::Gauge => "gauge",
        MetricKind::Histogram(_) => "histogram",
    };
    let table: Vec<_> = METRICS.iter().map(|m| format!("{} {}", m.name, kind(m.kind))).collect();
    assert_eq!(ours, table.iter().map(String::as_str).collect(), "{text}");
    for metric in METRICS {
        assert!(text.contains(&format!("# HELP {} ", metric.name)), "{}", metric.name);
        for label in metric.labels {
            let line = text.lines().find(|line| line.starts_with(metric.name)).unwrap();
            assert!(line.contains(&format!("{label}=")), "{label} in {line}");
        }
    }
    assert!(text.contains("process_resident_memory_bytes "), "{text}");
}

#[test]
fn checkpoints_tell_what_they_cost_and_which_failed() {
    let metrics = Arc::new(Metrics::new("1.2.3"));
    let checkpoints = CheckpointMetrics::new(Arc::clone(&metrics), "A");
    let failures = |text: &str| value(text, "phalanx_checkpoint_failures_total", &["team=\"A\""]);
    assert_eq!(failures(&metrics.render()), Some(0.0), "there from the start");
    checkpoints.written(Duration::from_millis(1), Duration::from_millis(9), 40_000);
    checkpoints.failed();
    let text = metrics.render();
    assert_eq!(failures(&text), Some(1.0));
    assert_eq!(value(&text, "phalanx_checkpoint_bytes", &[]), Some(40_000.0));
    let spent = |part| value(&text, "phalanx_checkpoint_seconds_sum", &[part]);
    assert_eq!((spent("part=\"copy\""), spent("part=\"write\"")), (Some(0.001), Some(0.009)));
}

#[test]
fn prometheus_own_lint_finds_nothing() {
    let child = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: promtool is not here; Debian's package prometheus has it");
        return;
    };
    child.stdin.take().unwrap().write_all(everything().as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
}

#[test]
fn the_processs_own_figures_are_those_of_this_process() {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    let room = vec![1_u8; 8 << 20];
    let text = Metrics::new("1.2.3").render();
    for (name, least, most) in [
        ("process_cpu_seconds_total", 0.0, 1e4),
        ("process_open_fds", 3.0, 1e4),
        ("process_max_fds", 3.0, 1e9),
        ("process_virtual_memory_bytes", room.len() as f64, 1e15),
        ("process_virtual_memory_max_bytes", 0.0, 1e20),
        ("process_resident_memory_bytes", room.len() as f64, 1e12),
        ("process_start_time_seconds", now - 7_200.0, now + 2.0),
        ("process_threads", 2.0, 1e4),
    ] {
        let found = value(&text, name, &[]).unwrap_or_else(|| panic!("no {name} in\n{text}"));
        assert!((least..=most).contains(&found), "{name} is {found}");
        assert!(text.contains(&format!("# HELP {name} ")), "{name}");
    }
}

#[test]
fn the_document_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/metrics.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once("<!-- table -->\n").expect("the table's beginning");
    let (table, tail) = rest.split_once("<!-- end -->\n").expect("the table's end");
    if std::env::var_os("UPDATE_METRICS").is_some() {
        let fresh = format!("{head}<!-- table -->\n{}<!-- end -->\n{tail}", document());
        std::fs::write(&path, fresh).unwrap();
    } else {
        assert_eq!(table, document(), "run UPDATE_METRICS=1 cargo test -p phalanx-metrics");
    }
}
