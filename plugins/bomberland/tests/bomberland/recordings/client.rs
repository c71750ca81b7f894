//! Our client hears what the recorded clients heard: after each tick its copy of the game is the
//! referee's.

use super::support::{Line, RECORDINGS, Recording};
use phalanx_bomberland::rules::{GeneratedGame, UnitOrder, generate, step};
use phalanx_bomberland::session::Session;
use phalanx_bomberland::wire;
use phalanx_bomberland::world::World;
use phalanx_game::{
    AgentId, Event, MarginLimits, Met, Roster, RosterEntry, Seat, SeatId, Session as _, World as _,
};
use serde_json::Value;
use std::time::{Duration, Instant};

fn session(user: &str) -> Session {
    Session::new(&Seat {
        id: SeatId(0),
        agents: (0..3).map(|n| (AgentId(n), format!("u{n}"))).collect(),
        user: user.to_owned(),
        password: String::new(),
        turn_limit: Duration::from_millis(100),
        margin: MarginLimits::default(),
    })
}

/// The referee's own game, advanced by the orders that it reported as done.
fn referee(game: &mut GeneratedGame, tick: &Value) {
    let GeneratedGame { board, state, streams } = game;
    let done = tick["payload"]["events"].as_array().unwrap().iter();
    let done = done.filter(|event| event["type"] == "unit");
    let mut orders: Vec<UnitOrder> = done
        .map(|event| {
            let packet = wire::agent_packet(&event["data"], false).unwrap();
            let unit = board.find_unit(&packet.unit).unwrap();
            UnitOrder { agent: state.unit(unit).unwrap().agent, unit, act: packet.act }
        })
        .collect();
    step(board, state, streams, &mut orders, &mut ());
}

fn generated(recording: &Recording, seeds: (u64, u64)) -> GeneratedGame {
    let config = recording.config();
    generate(&config.setup, config.params, seeds.0, seeds.1).unwrap()
}

fn follow(recording: &Recording, conn: &str) {
    let Some(lines) = recording.lines() else { return };
    let mut seeds: Vec<(u64, u64)> = vec![recording.seeds];
    let resets = lines.iter().filter(|line| line.is("admin", "c2s")).map(Line::json);
    let resets = resets.filter(|json| json["type"] == "request_game_reset");
    seeds.extend(
        resets.map(|json| {
            (json["world_seed"].as_u64().unwrap(), json["prng_seed"].as_u64().unwrap())
        }),
    );
    let mut seeds = seeds.into_iter();
    let (now, mut session) = (Instant::now(), session(conn));
    session.handle_connected(now);
    let team = (0..3).map(|n| RosterEntry::new(format!("u{n}"), "any")).collect();
    let mut world = World::new(&Roster { team: "a".to_owned(), agents: team });
    let mut truth = None;
    let (mut ticks, mut over, mut rounds, mut ended) = (0, 0, 0, false);
    for line in lines.iter().filter(|line| line.is(conn, "s2c")) {
        let packet = line.json();
        session.handle_input(line.raw.as_bytes(), now).unwrap();
        match packet["type"].as_str().unwrap() {
            "game_state" => (truth, ended) = (seeds.next().map(|s| generated(recording, s)), false),
            "endgame_state" => ended = true,
            "tick" if !ended => {
                referee(truth.as_mut().unwrap(), &packet);
                ticks += 1;
            }
            _ => continue,
        }
        let (truth, scene) = (truth.as_ref().unwrap(), session.scene().unwrap());
        let ours = wire::encode_full(&scene.board, &scene.state, "", 10.0);
        let theirs = wire::encode_full(&truth.board, &truth.state, "", 10.0);
        assert_eq!(ours, theirs, "{} at tick {}", recording.file, scene.state.tick);
        while let Some(event) = session.poll_event() {
            match event {
                Event::RoundOver { .. } => over += 1,
                Event::RoundStarted { agent, round, briefing } => {
                    rounds += 1;
                    world.begin(round, agent, briefing.as_ref());
                }
                Event::Percept { turn, agent, percept }
                | Event::Asked { turn, agent, percept, .. } => {
                    let met = Met::Turn(turn, &percept);
                    assert_eq!(world.recognize(agent, met), Ok(()), "{} {turn}", recording.file);
                    if turn.step % 5 == 0 {
                        world.observe(turn, agent, percept);
                    }
                }
                Event::Notice(notice) => panic!("{}: {notice}", recording.file),
                Event::Seated { .. }
                | Event::Refused { .. }
                | Event::Defaulted { .. }
                | Event::Out { .. }
                | Event::MatchOver => {}
            }
        }
        assert_eq!(session.poll_hangup(), None);
    }
    let games = recording.last_ticks.len();
    assert_eq!((over, rounds), (3 * games, 3 * games), "{}", recording.file);
    let last: i64 = recording.last_ticks.iter().sum();
    assert_eq!(i64::from(ticks), last, "{}", recording.file);
}

#[test]
fn after_each_tick_the_clients_game_is_the_referees() {
    for recording in RECORDINGS {
        for conn in ["agentA", "agentB"] {
            follow(recording, conn);
        }
    }
}

/// The questions that a recorded client put to an engine's forward model, with its answers.
#[test]
fn the_recorded_forward_answers_come_out_again() {
    use phalanx_bomberland::arena::{ArenaConfig, Evaluator, ForwardMode};
    let Some(lines) = RECORDINGS[3].lines() else { return };
    let evaluator = Evaluator { params: ArenaConfig::default().params, mode: ForwardMode::Engine };
    let answers: Vec<Value> = lines
        .iter()
        .filter(|line| line.is("fwd-admin", "s2c"))
        .map(Line::json)
        .filter(|json| json["type"] == "next_game_state")
        .collect();
    let mut compared = 0;
    let questions = lines.iter().filter(|line| line.is("fwd-admin", "c2s"));
    for (question, theirs) in questions.zip(&answers) {
        let Some(wire::AdminPacket::Evaluate(question)) =
            wire::admin_packet(question.raw.as_bytes())
        else {
            panic!("{}", question.raw);
        };
        let mut ours = (0..12).map(|seed| {
            let answer = evaluator.answer(&question, seed).unwrap();
            serde_json::from_slice::<Value>(&answer).unwrap()
        });
        assert!(ours.any(|ours| ours == *theirs), "no hidden seed leads to {theirs}");
        compared += 1;
    }
    assert!(compared > 200, "{compared} answers");
}
