//! `phalanx game`: games that are a folder.

use crate::support::{phalanx, stderr, stdout};
use serde_json::Value;
use std::path::{Path, PathBuf};

const TRON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/tron");

fn made(dir: &Path) -> PathBuf {
    let folder = dir.join("gold");
    let path = folder.to_str().unwrap();
    let output = phalanx(&["game", "new", "gold", "--dir", path]);
    assert!(output.status.success(), "{}", stderr(&output));
    folder
}

/// A match on virtual time, with its recordings.
fn played(game: &Path, films: &Path) -> Value {
    let words = ["demo", "--game", game.to_str().unwrap(), "--fast", "--json", "--steps", "40"];
    let films = ["--record", films.to_str().unwrap()];
    let output = phalanx(&words.into_iter().chain(films).collect::<Vec<_>>());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_new_game_plays_and_its_recording_decides_again_without_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let path = folder.to_str().unwrap();
    let tested = phalanx(&["game", "test", path, "--steps", "40"]);
    assert!(tested.status.success(), "{}{}", stdout(&tested), stderr(&tested));
    let films = dir.path().join("films");
    let summary = played(&folder, &films);
    for team in summary["teams"].as_array().unwrap() {
        assert!(team["score"].as_i64() > Some(0), "{summary}");
        assert_eq!((&team["fallback"], &team["asked"]), (&0.into(), &80.into()));
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let recordings = summary["recordings"].as_array().unwrap();
    assert_eq!(recordings.len(), 2);
    for file in recordings {
        let output = phalanx(&["replay", "--decide", file.as_str().unwrap()]);
        let again: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(again["decisions"], serde_json::json!({ "all": 80, "differ": 0 }));
        assert_eq!(again["messages"]["differ"], 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_match_and_another_one_another() {
    let scores = |seed: &str| {
        let words = ["demo", "--game", TRON, "--fast", "--json", "--seed", seed];
        let output = phalanx(&words);
        assert!(output.status.success(), "{}", stderr(&output));
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        let teams = summary["teams"].as_array().unwrap().clone();
        let counts: Vec<_> =
            teams.iter().map(|team| (team["score"].clone(), team["decided"].clone())).collect();
        counts
    };
    assert_eq!(scores("5"), scores("5"));
    assert_ne!(scores("5"), scores("6"));
}

#[test]
fn mistakes_are_listed_with_their_lines_and_names_are_taken_once() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let file = folder.join("game.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let broken = text.replace("deadline = ", "deadlne = ").replace("wait()", "sleep()");
    std::fs::write(&file, broken).unwrap();
    let path = folder.to_str().unwrap();
    let output = phalanx(&["game", "check", path]);
    assert!(!output.status.success());
    let said = stderr(&output);
    assert!(said.contains("game.toml:18: [turn] has no key \"deadlne\"; did you mean"), "{said}");
    assert!(said.contains("game.toml:19: \"sleep()\": there is no action"), "{said}");
    std::fs::write(&file, text.replace("\"gold\"", "\"mars\"")).unwrap();
    let said = stderr(&phalanx(&["demo", "--game", path, "--fast"]));
    assert!(said.contains("this program has a game \"mars\" of its own"), "{said}");
    let said = stderr(&phalanx(&["demo", "--game", "golf", "--fast"]));
    assert!(said.contains("no game is called \"golf\""), "{said}");
    assert!(said.contains("a game in a folder has a path: ./golf"), "{said}");
}

#[test]
fn a_mistake_in_the_rules_fails_the_test_of_a_game() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let file = folder.join("world.luau");
    let text = std::fs::read_to_string(&file).unwrap();
    let broken = text.replace(
        "settle = function(_self, _step) end",
        "settle = function(_self, step) if step == 7 then error('seven') end end",
    );
    assert_ne!(broken, text);
    std::fs::write(&file, broken).unwrap();
    let output = phalanx(&["game", "test", folder.to_str().unwrap(), "--steps", "20"]);
    assert!(!output.status.success());
    let said = stderr(&output);
    assert!(said.contains("the game's script failed at world.luau:"), "{said}");
    assert!(said.contains("seven"), "{said}");
}

#[test]
fn every_game_in_this_repository_is_checked_with_its_strategy() {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    let mut checked = 0;
    for entry in std::fs::read_dir(plugins).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("game.toml").is_file() {
            continue;
        }
        let path = folder.to_str().unwrap();
        let output = phalanx(&["game", "check", path]);
        assert!(output.status.success(), "{}", stderr(&output));
        let strategy = folder.join("strategy");
        let output = phalanx(&["strategy", "check", strategy.to_str().unwrap(), "--game", path]);
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn games_are_listed_and_shown() {
    let output = phalanx(&["game", "list", "--output", "json"]);
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 5);
    let shown = stdout(&phalanx(&["game", "show", TRON]));
    assert!(shown.contains("drive(turn)") && shown.contains("world.room(turn)"), "{shown}");
}
