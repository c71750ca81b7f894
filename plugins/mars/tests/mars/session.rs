//! The order of messages on one connection: conversations with the referee.

mod talk;

use crate::common::frames::{self, Way, frames};
use phalanx_game::Session as _;
use phalanx_mars::action::Action;
use phalanx_mars::session::{FRAME_BYTES_MAX, LOGIN_PATIENCE};
use phalanx_testkit::mangle::Mangler;
use proptest::prelude::*;
use std::time::Duration;
use talk::{BYE, END, OK, START, Talk, action, hear_all, request, start};

#[test]
fn a_match_of_two_simulations_from_login_to_bye() {
    let mut talk = Talk::new();
    talk.connect();
    assert_eq!(
        talk.sent(),
        [r#"<message type="auth-request"><authentication password="1" username="a"/></message>"#]
    );
    talk.hears(&[OK]);
    assert_eq!(talk.events(), ["seated"]);
    talk.hears(&[START, &request(1, 0, "skip")]);
    assert_eq!(talk.events(), ["round 0 as Sentinel", "asked 0:0"]);
    talk.act(0, 0, &Action::Goto("vertex3".into())).unwrap();
    assert_eq!(talk.sent(), [action("id=\"1\" param=\"vertex3\" type=\"goto\"")]);
    talk.hears(&[&request(2, 1, "goto")]);
    talk.act(0, 1, &Action::Skip).unwrap();
    talk.hears(&[END, &start("4", "Sentinel"), &request(5, 0, "skip")]);
    assert_eq!(
        talk.events(),
        ["asked 0:1", "round 0 over: 9, rank 1", "round 1 as Sentinel", "asked 1:0"]
    );
    talk.act(1, 0, &Action::Skip).unwrap();
    talk.sent();
    talk.hears(&[END, BYE]);
    assert_eq!(talk.events(), ["round 1 over: 9, rank 1", "match over"]);
    talk.hears(&[&request(6, 1, "skip")]);
    assert_eq!(talk.events(), [""; 0], "nothing counts after bye");
}

#[test]
fn the_referees_clock_is_what_its_last_message_told() {
    let mut talk = Talk::new();
    talk.connect();
    assert_eq!(talk.session.referee_clock(), None);
    talk.hears(&[OK]);
    let told = |talk: &Talk| talk.session.referee_clock().map(|clock| clock.unix_ms);
    assert_eq!(told(&talk), Some(1));
    talk.hears(&[START]);
    assert_eq!(told(&talk), Some(2));
    assert_eq!(talk.session.referee_clock().unwrap().instant, talk.now);
}

#[test]
fn a_refused_login_says_who_and_what() {
    let mut talk = Talk::new();
    talk.connect();
    talk.hears(&[&OK.replace("ok", "fail")]);
    assert_eq!(talk.events(), [r#"refused: the referee answered "fail" to the login of "a""#]);
}

#[test]
fn a_referee_that_accepts_and_says_nothing_is_reported_once() {
    let mut talk = Talk::new();
    talk.connect();
    assert_eq!(talk.session.poll_timeout(), Some(talk.now + LOGIN_PATIENCE));
    talk.wait(LOGIN_PATIENCE);
    assert_eq!(talk.events(), ["refused: the referee did not answer the login within 10 s"]);
    assert_eq!(talk.session.poll_timeout(), None);
}

#[test]
fn a_successor_on_the_connection_goes_on_where_the_session_was() {
    let mut talk = Talk::new();
    assert!(talk.session.resume_frames().is_none());
    talk.connect();
    assert!(talk.session.resume_frames().is_none(), "it does not know whether it is let in");
    talk.hears(&[OK]);
    let mut next = talk.successor();
    assert_eq!(next.events(), ["seated"]);
    talk.hears(&[START, &request(1, 0, "skip")]);
    let mut next = talk.successor();
    assert_eq!(next.events(), ["seated", "round 0 as Sentinel", "asked 0:0"]);
    assert_eq!(next.session.poll_timeout(), talk.session.poll_timeout(), "the same deadline");
    talk.act(0, 0, &Action::Skip).unwrap();
    // The beginning of a message has come as well.
    let (head, tail) = {
        let message = format!("{}\0", request(2, 1, "skip"));
        let (head, tail) = message.split_at(20);
        (head.to_owned(), tail.to_owned())
    };
    talk.session.handle_input(head.as_bytes(), talk.now).unwrap();
    let mut next = talk.successor();
    assert_eq!(
        next.events(),
        ["seated", "round 0 as Sentinel"],
        "what is answered is not asked again"
    );
    next.session.handle_input(tail.as_bytes(), next.now).unwrap();
    assert_eq!(next.events(), ["asked 0:1"]);
    next.act(0, 1, &Action::Skip).unwrap();
    talk.hears(&[tail.trim_end_matches('\0'), END]);
    assert_eq!(talk.successor().events(), ["seated"], "between two rounds");
    talk.session.handle_disconnected(talk.now);
    assert!(talk.session.resume_frames().is_none());
}

#[test]
fn nobody_decides_so_the_session_recharges_before_the_deadline() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(1, 0, "skip")]);
    let left = talk.session.poll_timeout().unwrap() - talk.now;
    assert!(left > Duration::from_millis(1500) && left < Duration::from_millis(2000), "{left:?}");
    talk.events();
    talk.wait(left);
    assert_eq!(talk.sent(), [action("id=\"1\" type=\"recharge\"")]);
    assert_eq!(talk.events(), ["defaulted 0:0 NoDecision"]);
    assert!(talk.act(0, 0, &Action::Skip).is_err(), "too late");
    assert_eq!(talk.sent(), [""; 0]);
}

