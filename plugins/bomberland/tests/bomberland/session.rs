//! The client in conversation with the referee, on a virtual clock.

use crate::common::stage::{Stage, Told, session};
use phalanx_bomberland::action::Action;
use phalanx_bomberland::arena::ArenaConfig;
use phalanx_bomberland::rules::{Unit, UnitDirection, generate};
use phalanx_bomberland::session::{END_PATIENCE, LOGIN_PATIENCE};
use phalanx_game::{
    AgentId, Arena as _, ConnectionId, DefaultCause, Event, Late, Notice, Session as _, Turn,
};
use phalanx_testkit::mangle::Mangler;
use std::time::{Duration, Instant};

const BOTH: &[&str] = &["agentA", "agentB"];

fn asked(told: &Told) -> (Turn, AgentId, Instant) {
    let Event::Asked { turn, agent, due, .. } = told else { panic!("{told:?}") };
    (*turn, *agent, *due)
}

fn usable(text: &str, seed: u64) -> bool {
    let config = ArenaConfig::parse(text).unwrap();
    generate(&config.setup, config.params, seed, seed).is_ok()
}

fn body(stage: &Stage, client: usize, agent: u16) -> Unit {
    let scene = stage.clients[client].scene().unwrap();
    let own = scene.state.units().iter().filter(|unit| unit.agent == scene.agent);
    *own.into_iter().nth(usize::from(agent)).unwrap()
}

#[test]
fn nobody_is_asked_before_the_first_tick_and_everybody_after_it() {
    let mut stage = Stage::new("", 1234, BOTH);
    assert!(stage.told[0].iter().any(|told| matches!(told, Event::Seated { .. })));
    let rounds = stage.told[0].iter().filter(|told| matches!(told, Event::RoundStarted { .. }));
    assert_eq!(rounds.count(), 3);
    assert!(!stage.told[0].iter().any(|told| matches!(told, Event::Asked { .. })));
    let questions = stage.until_asked(0);
    let turns: Vec<_> = questions.iter().map(|told| (asked(told).0, asked(told).1)).collect();
    let turn = Turn::new(0, 1);
    assert_eq!(turns, [(turn, AgentId(0)), (turn, AgentId(1)), (turn, AgentId(2))]);
    let due = asked(&questions[0]).2;
    assert!(due > stage.now && due < stage.now + Duration::from_millis(100));
}

