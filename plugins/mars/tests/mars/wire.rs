//! Messages to bytes and back, both ways, and what happens to those that are not well formed.

use crate::common::frames::{Way, frames};
use phalanx_mars::action::{Action, Feedback};
use phalanx_mars::percept::{Percept, SeenEntity, SeenVertex};
use phalanx_mars::rules::Upgrade;
use phalanx_mars::wire::{
    self, ClientMessage, DEPTH_MAX, Request, ServerBody, ServerMessage, decode_client,
    decode_server, encode_action, encode_auth, encode_server,
};
use phalanx_testkit::mangle::Mangler;
use phalanx_testkit::traces;
use proptest::prelude::*;

/// Name, requests of the referee in it.
const RECORDINGS: [(&str, usize); 3] = [
    ("mars2012/two100_pydtu_teamA.jsonl.gz", 4000),
    ("mars2012/full_pydtu_a1_a5.jsonl.gz", 1500),
    ("mars2012/edge_teamA.jsonl.gz", 1200),
];

#[test]
fn every_recorded_frame_of_the_referee_is_read_and_written_again_byte_for_byte() {
    for (name, expected) in RECORDINGS {
        let Some(frames) = frames(name) else { return };
        let mut requests = 0;
        for frame in frames.iter().filter(|frame| frame.way == Way::In) {
            let message = decode_server(frame.raw.as_bytes())
                .unwrap_or_else(|error| panic!("{name}, {}: {error}", frame.agent));
            assert!(!matches!(message.body, ServerBody::Unknown { .. }), "{name}: {}", frame.raw);
            if let ServerBody::RequestAction(request) = &message.body {
                requests += 1;
                complete(&request.percept);
            }
            let (nul, again) = split_nul(&encode_server(&message));
            assert_eq!((nul, again.as_str()), (0, frame.raw.as_str()), "{name}");
        }
        assert_eq!(requests, expected, "{name}");
    }
}

/// What every percept of the real referee has.
fn complete(percept: &Percept) {
    assert!(!percept.me.position.is_empty() && percept.me.max_energy_disabled.is_some());
    assert!(percept.team.score.is_some() && percept.team.zones_score.is_some());
    assert!(percept.vertices.len() > 1 && !percept.edges.is_empty());
    assert!(!matches!(percept.me.last_result, Feedback::Unknown(_) | Feedback::None));
    assert!(percept.surveyed.iter().all(|edge| edge.weight.is_some()));
    assert!(percept.probed.iter().all(|vertex| vertex.value.is_some()));
}

#[test]
fn a_message_of_the_real_contest_is_read_and_written_again_byte_for_byte() {
    let name = "mars2012/real_2012-08-20_request_action.xml.gz";
    let Some(bytes) = traces::bytes(name) else { return };
    let text = std::str::from_utf8(&bytes).unwrap().trim();
    let message = decode_server(text.as_bytes()).unwrap();
    let ServerBody::RequestAction(request) = &message.body else { panic!("{message:?}") };
    assert_eq!((request.id.as_str(), request.percept.step), ("210", 209));
    assert_eq!(request.percept.vertices.len(), 150);
    assert_eq!(split_nul(&encode_server(&message)).1.trim(), text);
}

#[test]
fn every_recorded_frame_of_a_client_is_accepted_or_refused_as_the_referee_did() {
    for (name, _) in RECORDINGS {
        let Some(frames) = frames(name) else { return };
        let (mut actions, mut logins, mut refused) = (0, 0, Vec::new());
        for frame in frames.iter().filter(|frame| frame.way == Way::Out) {
            match decode_client(frame.raw.as_bytes()) {
                Ok(ClientMessage::Action { .. }) => actions += 1,
                Ok(ClientMessage::AuthRequest { username, .. }) => {
                    assert!(!username.is_empty());
                    logins += 1;
                }
                Ok(ClientMessage::Other { .. }) => {}
                Err(_) => refused.push(frame.raw.as_str()),
            }
        }
        assert!(actions > 1000 && logins > 1, "{name}: {actions} actions, {logins} logins");
        // Only the recording that misbehaves on purpose has frames that are not well formed.
        let expected: &[&str] = if name.contains("edge") { &REFUSED } else { &[] };
        assert_eq!(refused, expected, "{name}");
    }
}

