//! Checkpoints that cannot be read or do not match, and folders that cannot be written.

use super::WANDERS;
use super::bench::{Bench, assemble, number};
use crate::support::{Opponents, PHALANXD, Running, arena, arena_config, daemon, quiet, wait};
use serde_json::Value;
use std::net::SocketAddr;
use std::process::Command;

/// A match of one agent per team that stops after a few turns, and its opponents.
fn standing(bench: &Bench, steps: u32) -> (Running, SocketAddr, Opponents) {
    let (arena, address) = arena(&arena_config(bench.path(), 1, steps, 60_000));
    let opponents = Opponents::join(address, 1);
    (arena, address, opponents)
}

/// A daemon that played six turns of a match and was killed; the match waits.
fn killed() -> (Bench, Running, Opponents) {
    let bench = Bench::new(WANDERS);
    let (arena, address, opponents) = standing(&bench, 20);
    let mut bench = bench.settled(&assemble(address, 1));
    bench.start();
    for step in 0..5 {
        bench.kept(|found| found.turn.step >= step);
        opponents.play(1);
    }
    bench.kept(|found| found.turn.step >= 5);
    bench.kill();
    assert_eq!(bench.files(), ["A", "A.1"]);
    (bench, arena, opponents)
}

fn change(bench: &Bench, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(bench.file(name)).unwrap();
    change(&mut bytes);
    std::fs::write(bench.file(name), bytes).unwrap();
}

/// Starts it; returns its lines about checkpoints until it serves.
fn said_at_the_start(bench: &mut Bench) -> Vec<String> {
    bench.start();
    let said = bench.said().iter().filter(|line| line.contains("checkpoint"));
    let message = |line: &String| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["fields"]["message"].as_str().unwrap().to_owned()
    };
    said.map(message).collect()
}

#[test]
fn a_damaged_checkpoint_is_set_aside_and_the_one_before_is_taken() {
    let (mut bench, _arena, opponents) = killed();
    change(&bench, "", |bytes| *bytes.last_mut().unwrap() ^= 1);
    let said = said_at_the_start(&mut bench);
    assert_eq!(said[0], "set a checkpoint aside: it is damaged: its checksum does not match");
    assert!(said[1].contains("goes on from it"), "{said:?}");
    assert_eq!(bench.files()[..2], ["A.1", "A.refused"]);
    bench.seated();
    opponents.play(1);
    let line = bench.line_with("resumed");
    assert!(number(&line, "resumed", "missed") >= Some(1), "{line}");
    bench.kept(|found| found.turn.step >= 6);
}

#[test]
fn without_a_whole_one_the_team_begins_anew() {
    let (mut bench, _arena, opponents) = killed();
    change(&bench, "", |bytes| bytes.truncate(bytes.len() / 2));
    change(&bench, ".1", |bytes| bytes[8] = 99);
    let said = said_at_the_start(&mut bench);
    assert_eq!(
        said,
        [
            "set a checkpoint aside: it is damaged: it ends too early",
            "set a checkpoint aside: it is written in format 99, this program reads 1",
        ]
    );
    assert_eq!(bench.files(), ["A.1.refused", "A.refused"]);
    assert!(bench.board().is_empty());
    bench.seated();
    opponents.play(1);
    let found = bench.kept(|found| found.turn.step >= 6);
    assert_eq!(found.tick, 1, "it knows one turn");
}

#[test]
fn a_checkpoint_for_other_settings_is_not_looked_at_twice() {
    for (old, new, reason) in [
        ("server = \"127.0.0.1:", "server = \"localhost:", "it is of a match at 127.0.0.1:"),
        ("prefix = \"agentA\"", "prefix = \"agentB\"", "was called \"agentA1\" then, and is"),
        ("game = \"assemble\"", "game = \"mars\"", "it is of the game \"assemble\", not of mars"),
    ] {
        let (mut bench, _arena, _opponents) = killed();
        bench.with(old, new);
        if new.contains("mars") {
            bench.save("return { decide = function() return act.skip() end }");
        }
        let said = said_at_the_start(&mut bench);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said.iter().all(|said| said.contains(reason)), "{said:?}");
        assert_eq!(bench.files(), ["A.1.refused", "A.refused"]);
    }
}

