//! A demo after its match: it stays on a terminal, and ends by itself elsewhere.

use crate::support::{PHALANX, Running, pause, phalanx, quiet, stderr, stdout, text};
use crate::terminal::InTerminal;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A match of a blink.
const SHORT: [&str; 7] = ["demo", "--steps", "3", "--pace", "1ms", "--opponent", "idle"];
const PROMPT: &str = "r play again, n another seed, o open the page";

fn short(more: &[&str], set: impl FnOnce(&mut Command)) -> Output {
    let mut command = quiet(Command::new(PHALANX));
    command.args(SHORT).args(more);
    set(&mut command);
    command.output().unwrap()
}

#[test]
fn on_a_terminal_it_stays_plays_again_and_ends_when_interrupted() {
    let mut demo = InTerminal::start(&SHORT);
    let screen = demo.shows(PROMPT);
    let page = screen.lines().find_map(|line| line.strip_prefix("see it: ")).unwrap().to_owned();
    assert!(screen.contains("tasks delivered: A 0 : B 0"), "{screen}");
    demo.press("w");
    let shown = demo.shows("until the demo ends");
    let folder = shown.replace('\n', "");
    let folder = folder.split("recordings are in ").nth(1).unwrap().split(' ').next().unwrap();
    let folder = PathBuf::from(folder);
    assert_eq!(recordings(&folder), 2, "{shown}");
    demo.press("r");
    demo.until("a second result", |screen| screen.matches("3 steps in").count() == 2);
    demo.press("n");
    demo.shows("seed 2");
    let address = page.trim_end_matches('/');
    let started = phalanx(&["team", "start", "A", "--control", address]);
    assert!(started.status.success(), "{}", stderr(&started));
    demo.until("another result", |screen| screen.matches("seed 2").count() == 2);
    let started = phalanx(&["team", "start", "A", "--other-seed", "--control", address]);
    assert!(started.status.success(), "{}", stderr(&started));
    demo.shows("seed 3");
    assert_eq!(recordings(&folder), 10);
    for verb in [["team", "show"], ["map", "--svg=-"], ["strategy", "show"]] {
        let shown = phalanx(&[verb[0], verb[1], "A", "--control", address]);
        assert!(shown.status.success(), "the match stays to be looked at: {}", stderr(&shown));
    }
    demo.signal("INT");
    let left = demo.leave();
    assert_eq!(left.code, Some(0));
    assert!(left.is_restored, "single keys without echo are over");
    assert!(!String::from_utf8_lossy(&left.bytes).contains("0/0"));
    assert!(!folder.exists(), "temporary recordings are deleted");
}

fn recordings(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn without_a_terminal_it_ends_and_leaves_nothing_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let output = short(&[], |command| {
        command.env("TMPDIR", temporary.path());
    });
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let (said, shown) = (stderr(&output), stdout(&output));
    assert!(shown.starts_with("Draw  (A 0 : B 0)"), "{shown}");
    assert!(!said.contains("0/0") && !said.contains("play again"), "{said}");
    assert_eq!(recordings(temporary.path()), 0);
}

#[test]
fn no_record_needs_no_folder() {
    for (more, expected) in [(&[][..], true), (&["--no-record"][..], false)] {
        let output = short(more, |command| {
            command.env("TMPDIR", "/nowhere");
        });
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let said = stderr(&output);
        assert_eq!(said.contains("the match is not recorded"), expected, "{said}");
    }
}

#[test]
fn open_starts_the_browser_and_a_machine_without_one_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let (opener, opened) = (dir.path().join("xdg-open"), dir.path().join("opened"));
    std::fs::write(&opener, format!("#!/bin/sh\necho \"$1\" >{}\n", opened.display())).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o700)).unwrap();
    let more = ["--open", "--pace", "200ms"];
    let slow = |path: String| {
        let mut command = quiet(Command::new(PHALANX));
        command.args(["demo", "--steps", "10", "--opponent", "idle"]).args(more).env("PATH", path);
        command.output().unwrap()
    };
    let output = slow(format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap()));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let address = std::fs::read_to_string(&opened).unwrap();
    assert!(stderr(&output).contains(&format!("see it: {}", address.trim())), "{address}");
    let output = slow("/nowhere".to_owned());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot open a browser"), "{}", stderr(&output));
}

#[test]
fn every_game_is_still_played_after_a_second() {
    for game in ["assemble", "mars", "bomberland", "colosseum", "asimulator"] {
        let state = tempfile::tempdir().unwrap();
        let mut command = quiet(Command::new("sh"));
        command.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "demo", "--game", game]);
        command.env("XDG_STATE_HOME", state.path()).env("TMPDIR", state.path());
        let mut demo = Running::start(command);
        demo.line_with("watch it: ");
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1) {
            assert!(demo.child.try_wait().unwrap().is_none(), "{game}");
            pause();
        }
    }
}

#[test]
fn asimulator_keeps_the_pace() {
    let args = ["demo", "--json", "--game", "asimulator", "--worlds", "8", "--pace", "40ms"];
    let output = phalanx(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary: Value = serde_json::from_str(stdout(&output).lines().last().unwrap()).unwrap();
    let (asked, seconds) = (&summary["teams"][0]["asked"], summary["seconds"].as_f64().unwrap());
    // Every action but the first waits for the one before it.
    let least = (asked.as_f64().unwrap() - 1.0) * 0.04;
    assert!(asked.as_u64().unwrap() > 5 && seconds >= least, "{summary}");
}

#[test]
fn an_interrupted_recording_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = quiet(Command::new("sh"));
    command.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "demo", "--pace", "20ms"]);
    command.args(["--opponent", "idle", "--record", text(dir.path())]);
    let mut demo = Running::start(command);
    demo.line_with("step 50/750");
    demo.signal("INT");
    let (said, code) = demo.finish();
    assert_eq!(code, Some(130), "{said}");
    assert!(!said.contains("incomplete"), "{said}");
    assert_eq!(recordings(dir.path()), 2);
}