/// What the original referee stopped reading at, in the order of the recording.
const REFUSED: [&str; 3] = [
    "",
    "\n<?xml version=\"1.0\"?><message type=\"action\"><action id=\"6\" type=\"survey\"/></message>",
    "<?xml version=\"1.0\"?><message type=\"action\"><action id=\"11\" type=\"skip\"></message>",
];

#[test]
fn logins_and_actions_look_as_in_the_protocol() {
    let declaration = r#"<?xml version="1.0" encoding="UTF-8"?>"#;
    let auth =
        r#"<message type="auth-request"><authentication password="1" username="a1"/></message>"#;
    assert_eq!(split_nul(&encode_auth("a1", "1")).1, format!("{declaration}{auth}"));
    for (action, expected) in [
        (Action::Recharge, r#"<action id="7" type="recharge"/>"#),
        (Action::Goto("vertex12".into()), r#"<action id="7" param="vertex12" type="goto"/>"#),
        (
            Action::Attack("b<1>&\"'".into()),
            r#"<action id="7" param="b&lt;1&gt;&amp;&quot;&apos;" type="attack"/>"#,
        ),
        (
            Action::Buy(Upgrade::SabotageDevice),
            r#"<action id="7" param="sabotageDevice" type="buy"/>"#,
        ),
    ] {
        let text = split_nul(&encode_action("7", &action)).1;
        assert_eq!(text, format!(r#"{declaration}<message type="action">{expected}</message>"#));
    }
}

const REQUEST: &str = r#"<message type='request-action' timestamp='5' extra='x'>
 <!-- comment --> <perception id='3' deadline='2005' ><team money = "4"/>
 <self position='v&#49;&amp;2' health="0" energy=" 7 " maxEnergy="9999999999" strength="x"/>
 <visibleEntities><visibleEntity status="disabled" team="B-1" node="v 3" name="b_1"></visibleEntity>
 <odd><visibleEntity team="A"/></odd></visibleEntities>
 <simulation step="2"/></perception><?instruction?></message>"#;

#[test]
fn what_the_specification_calls_tolerable_is_tolerated() {
    for prolog in [
        "",
        r#"<?xml version="1.0" encoding="UTF-8"?>"#,
        r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>"#,
        " \n <?xml version='1.0'?>\n",
        "\u{feff}<?xml version='1.0'?>",
    ] {
        let message = decode_server(format!("{prolog}{REQUEST}\n").as_bytes()).unwrap();
        assert_eq!(message.timestamp, Some(5));
        let ServerBody::RequestAction(request) = message.body else { panic!() };
        assert_eq!((request.id.as_str(), request.deadline), ("3", Some(2005)));
        let percept = request.percept;
        assert_eq!((percept.step, percept.team.money, percept.team.score), (2, Some(4), None));
        assert_eq!((percept.me.position.as_str(), percept.me.health), ("v1&2", Some(0)));
        assert_eq!(
            (percept.me.energy, percept.me.max_energy, percept.me.strength),
            (Some(7), None, None)
        );
        let (name, team, node) = ("b_1".into(), "B-1".into(), "v 3".into());
        assert_eq!(percept.entities, [SeenEntity { name, team, node, disabled: true }]);
        assert!(percept.vertices.is_empty() && percept.team.achievements.is_empty());
    }
}

#[test]
fn bytes_that_are_no_utf8_do_not_stop_the_client() {
    let mut frame = br#"<message type="bye" note=""#.to_vec();
    frame.extend_from_slice(&[0xff, 0xfe]);
    frame.extend_from_slice(br#""/>"#);
    assert_eq!(decode_server(&frame).unwrap().body, ServerBody::Bye);
    let error = decode_client(&frame).unwrap_err();
    assert_eq!((error.place.as_str(), error.expected.as_str()), ("a message, byte 26", "UTF-8"));
}

#[test]
fn unknown_messages_are_named() {
    for (frame, expected) in [
        (r#"<message type="pong"><payload value="x"/></message>"#, "pong"),
        (r#"<greeting type="bye"/>"#, "greeting"),
    ] {
        let ServerBody::Unknown { kind } = decode_server(frame.as_bytes()).unwrap().body else {
            panic!("{frame}")
        };
        assert_eq!(kind, expected);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let deep = "<a>".repeat(DEPTH_MAX + 1);
    let wide: String = (0..=wire::ATTRIBUTES_MAX).map(|i| format!(" a{i}='1'")).collect();
    let cases = [
        ("", "byte 0: expected an XML document, got the end"),
        ("hello", "byte 0: expected no text outside the root element, got hello"),
        ("<message type='bye'>", "byte 20: expected the ends of 1 elements, got the end"),
        ("<message type='bye'/><x/>", "byte 21: expected one root element, got <x/>"),
        ("<message/>", "byte 0: expected a message with a type, got <message/>"),
        ("<!DOCTYPE m><message type='bye'/>", "byte 0: expected no document type"),
        ("<message type='bye' odd/>", "byte 0: expected"),
        ("<message type='&what;'/>", "byte 0: expected"),
        ("<message type='bye'>&what;</message>", "byte 20: expected only the predefined entities"),
        ("<message type='auth-response'/>", "byte 0: expected an authentication with a result"),
        ("<message type='request-action'/>", "byte 0: expected a perception with an id"),
        (
            "<message type='request-action'><perception id='1'/></message>",
            "byte 0: expected a simulation with a step",
        ),
        (deep.as_str(), "byte 96: expected at most 32 elements inside each other, got <a>"),
        (&format!("<message{wide}/>"), "byte 0: expected at most 256 attributes"),
    ];
    for (frame, expected) in cases {
        let error = decode_server(frame.as_bytes()).unwrap_err().to_string();
        let expected = format!("a message, {expected}");
        assert!(error.starts_with(&expected), "{frame}: {error}");
    }
    let error = decode_server(b"<message type='bye'><a></b></message>").unwrap_err().to_string();
    assert!(error.starts_with("a message, byte 23: expected well-formed XML"), "{error}");
}

/// The table of section 5.1: frame, and what the referee makes of it.
#[test]
fn client_frames_are_read_as_the_original_referee_reads_them() {
    let action = |id, kind: &str, param: &str| ClientMessage::Action {
        id,
        kind: kind.into(),
        param: param.into(),
    };
    let read = [
        (
            "<message type='action'><action id='1' type='skip'/></message>",
            action(Some(1), "skip", ""),
        ),
        (
            "\n  <message type='action'><action id='1' type='skip' param=''/></message>\n",
            action(Some(1), "skip", ""),
        ),
        (
            "<message type='action'><!-- x --><other/><action type='goto' param='v&amp;1' id='1' z='2'/></message>",
            action(Some(1), "goto", "v&1"),
        ),
        (
            "<message type='action'><Action id='1'/><x><action type='probe'/></x></message>",
            action(Some(1), "probe", ""),
        ),
        (
            "<message type='action'><x><action id='9' type='probe'/></x><action id='1' type='skip'/></message>",
            action(Some(1), "probe", ""),
        ),
        ("<message type='action'><action id='1'/></message>", action(Some(1), "", "")),
        ("<message type='action'><action type='skip'/></message>", action(None, "skip", "")),
        (
            "<message type='action'><action id='one' type='skip'/></message>",
            action(None, "skip", ""),
        ),
        ("<message type='action'/>", action(None, "", "")),
        (
            "<message type='ping'><payload value='x'/></message>",
            ClientMessage::Other { kind: "ping".into() },
        ),
        ("<order type='action'/>", ClientMessage::Other { kind: "order".into() }),
        ("<message/>", ClientMessage::Other { kind: "".into() }),
    ];
    for (frame, expected) in read {
        assert_eq!(decode_client(frame.as_bytes()).as_ref(), Ok(&expected), "{frame}");
    }
    for frame in [
        "",
        " ",
        " <?xml version='1.0'?><message type='action'/>",
        "<message type='action'><action id='1' id='1'/></message>",
        "<message type='action'><action id='1' type=skip/></message>",
        "<message type='action'><action id='1'></message>",
        "<message type='action'><!-- -- --></message>",
        "<message type='action'/>rest",
        "<message type='action'><other a='&nobody;'/></message>",
        "<!DOCTYPE x [<!ENTITY a 'b'>]><message type='action'/>",
    ] {
        assert!(decode_client(frame.as_bytes()).is_err(), "{frame:?}");
    }
}

#[test]
fn damaged_recordings_are_read_or_refused() {
    let Some(frames) = frames("mars2012/edge_teamA.jsonl.gz") else { return };
    for (seed, frame) in frames.iter().enumerate() {
        let damaged = Mangler::new(seed as u64).mangle(frame.raw.as_bytes());
        for error in [decode_server(&damaged).err(), decode_client(&damaged).err()] {
            assert!(error.is_none_or(|error| error.place.starts_with("a message, byte ")));
        }
    }
}

fn split_nul(bytes: &[u8]) -> (u8, String) {
    let (nul, text) = bytes.split_last().unwrap();
    (*nul, String::from_utf8(text.to_vec()).unwrap())
}

/// Any text without characters that XML cannot hold at all.
fn any_name() -> impl Strategy<Value = String> {
    "[^\u{0}-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{fffe}\u{ffff}]{1,40}"
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        prop::sample::select(vec![
            Action::Skip,
            Action::Recharge,
            Action::Probe,
            Action::Survey,
            Action::Inspect,
            Action::Parry,
        ]),
        any_name().prop_map(|name| Action::Goto(name.into())),
        any_name().prop_map(|name| Action::Attack(name.into())),
        any_name().prop_map(|name| Action::Repair(name.into())),
        prop::sample::select(Upgrade::ALL.to_vec()).prop_map(Action::Buy),
    ]
}

fn any_percept() -> impl Strategy<Value = Percept> {
    let vertex = (any_name(), any_name())
        .prop_map(|(name, team)| SeenVertex { name: name.into(), team: team.into() });
    let entity = (any_name(), any_name(), any_name(), any::<bool>()).prop_map(
        |(name, team, node, disabled)| SeenEntity {
            name: name.into(),
            team: team.into(),
            node: node.into(),
            disabled,
        },
    );
    let lists = (prop::collection::vec(vertex, 0..4), prop::collection::vec(entity, 0..4));
    let numbers = (any::<Option<i32>>(), any::<Option<i64>>(), any::<u32>());
    (lists, numbers, prop::collection::vec(any_name(), 0..3)).prop_map(
        |((vertices, entities), (energy, score, step), achievements)| {
            let mut percept = Percept { step, vertices, entities, ..Percept::default() };
            percept.me.energy = energy;
            percept.team.score = score;
            percept.team.achievements = achievements.into_iter().map(Into::into).collect();
            percept
        },
    )
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode_server(&bytes).is_err() && decode_client(&bytes).is_err());
    }

    #[test]
    fn an_encoded_action_is_the_action(id in any::<i64>(), action in any_action()) {
        let bytes = encode_action(&id.to_string(), &action);
        let (nul, text) = bytes.split_last().unwrap();
        prop_assert!(*nul == 0 && !text.contains(&0) && text.len() < 65_536);
        let read = decode_client(text).unwrap();
        let ClientMessage::Action { id: read_id, kind, param } = read else { panic!() };
        prop_assert_eq!(read_id, Some(id));
        prop_assert_eq!(Action::from_wire(&kind, &param), Some(action));
        // The original referee dies of most names in upper case.
        prop_assert_eq!(kind.to_lowercase(), kind.as_str());
    }

    #[test]
    fn no_name_breaks_a_frame(name in ".*", password in any::<String>()) {
        let bytes = encode_auth(&name, &password);
        let (nul, text) = bytes.split_last().unwrap();
        prop_assert!(*nul == 0 && !text.contains(&0));
        prop_assert!(decode_client(text).is_ok());
    }

    #[test]
    fn an_encoded_percept_is_the_percept(percept in any_percept(), id in "[0-9]{1,9}") {
        let request = Request { id: id.into(), deadline: Some(9), percept };
        let message = ServerMessage { timestamp: Some(7), body: ServerBody::RequestAction(request) };
        let bytes = encode_server(&message);
        prop_assert_eq!(decode_server(&bytes[..bytes.len() - 1]), Ok(message));
    }
}
