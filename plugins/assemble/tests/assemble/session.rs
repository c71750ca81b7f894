//! The order of messages on one connection: conversations with the referee.

use phalanx_assemble::action::Action;
use phalanx_assemble::percept::{Briefing, Percept};
use phalanx_assemble::session::{FRAME_BYTES_MAX, LOGIN_PATIENCE, Session};
use phalanx_game::Session as _;
use phalanx_game::{AgentId, DefaultCause, Event, MarginLimits, Notice, Seat, SeatId, Turn};
use phalanx_grid::Direction;
use phalanx_testkit::mangle::Mangler;
use phalanx_testkit::traces::{self, TraceDirection as Way};
use proptest::prelude::*;
use std::time::{Duration, Instant};

const A: AgentId = AgentId(3);
const OK: &str = r#"{"type":"auth-response","content":{"result":"ok"}}"#;
const START: &str = r#"{"type":"sim-start","content":{"time":7,"percept":{"name":"a","team":"A","teamSize":2,"steps":9,"vision":5}}}"#;
const LATER_START: &str = r#"{"type":"sim-start","content":{"time":9,"percept":{"name":"a","team":"A","teamSize":2,"steps":9,"vision":5}}}"#;
const END: &str = r#"{"type":"sim-end","content":{"score":9,"ranking":1,"time":1}}"#;
const BYE: &str = r#"{"type":"bye","content":{}}"#;

#[test]
fn a_match_of_two_simulations_from_login_to_bye() {
    let mut talk = Talk::new();
    talk.connect();
    assert_eq!(talk.sent(), [r#"{"type":"auth-request","content":{"user":"a","pw":"1"}}"#]);
    talk.hears(&[OK]);
    assert_eq!(talk.events(), ["seated"]);
    talk.hears(&[START, &request(0, 0, "")]);
    assert_eq!(talk.events(), ["round 0 with briefing", "asked 0:0"]);
    talk.act(0, 0, &Action::Move(Direction::North)).unwrap();
    assert_eq!(talk.sent(), [r#"{"type":"action","content":{"id":0,"type":"move","p":["n"]}}"#]);
    talk.hears(&[&request(1, 1, "move")]);
    talk.act(0, 1, &Action::Skip).unwrap();
    talk.hears(&[END, LATER_START, &request(2, 0, "")]);
    assert_eq!(
        talk.events(),
        ["asked 0:1", "round 0 over: 9, rank 1", "round 1 with briefing", "asked 1:0"]
    );
    talk.act(1, 0, &Action::Skip).unwrap();
    talk.sent();
    talk.hears(&[END, BYE]);
    assert_eq!(talk.events(), ["round 1 over: 9, rank 1", "match over"]);
    talk.hears(&[&request(3, 1, "")]);
    assert_eq!(talk.events(), [""; 0], "nothing counts after bye");
}

#[test]
fn the_referees_clock_is_what_its_last_message_told() {
    let mut talk = Talk::new();
    talk.connect();
    talk.hears(&[OK]);
    assert_eq!(talk.session.referee_clock(), None);
    talk.hears(&[START]);
    let told = |talk: &Talk| talk.session.referee_clock().map(|clock| clock.unix_ms);
    assert_eq!(told(&talk), Some(7));
    talk.wait(Duration::from_millis(20));
    talk.hears(&[&request(0, 0, "")]);
    assert_eq!(told(&talk), Some(1000));
    assert_eq!(talk.session.referee_clock().unwrap().instant, talk.now);
}

#[test]
fn a_refused_login_says_who_and_what() {
    let mut talk = Talk::new();
    talk.connect();
    talk.hears(&[r#"{"type":"auth-response","content":{"result":"fail"}}"#]);
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
fn a_referee_that_asks_has_accepted_the_login_though_its_answer_to_it_was_lost() {
    let mut talk = Talk::new();
    talk.connect();
    talk.hears(&[START, &request(0, 0, "")]);
    assert_eq!(talk.events(), ["seated", "round 0 with briefing", "asked 0:0"]);
    talk.act(0, 0, &Action::Skip).unwrap();
    talk.wait(LOGIN_PATIENCE);
    assert_eq!(talk.events(), [""; 0]);
    talk.hears(&[&request(1, 1, "skip")]);
    assert_eq!(talk.events(), ["asked 0:1"]);
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
    talk.hears(&[START, &request(0, 0, "")]);
    let mut next = talk.successor();
    assert_eq!(next.events(), ["seated", "round 0 with briefing", "asked 0:0"]);
    assert_eq!(next.session.poll_timeout(), talk.session.poll_timeout(), "the same deadline");
    talk.act(0, 0, &Action::Skip).unwrap();
    // The beginning of a message has come as well.
    let (head, tail) = {
        let message = format!("{}\0", request(1, 1, "skip"));
        let (head, tail) = message.split_at(20);
        (head.to_owned(), tail.to_owned())
    };
    talk.session.handle_input(head.as_bytes(), talk.now).unwrap();
    let mut next = talk.successor();
    assert_eq!(
        next.events(),
        ["seated", "round 0 with briefing"],
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
fn nobody_decides_so_the_session_skips_before_the_deadline() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(0, 0, "")]);
    let due = talk.session.poll_timeout().unwrap();
    let left = due - talk.now;
    assert!(left > Duration::from_millis(3500) && left < Duration::from_millis(4000), "{left:?}");
    talk.events();
    talk.wait(left);
    assert_eq!(talk.sent(), [r#"{"type":"action","content":{"id":0,"type":"skip","p":[]}}"#]);
    assert_eq!(talk.events(), ["defaulted 0:0 NoDecision"]);
    assert!(talk.act(0, 0, &Action::Skip).is_err(), "too late");
    assert_eq!(talk.sent(), [""; 0]);
}

#[test]
fn an_answer_is_sent_once_and_only_for_the_open_turn() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(0, 0, "")]);
    assert!(talk.act(0, 1, &Action::Skip).is_err());
    talk.act(0, 0, &Action::Skip).unwrap();
    assert!(talk.act(0, 0, &Action::Skip).is_err());
    assert_eq!(talk.sent().len(), 1);
}

#[test]
fn a_turn_that_the_referee_passes_over_is_superseded() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(0, 0, ""), &request(1, 1, "no_action")]);
    assert_eq!(talk.events()[1..], ["asked 0:0", "defaulted 0:0 Superseded", "asked 0:1"]);
}

#[test]
fn a_repeated_request_does_not_ask_twice() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(0, 0, ""), &request(0, 0, "")]);
    assert_eq!(talk.events()[1..], ["asked 0:0"]);
}

