//! Referees that misbehave and settings full of mistakes: what the operator sees.

use crate::support::{Plain, Running, daemon, phalanx, settings, shown, stderr};
use serde_json::{Value, json};
use std::net::TcpListener;
use tempfile::TempDir;

#[test]
fn a_referee_that_accepts_and_says_nothing_is_named_as_such() {
    let mut bench = Bench::new();
    let mut silent = bench.accept();
    assert_eq!(silent.receive().unwrap()["type"], "auth-request");
    let agent = &shown(bench.dir.path())["agents"][0];
    assert_eq!((&agent["name"], &agent["seat"]), (&json!("agentA1"), &json!("connected")));
    let line = bench.daemon.line_with("login refused");
    assert!(line.contains("the referee did not answer the login within 10 s"), "{line}");
}

#[test]
fn a_referee_that_closes_in_mid_message_is_met_again_and_the_match_goes_on() {
    let mut bench = Bench::new();
    let mut first = bench.welcome();
    first.send_bytes(br#"{"type":"sim-start","conte"#);
    drop(first);
    let line = bench.daemon.line_with("not connected, trying again");
    assert!(line.contains("the referee closed the connection"), "{line}");
    let mut second = bench.welcome();
    second.send(&request(3));
    assert_eq!(answer(&mut second), (json!(3), json!("move")));
    bench.says_goodbye(second);
}

#[test]
fn a_mebibyte_of_garbage_is_skipped_and_counted() {
    let mut bench = Bench::new();
    let mut referee = bench.welcome();
    // Multiples of a large odd number: bytes of every kind, frames of every length.
    let garbage = (0_u32..1 << 20).map(|index| index.wrapping_mul(2_654_435_761).to_be_bytes()[0]);
    referee.send_bytes(&garbage.collect::<Vec<_>>());
    referee.send_bytes(b"\0");
    referee.send(&request(0));
    assert_eq!(answer(&mut referee), (json!(0), json!("move")));
    let line = bench.daemon.line_with("malformed");
    assert!(line.contains("expected a JSON object"), "{line}");
    assert!(shown(bench.dir.path())["counters"]["malformed"].as_u64() > Some(0));
    bench.says_goodbye(referee);
}

#[test]
fn an_end_without_a_start_is_a_warning_and_no_end() {
    let mut bench = Bench::new();
    let mut referee = bench.welcome();
    let end = json!({ "score": 10, "ranking": 1, "time": 1 });
    referee.send(&json!({ "type": "sim-end", "content": end }));
    let line = bench.daemon.line_with("sim-end");
    assert!(line.contains("WARN") && line.contains("expected a running simulation"), "{line}");
    referee.send(&request(0));
    assert_eq!(answer(&mut referee), (json!(0), json!("move")));
    let team = shown(bench.dir.path());
    assert_eq!((&team["counters"]["malformed"], &team["round_scores"]), (&json!(1), &json!([])));
    bench.says_goodbye(referee);
}

#[test]
fn ten_mistakes_in_the_settings_are_ten_lines_with_file_and_key() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("phalanxd.toml");
    let text = r#"
        state_dirr = "/x"
        [control]
        tcp = "0.0.0.0:7420"
        [limits]
        decide_max = "4"
        plan_max = 500
        straggler_share = 1.5
        script_memory = "64"
        [log]
        format = "xml"
        [[teams]]
        name = "A"
        game = "asemble"
        server = "tcp://referee"
        strategy = "s"
        agents = { prefix = "a", count = 0, password = "hunter2" }
    "#;
    std::fs::write(&path, text).unwrap();
    let output = phalanx(&["check", "--config", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(64));
    let said = stderr(&output);
    for key in [
        "state_dirr",
        "control.tcp",
        "limits.decide_max",
        "limits.plan_max",
        "limits.straggler_share",
        "limits.script_memory",
        "log.format",
        "teams[0].game",
        "teams[0].server",
        "teams[0].agents.count",
    ] {
        let start = format!("{}: {key}", path.display());
        assert!(said.lines().any(|line| line.trim_start().starts_with(&start)), "{key}:\n{said}");
    }
    assert!(!said.contains("hunter2"), "{said}");
}

/// A daemon with one agent that moves, and the listener of its referee.
struct Bench {
    daemon: Running,
    referee: TcpListener,
    dir: TempDir,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let referee = TcpListener::bind("127.0.0.1:0").unwrap();
        let strategy = "return { decide = function() return act.move('n') end }";
        let config = settings(dir.path(), referee.local_addr().unwrap(), 1, strategy);
        let mut daemon = daemon(&config);
        daemon.line_with("control API");
        Self { daemon, referee, dir }
    }

    fn accept(&self) -> Plain {
        Plain::over(self.referee.accept().unwrap().0)
    }

    /// Accepts the agent and its login.
    fn welcome(&self) -> Plain {
        let mut seat = self.accept();
        assert_eq!(seat.receive().unwrap()["type"], "auth-request");
        seat.send(&json!({ "type": "auth-response", "content": { "result": "ok" } }));
        seat
    }

    /// Ends the match properly, and waits for the end of the daemon.
    fn says_goodbye(self, mut seat: Plain) {
        seat.send(&json!({ "type": "bye", "content": {} }));
        assert_eq!(seat.receive(), None);
        let (log, code) = self.daemon.finish();
        assert_eq!(code, Some(0), "{log}");
    }
}

/// The smallest request for action that the protocol allows.
fn request(id: i64) -> Value {
    let percept = json!({ "lastAction": "skip" });
    let content =
        json!({ "id": id, "time": 1000, "deadline": 5000, "step": id, "percept": percept });
    json!({ "type": "request-action", "content": content })
}

/// Id and type of the action that the agent answers.
fn answer(seat: &mut Plain) -> (Value, Value) {
    let action = seat.receive().unwrap();
    assert_eq!(action["type"], "action");
    (action["content"]["id"].clone(), action["content"]["type"].clone())
}
