//! MAPC 2022 on what its real referee sent: every message is understood, every request is armed, every
//! answer is encoded as it was, and the belief follows.

use super::epoch;
use phalanx_game::{
    AgentId, Event, Game, MarginLimits, Roster, RosterEntry, Said, Seat, SeatId, Session, Turn,
    Value, World,
};
use phalanx_scripted::{GameFolder, ScriptedGame};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mapc2022")
}

fn lines(name: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(folder().join("transcripts").join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A message of the referee and the next one of the agent, as the referee frames them.
fn framed(message: &Json) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(message).unwrap();
    bytes.push(0);
    bytes
}

/// The order behind a recorded answer.
fn order(message: &Json) -> Said {
    let content = &message["content"];
    let number =
        |text: &str| text.parse::<i64>().map_or_else(|_| text.to_owned().into(), Value::Int);
    let args = content["p"].as_array().unwrap().iter().map(|arg| match arg {
        Json::String(text) => number(text),
        other => number(&other.to_string()),
    });
    Said::new(content["type"].as_str().unwrap().to_owned(), args.collect())
}

/// What a transcript shows: requests, answers that are encoded as they were, and the last line about
/// the agent.
fn play(name: &str) -> String {
    let game = ScriptedGame::new(GameFolder::read(&folder()).unwrap()).unwrap();
    let all = lines(name);
    let user = all[0]["message"]["content"]["user"].as_str().unwrap().to_owned();
    let roster =
        Roster { team: "A".to_owned(), agents: vec![RosterEntry::new(user.clone(), "worker")] };
    let seat = Seat {
        id: SeatId(0),
        agents: vec![(AgentId(0), user.clone())],
        user,
        password: "1".to_owned(),
        turn_limit: Duration::from_secs(4),
        margin: MarginLimits::default(),
    };
    let (mut session, mut world, now) = (game.session(&seat), game.world(&roster), epoch());
    let (mut asked, mut answered, mut open) = (0, 0, None::<Turn>);
    session.handle_connected(now);
    for line in &all {
        let message = &line["message"];
        if line["from"] == "referee" {
            session.handle_input(&framed(message), now).unwrap();
        } else if message["type"] == "action" {
            session.handle_action(open.take().unwrap(), AgentId(0), &order(message)).unwrap();
        }
        if line["from"] == "agent" {
            let sent = session.poll_transmit().unwrap();
            let sent: Json = serde_json::from_slice(&sent[..sent.len() - 1]).unwrap();
            assert_eq!(texts(&sent), texts(message), "{name}");
            answered += 1;
        }
        while let Some(event) = session.poll_event() {
            match event {
                Event::RoundStarted { round, briefing, .. } => {
                    world.begin(round, AgentId(0), briefing.as_ref());
                }
                Event::Asked { turn, percept, .. } => {
                    asked += 1;
                    open = Some(turn);
                    world.observe(turn, AgentId(0), percept);
                    world.settle(turn);
                }
                Event::Notice(notice) => panic!("{name}: {notice}"),
                _other => {}
            }
        }
        if let Some(notice) = world.poll_notice() {
            panic!("{name}: {notice}");
        }
    }
    let drawn = world.draw();
    let seen: usize = drawn
        .parts
        .iter()
        .map(|part| part.layers[0].cells.iter().filter(|cell| **cell > 0).count())
        .sum();
    let state = world.state(AgentId(0));
    format!("{asked} requests, {answered} messages of ours, {seen} cells known, {}", state.summary)
}

/// Numbers as texts: the recording client wrote some of them so.
fn texts(message: &Json) -> Json {
    match message {
        Json::Array(items) => items.iter().map(texts).collect(),
        Json::Object(pairs) => pairs
            .iter()
            .map(|(key, item)| (key.clone(), texts(item)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Json::Number(number) => json!(number.to_string()),
        other => other.clone(),
    }
}

#[test]
fn every_message_of_the_real_referee_is_understood() {
    let mut names: Vec<_> = std::fs::read_dir(folder().join("transcripts"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len(), 4);
    let shown: String = names.iter().map(|name| format!("{name}: {}\n", play(name))).collect();
    insta::assert_snapshot!(shown);
}
