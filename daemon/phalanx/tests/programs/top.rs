//! `phalanx top` in a terminal, and the viewer of recordings.

use crate::support::{
    Opponents, arena, arena_config, control, daemon, first_recorded, phalanx, settings, shown,
    stderr, stdout,
};
use crate::terminal::InTerminal;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;

const SKIP: &str = "return { decide = function() return act.skip() end }";
/// Agents of each team.
const AGENTS: u32 = 2;

fn top(dir: &Path, more: &[&str]) -> InTerminal {
    InTerminal::start(&[&["top", "--control", &control(dir)], more].concat())
}

/// An address without a referee.
fn nowhere() -> SocketAddr {
    "127.0.0.1:1".parse().unwrap()
}

/// How the first agent is steered.
fn mode(dir: &Path) -> String {
    shown(dir)["agents"][0]["steering"]["mode"].as_str().unwrap().to_owned()
}

#[test]
fn a_match_is_seen_at_a_glance_and_a_key_pauses_an_agent() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), AGENTS, 100, 60_000));
    let strategy = "return { decide = function(me)\n  if me.name == 'agentA2' and me.turn > 2 then \
                    error('oh no') end\n  explain('nothing to do')\n  return act.skip()\nend }";
    let mut daemon = daemon(&settings(dir.path(), address, AGENTS, strategy));
    daemon.line_with("control API");
    let opponents = Opponents::join(address, AGENTS);
    opponents.play(2);
    let mut top = top(dir.path(), &["A"]);
    top.shows("2 of 2 seated");
    let screen = top.shows("agentA2");
    assert!(screen.starts_with(" A assemble") && screen.contains("score 0"), "{screen}");
    for text in ["TEAM", "FALLBACK", "1 agents (2)", "2 ", "3 events", "live"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    top.until("the turns before it was opened", |screen| screen.contains('▪'));
    opponents.play(4);
    // The second agent fails: its strip and the events show it.
    top.shows("oh no");
    top.until("the failed turns", |screen| screen.contains("FF"));
    top.until("the map with the first agent on it", |screen| screen.contains("2 at agentA1"));

    top.press("p");
    top.shows("agentA1 is paused");
    assert_eq!(mode(dir.path()), "paused");
    opponents.play(2);
    top.until("held turns", |screen| screen.contains("-FF") || screen.contains("▪-"));
    top.press("p");
    top.shows("the script of agentA1 decides again");
    assert_eq!(mode(dir.path()), "script");

    top.press("R");
    top.shows("of A back from generation 1 to the one before? y/n");
    top.press("y");
    // There is no earlier generation: the daemon refuses, and the view continues.
    top.shows("NOTHING_TO_ROLL_BACK");
    top.resize(40, 10);
    // Wait for a redraw in the new size: a key during the resize could be lost.
    let is_narrow = |screen: &str| screen.lines().next().is_some_and(|top| top.contains("live"));
    let screen = top.until("one pane alone", is_narrow);
    assert!(!screen.contains("2 at") && screen.contains("agentA1"), "{screen}");
    top.press("q");
    let left = top.leave();
    assert_eq!((left.code, left.is_restored), (Some(0), true));
    let written = String::from_utf8_lossy(&left.bytes).into_owned();
    for colour in ["\u{1b}[31m", "\u{1b}[38;", "\u{1b}[48;", "[41m"] {
        assert!(!written.contains(colour), "NO_COLOR is set: {colour:?}");
    }
}

#[test]
fn a_daemon_that_goes_is_told_and_its_return_heals() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), nowhere(), AGENTS, SKIP);
    let mut first = daemon(&config);
    first.line_with("control API");
    let mut top = top(dir.path(), &[]);
    top.shows("agentA2");
    top.shows(" live");
    first.terminate();
    assert_eq!(first.finish().1, Some(0));
    let screen = top.shows("LOST, trying again");
    assert!(screen.contains("agentA2"), "what was known stays\n{screen}");
    let mut second = daemon(&config);
    second.line_with("control API");
    top.until("that it is there again", |screen| screen.contains(" live"));
    // The view works again: a key has an effect.
    top.press("p");
    top.shows("agentA1 is paused");
    assert_eq!(mode(dir.path()), "paused");
    top.press("\u{3}");
    let left = top.leave();
    assert_eq!((left.code, left.is_restored), (Some(0), true), "ctrl-c leaves");
}

#[test]
fn who_may_only_look_is_told_so_and_a_signal_gives_the_terminal_back() {
    let dir = tempfile::tempdir().unwrap();
    let config = settings(dir.path(), nowhere(), AGENTS, SKIP);
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("[control]", "[control]\ntcp = \"127.0.0.1:0\"")).unwrap();
    let mut daemon = daemon(&config);
    let line: Value = serde_json::from_str(&daemon.line_with("\"address\"")).unwrap();
    let address = format!("http://{}", line["fields"]["address"].as_str().unwrap());
    // Callers over loopback can watch; steering needs a token.
    let mut top = InTerminal::start(&["top", "--control", &address]);
    top.shows("agentA2");
    top.press("p");
    let refused = top.shows("operator");
    assert!(refused.contains("agentA2"), "{refused}");
    top.press("?");
    top.shows("roll the strategy back; asks first");
    top.signal("TERM");
    let left = top.leave();
    assert_eq!((left.code, left.is_restored), (Some(0), true));
    assert_eq!(mode(dir.path()), "script");
}

#[test]
fn without_a_terminal_it_says_what_prints_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let mut daemon = daemon(&settings(dir.path(), nowhere(), AGENTS, SKIP));
    daemon.line_with("control API");
    let control = control(dir.path());
    let refused = phalanx(&["top", "A", "--control", &control]);
    let said = stderr(&refused);
    assert_eq!((refused.status.code(), stdout(&refused).as_str()), (Some(64), ""), "{said}");
    assert!(said.contains("needs a terminal; `phalanx team show A`"), "{said}");
    let refused = phalanx(&["top", "A", "--control", &control, "--output", "json"]);
    assert!(stderr(&refused).contains("has no printed form"), "{}", stderr(&refused));
    let refused = phalanx(&["top", "Z", "--control", &control]);
    assert_eq!(refused.status.code(), Some(2), "there is no such team: {}", stderr(&refused));
}

#[test]
fn a_recording_is_played_in_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let file = first_recorded(dir.path(), &["--steps", "12"]);
    let mut player = InTerminal::start(&["replay", &file, "--at", "3"]);
    let screen = player.shows("0:3");
    assert!(screen.starts_with(" A assemble") && screen.contains("15 agents"), "{screen}");
    player.press("5\r");
    player.shows(" A assemble  0:5");
    player.press("b");
    player.shows(" board, ");
    // An arrow key is several bytes.
    player.press("\u{1b}[C");
    player.shows(" A assemble  0:6");
    player.press("?");
    player.shows("next, previous trouble");
    player.press("xq");
    let left = player.leave();
    assert_eq!((left.code, left.is_restored), (Some(0), true));
}
