//! `phalanx game`: games that are a folder.

use crate::colosseum::{Referee, bridge, open_daemon};
use crate::support::{PHALANX, phalanx, quiet, refused, stderr, stdout, text};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Workers and the processes of a ladder know games by their names only.
#[test]
fn a_game_in_a_folder_goes_to_no_queue_and_no_ladder() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let (game, mine) = (text(&folder), folder.join("strategy"));
    let (club, out) = (dir.path().join("club"), dir.path().join("out"));
    let nats = ["--game", game, "--nats", "nats://127.0.0.1:1"];
    let players = ["--strategy", "shipped", "--strategy", "idle"];
    let tune = ["tune", "run", text(&mine), "--opponent", "idle", "--out", text(&out)];
    let worker = "param('p', { default = 1, min = 0, max = 2 })\n";
    let worker = worker.to_owned() + &std::fs::read_to_string(mine.join("worker.luau")).unwrap();
    std::fs::write(mine.join("worker.luau"), worker).unwrap();
    let ladder = vec!["ladder", "submit", text(&club), "idle", "--game", game];
    let league = [&["league", "run"][..], &players, &nats].concat();
    for words in [ladder, league, [&tune[..], &nats].concat()] {
        let said = refused(&words, 64);
        assert!(said.contains("gold is a game in a folder"), "{words:?}: {said}");
        assert!(said.contains("`phalanx league run` on this machine"), "{words:?}: {said}");
    }
}

#[test]
fn a_league_of_a_game_goes_on_only_with_the_same_files_of_the_game() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let kept = dir.path().join("league");
    let words = ["league", "run", "--game", text(&folder), "--steps", "10", "--seeds", "1"];
    let more = ["--strategy", "shipped", "--strategy", "idle", "--folder", text(&kept)];
    let words = [&words[..], &more].concat();
    for _ in 0..2 {
        let output = phalanx(&words);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let arena = folder.join("arena.luau");
    let source = std::fs::read_to_string(&arena).unwrap();
    std::fs::write(&arena, format!("-- new\n{source}")).unwrap();
    let said = refused(&words, 1);
    assert!(said.contains("the files of the game gold were other ones"), "{said}");
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
fn two_folders_with_one_name_are_reported_and_the_first_one_plays() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let other = dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    for name in ["game.toml", "session.luau", "world.luau", "torus.luau"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        std::fs::write(other.join(name), text.replace("\"0.1\"", "\"0.2\"")).unwrap();
    }
    let shown = dir.path().display();
    let settings = format!(
        "[games]\npath = \"{shown}\"\n[[teams]]\nname = \"A\"\ngame = \"gold\"\n\
         server = \"localhost:4100\"\nstrategy = \"gold/strategy\"\n\
         agents = {{ prefix = \"a\", count = 1 }}\n"
    );
    let config = dir.path().join("phalanxd.toml");
    std::fs::write(&config, settings).unwrap();
    let output = phalanx(&["check", "--config", config.to_str().unwrap()]);
    let said = stdout(&output) + &stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("another folder has a game \"gold\", too"), "{said}");
    assert!(said.contains("play gold at localhost:4100"), "{said}");
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
fn a_mistake_of_the_referee_fails_the_test_of_a_game() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let file = folder.join("arena.luau");
    let text = std::fs::read_to_string(&file).unwrap();
    let step = "step = function(self, orders)";
    let broken = text.replace(step, &format!("{step}\n        error('nine')"));
    assert_ne!(broken, text);
    std::fs::write(&file, broken).unwrap();
    let output = phalanx(&["game", "test", folder.to_str().unwrap(), "--steps", "20"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let said = stderr(&output);
    assert!(said.contains("referee: arena.luau:") && said.contains("nine"), "{said}");
    assert!(stdout(&output).contains("trouble: referee: mistakes"), "{}", stdout(&output));
    // In real time, too.
    let demo = ["demo", "--no-page", "--game", folder.to_str().unwrap(), "--steps", "3"];
    let output = phalanx(&[&demo[..], &["--pace", "50ms"]].concat());
    let said = stderr(&output);
    assert!(said.contains("referee: arena.luau:") && said.contains("nine"), "{said}");
    assert!(stdout(&output).contains("trouble: referee: mistakes 3"), "{}", stdout(&output));
}

#[test]
fn a_name_that_no_game_can_have_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("game");
    for (name, expected) in
        [("Bad Name", "lower-case letters"), ("bomberland", "has a game \"bomberland\" of its own")]
    {
        let output = phalanx(&["game", "new", name, "--dir", folder.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(64), "{name}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!folder.exists());
    }
}

/// In these matches agents are out long before the end, one after the other or two at once.
#[test]
fn the_shipped_game_plays_without_a_fallback_when_agents_are_out() {
    for seed in 1..=6 {
        let output = phalanx(&["game", "test", TRON, "--seed", &seed.to_string()]);
        assert!(output.status.success(), "seed {seed}: {}{}", stdout(&output), stderr(&output));
        assert!(!stderr(&output).contains("team "), "seed {seed}: {}", stderr(&output));
    }
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

#[test]
fn a_referee_that_starts_its_agents_talks_with_them_through_a_relay() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let file = folder.join("game.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"lines\"", "\"stdio\"")).unwrap();
    let shown = dir.path().display();
    let settings = format!(
        "[control]\nsocket = \"{shown}/control.sock\"\n[games]\npath = \"{shown}\"\n\
         [log]\nformat = \"json\"\n[[teams]]\nname = \"A\"\ngame = \"gold\"\nserver = \"bridge\"\n\
         strategy = \"gold/strategy\"\nagents = {{ prefix = \"a\", count = 1 }}\n"
    );
    let config = dir.path().join("phalanxd.toml");
    std::fs::write(&config, settings).unwrap();
    let _daemon = open_daemon(&config);
    let mut command = bridge(dir.path(), "a1");
    command.arg("--relay");
    let mut referee = Referee::start(&command);
    assert_eq!(referee.hear(), json!({ "type": "hello", "name": "a1" }));
    referee.tell(&json!({ "type": "accepted" }));
    referee.tell(&json!({ "type": "welcome", "width": 20, "height": 20 }));
    for step in 0..3 {
        let gold = json!([{ "x": 7, "y": 5 }]);
        let turn =
            json!({ "type": "turn", "step": step, "x": 5, "y": 5, "gold": gold, "score": 0 });
        let answer = referee.ask(&turn);
        let order = json!({ "type": "action", "step": step, "action": "move", "to": "e" });
        assert_eq!(answer, order);
    }
}

/// The blocks of a page between fences of these kinds, in order.
fn blocks<'t>(page: &'t str, kinds: &[&str]) -> Vec<(String, Vec<&'t str>)> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(_) if is_inside => is_inside = false,
            Some(kind) => {
                is_inside = true;
                found.push((kind.to_owned(), Vec::new()));
            }
            None if is_inside => found.last_mut().unwrap().1.push(line),
            None => {}
        }
    }
    found.retain(|(kind, _)| kinds.contains(&kind.as_str()));
    found
}