#[test]
fn an_answer_is_sent_once_and_only_for_the_open_turn() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(1, 0, "skip")]);
    assert!(talk.act(0, 1, &Action::Skip).is_err());
    talk.act(0, 0, &Action::Skip).unwrap();
    assert!(talk.act(0, 0, &Action::Skip).is_err());
    assert_eq!(talk.sent().len(), 1);
}

#[test]
fn a_turn_that_the_referee_passes_over_is_superseded() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(1, 0, "skip"), &request(1, 0, "skip"), &request(2, 1, "noAction")]);
    assert_eq!(talk.events()[1..], ["asked 0:0", "defaulted 0:0 Superseded", "asked 0:1"]);
}

#[test]
fn a_lost_answer_is_noticed_and_widens_the_margin_and_two_in_a_row_reconnect() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(1, 0, "skip")]);
    let before = talk.session.poll_timeout().unwrap() - talk.now;
    talk.act(0, 0, &Action::Skip).unwrap();
    talk.hears(&[&request(2, 1, "noAction")]);
    assert!(talk.events().contains(&"answer lost 0:0".to_owned()));
    let after = talk.session.poll_timeout().unwrap() - talk.now;
    assert!(after < before, "{after:?} < {before:?}");
    assert_eq!(talk.session.poll_hangup(), None);
    talk.act(0, 1, &Action::Skip).unwrap();
    talk.hears(&[&request(3, 2, "noAction")]);
    let reason = talk.session.poll_hangup().unwrap();
    assert_eq!(reason, "2 answers in a row were not counted");
    assert_eq!(talk.session.poll_hangup(), None, "told once");
}

#[test]
fn lost_answers_that_are_not_in_a_row_do_not_reconnect() {
    let mut talk = Talk::seated();
    for (step, last) in [(0, "skip"), (1, "noAction"), (2, "skip"), (3, "noAction"), (4, "skip")] {
        talk.hears(&[&request(i64::from(step) + 1, step, last)]);
        talk.act(0, step, &Action::Skip).unwrap();
    }
    assert_eq!(talk.session.poll_hangup(), None);
    // Nor do steps in which nothing was answered.
    let mut talk = Talk::seated();
    for step in 0..4 {
        talk.hears(&[&request(i64::from(step) + 1, step, "noAction")]);
    }
    assert_eq!(talk.session.poll_hangup(), None);
}

