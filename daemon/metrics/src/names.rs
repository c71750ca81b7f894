//! Every metric of ours: the only place that says what it is called, counts and means.

/// How a metric behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricKind {
    /// Grows; begins at 0 again with the daemon.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts values by size, with these upper bounds.
    Histogram(&'static [f64]),
}

/// One metric.
#[derive(Clone, Copy, Debug)]
pub struct MetricDoc {
    pub name: &'static str,
    /// How it behaves.
    pub kind: MetricKind,
    pub labels: &'static [&'static str],
    /// Meaning and unit.
    pub help: &'static str,
}

/// Bounds for what takes microseconds to seconds, in seconds.
const SHORT: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0, 2.5, 5.0,
];
/// Bounds for what should be a second or more, in seconds; the first one is for what came too late.
const MARGIN: &[f64] = &[0.0, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0];

const fn counter(
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> MetricDoc {
    MetricDoc { name, kind: MetricKind::Counter, labels, help }
}

const fn gauge(
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> MetricDoc {
    MetricDoc { name, kind: MetricKind::Gauge, labels, help }
}

const fn histogram(
    name: &'static str,
    labels: &'static [&'static str],
    bounds: &'static [f64],
    help: &'static str,
) -> MetricDoc {
    MetricDoc { name, kind: MetricKind::Histogram(bounds), labels, help }
}

/// Every metric of ours, in the order of the document. Those of the process come besides, as
/// `process_…`.
pub const METRICS: &[MetricDoc] = &[
    gauge("phalanx_build_info", &["version"], "Always 1; the label is the daemon's version."),
    counter("phalanx_requests_total", &["team"], "Requests for action that reached the team."),
    counter(
        "phalanx_actions_total",
        &["team", "outcome"],
        "Answers by outcome. decided: a script decided; ordered: an operator's order; held: the \
         fallback, because an operator paused the agent; fallback: the fallback, because a script \
         failed or was too slow; late: no answer reached the referee in time.",
    ),
    histogram(
        "phalanx_deadline_margin_seconds",
        &["team"],
        MARGIN,
        "Time between sending an answer and the moment at which the seat would have sent the \
         fallback, in seconds; 0: that moment had passed.",
    ),
    histogram(
        "phalanx_answer_seconds",
        &["team"],
        SHORT,
        "Time from the last byte of an agent's request to its answer being sent, in seconds.",
    ),
    histogram(
        "phalanx_decision_seconds",
        &["team", "role"],
        SHORT,
        "Time that a script took for one agent's decision, in seconds.",
    ),
    counter(
        "phalanx_script_errors_total",
        &["team"],
        "Errors of scripts, those of plan, start and finish included.",
    ),
    counter(
        "phalanx_reloads_total",
        &["team", "result"],
        "Changes of the strategy. accepted: another generation decides; refused: a strategy had \
         mistakes; held: it waits, as a generation is pinned or it failed before; taken_back: a new \
         generation failed too often.",
    ),
    histogram(
        "phalanx_checkpoint_seconds",
        &["team", "part"],
        SHORT,
        "Time of one checkpoint, in seconds. copy: on the team's thread, between turns; write: on \
         a thread of its own, until the system has it, or the disk.",
    ),
    gauge("phalanx_checkpoint_bytes", &["team"], "Size of the team's last checkpoint."),
    counter(
        "phalanx_checkpoint_failures_total",
        &["team"],
        "Checkpoints that could not be written; the one before is kept.",
    ),
    counter(
        "phalanx_recording_bytes_total",
        &["team"],
        "Bytes of the team's recording on the disk, all parts.",
    ),
    counter("phalanx_recording_messages_total", &["team"], "Messages of the team's recording."),
    counter(
        "phalanx_recording_lost_total",
        &["team"],
        "Messages that are missing in the team's recording, since the disk failed or was too slow; \
         gaps in the file list them.",
    ),
    counter(
        "phalanx_recording_failures_total",
        &["team"],
        "How often the disk failed the team's recording.",
    ),
    gauge(
        "phalanx_recording_waiting_bytes",
        &["team"],
        "Bytes of the team that wait for the disk, roughly.",
    ),
    gauge(
        "phalanx_recording_trouble",
        &["team"],
        "1 while the team's recording is suspended because the disk fails, else 0.",
    ),
    gauge("phalanx_foxglove_clients", &[], "Clients of the socket for Foxglove."),
    counter(
        "phalanx_foxglove_messages_total",
        &[],
        "Messages of channels that were sent to clients of the socket for Foxglove.",
    ),
    counter("phalanx_foxglove_bytes_total", &[], "Their bytes."),
    counter(
        "phalanx_foxglove_lost_total",
        &[],
        "Messages that clients of the socket for Foxglove missed, since they read too slowly.",
    ),
    counter(
        "phalanx_foxglove_refused_total",
        &["reason"],
        "Clients that the socket for Foxglove refused. origin: a page of a foreign origin; room: \
         too many clients; protocol: another protocol, or none.",
    ),
    gauge("phalanx_seat_up", &["team", "seat"], "1 while the seat is logged in, else 0."),
    counter(
        "phalanx_reconnects_total",
        &["team", "seat"],
        "Connections that the seat opened after its first one.",
    ),
    gauge(
        "phalanx_seat_round_trip_seconds",
        &["team", "seat"],
        "Smoothed round trip to the referee, in seconds; absent until it was measured.",
    ),
    gauge(
        "phalanx_silent_turns",
        &["team", "agent"],
        "Turns in a row that went by without an action that the agent's script or an operator \
         decided.",
    ),
    gauge(
        "phalanx_alerts",
        &["team", "kind"],
        "Alerts that have begun and not ended: silent_agent, stuck_agent, shrinking_margin, \
         error_storm, suspended_script.",
    ),
    counter("phalanx_alerts_begun_total", &["team", "kind"], "Alerts that began."),
    gauge("phalanx_round", &["team"], "The round that is played, from 0."),
    gauge("phalanx_turn", &["team"], "The turn within its round, in the team's count."),
    counter("phalanx_turns_total", &["team"], "Turns begun in this match."),
    gauge(
        "phalanx_score",
        &["team"],
        "The score of the running round if the referee reports it, else that of the last round.",
    ),
    gauge("phalanx_generation", &["team"], "The number of the generation that decides."),
    gauge("phalanx_on_probation", &["team"], "1 while that generation may be taken back, else 0."),
    gauge("phalanx_board_keys", &["team"], "Keys on the team's board."),
    gauge("phalanx_script_value", &["team", "name"], "Numbers that scripts report themselves."),
    counter(
        "phalanx_malformed_messages_total",
        &["team"],
        "Messages of the referee that were skipped as malformed or unknown.",
    ),
    counter(
        "phalanx_journal_lost_total",
        &["team"],
        "Journal entries that slow readers missed, over all of them.",
    ),
    counter(
        "phalanx_team_restarts_total",
        &["team"],
        "Times that the team's thread was restarted after a panic.",
    ),
    counter(
        "phalanx_team_threads_replaced_total",
        &["team"],
        "Times that another thread took the place of the team's, which did not respond.",
    ),
    gauge(
        "phalanx_team_threads_abandoned",
        &["team"],
        "Threads of the team that were replaced and still run.",
    ),
    gauge(
        "phalanx_team_stuck",
        &["team"],
        "1 while the team's thread does not respond and is not replaced, since too many abandoned \
         ones still run; else 0.",
    ),
    counter(
        "phalanx_team_events_dropped_total",
        &["team"],
        "Events of seats that the team's thread never took, since newer ones had made them useless.",
    ),
    counter(
        "phalanx_api_calls_total",
        &["method", "code"],
        "Calls of the control API that ended, by the name of their status.",
    ),
    histogram(
        "phalanx_api_call_seconds",
        &["method"],
        SHORT,
        "Time from a call to the beginning of its answer, in seconds.",
    ),
    gauge("phalanx_api_open_calls", &["method"], "Calls that run, streams above all."),
    gauge("phalanx_api_connections", &["listener"], "Open connections: unix, tcp."),
    counter(
        "phalanx_api_connections_refused_total",
        &["listener"],
        "Connections that were hung up on, as there were too many.",
    ),
    counter(
        "phalanx_api_connections_evicted_total",
        &["listener", "reason"],
        "Connections that the daemon closed: first_request (no request came in time), idle (no call \
         and no token for too long), stalled (the client accepted no byte for too long), crowded (a \
         newcomer needed the slot).",
    ),
    counter(
        "phalanx_api_streams_evicted_total",
        &["kind", "reason"],
        "Streams (events, recordings) that the daemon ended early: stalled (the client read nothing \
         for too long), crowded (another stream needed the slot).",
    ),
    gauge(
        "phalanx_lab_matches_played",
        &["kind", "name"],
        "Matches that were played or failed, of each league, ladder and tune_run (kind) that the \
         daemon shows: its own leagues, what is in the folder lab.path, and the ladders of the server lab.nats.",
    ),
    gauge("phalanx_lab_matches_failed", &["kind", "name"], "Matches among them that failed."),
    gauge(
        "phalanx_lab_matches_planned",
        &["kind", "name"],
        "Matches of the whole schedule: of a league; of the rounds of a ladder so far; most that a \
         tune run may play.",
    ),
    gauge("phalanx_lab_playing", &["kind", "name"], "1 while a process plays it, else 0."),
    gauge(
        "phalanx_lab_workers",
        &["kind", "name"],
        "Workers of a queue that played matches of it within the last minute; 0 when it is not played \
         on a queue.",
    ),
    counter(
        "phalanx_log_lines_dropped_total",
        &[],
        "Log lines that were left out, as too many came from one place.",
    ),
];

/// The table of [`METRICS`] as people read it, in Markdown.
#[must_use]
pub fn document() -> String {
    let mut text =
        String::from("| metric | kind | labels | meaning and unit |\n|---|---|---|---|\n");
    for MetricDoc { name, kind, labels, help } in METRICS {
        let kind = match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram(_) => "histogram",
        };
        let labels = labels.join(", ");
        text.push_str(&format!("| `{name}` | {kind} | {labels} | {help} |\n"));
    }
    text
}
