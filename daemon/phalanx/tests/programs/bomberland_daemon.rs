//! `phalanxd` in Bomberland: teams of three units against the arena and against referees that
//! misbehave, and what the operator sees of it.

use crate::support::{PHALANXD, control, daemon, phalanx, quiet, shown, stderr};
use crate::web::{SHORT, Web, arena, arena_at};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Walks about, so that a tick without orders would be seen.
const WALK: &str = "return { decide = function() \
    return act.move(rng.pick({ 'up', 'down', 'left', 'right' })) end }";

/// Settings of a daemon with teams of three, by name and options.
fn settings(dir: &Path, server: SocketAddr, teams: &[(&str, &str)]) -> PathBuf {
    let scripts = dir.join("strategy");
    std::fs::create_dir_all(&scripts).unwrap();
    std::fs::write(scripts.join("worker.luau"), WALK).unwrap();
    let mut text = format!(
        "[control]\nsocket = \"{}/control.sock\"\n\n[log]\nformat = \"json\"\n",
        dir.display()
    );
    for (name, options) in teams {
        text.push_str(&format!(
            "\n[[teams]]\nname = \"{name}\"\ngame = \"bomberland\"\nserver = \"{server}\"\n\
             strategy = \"strategy\"\nrole = \"worker\"\nagents = {{ prefix = \"{name}\", count = 3 }}\n\
             options = {{ {options} }}\n"
        ));
    }
    let path = dir.join("phalanxd.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// Whether every team of the daemon is in its game.
fn both_have_begun(dir: &Path) -> bool {
    let listed = phalanx(&["team", "list", "--output", "json", "--control", &control(dir)]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap_or_default();
    let teams = listed["teams"].as_array().map(Vec::as_slice).unwrap_or_default();
    teams.len() == BOTH.len() && teams.iter().all(|team| team["turn"].is_object())
}

const BOTH: &[(&str, &str)] = &[("A", r#"agent_id = "agentA""#), ("B", r#"agent_id = "agentB""#)];

#[test]
fn two_teams_play_to_the_end_and_the_replay_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let (mut arena, address) = arena(dir.path(), SHORT);
    let daemon = daemon(&settings(dir.path(), address, BOTH));
    let line = arena.line_with("simulation 1 is over");
    // The players are named as in the settings.
    assert!(line.contains("agentA [") && line.contains("agentB ["), "{line}");
    arena.signal("INT");
    let (said, code) = arena.finish();
    assert_eq!(code, Some(0), "{said}");
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("every match is over"), "{log}");
    assert_eq!(log.matches("\"round over").count(), 2, "once a team\n{log}");

    let replay = std::fs::read(dir.path().join("replay.json")).unwrap();
    let replay: Value = serde_json::from_slice(&replay).unwrap();
    let history = replay["payload"]["history"].as_array().unwrap();
    let moves = |agent: &str| {
        let events = history.iter().flat_map(|tick| tick["events"].as_array().unwrap());
        events.filter(|event| event["type"] == "unit" && event["agent_id"] == agent).count()
    };
    assert!(moves("a") > 20 && moves("b") > 20, "both teams walked");
    assert_eq!(replay["payload"]["initial_state"]["tick"], 0);
}

#[test]
fn in_training_the_daemon_s_admin_seat_asks_for_the_ticks() {
    let dir = tempfile::tempdir().unwrap();
    let (mut arena, address) = arena(dir.path(), &format!("{SHORT}TRAINING_MODE_ENABLED=1\n"));
    let teams =
        [("A", r#"agent_id = "agentA", training = "5ms""#), ("B", r#"agent_id = "agentB""#)];
    let mut daemon = daemon(&settings(dir.path(), address, &teams));
    arena.line_with("simulation 1 is over");
    daemon.line_with("match over");
    arena.signal("INT");
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn a_referee_that_dies_and_returns_in_mid_match_is_met_again() {
    let dir = tempfile::tempdir().unwrap();
    let endless = SHORT.replace("GAME_DURATION_TICKS=20", "GAME_DURATION_TICKS=100000");
    let (mut first, address) = arena(dir.path(), &endless);
    let mut daemon = daemon(&settings(dir.path(), address, BOTH));
    first.line_with("simulation 1");
    while !both_have_begun(dir.path()) {}
    drop(first);
    let line = daemon.line_with("not connected, trying again");
    // Which error it is depends on whether our bytes were still unread, and on who notices first.
    let gone = ["closed the connection", "Connection reset by peer", "Broken pipe"];
    assert!(gone.iter().any(|gone| line.contains(gone)), "{line}");
    let (mut second, _) = arena_at(dir.path(), SHORT, &address.to_string());
    second.line_with("simulation 1 is over");
    second.signal("INT");
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    // The interrupted game ends for the team as well.
    assert_eq!(log.matches("\"round over").count(), 4, "two games, two teams\n{log}");
}

#[test]
fn a_wrong_id_is_told_loudly_and_tried_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(dir.path(), SHORT);
    let teams = [("A", r#"agent_id = "hunter2""#)];
    let mut daemon = daemon(&settings(dir.path(), address, &teams));
    let line = daemon.line_with("login refused");
    assert!(line.contains("no game_state within 2 s") && !line.contains("hunter2"), "{line}");
    let team = shown(dir.path());
    for agent in team["agents"].as_array().unwrap() {
        assert_eq!(agent["seat"], "refused", "{team}");
    }
}

#[test]
fn a_referee_that_falls_silent_is_left_and_met_again_in_mid_match() {
    let dir = tempfile::tempdir().unwrap();
    let referee = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = settings(dir.path(), referee.local_addr().unwrap(), &BOTH[..1]);
    let mut daemon = daemon(&config);
    let mut first = Web::over(referee.accept().unwrap().0);
    first.send(&json!({ "type": "game_state", "payload": state(0) }));
    first.send(&json!({ "type": "tick", "payload": { "tick": 1, "events": [] } }));
    assert_eq!(first.receive().unwrap()["unit_id"], "c", "an order for the only unit");
    // From here on it sends nothing, as the engine does when it has lost a client.
    let line = daemon.line_with("not connected, trying again");
    assert!(line.contains("fell silent while the game runs"), "{line}");
    assert_eq!(first.receive(), None, "it closes before it comes again");
    let mut second = Web::over(referee.accept().unwrap().0);
    second.send(&json!({ "type": "game_state", "payload": state(30) }));
    second.send(&json!({ "type": "tick", "payload": { "tick": 31, "events": [] } }));
    assert_eq!(second.receive().unwrap()["unit_id"], "c");
    let team = shown(dir.path());
    assert_eq!((&team["agents"][0]["seat"], &team["turn"]["round"]), (&json!("seated"), &json!(0)));

    // Missing ticks are as bad as silence.
    second.send(&json!({ "type": "tick", "payload": { "tick": 40, "events": [] } }));
    let line = daemon.line_with("not connected, trying again");
    assert!(line.contains("frames were lost"), "{line}");
}

/// A game of one unit a side on a small map.
fn state(tick: u32) -> Value {
    let unit = |id: &str, agent: &str, x: u32| {
        json!({
            "coordinates": [x, 1], "hp": 3, "inventory": { "bombs": 3 }, "blast_diameter": 3,
            "unit_id": id, "agent_id": agent, "invulnerable": 0, "stunned": 0
        })
    };
    json!({
        "game_id": "g", "tick": tick, "entities": [], "world": { "width": 5, "height": 3 },
        "agents": {
            "a": { "agent_id": "a", "unit_ids": ["c"] }, "b": { "agent_id": "b", "unit_ids": ["d"] }
        },
        "unit_state": { "c": unit("c", "a", 1), "d": unit("d", "b", 3) },
        "config":
            { "tick_rate_hz": 10, "game_duration_ticks": 200, "fire_spawn_interval_ticks": 2 },
        "connection": { "id": 1, "role": "agent", "agent_id": "a" }
    })
}

#[test]
fn garbage_from_the_referee_is_counted_and_the_game_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let referee = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut daemon = daemon(&settings(dir.path(), referee.local_addr().unwrap(), &BOTH[..1]));
    let mut seat = Web::over(referee.accept().unwrap().0);
    seat.send(&json!({ "type": "game_state", "payload": { "tick": "soon" } }));
    seat.send(&json!([1, 2, 3]));
    seat.send(&json!({ "type": "weather", "payload": {} }));
    seat.send(&json!({ "type": "game_state", "payload": state(4) }));
    let events = json!([{ "type": "unit_state", "data": 7 }, { "type": "earthquake" }]);
    seat.send(&json!({ "type": "tick", "payload": { "tick": 5, "events": events } }));
    assert_eq!(seat.receive().unwrap()["unit_id"], "c");
    daemon.line_with("weather");
    let counters = &shown(dir.path())["counters"];
    assert!(counters["malformed"].as_u64() >= Some(3), "{counters}");
}

#[test]
fn options_with_mistakes_are_listed_with_the_nearest_name() {
    let dir = tempfile::tempdir().unwrap();
    let server: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let teams = [("A", r#"agent_idd = "hunter2", training = "often""#)];
    let config = settings(dir.path(), server, &teams);
    let output = phalanx(&["check", "--config", config.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(64));
    let said = stderr(&output);
    assert!(said.contains("teams[0].options.agent_idd") && said.contains("`agent_id`"), "{said}");
    assert!(said.contains("teams[0].options.training") && !said.contains("hunter2"), "{said}");
    let mut command = quiet(Command::new(PHALANXD));
    assert_eq!(command.arg("--config").arg(&config).output().unwrap().status.code(), Some(64));
    // The daemon has ended, so no one answers.
    let asked = phalanx(&["team", "list", "--control", &control(dir.path())]);
    assert_eq!(asked.status.code(), Some(1));
}
