//! `phalanx ladder`: submissions, matches, ratings and history, in a folder and on a nats-server.

use crate::nats::NatsServer;
use crate::support::{
    self, PATIENCE, PHALANX, SLOW, pause, phalanx, quiet, refused, stderr, stdout, text,
};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// A strategy of one role for Asimulator.
fn strategy(dir: &Path, name: &str, source: &str) -> String {
    let folder = dir.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("explorer.luau"), source).unwrap();
    text(&folder).to_owned()
}

/// Leaves a world after this many actions.
fn explorer(patience: u32) -> String {
    format!(
        "return {{
            start = function(me) me.memory.actions = 0 end,
            decide = function(me)
                me.memory.actions += 1
                local options = world.options()
                local option = options[if me.memory.actions <= {patience} then 1 else #options]
                if not option then return act.shut_off() end
                return act[option.action]()
            end,
        }}"
    )
}

fn asked(words: &[&str]) -> Value {
    let output = phalanx(&[words, &["--output", "json"]].concat());
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A ladder of three explorers, the better the more patient.
fn begin(dir: &Path, ladder: &[&str]) {
    let three = [("hasty", 1), ("calm", 20), ("patient", 200)];
    let folders = three.map(|(name, patience)| strategy(dir, name, &explorer(patience)));
    let folders = folders.each_ref().map(String::as_str);
    let game = ["--game", "asimulator", "--worlds", "2", "--seed", "7"];
    let words = [&["ladder", "submit"][..], ladder, &folders, &game].concat();
    let submitted = asked(&words);
    assert_eq!(submitted["submitted"][2]["strategy"], "patient@1", "{submitted}");
}

fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("ladder.jsonl")).unwrap_or_default()
}

fn played(folder: &Path) -> usize {
    log(folder).lines().filter(|line| line.starts_with("{\"match\"")).count()
}

/// Plays in the background.
fn playing(words: &[&str]) -> Child {
    let mut command = quiet(Command::new(PHALANX));
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a ladder has this many results.
fn wait(folder: &Path, count: usize) {
    let begun = Instant::now();
    while played(folder) < count {
        assert!(begun.elapsed() < PATIENCE, "the ladder does not go on: {}", log(folder));
        pause();
    }
}

#[test]
fn a_ladder_is_the_same_bytes_whatever_is_killed_and_ranks_by_strength() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
    for folder in [&whole, &killed] {
        begin(dir.path(), &[text(folder)]);
    }
    let words = |folder: &Path, matches: &str| {
        let words = ["ladder", "match", text(folder), "--matches", matches, "--round", "4"];
        words.map(str::to_owned)
    };
    let shown = asked(&words(&whole, "24").each_ref().map(String::as_str));
    assert_eq!((&shown["played"], &shown["pending"]), (&24.into(), &0.into()), "{shown}");
    let ranked: Vec<_> = shown["strategies"].as_array().unwrap().iter().collect();
    assert_eq!(
        ranked.iter().map(|one| &one["strategy"]).collect::<Vec<_>>(),
        ["patient@1", "calm@1", "hasty@1"]
    );

    // Killed twice in the middle of a round; the last one plays what is left.
    let mut scheduled = 0;
    for least in [1, 10] {
        let matches = (24 - scheduled).to_string();
        let mut child = playing(&words(&killed, &matches).each_ref().map(String::as_str));
        wait(&killed, least);
        child.kill().unwrap();
        child.wait().unwrap();
        let history = asked(&["ladder", "show", text(&killed)]);
        scheduled = history["played"].as_u64().unwrap() + history["pending"].as_u64().unwrap();
    }
    if scheduled < 24 {
        let matches = (24 - scheduled).to_string();
        asked(&words(&killed, &matches).each_ref().map(String::as_str));
    } else {
        asked(&words(&killed, "2").each_ref().map(String::as_str));
    }
    let lines = |folder: &Path| {
        log(folder).lines().take(1 + 3 + 3 + 24).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&killed), lines(&whole));
}

