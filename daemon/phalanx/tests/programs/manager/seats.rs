//! Connections of teams that the manager keeps over a restart.

use super::Bench;
use super::double::{Double, request};
use super::sockets::handed;
use crate::support::Plain;
use serde_json::{Value, json};
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;

/// Counts its own turns: a team that starts from nothing counts from one.
const COUNTS: &str = "return { decide = function(me)
    me.memory.turns = (me.memory.turns or 0) + 1
    return act.move(({ 'n', 'e', 's', 'w' })[me.memory.turns])
end }
";

/// A daemon that keeps checkpoints, in a simulation that has begun.
fn kept() -> (Bench, Double) {
    let bench = Bench::new();
    let config = bench.path().join("phalanxd.toml");
    let text = fs::read_to_string(&config).unwrap();
    let state = bench.path().join("state");
    fs::write(&config, format!("state_dir = \"{}\"\n{text}", state.display())).unwrap();
    bench.save(COUNTS);
    let manager = Double::at(&bench.path().join("notify"));
    (bench, manager)
}

fn start(seat: &mut Plain) {
    let percept =
        json!({ "name": "agentA1", "team": "A", "teamSize": 1, "steps": 500, "vision": 5 });
    seat.send(&json!({ "type": "sim-start", "content": { "time": 1, "percept": percept } }));
}

/// The direction of the agent's next move.
fn answer(seat: &mut Plain, id: i64) -> Value {
    seat.send(&request(id));
    let told = seat.receive().unwrap();
    assert_eq!((&told["type"], &told["content"]["id"]), (&json!("action"), &json!(id)));
    told["content"]["p"][0].clone()
}

/// Plays two steps and restarts the daemon; returns the seat and the stored descriptors.
fn restarted(bench: &Bench, manager: &mut Double) -> (Plain, Vec<OwnedFd>) {
    let daemon = manager.start(bench.path(), &[]);
    let control = manager.descriptor("kept-control");
    let mut seat = bench.welcome();
    start(&mut seat);
    assert_eq!([answer(&mut seat, 0), answer(&mut seat, 1)], ["n", "e"]);
    daemon.terminate();
    let connection = manager.descriptor("kept-seats");
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    (seat, vec![control, connection])
}

#[test]
fn over_a_restart_the_referee_notices_nothing() {
    let (bench, mut manager) = kept();
    let (mut seat, descriptors) = restarted(&bench, &mut manager);
    let notes = bench.path().join("state/handover");
    assert_eq!(fs::metadata(&notes).unwrap().permissions().mode() & 0o777, 0o600);
    // No daemon runs when the next step begins.
    seat.send(&request(2));
    let mut next = handed(bench.path(), &manager, "kept-control:kept-seats", descriptors);
    next.line_with("the seat continues on the connection that was handed over");
    let told = seat.receive().unwrap();
    assert_eq!(told["type"], "action", "no second login: {told}");
    assert_eq!(told["content"]["p"][0], "s", "the memory is the one of before");
    assert_eq!(answer(&mut seat, 3), "w");
    let forgotten = |notice: &super::double::Notice| {
        notice.says("FDSTOREREMOVE=1") && notice.value("FDNAME") == Some("kept-seats")
    };
    // Otherwise it would stay open for ever.
    manager.until(forgotten);
    assert!(!notes.exists(), "they are used once");
}

#[test]
fn without_its_notes_a_connection_is_closed_and_the_agent_logs_in_again() {
    for damage in [None, Some(&b"what?"[..])] {
        let (bench, mut manager) = kept();
        let (mut seat, descriptors) = restarted(&bench, &mut manager);
        let notes = bench.path().join("state/handover");
        match damage {
            None => fs::remove_file(&notes).unwrap(),
            Some(bytes) => fs::write(&notes, bytes).unwrap(),
        }
        let mut next = handed(bench.path(), &manager, "kept-control:kept-seats", descriptors);
        if damage.is_some() {
            next.line_with("cannot use the notes of the previous process");
        }
        next.line_with("kept connections without notes");
        assert_eq!(seat.receive(), None);
        let mut seat = bench.welcome();
        start(&mut seat);
        assert_eq!(answer(&mut seat, 2), "s", "its checkpoint is as good as ever");
    }
}

#[test]
fn what_is_not_to_be_handed_over_is_closed() {
    let (bench, manager) = kept();
    let config = bench.path().join("phalanxd.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}\n[checkpoints]\nhand_over = \"off\"\n")).unwrap();
    let daemon = manager.start(bench.path(), &[]);
    let mut seat = bench.welcome();
    start(&mut seat);
    assert_eq!(answer(&mut seat, 0), "n");
    daemon.terminate();
    assert_eq!(seat.receive(), None);
    assert_eq!(daemon.finish().1, Some(0));
    assert!(!bench.path().join("state/handover").exists());
}