#[test]
fn an_old_checkpoint_is_set_aside() {
    let (mut bench, _arena, _opponents) = killed();
    bench.with("[checkpoints]\n", "[checkpoints]\nage_max = \"1s\"\n");
    let saved = bench.kept(|_| true).identity.saved;
    wait(|| saved.elapsed().ok().filter(|age| age.as_millis() > 1000));
    let said = said_at_the_start(&mut bench);
    assert!(said[0].contains("it is too old (") && said[0].contains("age_max is 1s"), "{said:?}");
}

#[test]
fn of_another_match_nothing_is_taken_over() {
    let (mut bench, arena, opponents) = killed();
    let address = bench.kept(|_| true).identity.server;
    drop((arena, opponents));
    let mut command = quiet(Command::new(crate::support::PHALANX));
    command.args(["arena", "assemble", "--listen", &address, "--start", "complete"]);
    command.arg("--output").arg(bench.path());
    command.arg("--config").arg(bench.path().join("arena.json"));
    let mut arena = Running::start(command);
    arena.line_with("listens on");
    let said = said_at_the_start(&mut bench);
    let opponents = Opponents::join(address.parse().unwrap(), 1);
    assert!(said[0].contains("goes on from it if it meets the same match"), "{said:?}");
    let line = bench.line_with("begins anew");
    assert!(line.contains("start in Unix milliseconds"), "{line}");
    bench.line_with("set aside a checkpoint of another match");
    opponents.play(3);
    let found = bench.kept(|found| found.turn.step >= 3);
    assert_eq!(found.tick, 4, "turns of this match alone");
    assert!(bench.files().contains(&"A.refused".to_owned()));
}

#[test]
fn a_folder_that_takes_nothing_is_told_once_and_the_team_plays_on() {
    let bench = Bench::new(WANDERS);
    let (_arena, address, opponents) = standing(&bench, 20);
    let mut bench = bench.settled(&assemble(address, 1));
    // No user can write there: it is not a folder.
    let folder = bench.path().join("state/checkpoints");
    std::fs::create_dir(bench.path().join("state")).unwrap();
    std::fs::write(&folder, "").unwrap();
    bench.runs(daemon(&bench.config()));
    opponents.play(5);
    let line = bench.line_with("cannot write a checkpoint");
    assert!(line.contains("the team plays on") && line.contains("WARN"), "{line}");
    wait(|| (bench.shown()["turn"]["step"] == 5).then_some(()));
    let alert = bench.shown()["alerts"][0].clone();
    assert_eq!(alert["kind"], "failing_disk", "{alert}");
    let text = alert["text"].as_str().unwrap_or_default();
    assert!(
        text.starts_with("checkpoints are not written: ") && text.contains("os error"),
        "{text}"
    );
    std::fs::remove_file(&folder).unwrap();
    opponents.play(1);
    bench.line_with("checkpoints are written again");
    wait(|| bench.shown()["alerts"].as_array().is_some_and(Vec::is_empty).then_some(()));
    bench.kept(|found| found.turn.step >= 6);
}

#[test]
fn a_disk_that_is_full_in_mid_write_leaves_the_checkpoint_before() {
    let (mut bench, _arena, opponents) = killed();
    let before = std::fs::read(bench.file("")).unwrap();
    // The file size is limited, in units of half a kilobyte: the write fails in the middle.
    let mut shell = quiet(Command::new("sh"));
    shell.arg("-c").arg(r#"ulimit -f 1; trap '' XFSZ; exec "$0" "$@" 2>&1"#).arg(PHALANXD);
    shell.arg("--config").arg(bench.config());
    let mut daemon = Running::start(shell);
    daemon.line_with("control API");
    bench.runs(daemon);
    bench.seated();
    opponents.play(1);
    let line = bench.line_with("cannot write a checkpoint");
    assert!(line.contains("the one before is kept") && line.contains("too large"), "{line}");
    assert_eq!(bench.files(), ["A", "A.1"], "no half of one");
    assert_eq!(std::fs::read(bench.file("")).unwrap(), before);
    bench.kill();
    bench.start();
    bench.seated();
    opponents.play(1);
    let line = bench.line_with("resumed");
    assert_eq!(number(&line, "resumed", "missed"), Some(1), "{line}");
}
