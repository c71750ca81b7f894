//! `phalanxd` against the arena, watched through `phalanx`: real programs, real sockets.

use crate::support::{
    PHALANX, PHALANXD, Plain, Running, arena, arena_config, control, daemon, phalanx, quiet,
    settings, stderr,
};
use serde_json::Value;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

#[test]
fn a_team_plays_to_the_end_and_can_be_watched() {
    let dir = tempfile::tempdir().unwrap();
    let (arena, address) = arena(&arena_config(dir.path(), 2, 40, 4000));
    let strategy = "return { decide = function(me)\n  if me.turn == 5 then error('oh no') end\n  \
                    return act.move(rng.pick({ 'n', 's', 'e', 'w' }))\nend }";
    let mut daemon = daemon(&settings(dir.path(), address, 2, strategy));
    daemon.line_with("control API");
    let control = control(dir.path());

    let mut watch = quiet(Command::new(PHALANX));
    watch.args(["match", "watch", "--output", "json", "--control", &control]).stderr(Stdio::null());
    let watch = Running::start(watch);
    let listed = phalanx(&["team", "list", "--output", "json", "--control", &control]);
    assert!(listed.status.success(), "{}", stderr(&listed));
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["teams"][0]["name"], "A");
    assert_eq!(listed["teams"][0]["agent_count"], 2);
    let shown = phalanx(&["team", "show", "A", "--output", "json", "--control", &control]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["agents"][1]["name"], "agentA2");
    let stranger = phalanx(&["team", "show", "Z", "--control", &control]);
    assert_eq!(stranger.status.code(), Some(2));
    assert!(stderr(&stranger).contains("TEAM_NOT_FOUND"), "{}", stderr(&stranger));

    // No turn is played before the opponents join, so the watchers miss nothing.
    for number in 1..=2 {
        let mut opponent = Plain::connect(address);
        opponent.login(&format!("agentB{number}"), "secret-b");
        std::thread::spawn(move || opponent.skip_to_the_end());
    }
    let (said, code) = arena.finish();
    assert_eq!(code, Some(0), "{said}");
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("every match is over"), "{log}");

    let (events, _) = watch.finish();
    let events: Vec<Value> =
        events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["kind"] == kind).count();
    assert_eq!(of("turn_done"), 40);
    assert_eq!(of("fallback"), 2, "both agents, in turn 5");
    let fallback = events.iter().find(|event| event["kind"] == "fallback").unwrap();
    let reason = fallback["details"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("worker.luau:2:") && reason.contains("oh no"), "{reason}");
    assert_eq!((of("late"), of("defaulted"), of("match_over")), (0, 0, 1));
}

#[test]
fn a_daemon_without_a_server_keeps_trying_and_leaves_when_told() {
    let dir = tempfile::tempdir().unwrap();
    // A port without a listener: it was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let strategy = "return { decide = function() return act.skip() end }";
    let mut daemon = daemon(&settings(dir.path(), free, 2, strategy));
    let line = daemon.line_with("not connected, trying again");
    assert!(line.contains("refused"), "{line}");
    daemon.terminate();
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("SIGTERM"), "{log}");
}

#[test]
fn a_wrong_password_is_said_loudly() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), 2, 5, 4000));
    let strategy = "return { decide = function() return act.skip() end }";
    let config = settings(dir.path(), address, 2, strategy);
    let text = std::fs::read_to_string(&config).unwrap().replace("secret-a", "hunter2");
    std::fs::write(&config, text).unwrap();
    let mut daemon = daemon(&config);
    let line = daemon.line_with("login refused");
    assert!(!line.contains("hunter2"), "{line}");
}

#[test]
fn a_check_lists_the_mistakes_of_settings_and_strategies() {
    let dir = tempfile::tempdir().unwrap();
    let server: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let config = settings(dir.path(), server, 2, "return { decide = function(me) retrun 1 end }");
    let output = phalanx(&["check", "--config", config.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(64));
    assert!(stderr(&output).contains("worker.luau"), "{}", stderr(&output));

    let text = std::fs::read_to_string(&config).unwrap();
    let broken = text.replace("server =", "sever =").replace("\"assemble\"", "\"asemble\"");
    std::fs::write(&config, broken).unwrap();
    let mut command = quiet(Command::new(PHALANXD));
    let output = command.arg("--config").arg(&config).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    let said = stderr(&output);
    assert!(said.contains("sever") && said.contains("`server`"), "{said}");
    assert!(said.contains("asemble") && said.contains("assemble"), "{said}");
}

#[test]
fn a_daemon_whose_team_was_drained_by_hand_stays() {
    let dir = tempfile::tempdir().unwrap();
    let nobody = "127.0.0.1:1".parse().unwrap();
    let strategy = "return { decide = function() return act.skip() end }";
    let mut daemon = daemon(&settings(dir.path(), nobody, 1, strategy));
    daemon.line_with("control API");
    let control = control(dir.path());
    for words in [["team", "drain", "A"], ["team", "show", "A"], ["team", "delete", "A"]] {
        let done = phalanx(&[&words[..], &["--control", &control]].concat());
        assert!(done.status.success(), "{words:?}: {}", stderr(&done));
        if words[1] == "drain" {
            daemon.line_with("the daemon runs until a signal ends it");
        }
    }
}
