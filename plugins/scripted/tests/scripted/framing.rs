//! Every transport finds the same messages however its stream is cut.

use super::{MANIFEST, SESSION, epoch, seat, toy};
use phalanx_game::{Event, Game, Session};

/// The answers and events to a stream that arrives in pieces.
fn heard(manifest: &str, bytes: &[u8], piece: usize) -> String {
    let mut session = toy(&[("game.toml", manifest), ("session.luau", SESSION)]).session(&seat());
    let now = epoch();
    session.handle_connected(now);
    let mut out = String::new();
    for piece in bytes.chunks(piece) {
        session.handle_input(piece, now).unwrap();
    }
    while let Some(bytes) = session.poll_transmit() {
        out += &format!("{bytes:?}\n");
    }
    while let Some(event) = session.poll_event() {
        if let Event::Asked { turn, percept, .. } = event {
            out += &format!("{turn} {:?}\n", percept.get("hint"));
        }
    }
    out
}

fn framed(kind: &str, messages: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        if kind == "length-prefixed" {
            bytes.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        }
        bytes.extend(message.as_bytes());
        match kind {
            "lines" => bytes.push(b'\n'),
            "nul" => bytes.push(0),
            _length => {}
        }
    }
    bytes
}

#[test]
fn streams_are_cut_into_messages() {
    let messages = [r#"{"welcome": 1}"#, r#"{"step": 1, "hint": 5}"#, r#"{"step": 2, "hint": 6}"#];
    for kind in ["lines", "nul", "length-prefixed"] {
        let manifest = MANIFEST.replace("\"lines\"", &format!("{kind:?}"));
        let bytes = framed(kind, &messages);
        let whole = heard(&manifest, &bytes, bytes.len());
        assert!(whole.contains("0:1 Some(Int(5))\n0:2 Some(Int(6))\n"), "{kind}: {whole}");
        for piece in 1..bytes.len() {
            assert_eq!(heard(&manifest, &bytes, piece), whole, "{kind} in pieces of {piece}");
        }
    }
}

#[test]
fn xml_and_bytes_reach_the_script_as_tables() {
    let manifest = MANIFEST.replace("kind = \"lines\"", "kind = \"nul\"\nencoding = \"xml\"");
    let script = r#"
return {
    open = function() return {} end,
    connected = function() end,
    message = function(self, message)
        started()
        local child = message.children[1]
        ask({ step = tonumber(message.attributes.step), percept = { hint = tonumber(child.text) } })
    end,
    encode = function(ask, order)
        return { tag = "act", attributes = { step = ask.step }, children = { { tag = "do", text = order.name .. " & <co>" } } }
    end,
}"#;
    let game = toy(&[("game.toml", &manifest), ("session.luau", script)]);
    let (mut session, now) = (game.session(&seat()), epoch());
    let message = b"<?xml version='1.0'?><turn step=\"3\"><hint> 4&#50; </hint></turn>\0";
    session.handle_input(message, now).unwrap();
    session.handle_shutdown(now);
    let sent = String::from_utf8(session.poll_transmit().unwrap()).unwrap();
    assert_eq!(sent, "<act step=\"3\"><do>rest &amp; &lt;co&gt;</do></act>\0");
    let events: Vec<_> = std::iter::from_fn(|| session.poll_event()).collect();
    let asked = events.iter().find_map(|event| match event {
        Event::Asked { turn, percept, .. } => Some((turn.step, percept.get("hint").cloned())),
        _other => None,
    });
    assert_eq!(asked, Some((3, Some(phalanx_game::Value::Int(42)))));
}
