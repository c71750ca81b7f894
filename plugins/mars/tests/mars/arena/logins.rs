//! Logins, reconnects, and who may be heard.

use super::host::{Host, UNIX_MS, action, auth, is, of};
use phalanx_game::{Arena as _, ConnectionId};
use phalanx_mars::arena::{ArenaOptions, Launch};
use std::time::Duration;

const SMALL: &str = "agents = 1\nsteps = 5\nseed = 3\n[map]\nnodes = 40\n[[simulations]]";

fn host() -> Host {
    Host::new(SMALL, ArenaOptions::default())
}

fn answers(host: &mut Host, id: ConnectionId) -> Vec<String> {
    let frames = host.frames(id);
    frames.iter().map(|frame| of(frame, "message", "type").to_owned()).collect()
}

#[test]
fn a_login_is_answered_and_a_wrong_one_is_closed() {
    let mut host = host();
    let good = host.login("a1");
    assert_eq!(
        host.frames(good),
        [format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><message timestamp=\"{UNIX_MS}\" \
             type=\"auth-response\"><authentication result=\"ok\"/></message>"
        )]
    );
    for frame in [auth("a1", "2"), auth("nobody", "1"), auth("a2", "1")] {
        let bad = host.connect();
        host.say(bad, &frame);
        assert_eq!(of(&host.frames(bad)[0], "authentication", "result"), "fail");
        assert!(host.is_closed(bad), "{frame}");
    }
    assert!(!host.is_closed(good));
    assert_eq!(host.notices.len(), 3, "{:?}", host.notices);
}

#[test]
fn anything_but_a_login_at_first_is_refused() {
    for frame in ["hello", "", "<message type=\"action\"/>", "<other/>"] {
        let mut host = host();
        let id = host.connect();
        host.say(id, frame);
        assert_eq!(of(&host.frames(id)[0], "authentication", "result"), "fail", "{frame}");
        assert!(host.is_closed(id), "{frame}");
    }
}

#[test]
fn a_stranger_who_says_nothing_must_go() {
    let mut host = host();
    let (silent, known) = (host.connect(), host.login("a1"));
    host.wait(Duration::from_secs(29));
    assert!(!host.is_closed(silent));
    host.wait(Duration::from_secs(1));
    assert!(host.is_closed(silent));
    assert!(!host.is_closed(known), "who is logged in may wait for minutes");
}

#[test]
fn too_many_strangers_are_turned_away() {
    let mut host = host();
    let ids: Vec<ConnectionId> = (0..200).map(|_| host.connect()).collect();
    let refused = ids.iter().filter(|id| host.is_closed(**id)).count();
    assert_eq!(refused, 200 - 66, "64 beyond the two accounts");
}

#[test]
fn a_second_login_takes_over() {
    let mut host = host();
    let old = host.login("a1");
    let new = host.login("a1");
    assert!(host.is_closed(old));
    let other = host.login("b1");
    assert_eq!(answers(&mut host, new), ["auth-response", "sim-start", "request-action"]);
    assert_eq!(answers(&mut host, other), ["auth-response", "sim-start", "request-action"]);
}

#[test]
fn a_reconnect_gets_the_old_start_and_only_the_next_request() {
    let mut host = host();
    let (first, other) = (host.login("a1"), host.login("b1"));
    let before = host.frames(first);
    assert!(is(&before[1], "sim-start") && is(&before[2], "request-action"));
    host.wait(Duration::from_millis(100));
    host.leave(first);
    let again = host.login("a1");
    let frames = host.frames(again);
    assert_eq!(frames.len(), 2, "the request was written already: {frames:?}");
    assert_eq!(frames[1], before[1], "byte for byte");
    host.wait(Duration::from_millis(2400));
    let requests = host.requests(&[again, other]);
    assert_eq!(of(&requests[0], "perception", "id"), "2");
    assert_eq!(of(&requests[0], "self", "lastAction"), "noAction");
}

#[test]
fn a_request_that_nobody_got_is_delivered_at_the_next_login() {
    let mut host = host();
    let (first, other) = (host.login("a1"), host.login("b1"));
    host.leave(first);
    host.wait(Duration::from_millis(2500));
    host.frames(other);
    let again = host.login("a1");
    let frames = host.frames(again);
    assert!(is(&frames[1], "sim-start"));
    assert_eq!(of(&frames[2], "perception", "id"), "2");
    host.say(again, &action("2", "recharge", ""));
    host.say(other, &action("2", "recharge", ""));
    assert_eq!(of(&host.requests(&[again])[0], "self", "lastAction"), "recharge");
}

#[test]
fn it_begins_when_it_is_told_to() {
    let config = format!("start = \"key\"\n{SMALL}");
    let mut host = Host::new(&config, ArenaOptions::default());
    host.login_all(1);
    assert_eq!(host.arena.verdict().round, 0);
    host.begin();
    assert_eq!(host.arena.verdict().round, 1);
    let after = Launch::After(Duration::from_secs(7));
    let options = ArenaOptions { launch: Some(after), ..ArenaOptions::default() };
    let mut host = Host::new(SMALL, options);
    host.wait(Duration::from_millis(6999));
    assert_eq!(host.arena.verdict().round, 0);
    host.wait(Duration::from_millis(1));
    assert_eq!(host.arena.verdict().round, 1, "whoever is there");
}
