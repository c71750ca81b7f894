//! `phalanx demo`, as a new user types it.

use crate::support::{PHALANX, Running, phalanx, quiet, stderr, stdout};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

fn summary(args: &[&str]) -> Value {
    let mut all = vec!["demo", "--fast", "--json", "--steps", "60"];
    all.extend(args);
    let output = phalanx(&all);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(stdout(&output).lines().last().unwrap()).unwrap()
}

/// The part of the result that must not depend on the machine.
fn result(summary: &Value) -> Value {
    let mut result = summary.clone();
    let answers = ["answer_p50_us", "answer_p99_us", "answer_max_us"];
    let turns = ["turn_cpu_p50_us", "turn_cpu_p99_us", "turn_cpu_max_us"];
    for key in ["seconds", "steps_per_second"].into_iter().chain(answers).chain(turns) {
        assert!(result.as_object_mut().unwrap().remove(key).unwrap().is_number(), "{key}");
    }
    result
}

#[test]
fn a_fast_demo_answers_everything_and_the_same_seed_gives_the_same_match() {
    let first = summary(&["--seed", "3"]);
    let result_of_first = result(&first);
    assert_eq!(result_of_first["steps"], 60);
    for team in result_of_first["teams"].as_array().unwrap() {
        assert_eq!(team["asked"], 60 * 15, "{team}");
        assert_eq!(team["decided"], 60 * 15, "{team}");
        assert_eq!((&team["fallback"], &team["late"]), (&0.into(), &0.into()), "{team}");
        assert_eq!(team["script_errors"], 0, "{team}");
        assert!(team["score"].is_i64());
    }
    assert_eq!(result(&summary(&["--seed", "3"])), result_of_first);
}

