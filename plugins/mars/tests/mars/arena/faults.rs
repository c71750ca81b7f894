//! Clients that send what they should not (spec section 5).

use super::host::{Host, action, auth, of};
use phalanx_game::Arena as _;
use phalanx_mars::arena::ArenaOptions;
use phalanx_testkit::mangle::Mangler;
use std::time::Duration;

const SMALL: &str = "agents = 1\nsteps = 50\nseed = 3\nrandom_fail_percent = 0\n\
                     max_frame = 1000\n[map]\nnodes = 40\n[[simulations]]";

fn host(more: &str) -> Host {
    Host::new(&format!("{more}\n{SMALL}"), ArenaOptions::default())
}

/// What no parser takes: nothing, no XML, no end, white space before the declaration, too long.
fn broken() -> Vec<String> {
    let padding = " ".repeat(1000);
    vec![
        String::new(),
        "hello".to_owned(),
        "<message type=\"action\">".to_owned(),
        format!(" {}", auth("a1", "1")),
        format!("{}<!--{padding}-->", action("1", "skip", "")),
    ]
}

#[test]
fn bad_frames_are_dropped_and_counted() {
    let mut host = host("");
    let ids = host.login_all(1);
    for frame in broken() {
        host.say(ids[0], &frame);
    }
    assert_eq!(host.arena.conduct("a1").unwrap().malformed, 5);
    host.say(ids[0], &action("1", "survey", ""));
    host.say(ids[1], &action("1", "skip", ""));
    assert_eq!(of(&host.requests(&ids)[0], "self", "lastAction"), "survey");
}

#[test]
fn the_original_never_reads_such_a_connection_again() {
    for frame in broken() {
        let mut host = host("malformed = \"legacy\"");
        let ids = host.login_all(1);
        host.say(ids[0], &frame);
        host.say(ids[0], &action("1", "survey", ""));
        host.say(ids[1], &action("1", "skip", ""));
        assert_eq!(host.arena.verdict().step, 0, "{frame}");
        host.wait(Duration::from_millis(2500));
        let requests = host.requests(&ids);
        assert_eq!(of(&requests[0], "self", "lastAction"), "noAction", "still gets requests");
        // A new login heals it.
        let again = host.login("a1");
        assert!(host.is_closed(ids[0]));
        host.say(ids[1], &action("2", "skip", ""));
        host.wait(Duration::from_millis(2500));
        host.say(again, &action("3", "survey", ""));
        host.say(ids[1], &action("3", "skip", ""));
        assert_eq!(of(&host.requests(&[again])[0], "self", "lastAction"), "survey");
    }
}

#[test]
fn what_is_well_formed_is_never_punished() {
    let mut host = host("malformed = \"legacy\"");
    let ids = host.login_all(1);
    let harmless = [
        "<other/>",
        "<message/>",
        "<message type='dance'/>",
        "<message type='ping'><payload value='x'/></message>",
        "  <message type='action'/>  ",
    ];
    for frame in harmless {
        host.say(ids[0], frame);
    }
    host.say(ids[0], &auth("a1", "1"));
    let frame = "<?xml version='1.0' standalone='no'?><!-- x --><message more='1' type='action'>\
                 <odd/><action param='' more='2' type='survey' id='1'></action></message>\n";
    // Byte by byte, and together with the next frame.
    for byte in frame.as_bytes() {
        host.send(ids[0], &[*byte]);
    }
    host.send(ids[0], b"\0<other/>\0");
    host.say(ids[1], &action("1", "skip", ""));
    assert_eq!(of(&host.requests(&ids)[0], "self", "lastAction"), "survey");
    assert_eq!(host.arena.conduct("a1").unwrap().malformed, 0);
}

#[test]
fn nothing_but_bad_frames_closes_a_connection() {
    let mut host = host("");
    let ids = host.login_all(1);
    for _ in 0..63 {
        host.say(ids[0], "<");
    }
    host.say(ids[0], "<fine/>");
    for _ in 0..63 {
        host.say(ids[0], "<");
    }
    assert!(!host.is_closed(ids[0]));
    host.say(ids[0], "<");
    assert!(host.is_closed(ids[0]) && !host.is_closed(ids[1]));
    assert!(host.notices.iter().any(|notice| notice.contains("a1")), "{:?}", host.notices);
}

#[test]
fn the_end_of_a_connection_ends_its_last_frame() {
    let mut host = host("");
    let ids = host.login_all(1);
    host.send(ids[0], action("1", "survey", "").as_bytes());
    host.say(ids[1], &action("1", "skip", ""));
    assert_eq!(host.arena.verdict().step, 0);
    host.leave(ids[0]);
    assert_eq!(host.arena.verdict().step, 1);
    let again = host.login("a1");
    assert_eq!(of(&host.requests(&[again])[0], "self", "lastAction"), "survey");
}

#[test]
fn no_bytes_hurt_the_referee_or_the_other_team() {
    for seed in 0..20 {
        let mut host = host("");
        let mut mangler = Mangler::new(seed);
        let mut ids = host.login_all(1);
        for step in 1..30 {
            host.say(ids[1], &action(&step.to_string(), "recharge", ""));
            for _ in 0..4 {
                let good = [action(&step.to_string(), "survey", ""), auth("a1", "1")];
                let frame = format!("{}\0", good[mangler.below(2)]);
                host.send(ids[0], &mangler.mangle(frame.as_bytes()));
            }
            if host.is_closed(ids[0]) || mangler.below(5) == 0 {
                host.leave(ids[0]);
                ids[0] = host.login("a1");
            }
            host.wait(Duration::from_millis(2500));
        }
        let other = host.frames(ids[1]);
        assert!(!host.is_closed(ids[1]) && other.len() > 29, "{}", other.len());
        assert_eq!(host.arena.conduct("b1").unwrap().malformed, 0);
        assert!(host.arena.verdict().step >= 29);
    }
}
