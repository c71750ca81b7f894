//! The client's session: what is not in the recordings, and hostile input.

use phalanx_colosseum::action::Action;
use phalanx_colosseum::session::Session;
use phalanx_colosseum::wire::{LINE_BYTES_MAX, RefereeLine, read_value};
use phalanx_game::{AgentId, DefaultCause, Event, MarginLimits, Seat, SeatId, Session as _};
use phalanx_testkit::mangle::Mangler;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const STATE: &str = r#"{"foods": [{"position": [NaN, 2.0], "quantity": 5, "id": "f"}], "actors": [{"position": [NaN, -Infinity], "id": "a", "owner_id": "me", "food": 0, "health": 50, "max_health": 50}], "bases": [], "dead_entities": [], "epoch": 1, "agent_ids": ["me"]}"#;

fn session() -> (Session, Instant) {
    let seat = Seat {
        id: SeatId(0),
        agents: vec![(AgentId(0), "ours".to_owned())],
        user: String::new(),
        password: String::new(),
        turn_limit: Duration::from_secs(10),
        margin: MarginLimits::default(),
    };
    let (mut session, now) = (Session::new(&seat), Instant::now());
    session.handle_connected(now);
    (session, now)
}

fn tell(session: &mut Session, line: &str, now: Instant) -> Option<Value> {
    session.handle_input(format!("{line}\n").as_bytes(), now).expect("never lost");
    let reply = session.poll_transmit()?;
    assert_eq!(session.poll_transmit(), None, "one reply");
    Some(read_value(&reply).expect("JSON"))
}

fn events(
    session: &mut Session,
) -> Vec<Event<phalanx_colosseum::percept::MatchConfig, phalanx_colosseum::percept::Percept>> {
    std::iter::from_fn(|| session.poll_event()).collect()
}

#[test]
fn several_keys_in_one_line_get_one_reply() {
    let (mut session, now) = session();
    let line = r#"{"set_agent_id": "me", "ping": "ping", "config": {"game_name": "snake"}}"#;
    let reply = tell(&mut session, line, now).expect("a reply");
    assert_eq!(reply["agent_id"], "me");
    assert_eq!(reply["agent_name"], "ours");
    assert!(reply["pong"].is_string());
    let kinds = events(&mut session);
    assert!(matches!(kinds.as_slice(), [Event::Seated { .. }, Event::RoundStarted { .. }]));
}

