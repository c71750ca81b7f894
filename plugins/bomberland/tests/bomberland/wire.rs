//! Packets: what the referee ignores, and whether everything that it sends is as the engine's
//! schema wants it.

use crate::common::schema::Schema;
use crate::common::stage::Stage;
use phalanx_bomberland::action::Action;
use phalanx_bomberland::rules::{UnitAction, UnitDirection};
use phalanx_bomberland::wire::{self, AdminPacket, RefereePacket};
use phalanx_game::{Arena as _, ConnectionId, Event, Session as _};
use phalanx_testkit::traces;
use serde_json::Value;
use std::collections::BTreeSet;

fn agent(text: &str) -> Option<UnitAction> {
    wire::agent_packet(&serde_json::from_str(text).ok()?, false).map(|packet| packet.act)
}

#[test]
fn an_agents_packet_has_every_property_and_no_other() {
    assert_eq!(
        agent(r#"{"unit_id":"c","move":"up","type":"move"}"#),
        Some(UnitAction::Move(UnitDirection::Up))
    );
    assert_eq!(agent(r#"{"type":"bomb","unit_id":"c"}"#), Some(UnitAction::Bomb));
    let far = r#"{"type":"detonate","coordinates":[1.5,-2e9],"unit_id":"c"}"#;
    assert_eq!(agent(far), Some(UnitAction::Detonate(1.5, -2e9)));
    for wrong in [
        "",
        "null",
        "7",
        "\"move\"",
        "[]",
        r#"[{"type":"bomb","unit_id":"c"}]"#,
        r#"{"type":"move"}"#,
        r#"{"type":"move","move":"UP","unit_id":"c"}"#,
        r#"{"type":"move","move":"up","unit_id":"c","extra":1}"#,
        r#"{"type":"move","move":"up","unit_id":7}"#,
        r#"{"type":"move","coordinates":[1,1],"unit_id":"c"}"#,
        r#"{"type":"jump","unit_id":"c"}"#,
        r#"{"type":"Bomb","unit_id":"c"}"#,
        r#"{"type":"detonate","coordinates":["1","1"],"unit_id":"c"}"#,
        r#"{"type":"detonate","coordinates":[1],"unit_id":"c"}"#,
        r#"{"type":"detonate","coordinates":[1,2,3],"unit_id":"c"}"#,
        r#"{"type":"request_tick"}"#,
        r#"{"type":"bomb","unit_id":"c"}{"type":"bomb","unit_id":"e"}"#,
    ] {
        assert_eq!(agent(wrong), None, "{wrong}");
    }
}

#[test]
fn the_older_form_of_a_detonation_is_an_option() {
    let old = serde_json::json!({"type": "move", "coordinates": [1, 1], "unit_id": "c"});
    assert!(wire::agent_packet(&old, false).is_none());
    assert_eq!(wire::agent_packet(&old, true).unwrap().act, UnitAction::Detonate(1.0, 1.0));
}

#[test]
fn an_admins_packet_is_checked_as_strictly() {
    let admin = |text: &str| wire::admin_packet(text.as_bytes());
    assert!(matches!(admin(r#"{"type":"request_tick"}"#), Some(AdminPacket::Tick)));
    let reset = r#"{"type":"request_game_reset","prng_seed":4294967297}"#;
    let Some(AdminPacket::Reset { world_seed: None, prng_seed: Some(1) }) = admin(reset) else {
        panic!("{:?}", admin(reset));
    };
    let state = r#"{"game_id":"x","agents":{},"unit_state":{},"entities":[],"world":{"width":3,"height":3},"tick":4,"config":{"tick_rate_hz":10,"game_duration_ticks":200,"fire_spawn_interval_ticks":2}}"#;
    let question = |state: &str| {
        format!(
            r#"{{"type":"evaluate_next_state","sequence_id":1.5,"state":{state},"actions":[]}}"#
        )
    };
    assert!(matches!(admin(&question(state)), Some(AdminPacket::Evaluate(_))));
    for wrong in [
        "junk".to_owned(),
        r#"{"type":"request_tick","n":1}"#.to_owned(),
        r#"{"type":"bomb","unit_id":"c"}"#.to_owned(),
        r#"{"type":"request_game_reset","world_seed":"5"}"#.to_owned(),
        r#"{"type":"evaluate_next_state","sequence_id":1}"#.to_owned(),
        question(&state.replace(
            r#""tick":4"#,
            r#""tick":4,"connection":{"id":1,"role":"admin","agent_id":null}"#,
        )),
        question(&state.replace("[]", r#"[{"created":0,"x":0,"y":0,"type":"q"}]"#)),
        question(&state.replace("[]", r#"[{"created":0,"x":0,"y":0,"type":"m","hp":null}]"#)),
    ] {
        assert!(admin(&wrong).is_none(), "{wrong}");
    }
}

#[test]
fn our_own_packets_are_understood_by_our_own_referee() {
    for action in
        [Action::Move(UnitDirection::Left), Action::Bomb, Action::Detonate { x: 3, y: 14 }]
    {
        let act = action.act().unwrap();
        let bytes = wire::encode_act("aa", act);
        let packet = wire::agent_packet(&serde_json::from_slice(&bytes).unwrap(), false).unwrap();
        assert_eq!((packet.unit.as_str(), packet.act), ("aa", act));
    }
}

#[test]
fn a_question_that_killed_the_original_gets_no_answer() {
    let mut stage = Stage::new("TRAINING_MODE_ENABLED=1", 1234, &["agentA", "boss"]);
    let base = r#"{"type":"evaluate_next_state","sequence_id":1,"state":{"game_id":"x","agents":{},"unit_state":{},"entities":ENTITIES,"world":{"width":3,"height":3},"tick":4,"config":{"tick_rate_hz":10,"game_duration_ticks":200,"fire_spawn_interval_ticks":2}},"actions":[]}"#;
    let mut fatal = 0;
    for entities in [
        r#"[{"created":0,"x":0,"y":0,"type":"m"},{"created":0,"x":0,"y":0,"type":"w"}]"#,
        r#"[{"created":0,"x":3,"y":0,"type":"m"}]"#,
        r#"[{"created":0,"x":0,"y":0,"type":"t"}]"#,
        r#"[{"created":0,"x":0,"y":0,"type":"b"}]"#,
    ] {
        let question = base.replace("ENTITIES", entities);
        stage.arena.handle_input(ConnectionId(1), question.as_bytes(), stage.now);
        assert_eq!(stage.arena.poll_transmit(), None, "{entities}");
        fatal += 1;
        let dropped = stage.arena.drops()["fatal question to the forward model"];
        assert_eq!(dropped, fatal, "{entities}");
    }
    let fine = base.replace("ENTITIES", "[]");
    stage.arena.handle_input(ConnectionId(1), fine.as_bytes(), stage.now);
    assert!(stage.arena.poll_transmit().is_some());
}

/// A lively game: everybody moves about, bombs and detonates.
fn lively(stage: &mut Stage, ticks: usize) {
    for tick in 0..ticks {
        let questions: Vec<_> = (0..2).map(|client| stage.until_asked(client)).collect();
        for (client, questions) in questions.into_iter().enumerate() {
            for (index, told) in questions.into_iter().enumerate() {
                let Event::Asked { turn, agent, percept, .. } = told else { continue };
                let cell = percept.body().unwrap().cell;
                let (x, y) = percept.scene.board.place(cell);
                let action = match (tick * 7 + index * 3 + client) % 8 {
                    0 => Action::Bomb,
                    1 => Action::Detonate { x, y },
                    roll => Action::Move(UnitDirection::ALL[roll % 4]),
                };
                // A tick may have overtaken the question.
                stage.clients[client].handle_action(turn, agent, &action).ok();
            }
        }
        stage.settle();
    }
}

#[test]
fn every_packet_of_the_referee_is_as_the_engines_schema_wants_it() {
    let Some(bytes) = traces::bytes("bomberland/validation.schema.json") else { return };
    let schema = Schema::new(&bytes);
    let text = "INITIAL_HP=2\nENTITY_SPAWN_PROBABILITY_PER_TICK=0.3\nGAME_DURATION_TICKS=40\nFREEZE_DEBUFF_DURATION_TICKS=2";
    let mut stage = Stage::new(text, 1234, &["agentA", "agentB", "boss"]);
    lively(&mut stage, 30);
    for _ in 0..3000 {
        if stage.told[0].iter().any(|told| matches!(told, Event::RoundOver { .. })) {
            break;
        }
        stage.pass();
    }
    let state = stage.packets.iter().find_map(|packet| {
        let packet: Value = serde_json::from_slice(packet).unwrap();
        (packet["type"] == "game_state").then(|| {
            let mut state = packet["payload"].clone();
            state.as_object_mut().unwrap().remove("connection");
            state
        })
    });
    let question = serde_json::json!({"type": "evaluate_next_state", "sequence_id": 3, "state": state.unwrap(), "actions": []});
    stage.arena.handle_input(ConnectionId(2), question.to_string().as_bytes(), stage.now);
    stage.settle();
    let mut kinds = BTreeSet::new();
    for packet in &stage.packets {
        let packet: Value = serde_json::from_slice(packet).unwrap();
        let fault = schema.fault("ValidServerPacket", &packet);
        assert_eq!(fault, None, "{packet}");
        kinds.insert(packet["type"].as_str().unwrap().to_owned());
        if packet["type"] == "tick" {
            let events = packet["payload"]["events"].as_array().unwrap().iter();
            kinds.extend(events.map(|event| event["type"].as_str().unwrap().to_owned()));
        }
        let bytes = packet.to_string();
        assert!(!matches!(wire::decode(bytes.as_bytes()).unwrap(), RefereePacket::Unknown { .. }));
    }
    let expected = "endgame_state entity_expired entity_spawned entity_state game_state next_game_state tick unit unit_state";
    assert_eq!(kinds.into_iter().collect::<Vec<_>>().join(" "), expected);
    assert!(schema.fault("ValidServerPacket", &serde_json::json!({"type": "tick"})).is_some());
    for action in
        [UnitAction::Bomb, UnitAction::Move(UnitDirection::Up), UnitAction::Detonate(1.0, 2.0)]
    {
        let packet: Value = serde_json::from_slice(&wire::encode_act("c", action)).unwrap();
        assert_eq!(schema.fault("ValidAgentPacket", &packet), None);
    }
}

#[test]
fn while_agents_are_missing_everybody_is_told_once_a_second() {
    let Some(bytes) = traces::bytes("bomberland/validation.schema.json") else { return };
    let schema = Schema::new(&bytes);
    let mut stage = Stage::new("", 1234, &["agentA", "boss"]);
    let before = stage.packets.len();
    while stage.packets.len() == before {
        stage.pass();
    }
    let infos = &stage.packets[before..];
    assert_eq!(infos.len(), 2);
    for info in infos {
        let info: Value = serde_json::from_slice(info).unwrap();
        assert_eq!(info["payload"]["message"], "Waiting for agents to connect 1 of 2");
        assert_eq!(schema.fault("ValidServerPacket", &info), None);
    }
    assert!(!matches!(stage.clients[0].poll_event(), Some(Event::Refused { .. })));
}