#[test]
fn a_reconnect_goes_on_with_the_repeated_start() {
    for repeated in [&[START][..], &[]] {
        let mut talk = Talk::seated();
        talk.hears(&[&request(6, 5, "skip")]);
        talk.events();
        talk.session.handle_disconnected(talk.now);
        assert_eq!(talk.events(), ["defaulted 0:5 Disconnected"]);
        talk.connect();
        talk.hears(&[OK]);
        talk.hears(repeated);
        talk.hears(&[&request(9, 8, "noAction")]);
        assert_eq!(talk.events(), ["seated", "asked 0:8"], "{repeated:?}");
    }
}

/// Known simulation, what comes after the reconnect, the events.
#[test]
fn a_start_message_after_a_reconnect_tells_old_simulations_from_new_ones() {
    let late = start("12", "Sentinel");
    let cases: [(&[&str], &[&str]); 5] = [
        // The end of the first one was missed.
        (&[&late, &request(13, 0, "skip")], &["round 1 as Sentinel", "asked 1:0"]),
        (&[&late, END], &["round 1 as Sentinel", "round 1 over: 9, rank 1"]),
        // The start of the second one too.
        (&[&request(15, 2, "skip")], &["round 1", "asked 1:2"]),
        // The referee was started anew.
        (&[START, &request(1, 0, "skip")], &["round 1 as Sentinel", "asked 1:0"]),
        (&[&request(1, 0, "skip")], &["round 1", "asked 1:0"]),
    ];
    for (heard, told) in cases {
        let mut talk = Talk::seated();
        talk.hears(&[&request(6, 5, "skip")]);
        talk.session.handle_disconnected(talk.now);
        talk.connect();
        talk.hears(&[OK]);
        talk.events();
        talk.hears(heard);
        assert_eq!(talk.events(), told, "{heard:?}");
    }
}

#[test]
fn a_round_met_in_its_middle_learns_its_start_later() {
    let mut talk = Talk::new();
    talk.connect();
    talk.hears(&[OK, &request(33, 32, "noAction")]);
    assert_eq!(talk.events(), ["seated", "round 0", "asked 0:32"]);
    talk.session.handle_disconnected(talk.now);
    talk.connect();
    talk.hears(&[OK, START, &request(41, 40, "noAction"), &request(42, 41, "noAction")]);
    let told = ["round 0 as Sentinel", "asked 0:40", "defaulted 0:40 Superseded", "asked 0:41"];
    assert_eq!(talk.events()[2..], told);
}

#[test]
fn an_end_without_a_start_is_a_line_in_the_journal() {
    let mut talk = Talk::new();
    talk.connect();
    talk.hears(&[OK, END]);
    let told = "malformed: sim-end: expected a running simulation, got none";
    assert_eq!(talk.events(), ["seated", told]);
}

#[test]
fn an_end_without_a_result_tells_the_last_score() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(1, 0, "skip"), r#"<message type="sim-end"/>"#]);
    assert_eq!(talk.events()[3], "round 0 over: 40, rank 0");
}

#[test]
fn malformed_and_unknown_messages_are_skipped_and_told() {
    let mut talk = Talk::seated();
    let unknown = r#"<message type="hello"/>"#;
    talk.hears(&["<nonsense", "", unknown, OK, &request(1, 0, "skip")]);
    let events = talk.events();
    assert!(events[1].starts_with("malformed: a message, byte 0: expected well-formed XML"));
    assert_eq!(events[2], "malformed: a message, byte 0: expected an XML document, got the end");
    assert_eq!(events[3], "unknown hello");
    let told = "malformed: auth-response: expected no answer to a login that was not sent, got ok";
    assert_eq!(events[4..], [told, "asked 0:0"]);
}

#[test]
fn a_request_that_cannot_be_read_is_answered_when_its_id_can_be_found() {
    let broken = request(8, 7, "skip").replace("</message>", "</massage>");
    for (frame, sent) in [
        (broken.clone(), vec![action("id=\"8\" type=\"recharge\"")]),
        (broken.replace('"', "'"), vec![action("id=\"8\" type=\"recharge\"")]),
        (broken.replace("\"8\"", "\"eight\""), vec![]),
        (broken.replace("request-action", "sim-start"), vec![]),
        (broken.replace(" id=", " no="), vec![]),
        (broken[..60].to_owned(), vec![]),
    ] {
        let mut talk = Talk::seated();
        talk.hears(&[&request(7, 6, "skip"), &frame]);
        assert_eq!(talk.sent(), sent, "{frame}");
        let events = talk.events();
        assert!(events[2].starts_with("malformed"), "{events:?}");
        assert_eq!(events.len() == 4, !sent.is_empty(), "the open turn is over: {events:?}");
    }
}

