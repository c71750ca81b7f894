//! A daemon that is observed while it plays: its metrics, its alerts, its log.

use crate::support::{
    Opponents, PHALANX, Running, arena, arena_config, control, daemon, phalanx, quiet, settings,
    shown, stderr,
};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// Agents of each team.
const AGENTS: u32 = 2;

/// A scrape at the daemon's Unix socket.
pub(crate) fn scrape(dir: &Path) -> String {
    scrape_over(UnixStream::connect(dir.join("control.sock")).unwrap())
}

/// A scrape over that connection.
pub(crate) fn scrape_over(mut stream: impl Read + Write) -> String {
    let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    text
}

/// The value of the line with this name and these labels.
pub(crate) fn value(text: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let fits = |line: &&str| {
        let rest = line.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['{', ' ']))
            && labels.iter().all(|label| line.contains(label))
    };
    text.lines().find(fits)?.rsplit(' ').next()?.parse().ok()
}

fn actions(text: &str, outcome: &str) -> f64 {
    let outcome = format!("outcome=\"{outcome}\"");
    value(text, "phalanx_actions_total", &["team=\"A\"", &outcome]).unwrap()
}

/// Scrapes until the metrics match; the test fails when the match continues without it.
pub(crate) fn scrape_until(dir: &Path, shows: impl Fn(&str) -> bool) -> String {
    loop {
        let text = scrape(dir);
        if shows(&text) {
            return text;
        }
        let turn = value(&text, "phalanx_turn", &[]).unwrap_or_default();
        assert!(turn < 90.0, "it never came:\n{text}");
    }
}

#[test]
fn a_scrape_shows_what_the_team_counts() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), AGENTS, 100, 60_000));
    let strategy = "return { decide = function(me)\n  if me.turn == 3 then error('oh no') end\n  \
                    return act.skip()\nend }";
    let mut daemon = daemon(&settings(dir.path(), address, AGENTS, strategy));
    daemon.line_with("control API");
    let before = scrape(dir.path());
    assert_eq!(value(&before, "phalanx_reloads_total", &["result=\"refused\""]), Some(0.0));
    let opponents = Opponents::join(address, AGENTS);
    opponents.play(9);
    // The opponents hold the tenth turn up, so that nothing changes.
    let text = scrape_until(dir.path(), |text| {
        let asked = value(text, "phalanx_requests_total", &[]);
        let answers = value(text, "phalanx_answer_seconds_count", &[]);
        asked == Some(20.0) && answers == Some(20.0)
    });
    let counters = &shown(dir.path())["counters"];
    for outcome in ["decided", "fallback", "late"] {
        let counted = counters[outcome].as_f64().unwrap();
        assert_eq!(actions(&text, outcome), counted, "{outcome} in {counters}\n{text}");
    }
    assert_eq!((actions(&text, "decided"), actions(&text, "fallback")), (18.0, 2.0), "{text}");
    assert_eq!(value(&text, "phalanx_script_errors_total", &[]), Some(2.0), "{text}");
    let decisions = value(&text, "phalanx_decision_seconds_count", &["role=\"worker\""]);
    assert_eq!(decisions, Some(18.0), "{text}");
    let margins = "phalanx_deadline_margin_seconds";
    assert_eq!(value(&text, &format!("{margins}_count"), &[]), Some(20.0), "{text}");
    let tight = value(&text, &format!("{margins}_bucket"), &["le=\"8\""]);
    assert_eq!(tight, Some(0.0), "of a minute there was a lot left\n{text}");
    for seat in ["seat=\"agentA1\"", "seat=\"agentA2\""] {
        assert_eq!(value(&text, "phalanx_seat_up", &[seat]), Some(1.0), "{text}");
        assert_eq!(value(&text, "phalanx_reconnects_total", &[seat]), Some(0.0), "{text}");
    }
    for (name, want) in [
        ("phalanx_turn", 9.0),
        ("phalanx_turns_total", 10.0),
        ("phalanx_generation", 1.0),
        ("phalanx_silent_turns", 0.0),
        ("phalanx_journal_lost_total", 0.0),
    ] {
        assert_eq!(value(&text, name, &[]), Some(want), "{name}\n{text}");
    }
    assert!(value(&text, "process_resident_memory_bytes", &[]).unwrap() > 1e6, "{text}");
    let shows = value(&text, "phalanx_api_connections", &["listener=\"unix\""]);
    assert!(shows >= Some(1.0), "{text}");
}