/// Changes a file as a block of the tutorial says: its first line names the file; `@@` separates
/// changes, each of which has one place.
fn change(dir: &Path, block: &[&str]) {
    let path = dir.join(block[0].strip_prefix("# ").unwrap());
    let mut text = std::fs::read_to_string(&path).unwrap();
    for hunk in block[1..].split(|line| line.starts_with("@@")) {
        let side = |out: char| -> String {
            let kept = hunk.iter().filter(|line| !line.starts_with(out));
            kept.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
        };
        let (old, new) = (side('+'), side('-'));
        assert_eq!(text.matches(&old).count(), 1, "{}: {old}", path.display());
        text = text.replace(&old, &new);
    }
    std::fs::write(&path, text).unwrap();
}

/// A line without what differs from run to run: the numbers of what was measured.
fn steady(line: &str) -> String {
    let measured = ["answer times", "processor time", " steps in ", " listens on "];
    if !measured.iter().any(|words| line.contains(words)) {
        return line.trim_end().to_owned();
    }
    let mut out = String::new();
    for letter in line.trim_end().chars() {
        match letter {
            '0'..='9' | '.' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            other => out.push(other),
        }
    }
    out
}

/// Runs a command of the tutorial; each line of the page must be among its output, in order.
fn follow(dir: &Path, command: &str, expected: &[&str]) {
    let programs = Path::new(PHALANX).parent().unwrap().display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let mut shell = quiet(Command::new("sh"));
    shell.env("PATH", path).current_dir(dir).stdout(Stdio::piped());
    // What runs until it is stopped has said all of the page's lines before.
    let mut child = shell.args(["-c", &format!("exec 2>&1; exec {command}")]).spawn().unwrap();
    let mut left = expected.iter().copied().peekable();
    let mut output = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        left.next_if(|wanted| steady(wanted) == steady(&line));
        output += &format!("{line}\n");
        if command.contains(" arena ") && left.peek().is_none() {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert_eq!(left.next(), None, "{command}:\n{output}");
}

#[test]
fn the_tutorial_works_as_it_is_written() {
    let page = include_str!("../../../../plugins/README.md");
    let dir = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for (kind, lines) in blocks(page, &["console", "diff"]) {
        if kind == "diff" {
            change(dir.path(), &lines);
            continue;
        }
        let starts = (0..lines.len()).filter(|index| lines[*index].starts_with("$ "));
        for start in starts.collect::<Vec<_>>() {
            let command = lines[start].strip_prefix("$ ").unwrap();
            let output = lines[start + 1..].iter().take_while(|line| !line.starts_with("$ "));
            // A browser is not there, and the match would take minutes.
            if !command.contains("--open") {
                follow(dir.path(), command, &output.copied().collect::<Vec<_>>());
                commands += 1;
            }
        }
    }
    assert!(commands > 10, "{commands}");
}