#[test]
fn nothing_is_answered_before_the_login() {
    let mut talk = Talk::new();
    talk.connect();
    talk.sent();
    talk.hears(&[&request(8, 7, "skip").replace("</message>", "")]);
    assert_eq!(talk.sent(), [""; 0]);
}

#[test]
fn a_stream_without_an_end_loses_the_connection() {
    let mut talk = Talk::seated();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..4 {
        talk.session.handle_input(&piece, talk.now).unwrap();
    }
    let error = talk.session.handle_input(&piece, talk.now).unwrap_err();
    assert_eq!(error.expected, format!("a NUL within {FRAME_BYTES_MAX} bytes"));
    talk.connect();
    talk.hears(&[OK, &request(1, 0, "skip")]);
    assert_eq!(talk.events()[1..], ["seated", "asked 0:0"]);
}

#[test]
fn half_a_message_is_forgotten_with_its_connection() {
    let mut talk = Talk::seated();
    talk.session.handle_input(b"<message type='b", talk.now).unwrap();
    talk.session.handle_disconnected(talk.now);
    talk.connect();
    talk.hears(&[OK]);
    assert_eq!(talk.events()[1..], ["seated"]);
}

#[test]
fn leaving_answers_what_is_open() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(5, 4, "skip")]);
    talk.events();
    talk.session.handle_shutdown(talk.now);
    assert_eq!(talk.sent(), [action("id=\"5\" type=\"recharge\"")]);
    assert_eq!(talk.events(), ["defaulted 0:4 NoDecision"]);
}

#[test]
fn an_absurd_deadline_still_ends_the_turn() {
    // All of them mean the configured four seconds; ten minutes can be meant.
    let cases = [
        ("timestamp='0'", "deadline='9223372036854775807'", 4),
        ("timestamp='-9223372036854775808'", "deadline='9223372036854775807'", 4),
        ("timestamp='5'", "deadline='5'", 4),
        ("timestamp='9'", "deadline='-9'", 4),
        ("", "deadline='1600000000000'", 4),
        ("timestamp='1600000000000'", "", 4),
        ("timestamp='0'", "deadline='x'", 4),
        ("timestamp='1'", "deadline='2001'", 2),
        ("timestamp='0'", "deadline='600000'", 600),
    ];
    for (timestamp, deadline, seconds) in cases {
        let mut talk = Talk::seated();
        talk.hears(&[&format!(
            "<message type='request-action' {timestamp}><perception id='1' {deadline}>\
             <simulation step='0'/></perception></message>"
        )]);
        let left = talk.session.poll_timeout().unwrap() - talk.now;
        let window = Duration::from_secs(seconds);
        assert!(left < window && left >= window / 2, "{timestamp} {deadline}: {left:?}");
    }
}

#[test]
fn a_deadline_in_the_past_is_answered_at_once() {
    let mut talk = Talk::seated();
    talk.hears(&[&timed(3, 5000, 4000)]);
    assert_eq!(talk.session.poll_timeout(), Some(talk.now));
    talk.session.handle_timeout(talk.now);
    assert_eq!(talk.sent(), [action("id=\"3\" type=\"recharge\"")]);
}

#[test]
fn a_request_that_was_held_up_has_less_time_left() {
    let mut talk = Talk::seated();
    let mut left = Vec::new();
    for (step, late) in [(0, 0), (1, 1500), (2, 0)] {
        talk.now += Duration::from_millis(4000 + late);
        // The login was answered at the referee's first millisecond.
        let sent = 4001 + i64::from(step) * 4000;
        talk.hears(&[&timed(step, sent, sent + 4000)]);
        left.push((talk.session.poll_timeout().unwrap() - talk.now).as_millis());
        talk.now -= Duration::from_millis(late);
    }
    assert_eq!(left, [3900, 2400, 3900], "a tenth of a second is the margin");
}

