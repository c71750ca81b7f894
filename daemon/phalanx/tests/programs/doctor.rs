//! `phalanx doctor` before a match: its findings, its advice, its exit code.

use crate::support::{
    PATIENCE, Plain, arena, arena_config, daemon, phalanx, settings, shown, stdout,
};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Output;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

const SKIP: &str = "return { decide = function() return act.skip() end }\n";
const HOUR_MS: u128 = 3_600_000;

#[test]
fn where_all_is_well_it_says_so_for_people() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), 2, 5, 4000));
    let config = settings(dir.path(), address, 2, SKIP);
    let output = examine(&config, &["--load-seconds", "0", "--output", "table"]);
    let masked = masked(&stdout(&output), dir.path());
    let expected = "\
settings
  ✓ settings    # team, # agents, # connections
control
  ✓ socket      DIR/control.sock is free
team A
  ✓ strategy    DIR/strategy passes its trial
  ✓ reach       #:#: a connection takes # ms, about one round trip
  ✓ login       # of # accepted, each answered within # ms
  ✓ clock       the referee has not sent its time; deadlines do not depend on it
";
    assert_eq!(masked, expected);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn a_wrong_password_will_fail_and_is_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), 2, 5, 4000));
    let config = settings(dir.path(), address, 2, SKIP);
    let text = std::fs::read_to_string(&config).unwrap().replace("secret-a", "hunter2");
    std::fs::write(&config, text).unwrap();
    let output = examine(&config, &["--load-seconds", "0", "--output", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let login = finding(&output, "login");
    assert_eq!(login["verdict"], "failing");
    let found = login["found"].as_str().unwrap();
    assert!(found.starts_with("2 of 2 not accepted:\nagentA1: "), "{found}");
    assert!(login["todo"].as_str().unwrap().contains("passwords"), "{login}");
    assert!(!stdout(&output).contains("hunter2"), "{}", stdout(&output));
}

#[test]
fn a_port_that_nobody_listens_on_will_fail() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), free(), 2, SKIP);
    let output = examine(&config, &["--load-seconds", "0", "--output", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let reach = finding(&output, "reach");
    assert_eq!(reach["verdict"], "failing");
    assert!(reach["found"].as_str().unwrap().contains("refused"), "{reach}");
    assert!(reach["todo"].as_str().unwrap().contains("teams[].server"), "{reach}");
    assert!(all(&output).iter().all(|one| one["check"] != "login"), "nobody was there to ask");
}

#[test]
fn a_name_that_nobody_knows_will_fail() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), free(), 2, SKIP);
    let text = std::fs::read_to_string(&config).unwrap();
    let text = text.replace("127.0.0.1:", "referee.invalid:");
    std::fs::write(&config, text).unwrap();
    let output = examine(&config, &["--load-seconds", "0", "--output", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let name = finding(&output, "name");
    assert_eq!(name["verdict"], "failing");
    assert!(name["found"].as_str().unwrap().starts_with("referee.invalid: "), "{name}");
}

#[test]
fn a_referee_whose_clock_is_an_hour_ahead_is_noticed_and_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let referee = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = settings(dir.path(), referee.local_addr().unwrap(), 1, SKIP);
    std::thread::spawn(move || {
        for stream in referee.incoming() {
            let mut seat = Plain::over(stream.unwrap());
            // A connection that only measures the round trip sends nothing.
            let Some(login) = seat.receive() else { continue };
            assert_eq!(login["type"], "auth-request");
            seat.send(&json!({ "type": "auth-response", "content": { "result": "ok" } }));
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
            let time = u64::try_from(now + HOUR_MS).unwrap();
            let percept =
                json!({ "name": "agentA1", "team": "A", "teamSize": 1, "steps": 9, "vision": 5 });
            seat.send(
                &json!({ "type": "sim-start", "content": { "time": time, "percept": percept } }),
            );
        }
    });
    let output = examine(&config, &["--load-seconds", "0", "--output", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let clock = all(&output)
        .into_iter()
        .find(|one| one["check"] == "clock" && one["about"] == "team A")
        .unwrap();
    assert_eq!(clock["verdict"], "doubtful");
    let found = clock["found"].as_str().unwrap();
    // Some time passes between the two clock readings.
    let is_about_an_hour = found.contains("is 1h ") || found.contains("is 59m ");
    assert!(is_about_an_hour && found.contains("ahead of ours"), "{found}");
    assert!(found.contains("deadlines do not depend on it"), "{found}");
}

#[test]
fn a_broken_strategy_will_fail_and_is_not_put_under_load() {
    let dir = tempfile::tempdir().unwrap();
    let broken = "return { decide = function(me) retrun 1 end }";
    let config = settings(dir.path(), free(), 2, broken);
    let output = examine(&config, &["--load-seconds", "1", "--output", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let strategy = finding(&output, "strategy");
    assert_eq!(strategy["verdict"], "failing");
    assert!(strategy["found"].as_str().unwrap().contains("worker.luau:1"), "{strategy}");
    assert!(all(&output).iter().all(|one| one["check"] != "load"));
}

#[test]
fn a_try_under_load_ends_in_a_forecast_with_its_basis() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), free(), 2, SKIP);
    let output = examine(&config, &["--load-seconds", "1", "--output", "json"]);
    let load = finding(&output, "load");
    assert!(load["found"].as_str().unwrap().starts_with("50 agents, "), "{load}");
    let forecast = finding(&output, "forecast");
    let found = forecast["found"].as_str().unwrap();
    assert!(found.contains("% of steps missed; at most "), "{found}");
    assert!(found.contains("with 95 % confidence, from "), "{found}");
}

#[test]
fn scripts_that_fail_under_load_will_fail_in_the_match() {
    let dir = tempfile::tempdir().unwrap();
    let failing = "return { decide = function(me) if me.turn > 0 then error('oh no') end \
                   return act.skip() end }\n";
    let config = settings(dir.path(), free(), 2, failing);
    let output = examine(&config, &["--load-seconds", "1", "--output", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let forecast = finding(&output, "forecast");
    assert_eq!(forecast["verdict"], "failing");
    assert!(forecast["found"].as_str().unwrap().contains("oh no"), "{forecast}");
}

#[test]
fn accounts_of_a_daemon_that_plays_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), 2, 5, 4000));
    let config = settings(dir.path(), address, 2, SKIP);
    let mut daemon = daemon(&config);
    daemon.line_with("control API");
    let output = examine(&config, &["--load-seconds", "0", "--output", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let login = finding(&output, "login");
    assert_eq!(login["verdict"], "doubtful");
    assert!(login["found"].as_str().unwrap().contains("a daemon plays"), "{login}");
    assert!(login["todo"].as_str().unwrap().contains("--login"), "{login}");
    let playing = all(&output).into_iter().find(|one| one["check"] == "daemon").unwrap();
    assert_eq!(playing["verdict"], "well");
}

#[test]
fn seats_that_a_running_daemon_cannot_connect_will_fail() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), 2, 5, 4000));
    let config = settings(dir.path(), address, 2, SKIP);
    let text = std::fs::read_to_string(&config).unwrap().replace("secret-a", "wrong");
    std::fs::write(&config, text).unwrap();
    let mut daemon = daemon(&config);
    daemon.line_with("control API");
    let is_refused = |team: &Value| {
        let mut agents = team["agents"].as_array().unwrap().iter();
        agents.all(|agent| agent["seat"] == "refused")
    };
    let begun = Instant::now();
    while !is_refused(&shown(dir.path())) {
        assert!(begun.elapsed() < PATIENCE, "the seats are not refused");
    }
    let output = examine(&config, &["--load-seconds", "0", "--output", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let login = finding(&output, "login");
    assert_eq!(login["verdict"], "failing");
    let expected = "the daemon that runs says: agentA1 to agentA2 (2): the referee answered \
                    \"fail\" to the login of \"agentA1\"";
    assert_eq!(login["found"], expected);
    assert!(login["todo"].as_str().unwrap().contains("passwords"), "{login}");
}

#[test]
fn where_a_login_begins_the_match_it_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let config =
        settings(dir.path(), free(), 3, "return { decide = function() return act.wait() end }");
    let referee = TcpListener::bind("127.0.0.1:0").unwrap();
    let text = std::fs::read_to_string(&config).unwrap();
    let server = text.lines().find(|line| line.starts_with("server")).unwrap();
    let there = format!("server = \"{}\"", referee.local_addr().unwrap());
    let text = text.replace(server, &there).replace("\"assemble\"", "\"bomberland\"");
    std::fs::write(&config, text).unwrap();
    let output = examine(&config, &["--load-seconds", "0", "--output", "json"]);
    let login = finding(&output, "login");
    assert_eq!(login["verdict"], "doubtful");
    assert!(login["found"].as_str().unwrap().contains("the engine begins the match"), "{login}");
}

