//! Requests and answers.

use super::host::{Host, UNIX_MS, action, attribute, elements, is, of};
use phalanx_game::Arena as _;
use phalanx_mars::arena::ArenaOptions;
use std::time::Duration;

const SMALL: &str = "agents = 1\nsteps = 5\nseed = 3\nrandom_fail_percent = 0\n\
                     [map]\nnodes = 40\n[[simulations]]";

fn host() -> Host {
    Host::new(SMALL, ArenaOptions::default())
}

#[test]
fn a_start_says_role_and_size_and_the_first_request_says_nothing_happened() {
    let mut host = host();
    let ids = host.login_all(1);
    let frames = host.frames(ids[0]);
    let start = |key| of(&frames[1], "simulation", key).to_owned();
    assert_eq!(
        [start("id"), start("role"), start("steps"), start("vertices")],
        ["0", "Explorer", "5", "40"]
    );
    let request = &frames[2];
    assert_eq!(of(request, "perception", "id"), "1");
    assert_eq!(of(request, "simulation", "step"), "0");
    assert_eq!(of(request, "perception", "deadline"), (UNIX_MS + 2000).to_string());
    let own = ["lastAction", "lastActionParam", "lastActionResult", "zoneScore"];
    assert_eq!(own.map(|key| of(request, "self", key)), ["skip", "null", "successful", "0"]);
    assert!(elements(request, "visibleVertex").all(|v| attribute(v, "team") == Some("none")));
    let me = elements(request, "visibleEntity").find(|e| attribute(e, "name") == Some("a1"));
    assert_eq!(me.and_then(|me| attribute(me, "team")), Some("A"));
    assert!(!request.contains("probedVertices") && !request.contains("achievements"));
}

#[test]
fn a_step_ends_with_the_last_answer() {
    let mut host = host();
    let ids = host.login_all(1);
    host.say(ids[0], &action("1", "recharge", ""));
    assert_eq!(host.arena.verdict().step, 0);
    host.say(ids[1], &action("1", "survey", ""));
    assert_eq!(host.arena.verdict().step, 1);
    let requests = host.requests(&ids);
    assert_eq!(of(&requests[0], "self", "lastAction"), "recharge");
    assert!(elements(&requests[1], "surveyedEdge").count() > 0);
    assert_eq!(host.now, host.start, "nobody waits for a clock");
}

#[test]
fn a_silent_agent_does_nothing_and_costs_the_whole_time() {
    let mut host = host();
    let ids = host.login_all(1);
    host.frames(ids[1]);
    host.say(ids[0], &action("1", "recharge", ""));
    host.wait(Duration::from_millis(2499));
    assert_eq!(host.arena.verdict().step, 0);
    host.wait(Duration::from_millis(1));
    assert_eq!(host.arena.verdict().step, 1);
    let requests = host.requests(&ids);
    assert_eq!(of(&requests[1], "self", "lastAction"), "noAction");
    assert_eq!(of(&requests[1], "self", "lastActionResult"), "failed");
    assert_eq!(of(&requests[1], "message", "timestamp"), (UNIX_MS + 2500).to_string());
    assert_eq!(host.arena.conduct("b1").unwrap().silent, 1);
    assert_eq!(host.arena.conduct("a1").unwrap().silent, 0);
}

#[test]
fn the_first_answer_counts_and_odd_ids_are_ignored() {
    let mut host = host();
    let ids = host.login_all(1);
    for id in ["", "x", "99", "-1", "0"] {
        host.say(ids[0], &action(id, "survey", ""));
    }
    host.say(ids[0], "<message type='action'><action type='survey'/></message>");
    host.say(ids[0], "<message type='action'/>");
    host.say(ids[0], &action("1", "probe", ""));
    host.say(ids[0], &action("1", "skip", ""));
    host.say(ids[1], &action("1", "skip", ""));
    assert_eq!(of(&host.requests(&ids)[0], "self", "lastAction"), "probe");
    let conduct = host.arena.conduct("a1").unwrap();
    assert_eq!((conduct.late, conduct.unknown_ids, conduct.malformed), (2, 6, 0));
    host.say(ids[0], &action("1", "skip", ""));
    assert_eq!(host.arena.conduct("a1").unwrap().late, 3);
    assert_eq!(host.arena.verdict().step, 1);
}

#[test]
fn odd_actions_are_told_back_as_unknown_and_odd_case_is_understood() {
    let cases = [
        ("dance", "x", "unknownAction", "x", "failed"),
        ("", "", "unknownAction", "", "failed"),
        ("noAction", "", "unknownAction", "", "failed"),
        ("PROBE", "", "PROBE", "", "successful"),
        ("ReCharge", "you", "recharge", "you", "successful"),
        ("goto", "here &amp; there", "goto", "here &amp; there", "failed_wrong_param"),
        ("attack", "b1", "attack", "b1", "failed_role"),
    ];
    for (kind, param, said, told, result) in cases {
        let mut host = host();
        let ids = host.login_all(1);
        host.say(ids[0], &action("1", kind, param));
        host.say(ids[1], &action("1", "skip", ""));
        let request = &host.requests(&ids)[0];
        let own = ["lastAction", "lastActionParam", "lastActionResult"];
        assert_eq!(own.map(|key| of(request, "self", key)), [said, told, result]);
    }
}

#[test]
fn lockstep_waits_for_ever() {
    let mut host = Host::new(&format!("lockstep = true\n{SMALL}"), ArenaOptions::default());
    let ids = host.login_all(1);
    assert_eq!(host.arena.poll_timeout(), None);
    host.wait(Duration::from_secs(3600));
    assert_eq!(host.arena.verdict().step, 0);
    for id in &ids {
        host.say(*id, &action("1", "skip", ""));
    }
    assert_eq!(host.arena.verdict().step, 1);
}

#[test]
fn in_lockstep_a_client_that_lost_its_request_with_its_connection_gets_it_again() {
    let mut host = Host::new(&format!("lockstep = true\n{SMALL}"), ArenaOptions::default());
    let mut ids = host.login_all(1);
    let request = host.requests(&ids).remove(0);
    host.leave(ids[0]);
    ids[0] = host.login("a1");
    let again = host.frames(ids[0]).pop().unwrap();
    assert_eq!(of(&again, "perception", "id"), of(&request, "perception", "id"));
    for id in &ids {
        host.say(*id, &action("1", "skip", ""));
    }
    assert_eq!(host.arena.verdict().step, 1);
}

#[test]
fn steps_keep_a_pace_that_is_asked_for() {
    let pace = Duration::from_millis(300);
    let mut host = Host::new(SMALL, ArenaOptions { pace, ..ArenaOptions::default() });
    let ids = host.login_all(1);
    host.requests(&ids);
    host.wait(Duration::from_millis(100));
    for id in &ids {
        host.say(*id, &action("1", "skip", ""));
    }
    assert!(host.frames(ids[0]).is_empty());
    host.wait(Duration::from_millis(199));
    assert!(host.frames(ids[0]).is_empty());
    host.wait(Duration::from_millis(1));
    assert!(is(&host.frames(ids[0])[0], "request-action"));
}

#[test]
fn the_map_is_drawn_while_a_simulation_runs() {
    let mut host = host();
    assert_eq!(host.arena.draw(false), "");
    host.login_all(1);
    let picture = host.arena.draw(false);
    assert!(picture.starts_with("step 0\nA: score 0"), "{picture}");
    assert!(picture.contains('·') && picture.contains('A') && !picture.contains('\u{1b}'));
    assert!(host.arena.draw(true).contains('\u{1b}'));
}