/// A request of this step, sent and due at these times of the referee's clock.
fn timed(step: u32, sent: i64, deadline: i64) -> String {
    format!(
        "<message type='request-action' timestamp='{sent}'><perception id='{step}' \
         deadline='{deadline}'><simulation step='{step}'/></perception></message>"
    )
}

#[test]
fn frames_may_be_split_at_every_byte() {
    let stream = [OK, START, &request(1, 0, "skip"), END].map(|text| format!("{text}\0")).concat();
    let whole = hear_all(&[stream.as_bytes()]);
    assert_eq!(whole.len(), 5);
    for at in 0..=stream.len() {
        let (head, tail) = stream.as_bytes().split_at(at);
        assert_eq!(hear_all(&[head, tail]), whole, "split at {at}");
    }
    let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
    assert_eq!(hear_all(&bytes), whole);
}

#[test]
fn recorded_sessions_are_followed_without_a_complaint() {
    let name = "mars2012/two100_pydtu_teamA.jsonl.gz";
    let Some(frames) = frames(name) else { return };
    for agent in ["a1", "a6", "a20"] {
        let mut talk = Talk::new();
        talk.connect();
        let own = |frame: &&frames::Frame| frame.agent == agent && frame.way == Way::In;
        for frame in frames.iter().filter(own) {
            talk.hears(&[&frame.raw]);
        }
        let events = talk.events();
        let count = |start: &str| events.iter().filter(|event| event.starts_with(start)).count();
        assert_eq!((count("round"), count("asked")), (4, 200), "{agent}");
        assert_eq!((count("malformed"), count("unknown"), count("match over")), (0, 0, 1));
    }
}

#[test]
fn recorded_reconnects_go_on_in_the_same_round() {
    let Some(frames) = frames("mars2012/edge_teamA.jsonl.gz") else { return };
    let mut logins = 0;
    for number in 1..=20 {
        let agent = format!("a{number}");
        let (mut talk, mut requests) = (Talk::new(), 0);
        for frame in frames.iter().filter(|frame| frame.agent == agent) {
            if frame.way == Way::Out && frame.raw.contains("auth-request") {
                logins += 1;
                talk.connect();
            } else if frame.way == Way::In {
                requests += usize::from(frame.raw.contains("request-action"));
                talk.hears(&[&frame.raw]);
            }
        }
        let events = talk.events();
        let count = |start: &str| events.iter().filter(|event| event.starts_with(start)).count();
        assert_eq!((count("round 0 as"), count("round 1")), (1, 0), "{agent}: {events:?}");
        assert_eq!(count("asked"), requests, "{agent}");
    }
    assert_eq!(logins, 45, "44 connections, on one of which the client logs in twice");
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_events(seed in any::<u64>(), longest in 1..400_usize) {
        let (first, second) = (request(1, 0, "skip"), request(2, 1, "noAction"));
        let texts = [OK, START, &first, "<bad", &second, END, BYE];
        let stream = texts.map(|text| format!("{text}\0")).concat();
        let pieces = Mangler::new(seed).chunks(stream.as_bytes(), longest);
        prop_assert_eq!(hear_all(&pieces), hear_all(&[stream.as_bytes()]));
    }

    #[test]
    fn any_bytes_leave_the_session_alive(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut talk = Talk::seated();
        prop_assert!(talk.session.handle_input(&bytes, talk.now).is_ok());
        talk.events();
        talk.session.handle_disconnected(talk.now);
        talk.connect();
        talk.hears(&[OK]);
        prop_assert_eq!(talk.events(), ["seated"]);
    }

    #[test]
    fn damaged_conversations_never_panic(seed in any::<u64>()) {
        let mut mangler = Mangler::new(seed);
        let texts = [OK, START, &request(1, 0, "skip"), END, &request(3, 0, "skip"), BYE];
        let stream = texts.map(|text| format!("{text}\0")).concat();
        let damaged = mangler.mangle(stream.as_bytes());
        let events = hear_all(&mangler.chunks(&damaged, 64));
        prop_assert!(events.iter().filter(|event| *event == "match over").count() <= 1);
    }
}
