//! Messages to bytes and back, and what happens to those that are not well formed.

use phalanx_assemble::action::{Action, Outcome};
use phalanx_assemble::percept::ThingKind;
use phalanx_assemble::wire::{self, Message};
use phalanx_grid::{Cell, Direction, Rotation};
use phalanx_testkit::mangle::Mangler;
use phalanx_testkit::traces::{self, TraceDirection as Way, TraceLine};
use proptest::prelude::*;

#[test]
fn every_message_of_whole_simulations_parses() {
    let cases = [
        ("mapc2020/team_750steps_seed42.jsonl.gz", Some(11_250)),
        ("mapc2020/mixed_150steps_seed7.jsonl.gz", Some(2_250)),
        ("mapc2020/mixed_2x60steps_3teams_seeds8_9.jsonl.gz", Some(1_800)),
        ("mapc2020/rules/rules_traffic.jsonl.gz", None),
        ("mapc2020/probes/session.jsonl.gz", None),
        ("mapc2020/probes/malformed.jsonl.gz", None),
    ];
    for (name, expected) in cases {
        let Some(lines) = traces::lines(name) else { return };
        let mut requests = 0;
        for line in lines.iter().filter(|line| line.direction == Way::In) {
            match wire::decode(line.message.trim_end_matches('\0').as_bytes()) {
                Ok(Message::RequestAction(request)) => {
                    requests += 1;
                    complete(&request.percept, line);
                }
                Ok(Message::Unknown { kind }) => panic!("{name}: unknown kind {kind}"),
                Ok(_) => {}
                Err(error) => panic!("{name}: {error}: {}", line.message),
            }
        }
        assert!(requests > 0, "{name}");
        assert!(expected.is_none_or(|expected| requests == expected), "{name}: {requests}");
    }
}

/// Nothing of the recorded percept is lost: the counts of a plain reading are ours.
fn complete(percept: &phalanx_assemble::percept::Percept, line: &TraceLine) {
    let json: serde_json::Value = serde_json::from_str(&line.message).unwrap();
    let told = &json["content"]["percept"];
    let count = |list: &serde_json::Value| list.as_array().map_or(0, Vec::len);
    assert_eq!(percept.things.len(), count(&told["things"]));
    assert_eq!(percept.tasks.len(), count(&told["tasks"]));
    assert_eq!(percept.attached.len(), count(&told["attached"]));
    assert_eq!(percept.goals.len(), count(&told["terrain"]["goal"]));
    assert_eq!(percept.obstacles.len(), count(&told["terrain"]["obstacle"]));
    assert_eq!(percept.last_result.word(), told["lastActionResult"].as_str().unwrap());
    assert!(!matches!(percept.last_result, Outcome::Unknown(_)));
    let strange = |kind: &ThingKind| matches!(kind, ThingKind::Unknown { .. });
    assert!(!percept.things.iter().any(|thing| strange(&thing.kind)));
}

#[test]
fn recorded_actions_are_encoded_as_they_were_meant() {
    let Some(lines) = traces::lines("mapc2020/team_750steps_seed42.jsonl.gz") else { return };
    let mut actions = 0;
    for line in lines.iter().filter(|line| line.direction == Way::Out) {
        let told: serde_json::Value = serde_json::from_str(&line.message).unwrap();
        if told["type"] != "action" {
            continue;
        }
        let content = &told["content"];
        let params = content["p"].as_array().unwrap().iter();
        let params: Vec<String> = params.map(|p| p.as_str().unwrap().to_owned()).collect();
        let action = Action::from_wire(content["type"].as_str().unwrap(), &params).unwrap();
        let ours = wire::encode_action(content["id"].as_i64().unwrap(), &action);
        let (nul, text) = ours.split_last().unwrap();
        assert_eq!(*nul, 0);
        assert_eq!(serde_json::from_slice::<serde_json::Value>(text).unwrap(), told);
        actions += 1;
    }
    assert!(actions > 11_000, "{actions}");
}

#[test]
fn what_the_spec_wants_tolerated_is_tolerated() {
    let request = |percept: &str| {
        let text = format!(
            r#"{{"type":"request-action","content":{{"id":3.0,"time":1,"deadline":4001,"step":"3","x":[1,{{}}],"percept":{percept}}},"new":null}}"#
        );
        let Message::RequestAction(request) = wire::decode(text.as_bytes()).unwrap() else {
            panic!("not a request-action: {text}")
        };
        request
    };
    let bare = request("{}");
    assert_eq!((bare.id, bare.percept.step, bare.percept.energy), (3, 3, 0));
    let odd = request(
        r#"{"energy":299.0,"disabled":"true","score":null,"attached":null,"lastActionParams":[1,true,null,"n"],
            "things":[{"x":1.0,"y":-2,"type":"dragon","details":7,"age":3}],
            "terrain":{"lava":[[1,2,3]],"goal":[[0.0,1]]},"tasks":[{"name":"t","reward":1e3}]}"#,
    );
    let percept = odd.percept;
    assert_eq!((percept.energy, percept.disabled, percept.score), (299, true, 0));
    assert_eq!(percept.last_params, ["1", "true", "", "n"]);
    let dragon = ThingKind::Unknown { kind: "dragon".into(), details: "7".into() };
    assert_eq!((percept.things[0].cell, &percept.things[0].kind), (Cell::new(1, -2), &dragon));
    assert_eq!(percept.strange_terrain, [("lava".to_owned(), vec![Cell::new(1, 2)])]);
    assert_eq!(percept.goals, [Cell::new(0, 1)]);
    assert_eq!((percept.tasks[0].reward, percept.tasks[0].deadline), (1000, 0));
}