#[test]
fn a_match_can_be_recorded_afterwards_and_ends_as_it_did() {
    let dir = tempfile::tempdir().unwrap();
    let (ladder, films) = (dir.path().join("club"), dir.path().join("films"));
    begin(dir.path(), &[text(&ladder)]);
    asked(&["ladder", "match", text(&ladder), "--matches", "4"]);
    let history = asked(&["ladder", "history", text(&ladder)]);
    let third = history["matches"][3].clone();
    let recorded =
        asked(&["ladder", "history", text(&ladder), "--record", "3", "--out", text(&films)]);
    assert_eq!(recorded["scores"], third["scores"]);
    let file = recorded["recordings"][0].as_str().unwrap();
    let info = asked(&["recording", "info", file, "--check"]);
    assert_eq!((&info["state"], &info["seed"]), (&"whole".into(), &third["seed"]), "{info}");
    let none = refused(&["ladder", "history", text(&ladder), "--record", "99"], 64);
    assert!(none.contains("match 99 was not played; there are those from 0 to 3"), "{none}");
}

#[test]
fn a_second_process_is_refused_and_ctrl_c_lets_others_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let ladder = dir.path().join("club");
    begin(dir.path(), &[text(&ladder)]);
    let words = ["ladder", "match", text(&ladder), "--matches", "4000", "--output", "json"];
    let first = playing(&words);
    wait(&ladder, 1);
    let said = refused(&["ladder", "match", text(&ladder)], 1);
    assert!(said.contains(&format!("process {} on", first.id())), "{said}");
    // Strategies may come meanwhile.
    let late = strategy(dir.path(), "late", &explorer(100));
    assert_eq!(asked(&["ladder", "submit", text(&ladder), &late])["submitted"][0]["new"], true);
    assert_eq!(asked(&["ladder", "submit", text(&ladder), &late])["submitted"][0]["new"], false);
    let pid = first.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = first.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    let shown = asked(&["ladder", "match", text(&ladder), "--matches", "2"]);
    assert_eq!(shown["pending"], 0);
    assert_eq!(shown["played"], played(&ladder));
}

#[test]
fn hostile_strategies_cost_themselves_and_what_cannot_be_submitted_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let club = dir.path().join("club");
    let ladder = text(&club);
    begin(dir.path(), &[ladder]);
    let loops =
        strategy(dir.path(), "loops", "return { decide = function() while true do end end }");
    let reads = "return { decide = function() return _G['i' .. 'o'].open('/etc/passwd') end }";
    let reads = strategy(dir.path(), "reads", reads);
    let before = log(&club);
    let broken =
        strategy(dir.path(), "broken", "return { decide = function() return act.fly( end }");
    let named = |words: &[&str], code, want: &str| {
        let said = refused(&[&["ladder", "submit", ladder][..], words].concat(), code);
        assert!(said.contains(want), "{words:?}: {said}");
    };
    named(&[&broken], 1, "explorer.luau:1");
    named(&[text(&dir.path().join("nowhere"))], 1, "nowhere");
    named(&[&format!("a b={reads}")], 1, "expected 1 to 64 of the characters");
    named(&[&reads, "--worlds", "9"], 1, "plays asimulator with worlds 2 from seed 7, not");
    named(&["kv:club"], 1, "kv:club");
    let large = dir.path().join("large");
    std::fs::create_dir_all(&large).unwrap();
    for file in 0..5 {
        let source = format!("return [[{}]]", "x".repeat(1_000_000));
        std::fs::write(large.join(format!("file{file}.luau")), source).unwrap();
    }
    std::fs::write(large.join("explorer.luau"), explorer(1)).unwrap();
    named(&[text(&large)], 1, "a ladder takes at most");
    assert_eq!(log(&club), before);
    let other = dir.path().join("other");
    let words = ["ladder", "submit", text(&other), "idle", "--game", "assemble", "--worlds", "3"];
    let said = refused(&words, 1);
    assert!(said.contains("a match of assemble has one world"), "{said}");
    let said = refused(&["ladder", "show", "kv:club"], 64);
    assert!(said.contains("is on a server: add --nats URL"), "{said}");
    let said = refused(&["ladder", "show", text(&dir.path().join("none"))], 1);
    assert!(said.contains("holds no ladder"), "{said}");
    // What passes its trial plays, and gains nothing by it.
    asked(&["ladder", "submit", ladder, &reads]);
    let output = phalanx(&["ladder", "submit", ladder, &loops]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    let shown = asked(&["ladder", "match", ladder, "--matches", "16", "--match-time", "2m"]);
    let strategies = shown["strategies"].as_array().unwrap();
    assert_eq!(strategies.iter().map(|one| one["failed"].as_u64().unwrap()).sum::<u64>(), 0);
    let wins = |name: &str| {
        let one = strategies.iter().find(|one| one["name"] == name).unwrap();
        one["wins"].as_u64().unwrap()
    };
    assert_eq!(wins("reads"), 0, "{shown}");
}