#[test]
fn a_ping_inside_a_state_is_answered_with_the_action() {
    let (mut session, now) = session();
    tell(&mut session, r#"{"set_agent_id": "me"}"#, now);
    let line = STATE.replace("\"epoch\"", "\"ping\": \"ping\", \"epoch\"");
    assert_eq!(tell(&mut session, &line, now), None, "the team is asked first");
    let asked = events(&mut session).into_iter().rev().find_map(|event| match event {
        Event::Asked { turn, agent, .. } => Some((turn, agent)),
        _ => None,
    });
    let (turn, agent) = asked.expect("a turn");
    session.handle_action(turn, agent, &Action::Nothing).expect("in time");
    let reply = read_value(&session.poll_transmit().expect("a reply")).expect("JSON");
    assert_eq!(reply, json!({"agent_id": "me", "actions": [], "pong": "pong"}));
}

#[test]
fn both_forms_of_states_are_taken_with_numbers_that_are_none() {
    for line in [STATE.to_owned(), format!("{{\"world_state\": {STATE}, \"epoch\": 4}}")] {
        let (mut session, now) = session();
        tell(&mut session, r#"{"set_agent_id": "me"}"#, now);
        assert_eq!(tell(&mut session, &line, now), None);
        let asked = events(&mut session).pop().expect("an event");
        let Event::Asked { due, percept, .. } = asked else { panic!("{asked:?}") };
        assert!(due < now + Duration::from_millis(4500), "whatever our own limit is");
        assert_eq!(percept.epoch, 1);
    }
}

#[test]
fn a_reply_that_was_overtaken_is_never_sent() {
    let (mut session, now) = session();
    tell(&mut session, r#"{"set_agent_id": "me"}"#, now);
    assert_eq!(tell(&mut session, STATE, now), None);
    let first = events(&mut session).pop();
    let Some(Event::Asked { turn, agent, .. }) = first else { panic!("{first:?}") };
    assert_eq!(tell(&mut session, &STATE.replace("\"epoch\": 1", "\"epoch\": 2"), now), None);
    assert!(session.handle_action(turn, agent, &Action::Nothing).is_err());
    assert_eq!(session.poll_transmit(), None);
    let superseded = |event: &Event<_, _>| {
        matches!(event, Event::Defaulted { cause: DefaultCause::Superseded, .. })
    };
    assert!(events(&mut session).iter().any(superseded));
}

#[test]
fn stop_is_answered_at_once_and_ends_the_match_once() {
    let (mut session, now) = session();
    tell(&mut session, r#"{"set_agent_id": "me"}"#, now);
    tell(&mut session, STATE, now);
    let stop = r#"{"stop": {"reason": "end_of_game"}}"#;
    assert_eq!(tell(&mut session, stop, now), Some(json!({"agent_id": "me"})));
    assert_eq!(session.poll_timeout(), None);
    assert!(tell(&mut session, stop, now).is_some());
    let over = events(&mut session);
    let over = over.iter().filter(|event| matches!(event, Event::MatchOver));
    assert_eq!(over.count(), 1);
}

#[test]
fn half_a_surrogate_pair_in_the_id_goes_back_as_it_came() {
    let (mut session, now) = session();
    session.handle_input(b"{\"set_agent_id\": \"\\ud83d!\"}\n", now).expect("never lost");
    let reply = String::from_utf8(session.poll_transmit().expect("a reply")).expect("UTF-8");
    assert!(reply.starts_with("{\"agent_id\": \"\\ud83d!\""), "{reply}");
}

#[test]
fn a_line_without_end_is_skipped_and_answered() {
    let (mut session, now) = session();
    tell(&mut session, r#"{"set_agent_id": "me"}"#, now);
    let chunk = vec![b'['; 1 << 20];
    for _ in 0..=LINE_BYTES_MAX >> 20 {
        session.handle_input(&chunk, now).expect("never lost");
    }
    assert_eq!(session.poll_transmit(), None);
    let reply = tell(&mut session, "", now).expect("a reply");
    assert_eq!(reply["agent_id"], "me");
    assert!(tell(&mut session, r#"{"ping": "ping"}"#, now).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_id_comes_back_equal(id in "\\PC{1,255}") {
        let (mut session, now) = session();
        let line = json!({ "set_agent_id": id }).to_string();
        let reply = tell(&mut session, &line, now).expect("a reply");
        prop_assert_eq!(reply["agent_id"].as_str(), Some(id.as_str()));
    }

    #[test]
    fn damaged_lines_are_answered_by_one_line_each_or_by_the_team(seed: u64) {
        let (mut session, now) = session();
        let mut mangler = Mangler::new(seed);
        for line in [r#"{"set_agent_id": "me"}"#, r#"{"config": {"n_epochs": 3}}"#, STATE] {
            let mut bytes = mangler.mangle(line.as_bytes());
            bytes.retain(|byte| *byte != b'\n');
            let blank = bytes.iter().all(u8::is_ascii_whitespace);
            bytes.push(b'\n');
            for piece in mangler.chunks(&bytes, 40) {
                session.handle_input(piece, now).expect("never lost");
            }
            if let Some(due) = session.poll_timeout() {
                session.handle_timeout(due);
            }
            let replies = std::iter::from_fn(|| session.poll_transmit()).count();
            prop_assert_eq!(replies, usize::from(!blank));
        }
    }

    #[test]
    fn reading_is_total(bytes: Vec<u8>) {
        let _checked = RefereeLine::read(&bytes);
    }
}
