//! The daemon beside other processes, on full disks, with repeated signals: what it logs, and how
//! it ends.

use crate::support::{
    PHALANX, PHALANXD, Plain, Running, control, daemon, phalanx, quiet, settings, shown, stderr,
    wait,
};
use crate::watching::{scrape, value};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SKIP: &str = "return { decide = function() return act.skip() end }\n";
/// Never returns.
const ENDLESS: &str = "return { decide = function() while true do end end }\n";

#[test]
fn a_second_daemon_on_a_state_folder_is_told_who_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let config = with_state(&config(dir.path(), SKIP), &state);
    let mut first = daemon(&config);
    first.line_with("control API");
    let second = dir.path().join("second");
    std::fs::create_dir(&second).unwrap();
    let refused = run(&with_state(&self::config(&second, SKIP), &state));
    assert_eq!(refused.status.code(), Some(1));
    let said = stderr(&refused);
    let who = format!("belongs to another phalanxd: process {} on ", first.child.id());
    assert!(said.contains(&who), "{said}");
    assert!(said.contains(&config.display().to_string()), "{said}");
    assert!(said.contains(", started 20") && said.contains("ago)"), "{said}");
    // The first daemon is not affected.
    assert_eq!(shown(dir.path())["name"], "A");
    first.terminate();
    assert_eq!(first.finish().1, Some(0));
}

#[test]
fn a_state_folder_whose_daemon_was_killed_is_free() {
    let dir = tempfile::tempdir().unwrap();
    let config = with_state(&config(dir.path(), SKIP), &dir.path().join("state"));
    let mut first = daemon(&config);
    first.line_with("control API");
    first.signal("KILL");
    drop(first);
    let mut second = daemon(&config);
    second.line_with("control API");
    second.terminate();
    assert_eq!(second.finish().1, Some(0));
}

#[test]
fn who_watches_with_retry_goes_on_when_a_killed_daemon_is_back() {
    let dir = tempfile::tempdir().unwrap();
    let config = with_state(&config(dir.path(), SKIP), &dir.path().join("state"));
    let mut first = daemon(&config);
    first.line_with("control API");
    let mut watch = quiet(Command::new("sh"));
    watch.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "match", "watch", "A", "--retry"]);
    watch.args(["--output", "table", "--control", &control(dir.path())]);
    let mut watch = Running::start(watch);
    wait(|| {
        let open = value(&scrape(dir.path()), "phalanx_api_open_calls", &["WatchMatch"]);
        (open > Some(0.0)).then_some(())
    });
    first.signal("KILL");
    drop(first);
    watch.line_with("the daemon is away; it is tried again until it answers");
    let second = daemon(&config);
    watch.line_with("the daemon answers again");
    // It hears what happens from now on.
    let set = phalanx(&["board", "set", "A", "goal", "1", "--control", &control(dir.path())]);
    assert!(set.status.success(), "{}", stderr(&set));
    watch.line_with("goal");
    watch.signal("INT");
    assert_eq!(watch.finish().1, Some(0));
    second.terminate();
    assert_eq!(second.finish().1, Some(0));
}