#[test]
fn settings_with_mistakes_end_the_visit() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), free(), 2, SKIP);
    let text = std::fs::read_to_string(&config).unwrap().replace("server =", "sever =");
    std::fs::write(&config, text).unwrap();
    let output = examine(&config, &["--output", "json"]);
    assert_eq!(output.status.code(), Some(64));
    let found = all(&output);
    assert_eq!(found.len(), 1);
    assert!(found[0]["found"].as_str().unwrap().contains("sever"), "{found:?}");
}

fn examine(config: &Path, args: &[&str]) -> Output {
    phalanx(&[&["doctor", "--config", config.to_str().unwrap()], args].concat())
}

fn all(output: &Output) -> Vec<Value> {
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["findings"].as_array().unwrap().clone()
}

fn finding(output: &Output, check: &str) -> Value {
    let found = all(output).into_iter().find(|one| one["check"] == check);
    found.unwrap_or_else(|| panic!("no {check}: {}", stdout(output)))
}

/// A port without a listener: it was free a moment ago.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Removes numbers, paths, and lines that differ from machine to machine.
fn masked(text: &str, dir: &Path) -> String {
    let text = text.replace(&dir.display().to_string(), "DIR");
    let mut out = String::new();
    let mut about = "";
    for line in text.lines() {
        if !line.starts_with(' ') {
            about = line;
        }
        // Disk, memory and load differ between machines, and so does the summary line.
        let is_sum = line.contains("to check") || line.contains("all is well");
        if about == "machine" || is_sum {
            continue;
        }
        let mut in_number = false;
        for sign in line.chars() {
            let goes_on = sign.is_ascii_digit() || (in_number && sign == '.');
            if goes_on && !in_number {
                out.push('#');
            }
            if !goes_on {
                out.push(sign);
            }
            in_number = goes_on;
        }
        out.push('\n');
    }
    out
}