#[test]
fn a_match_over_its_limits_fails_and_counts_for_no_strategy() {
    let dir = tempfile::tempdir().unwrap();
    let club = dir.path().join("club");
    let slow = support::strategy(dir.path(), "slow", SLOW);
    asked(&["ladder", "submit", text(&club), &slow, "idle", "--game", "assemble"]);
    let limited = ["ladder", "match", text(&club), "--matches", "2", "--match-time"];
    let said = refused(&[&limited[..], &["0s"]].concat(), 64);
    assert!(said.contains("'0s' for '--match-time <DURATION>': expected at least 1s"), "{said}");
    let shown = asked(&[&limited[..], &["1s"]].concat());
    for one in shown["strategies"].as_array().unwrap() {
        assert_eq!(
            (&one["failed"], &one["wins"], &one["matches"]),
            (&2.into(), &0.into(), &0.into())
        );
    }
    assert!(log(&club).contains("it took longer than 1s"));
}

#[test]
fn workers_and_a_ladder_on_a_server_give_the_same_matches() {
    let Some(server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (here, url) = (dir.path().join("here"), server.url());
    begin(dir.path(), &[text(&here)]);
    let nats = ["--nats", &url];
    begin(dir.path(), &["kv:club", "--nats", &url]);
    let play = ["--matches", "12", "--round", "3"];
    let kept = asked(&[&["ladder", "match", text(&here)][..], &play].concat());
    let mut worker = quiet(Command::new(PHALANX));
    worker.args(["worker", "--nats", &url, "--threads", "2"]).stderr(Stdio::null());
    let mut worker = worker.spawn().unwrap();
    let queued = asked(&[&["ladder", "match", "kv:club"][..], &play, &nats].concat());
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert_eq!(queued, kept);
    let history = |words: &[&str]| asked(&[&["ladder", "history"], words].concat());
    assert_eq!(history(&["kv:club", "--nats", &url]), history(&[text(&here)]));
    let table = phalanx(&["ladder", "show", "kv:club", "--nats", &url, "--output", "table"]);
    assert!(stdout(&table).contains("patient@1") && stdout(&table).contains("12 matches"));

    // A copy follows the ladder on the server until ctrl-C.
    let copy = dir.path().join("copy");
    let words = ["ladder", "copy", "kv:club", text(&copy), "--nats", &url, "--follow"];
    let mut following = quiet(Command::new(PHALANX));
    let following = following.args(words).args(["--output", "json"]).stdout(Stdio::piped());
    let following = following.stderr(Stdio::null()).spawn().unwrap();
    wait(&copy, 12);
    asked(&["ladder", "match", "kv:club", "--matches", "2", "--here", "--nats", &url]);
    wait(&copy, 14);
    let pid = following.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = following.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(told["entries"], log(&copy).lines().count());
    assert_eq!(history(&["kv:club", "--nats", &url]), history(&[text(&copy)]));
}