#[test]
fn who_watches_with_retry_ends_with_the_team_though_its_daemon_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path(), SKIP);
    let text = std::fs::read_to_string(&config).unwrap();
    let team = &text[text.find("[[teams]]").unwrap()..];
    let other = team.replace(r#"name = "A""#, r#"name = "B""#).replace("agentA", "agentB");
    std::fs::write(&config, format!("{text}{other}")).unwrap();
    let mut daemon = daemon(&config);
    daemon.line_with("control API");
    let call = |args: &[&str]| {
        let output = phalanx(&[args, &["--control", &control(dir.path())]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    };
    call(&["team", "drain", "A"]);
    call(&["match", "watch", "A", "--retry"]);
    daemon.terminate();
    assert_eq!(daemon.finish().1, Some(0));
}

#[test]
fn a_state_folder_that_cannot_be_used_is_named_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let config = config(dir.path(), SKIP);
    for (state, said) in [
        (file.join("state"), "cannot create"),
        // No user can create files there.
        (PathBuf::from("/proc"), "cannot write to"),
    ] {
        let output = run(&with_state(&config, &state));
        assert_eq!(output.status.code(), Some(1));
        let told = stderr(&output);
        let expected = format!("{said} state_dir {}", state.display());
        assert!(told.contains("could not start") && told.contains(&expected), "{told}");
    }
}

#[test]
fn a_full_disk_keeps_nobody_from_playing() {
    let bench = Bench::with(&format!("--{}\n{SKIP}", "x".repeat(4_000)), |config, dir| {
        let config = with_state(config, &dir.join("state"));
        // Files are limited to a block or two: further writes fail as on a full disk.
        let mut shell = quiet(Command::new("sh"));
        shell.arg("-c").arg(r#"trap '' XFSZ; ulimit -f 1; exec "$0" "$@" 2>&1"#);
        shell.arg(PHALANXD).arg("--config").arg(config);
        Running::start(shell)
    });
    let Bench { mut daemon, referee, dir } = bench;
    let line = daemon.line_with("cannot write the history of the strategy");
    assert!(line.contains("kept in memory") && line.contains("File too large"), "{line}");
    daemon.line_with("control API");
    let mut seat = welcome(&referee);
    seat.send(&request(0, 60_000));
    assert_eq!(answer(&mut seat), json!(0));
    assert_eq!(shown(dir.path())["counters"]["decided"], 1);
    daemon.terminate();
    drop(seat);
    assert_eq!(daemon.finish().1, Some(0));
}

#[test]
fn a_folder_in_place_of_the_settings_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path());
    assert_eq!(output.status.code(), Some(64));
    let said = stderr(&output);
    let expected = format!("{}: not a file; expected a readable TOML file", dir.path().display());
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn who_asks_twice_to_stop_need_not_wait() {
    let Bench { mut daemon, referee, dir } = Bench::with(ENDLESS, |config, _| {
        let config = with(config, "[limits]\ndecide_max = \"60s\"\ndrain_max = \"600s\"\n");
        daemon(&config)
    });
    daemon.line_with("control API");
    let mut seat = welcome(&referee);
    seat.send(&request(0, 3_600_000));
    // The drain waits for this turn.
    wait_until_asked(&dir);
    daemon.terminate();
    daemon.line_with("SIGTERM: leaving");
    daemon.terminate();
    daemon.line_with("SIGTERM again: exiting at once");
    assert_eq!(daemon.finish().1, Some(2));
}

#[test]
fn a_storm_of_hangups_costs_no_turn() {
    let Bench { mut daemon, referee, dir } = Bench::with(SKIP, |config, _| daemon(config));
    daemon.line_with("control API");
    let mut seat = welcome(&referee);
    let mut shell = quiet(Command::new("sh"));
    shell.arg("-c").arg(r#"for _ in $(seq 1000); do kill -HUP "$0"; done"#);
    let mut storm = shell.arg(daemon.child.id().to_string()).spawn().unwrap();
    for step in 0..20 {
        seat.send(&request(step, 60_000));
        assert_eq!(answer(&mut seat), json!(step));
    }
    assert!(storm.wait().unwrap().success());
    daemon.line_with("after SIGHUP");
    let counters = &shown(dir.path())["counters"];
    assert_eq!((&counters["late"], &counters["fallback"]), (&json!(0), &json!(0)), "{counters}");
    daemon.terminate();
    drop(seat);
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
}

/// A daemon with one agent, and the listener of its referee.
struct Bench {
    daemon: Running,
    referee: TcpListener,
    dir: tempfile::TempDir,
}

impl Bench {
    fn with(strategy: &str, start: impl FnOnce(&Path, &Path) -> Running) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let referee = TcpListener::bind("127.0.0.1:0").unwrap();
        let config = settings(dir.path(), referee.local_addr().unwrap(), 1, strategy);
        let daemon = start(&config, dir.path());
        Self { daemon, referee, dir }
    }
}

/// Settings of a team whose referee is away.
fn config(dir: &Path, strategy: &str) -> PathBuf {
    let nowhere: SocketAddr = "127.0.0.1:1".parse().unwrap();
    settings(dir, nowhere, 1, strategy)
}

fn with_state(config: &Path, state: &Path) -> PathBuf {
    with(config, &format!("state_dir = {:?}\n", state.display().to_string()))
}

/// The same settings with more lines at the begin.
fn with(config: &Path, more: &str) -> PathBuf {
    let text = std::fs::read_to_string(config).unwrap();
    let without = text.lines().filter(|line| !line.starts_with("state_dir"));
    let text = format!("{more}{}\n", without.collect::<Vec<_>>().join("\n"));
    std::fs::write(config, text).unwrap();
    config.to_owned()
}

fn run(config: &Path) -> Output {
    quiet(Command::new(PHALANXD)).arg("--config").arg(config).output().unwrap()
}

fn welcome(referee: &TcpListener) -> Plain {
    let mut seat = Plain::over(referee.accept().unwrap().0);
    assert_eq!(seat.receive().unwrap()["type"], "auth-request");
    seat.send(&json!({ "type": "auth-response", "content": { "result": "ok" } }));
    seat
}

/// A request for action that leaves this many milliseconds.
fn request(id: i64, window_ms: i64) -> Value {
    let percept = json!({ "lastAction": "skip" });
    let content = json!({
        "id": id, "time": 1000, "deadline": 1000 + window_ms, "step": id, "percept": percept
    });
    json!({ "type": "request-action", "content": content })
}

fn answer(seat: &mut Plain) -> Value {
    let action = seat.receive().unwrap();
    assert_eq!(action["type"], "action");
    action["content"]["id"].clone()
}

/// Waits until the team has received a request.
fn wait_until_asked(dir: &tempfile::TempDir) {
    let control = control(dir.path());
    let mut args = vec!["team", "show", "A", "--output", "json", "--control"];
    args.push(&control);
    wait(|| {
        let output = phalanx(&args);
        let team: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (team["counters"]["asked"].as_u64() > Some(0)).then_some(())
    });
}

#[test]
fn a_low_limit_of_open_files_is_raised_as_far_as_it_may_be() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path(), SKIP);
    let mut shell = quiet(Command::new("sh"));
    shell.arg("-c").arg(r#"ulimit -S -n 128; exec "$0" "$@" 2>&1"#);
    shell.arg(PHALANXD).arg("--config").arg(&config);
    let mut daemon = Running::start(shell);
    daemon.line_with("control API");
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", daemon.child.id())).unwrap();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    let mut words = files.split_whitespace();
    let (soft, hard) = (words.next().unwrap(), words.next().unwrap());
    assert_eq!(soft, hard);
    assert_ne!(soft, "128");
}