#[test]
fn a_silent_agent_is_told_in_the_log_in_the_figures_and_to_who_watches() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), AGENTS, 100, 60_000));
    let strategy = "return { decide = function(me)\n  if me.name == 'agentA1' and me.turn > 2 and \
                    me.turn < 12 then error('mute') end\n  return act.skip()\nend }";
    let mut daemon = daemon(&settings(dir.path(), address, AGENTS, strategy));
    daemon.line_with("control API");
    let mut watch = quiet(Command::new(PHALANX));
    let control = control(dir.path());
    watch.args(["match", "watch", "--output", "json", "--control", &control]).stderr(Stdio::null());
    let mut watch = Running::start(watch);
    let opponents = Opponents::join(address, AGENTS);
    // The stream begins with the next event, so nothing may happen before it is open.
    scrape_until(dir.path(), |text| {
        value(text, "phalanx_api_open_calls", &["Matches/WatchMatch"]) == Some(1.0)
    });
    opponents.play(10);
    // One comes from the snapshot, the other from the journal: neither waits for the other.
    let text = scrape_until(dir.path(), |text| {
        ["phalanx_alerts", "phalanx_alerts_begun_total"]
            .into_iter()
            .all(|name| value(text, name, &["kind=\"silent_agent\""]) == Some(1.0))
    });
    let first = value(&text, "phalanx_silent_turns", &["agent=\"agentA1\""]);
    assert!(first >= Some(5.0), "{text}");
    assert_eq!(value(&text, "phalanx_silent_turns", &["agent=\"agentA2\""]), Some(0.0), "{text}");

    let line: Value = serde_json::from_str(&daemon.line_with("\"alert silent agent: ")).unwrap();
    assert_eq!(line["level"], "WARN", "{line}");
    let fields = &line["fields"];
    let told = (&fields["team"], &fields["agent"], &fields["alert"]);
    assert_eq!(told, (&json!("A"), &json!("agentA1"), &json!("silent_agent")), "{line}");
    let event: Value = serde_json::from_str(&watch.line_with("alert_began")).unwrap();
    assert!(event.to_string().contains("agentA1"), "{event}");

    opponents.play(10);
    daemon.line_with("alert silent agent is over");
    scrape_until(dir.path(), |text| {
        value(text, "phalanx_alerts", &["kind=\"silent_agent\""]) == Some(0.0)
    });
}

#[test]
fn the_log_tells_each_seat_once_and_more_while_somebody_wants_it() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), AGENTS, 100, 60_000));
    let strategy = "return { decide = function() return act.skip() end }";
    let mut daemon = daemon(&settings(dir.path(), address, AGENTS, strategy));
    let control = control(dir.path());
    let ask = |args: &[&str]| {
        let all = [&["daemon"], args, &["--control", &control, "--output", "json"]].concat();
        phalanx(&all)
    };
    let opponents = Opponents::join(address, AGENTS);
    let (mut seated, mut started) = (0, false);
    while seated < 2 || !started {
        let line = daemon.line_with("");
        seated += usize::from(line.contains("is seated"));
        started |= line.contains("round started");
    }
    let set = ask(&["log-level", "info,phalanx=debug", "--for", "1h"]);
    assert!(set.status.success(), "{}", stderr(&set));
    let set: Value = serde_json::from_slice(&set.stdout).unwrap();
    assert_eq!(
        (&set["filter"], &set["configured"]),
        (&json!("info,phalanx=debug"), &json!("info"))
    );
    assert!(set["expires"].is_string(), "{set}");
    opponents.play(1);
    let line = loop {
        let line = daemon.line_with("");
        assert!(!line.contains("is seated"), "each seat is told once: {line}");
        if line.contains(" µs)") {
            break line;
        }
    };
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&line["level"], &line["fields"]["team"]), (&json!("DEBUG"), &json!("A")));

    let nonsense = ask(&["log-level", "info,phalanx=verbose"]);
    assert_eq!(nonsense.status.code(), Some(2), "{}", stderr(&nonsense));
    assert!(stderr(&nonsense).contains("column 6"), "{}", stderr(&nonsense));
    let reset = ask(&["log-level", "--reset"]);
    let reset: Value = serde_json::from_slice(&reset.stdout).unwrap();
    assert_eq!((&reset["filter"], &reset["expires"]), (&json!("info"), &Value::Null));

    let told = ask(&["show"]);
    assert!(told.status.success(), "{}", stderr(&told));
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(!text.contains("secret-a"), "{text}");
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!((&told["instance"], &told["log"]["filter"]), (&json!("phalanxd"), &json!("info")));
    assert_eq!(told["settings"]["teams.A.agents"], "2", "{told}");
    assert!(told["resident_bytes"].as_u64().unwrap() > 1 << 20, "{told}");
    let socket = format!("unix:{}/control.sock", dir.path().display());
    assert_eq!(told["listeners"], json!([socket]), "{told}");
}