#[test]
fn a_lost_answer_is_noticed_and_widens_the_margin() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(0, 0, "")]);
    let before = talk.session.poll_timeout().unwrap() - talk.now;
    talk.act(0, 0, &Action::Skip).unwrap();
    talk.hears(&[&request(1, 1, "no_action")]);
    assert!(talk.events().contains(&"answer lost 0:0".to_owned()));
    let after = talk.session.poll_timeout().unwrap() - talk.now;
    assert!(after < before, "{after:?} < {before:?}");
    talk.act(0, 1, &Action::Skip).unwrap();
    talk.hears(&[&request(2, 2, "skip")]);
    assert_eq!(talk.events(), ["asked 0:2"]);
}

#[test]
fn a_reconnect_goes_on_with_or_without_the_repeated_start() {
    for repeated in [false, true] {
        let mut talk = Talk::seated();
        talk.hears(&[&request(5, 5, "")]);
        talk.events();
        talk.session.handle_disconnected(talk.now);
        assert_eq!(talk.events(), ["defaulted 0:5 Disconnected"]);
        talk.connect();
        talk.hears(&[OK]);
        if repeated {
            talk.hears(&[START]);
        }
        talk.hears(&[&request(8, 8, "no_action")]);
        assert_eq!(talk.events(), ["seated", "asked 0:8"], "repeated: {repeated}");
    }
}

#[test]
fn a_start_with_another_time_is_a_new_round_only_when_the_ids_say_so() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(5, 5, "")]);
    talk.events();
    talk.session.handle_disconnected(talk.now);
    talk.connect();
    talk.hears(&[OK, LATER_START, &request(6, 6, "")]);
    assert_eq!(talk.events()[1..], ["seated", "asked 0:6"]);
    talk.session.handle_disconnected(talk.now);
    talk.connect();
    talk.hears(&[OK, START, &request(9, 0, "")]);
    let events = talk.events();
    assert_eq!(events[events.len() - 2..], ["round 1 with briefing", "asked 1:0"]);
}