#[test]
fn what_scripts_log_is_on_standard_error_with_json_too_if_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let script = "return { decide = function()\n\
        log.info('here I am')\nreturn act.skip()\nend }";
    std::fs::write(dir.path().join("worker.luau"), script).unwrap();
    let folder = dir.path().to_str().unwrap();
    let said = |more: &[&str]| {
        let words = ["demo", "--json", "--steps", "3", "--strategy", folder, "--opponent", "idle"];
        let output = phalanx(&[&words[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(stdout(&output).lines().count(), 1);
        stderr(&output).contains("here I am")
    };
    let fast = ["--fast", "--log"];
    let live = ["--pace", "20ms", "--log"];
    assert_eq!([&fast[..1], &fast, &live[..2], &live].map(said), [false, true, false, true]);
}

#[test]
fn bomberland_on_virtual_time_is_answered_whole_and_the_same_again() {
    let dir = tempfile::tempdir().unwrap();
    let walker = "return { decide = function()\n\
        return act.move(rng.pick({ 'up', 'down', 'left', 'right' }))\nend }";
    std::fs::write(dir.path().join("walker.luau"), walker).unwrap();
    let folder = dir.path().to_str().unwrap();
    let args = ["--game", "bomberland", "--strategy", folder, "--opponent", "idle"];
    let first = result(&summary(&args));
    assert_eq!(first["game"], "bomberland");
    for team in first["teams"].as_array().unwrap() {
        assert!(team["asked"].as_u64().unwrap() > 60, "{team}");
        assert_eq!(team["decided"], team["asked"], "{team}");
        assert_eq!((&team["fallback"], &team["late"]), (&0.into(), &0.into()), "{team}");
    }
    assert_eq!(result(&summary(&args)), first);
}

/// Every game with its shipped strategy, and how many teams play it at once.
const GAMES: &[(&[&str], usize)] = &[
    (&["--game", "bomberland"], 2),
    (&["--game", "bomberland", "--variant", "classic"], 2),
    (&["--game", "colosseum"], 2),
    (&["--game", "colosseum", "--variant", "cherry_picker"], 2),
    (&["--game", "colosseum", "--variant", "snake"], 2),
    (&["--game", "mars", "--variant", "quick"], 2),
    (&["--game", "asimulator", "--worlds", "5"], 1),
];

#[test]
fn every_game_is_played_on_virtual_time_whole_and_the_same_again() {
    for (args, teams) in GAMES {
        let first = result(&summary(args));
        assert_eq!(Some(first["game"].as_str().unwrap()), args.get(1).copied());
        let played = first["teams"].as_array().unwrap();
        assert_eq!(played.len(), *teams, "{first}");
        for team in played {
            assert!(team["asked"].as_u64().unwrap() >= 5, "{args:?}: {team}");
            assert_eq!(team["decided"], team["asked"], "{args:?}: {team}");
            let none = (&team["fallback"], &team["late"]);
            assert_eq!(none, (&0.into(), &0.into()), "{args:?}: {team}");
            assert_eq!(team["script_errors"], 0, "{args:?}: {team}");
        }
        assert_eq!(result(&summary(args)), first, "{args:?}");
    }
}

#[test]
fn a_demo_that_does_not_exist_names_those_that_do() {
    let output = phalanx(&["demo", "--game", "colosseum", "--variant", "snakes"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("\"snakes\"") && said.contains("snake, chess"), "{said}");
    let output = phalanx(&["demo", "--game", "asimulator", "--opponent", "idle"]);
    assert!(stderr(&output).contains("a team plays alone"), "{}", stderr(&output));
    let output = phalanx(&["demo", "--game", "go"]);
    assert_eq!(output.status.code(), Some(64));
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    for (args, code, expected) in [
        (&["--fast", "--pace", "20ms"][..], 64, "cannot be used with"),
        (&["--fast", "--worlds", "3"], 1, "a match of assemble has one world"),
    ] {
        let output = phalanx(&[&["demo"], args].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn a_demo_in_real_time_answers_everything() {
    let output =
        phalanx(&["demo", "--json", "--steps", "10", "--pace", "1ms", "--opponent", "idle"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary: Value = serde_json::from_str(stdout(&output).lines().last().unwrap()).unwrap();
    assert_eq!(summary["steps"], 10);
    for team in summary["teams"].as_array().unwrap() {
        assert_eq!(team["asked"], 150, "{team}");
        assert_eq!(team["late"], 0, "{team}");
    }
}

#[test]
fn a_demo_writes_its_replay_in_the_organisers_format() {
    let dir = tempfile::tempdir().unwrap();
    summary(&["--replay", dir.path().to_str().unwrap(), "--opponent", "idle"]);
    let replays = dir.path().join("replays");
    let folder = std::fs::read_dir(&replays).unwrap().next().unwrap().unwrap().path();
    let file = |name: &str| -> Value {
        serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
    };
    assert_eq!(file("static.json")["steps"], 60);
    assert_eq!(file("0.json")["-1"]["entities"].as_array().unwrap().len(), 30);
    assert_eq!(file("55.json")["59"]["step"], 59);
}

#[test]
fn a_strategy_without_decide_is_refused_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("worker.luau"), "return { start = function() end }").unwrap();
    let output = phalanx(&["demo", "--fast", "--strategy", dir.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("worker.luau") && said.contains("decide"), "{said}");
}

#[test]
fn one_agents_error_is_its_own_fallback_and_names_file_and_line() {
    let dir = tempfile::tempdir().unwrap();
    let script = "return { decide = function(me)\n  if me.name == 'agentA3' then\n    \
                  local x = nil + 1\n  end\n  return act.skip()\nend }";
    std::fs::write(dir.path().join("worker.luau"), script).unwrap();
    let strategy = dir.path().to_str().unwrap();
    let args = ["demo", "--fast", "--steps", "5", "--strategy", strategy, "--opponent", "idle"];
    let output = phalanx(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let (said, shown) = (stderr(&output), stdout(&output));
    assert!(said.contains("agentA3") && said.contains("worker.luau:3"), "{said}");
    let row: Vec<_> =
        shown.lines().find(|line| line.starts_with("A ")).unwrap().split_whitespace().collect();
    let counts = "decided, fallback, late, script errors, alerts (the agent is silent)";
    assert_eq!(&row[2..], ["70", "5", "0", "5", "1"], "{counts}");
}

#[test]
fn the_script_api_names_every_action_and_query() {
    let page = stdout(&phalanx(&["script", "api"]));
    for name in ["`act.move(dir)`", "`world.path(x, y, options?)`", "`last_result`", "board.claim"]
    {
        assert!(page.contains(name), "{name} is missing in\n{page}");
    }
}

#[test]
fn the_strategy_in_the_readme_plays() {
    let readme = include_str!("../../../../README.md");
    let example = readme.split("```lua\n").nth(1).unwrap().split("```").next().unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("scout.luau"), example).unwrap();
    let played = summary(&["--strategy", dir.path().to_str().unwrap(), "--opponent", "idle"]);
    assert_eq!(played["teams"][0]["fallback"], 0, "{played}");
}

/// A demo in real time whose errors are read as if it wrote them to its standard output.
fn open_demo(state: &tempfile::TempDir, args: &[&str]) -> Running {
    let mut command = quiet(Command::new("sh"));
    command.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "demo", "--opponent", "idle"]);
    command.args(args).env("XDG_STATE_HOME", state.path());
    command.env_remove("RUNTIME_DIRECTORY").env_remove("XDG_RUNTIME_DIR");
    Running::start(command)
}

#[test]
fn a_demo_prints_the_address_of_its_page_and_shows_it_there() {
    let state = tempfile::tempdir().unwrap();
    let mut demo = open_demo(&state, &["--pace", "50ms"]);
    let line = demo.line_with("see it: http://127.0.0.1:");
    let address = line.trim().rsplit("//").next().unwrap().trim_end_matches('/');
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("<div id=\"page\">"), "{answer}");
}

#[test]
fn a_demo_without_a_page_tells_only_how_to_watch_it_from_a_terminal() {
    let state = tempfile::tempdir().unwrap();
    let mut demo = open_demo(&state, &["--no-page", "--steps", "2", "--pace", "50ms"]);
    let told = demo.read_on().join().unwrap();
    assert!(told.contains("watch it: phalanx match watch A"), "{told}");
    assert!(!told.contains("see it"), "{told}");
}