#[test]
fn kinds_of_next_year_are_unknown_not_malformed() {
    for text in [
        r#"{"type":"dance","content":{"id":{"deep":1}}}"#,
        r#"{"type":"dance"}"#,
        r#"{"content":[1],"type":"dance"}"#,
    ] {
        let message = wire::decode(text.as_bytes());
        assert_eq!(message, Ok(Message::Unknown { kind: "dance".into() }), "{text}");
    }
}

#[test]
fn a_malformed_message_says_where_what_and_what_came() {
    let cases: [(&[u8], &str, &str); 9] = [
        (b"", "a message, column 0", "a JSON object with a type"),
        (b"{nonsense", "a message, column 2", "a JSON object with a type"),
        (b"[]", "a message", "a JSON object with a type"),
        (b"7", "a message", "a JSON object with a type"),
        (br#"{"content":{}}"#, "a message", "a JSON object with a type"),
        (br#"{"type":"request-action"}"#, "request-action", "an object in content"),
        (
            br#"{"type":"request-action","content":{"id":1,"percept":{}}}"#,
            "request-action",
            "content.step",
        ),
        (br#"{"type":"sim-start","content":{}}"#, "sim-start", "content.percept"),
        (
            br#"{"type":"request-action","content":{"id":1,"step":1,"percept":{"things":[3]}}}"#,
            "request-action message",
            "its fields",
        ),
    ];
    for (bytes, place, expected) in cases {
        let error = wire::decode(bytes).unwrap_err();
        assert!(error.place.starts_with(place), "{error}");
        assert!(error.expected.starts_with(expected), "{error}");
        assert!(error.got.chars().count() <= 81);
    }
}

#[test]
fn broken_utf8_inside_text_is_replaced() {
    let mut bytes = br#"{"type":"auth-response","content":{"result":"?"}}"#.to_vec();
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xFF;
    let message = wire::decode(&bytes).unwrap();
    assert_eq!(message, Message::AuthResponse { ok: false, result: "\u{FFFD}".into() });
}

#[test]
fn messages_nested_thousands_deep_are_refused() {
    let deep = "[".repeat(100_000);
    assert!(wire::decode(deep.as_bytes()).is_err());
    let deep = format!(r#"{{"type":"bye","content":{{"percept":{{"tasks":{deep}"#);
    assert!(wire::decode(deep.as_bytes()).is_err());
}

#[test]
fn no_text_can_end_a_frame_or_leave_its_quotes() {
    let bytes = wire::encode_auth("a\0b\"},", "p\\\n");
    assert_eq!(bytes.iter().filter(|byte| **byte == 0).count(), 1);
    let told: serde_json::Value = serde_json::from_slice(&bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(told["content"]["user"], "a\0b\"},");
    assert_eq!(told["content"]["pw"], "p\\\n");
}

#[test]
fn damaged_traffic_never_panics() {
    let Some(lines) = traces::lines("mapc2020/mixed_150steps_seed7.jsonl.gz") else { return };
    let mut mangler = Mangler::new(11);
    for line in lines.iter().filter(|line| line.direction == Way::In) {
        for _ in 0..4 {
            let damaged = mangler.mangle(line.message.as_bytes());
            // Either reading is fine, but nothing may come out that arithmetic stumbles over.
            if let Ok(Message::RequestAction(request)) = wire::decode(&damaged) {
                let bounded = |cell: Cell| cell.x.abs() <= 1 << 20 && cell.y.abs() <= 1 << 20;
                let things = request.percept.things.iter().map(|thing| thing.cell);
                assert!(things.chain(request.percept.attached).all(bounded));
            }
        }
    }
}

fn any_action() -> impl Strategy<Value = Action> {
    let dir = || prop::sample::select(Direction::ALL.to_vec());
    let cell = || (any::<i32>(), any::<i32>()).prop_map(|(x, y)| Cell::new(x, y));
    prop_oneof![
        Just(Action::Skip),
        dir().prop_map(Action::Move),
        dir().prop_map(Action::Attach),
        dir().prop_map(Action::Detach),
        dir().prop_map(Action::Request),
        prop::sample::select(Rotation::ALL.to_vec()).prop_map(Action::Rotate),
        (".*", cell()).prop_map(|(agent, cell)| Action::Connect { agent, cell }),
        (cell(), cell()).prop_map(|(from, to)| Action::Disconnect { from, to }),
        cell().prop_map(Action::Clear),
        ".*".prop_map(Action::Submit),
        ".*".prop_map(Action::Accept),
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let read = wire::decode(&bytes);
        prop_assert!(read.is_err() || wire::is_json(String::from_utf8_lossy(&bytes).as_bytes()));
    }

    #[test]
    fn an_encoded_action_is_the_action(id in any::<i64>(), action in any_action()) {
        let bytes = wire::encode_action(id, &action);
        let (nul, text) = bytes.split_last().unwrap();
        prop_assert!(*nul == 0 && !text.contains(&0));
        let json: serde_json::Value = serde_json::from_slice(text).unwrap();
        prop_assert_eq!(json["content"]["id"].as_i64(), Some(id));
        let params = json["content"]["p"].as_array().unwrap().iter();
        let params: Vec<String> = params.map(|p| p.as_str().unwrap().to_owned()).collect();
        let kind = json["content"]["type"].as_str().unwrap();
        prop_assert_eq!(Action::from_wire(kind, &params), Some(action.clone()));
        // The original referee dies of these without parameter.
        let deadly = ["move", "attach", "detach", "rotate", "request"].contains(&kind);
        prop_assert!(!deadly || params.first().is_some_and(|param| !param.is_empty()));
    }
}