#[test]
fn a_referee_that_was_restarted_begins_a_new_round() {
    // Its ids begin at 0 again, so that only the step tells.
    for start in [None, Some(LATER_START)] {
        let mut talk = Talk::seated();
        talk.hears(&[&request(5, 5, "")]);
        talk.session.handle_disconnected(talk.now);
        talk.connect();
        talk.hears(&[OK]);
        talk.events();
        start.into_iter().for_each(|start| talk.hears(&[start]));
        talk.hears(&[&request(0, 0, "")]);
        assert_eq!(talk.events()[1..], ["asked 1:0"]);
    }
}

#[test]
fn a_round_met_in_its_middle_starts_without_briefing() {
    let mut talk = Talk::new();
    talk.connect();
    talk.hears(&[OK, &request(33, 31, "no_action")]);
    assert_eq!(talk.events(), ["seated", "round 0 without briefing", "asked 0:31"]);
    talk.session.handle_disconnected(talk.now);
    talk.connect();
    talk.hears(&[OK, &request(40, 0, "")]);
    let events = talk.events();
    assert_eq!(events[2..], ["round 1 without briefing", "asked 1:0"]);
}

#[test]
fn an_end_without_a_start_is_a_line_in_the_journal() {
    let mut talk = Talk::new();
    talk.connect();
    talk.hears(&[OK, END]);
    assert_eq!(
        talk.events(),
        ["seated", "malformed: sim-end: expected a running simulation, got none"]
    );
}