#[test]
fn one_order_a_unit_and_tick_and_never_a_correction() {
    let mut stage = Stage::new("", 1234, BOTH);
    let (turn, agent, _) = asked(&stage.until_asked(0)[0]);
    let client = &mut stage.clients[0];
    client.handle_action(turn, agent, &Action::Bomb).unwrap();
    let again = client.handle_action(turn, agent, &Action::Move(UnitDirection::Up));
    assert_eq!(again, Err(Late { agent, turn }));
    assert_eq!(client.poll_transmit().unwrap(), br#"{"type":"bomb","unit_id":"c"}"#);
    assert_eq!(client.poll_transmit(), None);
}

#[test]
fn what_was_not_decided_in_time_is_not_sent() {
    let mut stage = Stage::new("", 1234, BOTH);
    let (turn, agent, due) = asked(&stage.until_asked(0)[0]);
    let client = &mut stage.clients[0];
    client.handle_timeout(due);
    let cause = DefaultCause::NoDecision;
    assert_eq!(client.poll_event().map(|told| format!("{told:?}")), {
        let told: Told = Event::Defaulted { turn, agent, cause };
        Some(format!("{told:?}"))
    });
    assert_eq!(client.poll_transmit(), None);
    assert!(client.handle_action(turn, agent, &Action::Bomb).is_err());
}

#[test]
fn a_follower_is_sent_behind_the_unit_in_front_of_it() {
    // On this small empty map two units of a team stand side by side sooner or later.
    let text = "STEEL_BLOCK_FREQUENCY=0\nWOOD_BLOCK_FREQUENCY=0\nORE_BLOCK_FREQUENCY=0\nMAP_WIDTH=8\nMAP_HEIGHT=4";
    for seed in (0..200).filter(|seed| usable(text, *seed)) {
        let mut stage = Stage::new(text, seed, BOTH);
        let questions = stage.until_asked(0);
        let scene = stage.clients[0].scene().unwrap();
        let (first, second) = (body(&stage, 0, 0), body(&stage, 0, 1));
        let ahead = scene.board.place(second.cell);
        if scene.board.place(first.cell) != (ahead.0 - 1, ahead.1) {
            continue;
        }
        let client = &mut stage.clients[0];
        let right = Action::Move(UnitDirection::Right);
        let (turn, follower, _) = asked(&questions[0]);
        client.handle_action(turn, follower, &right).unwrap();
        assert_eq!(client.poll_transmit(), None, "it waits for the one in front");
        client.handle_action(turn, asked(&questions[1]).1, &right).unwrap();
        let sent: Vec<String> = std::iter::from_fn(|| client.poll_transmit())
            .map(|bytes| String::from_utf8(bytes).unwrap())
            .collect();
        assert_eq!(sent.len(), 2);
        assert!(sent[0].contains("\"e\"") && sent[1].contains("\"c\""), "{sent:?}");
        return;
    }
    panic!("no seed puts two units side by side");
}

#[test]
fn two_own_moves_to_one_cell_do_not_cancel_each_other() {
    let text = "STEEL_BLOCK_FREQUENCY=0\nWOOD_BLOCK_FREQUENCY=0\nORE_BLOCK_FREQUENCY=0\nMAP_WIDTH=8\nMAP_HEIGHT=4";
    for seed in (0..200).filter(|seed| usable(text, *seed)) {
        let mut stage = Stage::new(text, seed, BOTH);
        let questions = stage.until_asked(0);
        let scene = stage.clients[0].scene().unwrap();
        let (first, second) = (body(&stage, 0, 0), body(&stage, 0, 1));
        let (left, right) = (scene.board.place(first.cell), scene.board.place(second.cell));
        let between = scene.board.cell(left.0 + 1, left.1);
        if right != (left.0 + 2, left.1) || between.is_none_or(|cell| scene.state.occupied(cell)) {
            continue;
        }
        let turn = asked(&questions[0]).0;
        for (agent, direction) in [(0, UnitDirection::Right), (1, UnitDirection::Left)] {
            let action = Action::Move(direction);
            stage.clients[0].handle_action(turn, AgentId(agent), &action).unwrap();
        }
        stage.settle();
        while stage.clients[0].scene().unwrap().state.tick == scene.state.tick {
            stage.pass();
        }
        assert_eq!(Some(body(&stage, 0, 0).cell), between, "the first one got there");
        assert_eq!(body(&stage, 0, 1).cell, second.cell);
        return;
    }
    panic!("no seed leaves one cell between two units");
}

#[test]
fn a_silent_referee_is_hung_up_on_and_the_round_goes_on_after_it() {
    let mut stage = Stage::new("", 1234, BOTH);
    let (turn, ..) = asked(&stage.until_asked(0)[0]);
    // The referee forgets this client: no frame comes any more.
    let silent = stage.clients[0].poll_timeout().unwrap() + Duration::from_secs(3);
    stage.clients[0].handle_timeout(silent);
    assert!(stage.clients[0].poll_hangup().is_some_and(|reason| reason.contains("silent")));
    assert_eq!(stage.clients[0].poll_hangup(), None, "reported once");
    stage.arena.handle_leave(ConnectionId(0), stage.now);
    stage.clients[0].handle_disconnected(stage.now);
    stage.pass();
    stage.pass();
    stage.told[0].clear();
    stage.connect(0, 2);
    stage.settle();
    let rounds = |told: &Told| matches!(told, Event::RoundStarted { .. });
    assert!(!stage.told[0].iter().any(rounds), "the same round goes on");
    let questions = stage.until_asked(0);
    let (next, ..) = asked(&questions[0]);
    assert!(next > turn && next.round == turn.round);
}

#[test]
fn a_lost_frame_is_noticed() {
    let mut stage = Stage::new("", 1234, BOTH);
    stage.until_asked(0);
    let lost = br#"{"type":"tick","payload":{"tick":3,"events":[]}}"#;
    stage.clients[0].handle_input(lost, stage.now).unwrap();
    assert!(stage.clients[0].poll_hangup().is_some_and(|reason| reason.contains("lost")));
}

#[test]
fn silence_from_the_start_is_a_refusal() {
    let now = Instant::now();
    let mut client = session("agentA");
    assert_eq!(client.target(), "/?role=agent&agentId=agentA&name=agentA");
    client.handle_connected(now);
    assert_eq!(client.poll_timeout(), Some(now + LOGIN_PATIENCE));
    client.handle_timeout(now + LOGIN_PATIENCE);
    assert!(matches!(client.poll_event(), Some(Event::Refused { .. })));
}

#[test]
fn a_reset_ends_the_round_and_begins_another() {
    let mut stage = Stage::new("TRAINING_MODE_ENABLED=1", 1234, &["agentA", "agentB", "boss"]);
    stage.told[0].clear();
    let reset = br#"{"type":"request_game_reset","world_seed":7}"#;
    stage.arena.handle_input(ConnectionId(2), reset, stage.now);
    stage.settle();
    let rounds: Vec<u32> = stage.told[0]
        .iter()
        .filter_map(|told| {
            if let Event::RoundStarted { round, briefing: Some(_), .. } = told {
                return Some(*round + 100);
            }
            if let Event::RoundOver { round, ranking: None, .. } = told {
                return Some(*round);
            }
            None
        })
        .collect();
    assert_eq!(rounds, [0, 0, 0, 101, 101, 101]);
}

#[test]
fn an_admin_steps_a_training_game_to_its_end() {
    let mut stage = Stage::new("TRAINING_MODE_ENABLED=1", 9, &["agentA", "agentB", "boss"]);
    for _ in 0..20_000 {
        if stage
            .told
            .iter()
            .take(2)
            .all(|told| told.iter().any(|told| matches!(told, Event::RoundOver { .. })))
        {
            break;
        }
        stage.pass();
    }
    let ranks: Vec<_> = stage
        .told
        .iter()
        .take(2)
        .map(|told| {
            told.iter().find_map(|told| {
                let Event::RoundOver { score, ranking, .. } = told else { return None };
                Some((*score, *ranking))
            })
        })
        .collect();
    // The recorded idle game of these seeds' world: the ring of fire decides for b.
    assert_eq!(ranks, [Some((0, Some(2))), Some((1, Some(1)))]);
    let now = stage.now + END_PATIENCE;
    stage.clients[0].handle_timeout(now);
    assert!(
        std::iter::from_fn(|| stage.clients[0].poll_event())
            .any(|told| matches!(told, Event::MatchOver))
    );
    stage.told[1].clear();
    stage.clients[1].handle_disconnected(now);
    assert!(matches!(stage.clients[1].poll_event(), Some(Event::MatchOver)));
}

#[test]
fn what_is_unknown_is_skipped_with_a_notice() {
    let mut stage = Stage::new("", 1234, BOTH);
    stage.until_asked(0);
    let client = &mut stage.clients[0];
    let say = |client: &mut phalanx_bomberland::session::Session, text: &str| {
        client.handle_input(text.as_bytes(), stage.now).unwrap();
        std::iter::from_fn(|| client.poll_event())
            .filter_map(|told| if let Event::Notice(notice) = told { Some(notice) } else { None })
            .collect::<Vec<_>>()
    };
    let notices = say(client, r#"{"type":"weather","payload":{}}"#);
    assert_eq!(notices, [Notice::Unknown { kind: "weather".to_owned() }]);
    let text = r#"{"type":"tick","payload":{"tick":2,"events":[{"type":"rain"},{"type":"entity_expired","data":[99,0]},{"type":"entity_spawned","data":{"created":2,"x":7,"y":0,"type":"zz","more":1}},{"type":"entity_expired","data":[7,1]}],"extra":1}}"#;
    assert_eq!(say(client, text).len(), 3);
    let scene = client.scene().unwrap();
    assert_eq!(scene.state.tick, 2);
    assert!(scene.state.entity(7).is_some_and(|entity| entity.kind.walkable()));
    assert!(!say(client, "junk").is_empty() && !say(client, "[]").is_empty());
}

#[test]
fn older_names_are_understood() {
    let text = r#"{"type":"game_state","payload":{"unit_state":{"c":{"coordinates":[0,1],"hp":3,"inventory":{"bombs":3},"blast_diameter":3,"unit_id":"c","owner_id":"a","invulnerability":4},"d":{"coordinates":[5,1],"hp":3,"inventory":{"bombs":3},"blast_diameter":3,"unit_id":"d","owner_id":"b","invulnerability":0}},"entities":[{"created":1,"x":2,"y":2,"type":"b","ownerUnitId":"d","expires":41,"hp":1,"blast_diameter":3}],"world":{"width":6,"height":6},"tick":9,"connection":{"id":1,"role":"agent","agent_id":"a"}}}"#;
    let (now, mut client) = (Instant::now(), session("agentA"));
    client.handle_connected(now);
    client.handle_input(text.as_bytes(), now).unwrap();
    let scene = client.scene().unwrap();
    assert_eq!(scene.state.units()[0].invulnerable, 4);
    let bomb = scene.state.entity(14).unwrap();
    assert_eq!((bomb.unit, bomb.agent), (Some(1), Some(1)));
    assert_eq!(scene.board.params.fuse, 40, "the rules are learnt from what is seen");
}

#[test]
fn damaged_packets_never_stop_the_client() {
    let mut stage = Stage::new("", 1234, BOTH);
    for _ in 0..200 {
        stage.pass();
    }
    let now = stage.now;
    let mut mangler = Mangler::new(5);
    for round in 0..3 {
        let mut client = session("agentA");
        client.handle_connected(now);
        for packet in stage.packets.iter().step_by(2 + round) {
            let damaged = mangler.mangle(packet);
            client.handle_input(&damaged, now).unwrap();
            while let Some(told) = client.poll_event() {
                if let Event::Asked { turn, agent, .. } = told {
                    client.handle_action(turn, agent, &Action::Move(UnitDirection::Left)).ok();
                }
            }
            while client.poll_transmit().is_some() {}
        }
        client.handle_shutdown(now);
    }
}
