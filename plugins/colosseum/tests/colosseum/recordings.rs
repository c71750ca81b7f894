//! The recorded matches: every line is understood, printed back equal and answered once, and the
//! recorded replies lead from each recorded state to the next.

mod chess;
mod read;
mod replay;

use phalanx_colosseum::percept::StateScene;
use phalanx_colosseum::session::Session;
use phalanx_colosseum::wire::{RefereeLine, read_value};
use phalanx_colosseum::world::World;
use phalanx_game::{
    AgentId, Event, MarginLimits, Met, Roster, RosterEntry, Seat, SeatId, Session as _, Turn,
    World as _,
};
use read::{ALL, Recording, recording};
use serde_json::Value;
use std::time::{Duration, Instant};

fn seat() -> Seat {
    Seat {
        id: SeatId(0),
        agents: vec![(AgentId(0), "ours".to_owned())],
        user: String::new(),
        password: String::new(),
        turn_limit: Duration::from_secs(1),
        margin: MarginLimits::default(),
    }
}

/// What the referee would print for a state that we read from it.
fn printed(line: &str) -> Option<String> {
    let message = RefereeLine::read(line.as_bytes()).expect("a message");
    let state = message.state?;
    let frame = |key: &str| {
        let ids = state.get("agent_ids").and_then(Value::as_array).expect("agent_ids");
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        match key {
            "epoch" => format!("\"epoch\": {}", state["epoch"]),
            _ => format!("\"agent_ids\": [{}]", ids.join(", ")),
        }
    };
    let mut keys = String::new();
    match StateScene::read(&state) {
        StateScene::Catcher(world) => world.write(&mut keys),
        // The marks of bodies are not in a state, they are compared where moves are known.
        StateScene::Snake(_) | StateScene::Chess(_) | StateScene::Other => return None,
    }
    let (epoch, ids) = (frame("epoch"), frame("agent_ids"));
    let isolated = line.starts_with("{\"epoch\"");
    Some(if isolated {
        format!("{{{epoch}, {ids}, {keys}}}")
    } else {
        format!("{{{keys}, {epoch}, {ids}}}")
    })
}

#[test]
fn states_are_printed_back_as_they_came() {
    let mut states = 0;
    for name in ALL {
        let Some(Recording { pairs, .. }) = recording(name) else { return };
        for (line, _) in &pairs {
            let Some(printed) = printed(line) else { continue };
            assert_eq!(printed, *line, "{name}");
            states += 1;
        }
    }
    println!("{states} states printed back equal");
    assert!(states > 700, "{states}");
}

/// Feeds a recording's lines, text and line end apart; every reply with the line it answers.
fn play(recording: &Recording, decide: bool) -> Vec<Vec<u8>> {
    let (mut session, now) = (Session::new(&seat()), Instant::now());
    let mut replies = Vec::new();
    let mut last: Option<Turn> = None;
    let agents = vec![RosterEntry::new("ours", "any")];
    let mut world = World::new(&Roster { team: "t".to_owned(), agents });
    session.handle_connected(now);
    for (line, _) in &recording.pairs {
        session.handle_input(line.as_bytes(), now).expect("never lost");
        assert_eq!(session.poll_transmit(), None, "nothing before the line's end");
        session.handle_input(b"\n", now).expect("never lost");
        while let Some(event) = session.poll_event() {
            match event {
                Event::Asked { turn, agent, percept, .. } => {
                    assert!(last < Some(turn), "turns grow");
                    last = Some(turn);
                    assert_eq!(percept.agents.len(), recording.agents);
                    let met = Met::Turn(turn, &percept);
                    assert_eq!(world.recognize(agent, met), Ok(()), "{turn} can follow");
                    if turn.step % 5 == 1 {
                        world.observe(turn, agent, percept);
                    }
                    if decide {
                        let action = phalanx_colosseum::action::Action::Nothing;
                        session.handle_action(turn, agent, &action).expect("in time");
                        assert!(session.handle_action(turn, agent, &action).is_err(), "once only");
                    }
                }
                Event::Notice(notice) => panic!("{notice}"),
                _ => {}
            }
        }
        if let Some(due) = session.poll_timeout() {
            assert!(due <= now + Duration::from_secs(1));
            session.handle_timeout(due);
        }
        replies.push(session.poll_transmit().expect("one reply"));
        assert_eq!(session.poll_transmit(), None, "one reply only");
    }
    replies
}

#[test]
fn every_recorded_line_is_answered_by_one_line_with_our_id() {
    let mut lines = 0;
    for name in ALL {
        let Some(recording) = recording(name) else { return };
        for decide in [true, false] {
            for (reply, (line, _)) in play(&recording, decide).iter().zip(&recording.pairs) {
                assert_eq!(reply.iter().filter(|byte| **byte == b'\n').count(), 1);
                let reply = read_value(reply).expect("JSON");
                assert_eq!(reply["agent_id"], recording.id.as_str(), "{name}: {line}");
                assert_eq!(reply.get("pong").is_some(), line.contains("\"ping\""), "{name}");
                lines += 1;
            }
        }
    }
    println!("{lines} lines answered");
}