#[test]
fn malformed_and_unknown_messages_are_skipped_and_told() {
    let mut talk = Talk::seated();
    talk.hears(&["{nonsense", "", r#"{"type":"hello"}"#, &request(0, 0, "")]);
    let events = talk.events();
    assert!(events[1].starts_with("malformed: a message, column 2: expected a JSON object"));
    assert!(events[2].starts_with("malformed: a message, column 0"));
    assert_eq!(events[3..], ["unknown hello", "asked 0:0"]);
}

#[test]
fn a_megabyte_of_garbage_does_not_end_the_session() {
    let mut talk = Talk::seated();
    let garbage = Mangler::new(5).garbage(1 << 20);
    talk.session.handle_input(&garbage, talk.now).unwrap();
    talk.session.handle_input(b"\0", talk.now).unwrap();
    assert!(talk.events()[1..].iter().all(|event| event.starts_with("malformed")));
    talk.hears(&[&request(0, 0, "")]);
    assert_eq!(talk.events(), ["asked 0:0"]);
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
    talk.hears(&[OK, &request(0, 0, "")]);
    assert_eq!(talk.events()[1..], ["seated", "asked 0:0"]);
}

#[test]
fn half_a_message_is_forgotten_with_its_connection() {
    let mut talk = Talk::seated();
    talk.session.handle_input(br#"{"type":"req"#, talk.now).unwrap();
    talk.session.handle_disconnected(talk.now);
    talk.connect();
    talk.hears(&[OK]);
    assert_eq!(talk.events()[1..], ["seated"]);
}

#[test]
fn leaving_answers_what_is_open() {
    let mut talk = Talk::seated();
    talk.hears(&[&request(4, 4, "")]);
    talk.events();
    talk.session.handle_shutdown(talk.now);
    assert_eq!(talk.sent(), [r#"{"type":"action","content":{"id":4,"type":"skip","p":[]}}"#]);
    assert_eq!(talk.events(), ["defaulted 0:4 NoDecision"]);
}

#[test]
fn an_absurd_deadline_still_ends_the_turn() {
    // All of them mean the configured two seconds; ten minutes can be meant.
    let cases = [
        (r#""time":0,"deadline":9223372036854775807"#, 2),
        (r#""time":-9223372036854775808,"deadline":9223372036854775807"#, 2),
        (r#""time":5,"deadline":5"#, 2),
        (r#""time":9,"deadline":-9"#, 2),
        (r#""deadline":1600000000000"#, 2),
        (r#""time":1600000000000"#, 2),
        (r#""time":0,"deadline":600000"#, 600),
    ];
    for (times, seconds) in cases {
        let mut talk = Talk::seated();
        talk.hears(&[&format!(
            r#"{{"type":"request-action","content":{{"id":0,"step":0,{times},"percept":{{}}}}}}"#
        )]);
        let left = talk.session.poll_timeout().unwrap() - talk.now;
        let window = Duration::from_secs(seconds);
        assert!(left < window && left >= window / 2, "{times}: {left:?}");
    }
}

#[test]
fn a_deadline_in_the_past_is_answered_at_once() {
    let mut talk = Talk::seated();
    talk.hears(&[
        r#"{"type":"request-action","content":{"id":3,"step":3,"time":5000,"deadline":4000,"percept":{}}}"#,
    ]);
    assert_eq!(talk.session.poll_timeout(), Some(talk.now));
    talk.session.handle_timeout(talk.now);
    assert_eq!(talk.sent(), [r#"{"type":"action","content":{"id":3,"type":"skip","p":[]}}"#]);
}

#[test]
fn a_request_that_was_held_up_has_less_time_left() {
    let mut talk = Talk::seated();
    let request = |step: i64| {
        let (time, deadline) = (1000 + step * 4000, 5000 + step * 4000);
        format!(
            r#"{{"type":"request-action","content":{{"id":{step},"step":{step},"time":{time},"deadline":{deadline},"percept":{{}}}}}}"#
        )
    };
    let mut left = Vec::new();
    for (step, late) in [(0, 0), (1, 1500), (2, 0)] {
        talk.now += Duration::from_millis(4000 + late);
        talk.hears(&[&request(step)]);
        left.push((talk.session.poll_timeout().unwrap() - talk.now).as_millis());
        talk.now -= Duration::from_millis(late);
    }
    assert_eq!(left, [3900, 2400, 3900], "a tenth of a second is the margin");
    // Another connection may have another path.
    talk.session.handle_disconnected(talk.now);
    talk.connect();
    talk.hears(&[OK]);
    talk.now += Duration::from_millis(5500);
    talk.hears(&[&request(3)]);
    assert!(talk.session.poll_timeout().unwrap() - talk.now > Duration::from_millis(3500));
}

#[test]
fn frames_may_be_split_at_every_byte() {
    let stream = [OK, START, &request(0, 0, ""), END].map(|text| format!("{text}\0")).concat();
    let whole = hear_all(&[stream.as_bytes()]);
    for at in 0..=stream.len() {
        let (head, tail) = stream.as_bytes().split_at(at);
        assert_eq!(hear_all(&[head, tail]), whole, "split at {at}");
    }
    let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
    assert_eq!(hear_all(&bytes), whole);
}

#[test]
fn recorded_sessions_are_followed_without_a_complaint() {
    let cases = [("mapc2020/mixed_2x60steps_3teams_seeds8_9.jsonl.gz", "agentA1", 2, 120)];
    for (name, agent, rounds, asked) in cases {
        let Some(lines) = traces::lines(name) else { return };
        let mut talk = Talk::new();
        talk.connect();
        for line in lines.iter().filter(|line| line.agent == agent && line.direction == Way::In) {
            talk.hears(&[&line.message]);
        }
        let events = talk.events();
        let count = |start: &str| events.iter().filter(|event| event.starts_with(start)).count();
        assert_eq!((count("round"), count("asked")), (2 * rounds, asked));
        assert_eq!((count("malformed"), count("unknown"), count("match over")), (0, 0, 1));
    }
}

#[test]
fn recorded_probes_reconnect_without_a_second_round() {
    // The second file was recorded with two servers in a row.
    let cases =
        [("mapc2020/probes/session.jsonl.gz", 1), ("mapc2020/probes/malformed.jsonl.gz", 2)];
    for (name, rounds) in cases {
        let Some(lines) = traces::lines(name) else { return };
        let (mut talk, mut requests) = (Talk::new(), 0);
        for line in lines.iter().filter(|line| line.agent == "agentA1") {
            let login = line.message.contains("auth-request");
            if line.direction == Way::Out && login {
                talk.connect();
            } else if line.direction == Way::In {
                requests += usize::from(line.message.contains(r#""request-action""#));
                talk.hears(&[&line.message]);
            }
        }
        let events = talk.events();
        let count = |start: &str| events.iter().filter(|event| event.starts_with(start)).count();
        let begun = events.iter().filter(|event| event.ends_with("briefing")).count();
        assert_eq!((begun, count("asked"), count("malformed")), (rounds, requests, 0), "{name}");
    }
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_events(seed in any::<u64>(), longest in 1..400_usize) {
        let texts = [OK, START, &request(0, 0, ""), "{bad", &request(1, 1, "no_action"), END, BYE];
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
        let texts = [OK, START, &request(0, 0, ""), END, &request(1, 0, ""), BYE];
        let stream = texts.map(|text| format!("{text}\0")).concat();
        let damaged = mangler.mangle(stream.as_bytes());
        let events = hear_all(&mangler.chunks(&damaged, 64));
        prop_assert!(events.iter().filter(|event| *event == "match over").count() <= 1);
    }
}

/// A session and its clock.
struct Talk {
    session: Session,
    now: Instant,
}

impl Talk {
    #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
    fn new() -> Self {
        let seat = Seat {
            id: SeatId(0),
            agents: vec![(A, "a".into())],
            user: "a".into(),
            password: "1".into(),
            turn_limit: Duration::from_secs(2),
            margin: MarginLimits::default(),
        };
        Self { session: Session::new(&seat), now: Instant::now() }
    }

    /// Another session that takes over the connection; what it said is not sent.
    fn successor(&self) -> Self {
        let mut next = Self { now: self.now, ..Self::new() };
        next.connect();
        for heard in self.session.resume_frames().unwrap() {
            next.session.handle_input(&heard.bytes, heard.at).unwrap();
        }
        next.sent();
        next
    }

    /// Logged in, the first simulation begun.
    fn seated() -> Self {
        let mut talk = Self::new();
        talk.connect();
        talk.sent();
        talk.hears(&[OK]);
        talk.events();
        talk.hears(&[START]);
        talk
    }

    fn connect(&mut self) {
        self.session.handle_connected(self.now);
    }

    fn hears(&mut self, messages: &[&str]) {
        for message in messages {
            let frame = format!("{message}\0");
            self.session.handle_input(frame.as_bytes(), self.now).unwrap();
        }
    }

    fn act(&mut self, round: u32, step: u32, action: &Action) -> Result<(), phalanx_game::Late> {
        self.session.handle_action(Turn::new(round, step), A, action)
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.session.handle_timeout(self.now);
    }

    fn sent(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.session.poll_transmit())
            .map(|bytes| String::from_utf8(bytes).unwrap().trim_end_matches('\0').to_owned())
            .collect()
    }

    fn events(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.session.poll_event()).map(|event| told(&event)).collect()
    }
}

fn hear_all(pieces: &[&[u8]]) -> Vec<String> {
    let mut talk = Talk::new();
    talk.connect();
    for piece in pieces {
        talk.session.handle_input(piece, talk.now).unwrap();
    }
    talk.events()
}

fn request(id: i64, step: u32, last: &str) -> String {
    format!(
        r#"{{"type":"request-action","content":{{"id":{id},"time":1000,"deadline":5000,"step":{step},"percept":{{"lastAction":"{last}"}}}}}}"#
    )
}

fn told(event: &Event<Briefing, Percept>) -> String {
    match event {
        Event::Seated { .. } => "seated".into(),
        Event::Refused { reason } => format!("refused: {reason}"),
        Event::RoundStarted { round, briefing, .. } => {
            let with = if briefing.is_some() { "with" } else { "without" };
            format!("round {round} {with} briefing")
        }
        Event::Percept { turn, .. } => format!("percept {turn}"),
        Event::Asked { turn, .. } => format!("asked {turn}"),
        Event::Defaulted { turn, cause, .. } => match cause {
            DefaultCause::NoDecision | DefaultCause::Superseded | DefaultCause::Disconnected => {
                format!("defaulted {turn} {cause:?}")
            }
        },
        Event::Notice(Notice::Malformed(error)) => format!("malformed: {error}"),
        Event::Notice(Notice::Unknown { kind }) => format!("unknown {kind}"),
        Event::Notice(Notice::AnswerLost { turn }) => format!("answer lost {turn}"),
        Event::Notice(fault @ Notice::Fault { .. }) => fault.to_string(),
        Event::Out { round, .. } => format!("out of round {round}"),
        Event::RoundOver { round, score, ranking, .. } => {
            format!("round {round} over: {score}, rank {}", ranking.unwrap_or(0))
        }
        Event::MatchOver => "match over".into(),
    }
}
