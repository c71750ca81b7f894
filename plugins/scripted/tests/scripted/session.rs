//! A connection whose script loops, fails, eats memory or answers twice.

use super::{SESSION, epoch, seat, toy};
use phalanx_game::{AgentId, DefaultCause, Event, Game, Said, Session, Turn, Value};
use phalanx_scripted::ScriptedSession;
use std::time::{Duration, Instant};

struct Played {
    session: ScriptedSession,
    now: Instant,
}

impl Played {
    fn new(script: &str) -> Self {
        let now = epoch();
        let mut session = toy(&[("session.luau", script)]).session(&seat());
        session.handle_connected(now);
        Self { session, now }
    }

    fn hear(&mut self, line: &str) -> String {
        self.session.handle_input(format!("{line}\n").as_bytes(), self.now).unwrap();
        self.heard()
    }

    /// Everything that came out, one line each.
    fn heard(&mut self) -> String {
        let mut out = String::new();
        while let Some(bytes) = self.session.poll_transmit() {
            out += &format!("> {}", String::from_utf8(bytes).unwrap());
        }
        while let Some(event) = self.session.poll_event() {
            out += &match event {
                Event::Asked { turn, due, percept, .. } => {
                    let left = (due - self.now).as_millis();
                    format!("asked {turn}, {left} ms left, hint {:?}\n", percept.get("hint"))
                }
                Event::Notice(notice) => format!("{notice}\n"),
                Event::Defaulted { turn, cause, .. } => format!("default {turn}: {cause:?}\n"),
                Event::Seated { .. } => "seated\n".to_owned(),
                Event::RoundStarted { round, .. } => format!("round {round}\n"),
                other => format!("{other:?}\n"),
            };
        }
        out
    }

    fn act(&mut self, step: u32, said: &Said) -> bool {
        self.session.handle_action(Turn::new(0, step), AgentId(0), said).is_ok()
    }
}

#[test]
fn a_turn_is_asked_answered_once_and_encoded_by_the_script() {
    let mut played = Played::new(SESSION);
    insta::assert_snapshot!(played.heard());
    insta::assert_snapshot!(played.hear(r#"{"welcome": true}"#));
    insta::assert_snapshot!(played.hear(r#"{"step": 4, "hint": 7}"#));
    let dig = Said::new("dig", vec![Value::Int(3)]);
    assert!(!played.act(3, &dig), "another turn");
    assert!(played.act(4, &dig));
    assert!(!played.act(4, &dig), "it is closed");
    insta::assert_snapshot!(played.heard());
}

#[test]
fn a_referee_that_asks_has_accepted_the_login_though_its_answer_to_it_was_lost() {
    let mut played = Played::new(SESSION);
    played.heard();
    let heard = played.hear(r#"{"step": 4, "hint": 7}"#);
    assert!(heard.starts_with("seated\n") && heard.contains("asked 0:4"), "{heard}");
    let heard = played.hear(r#"{"step": 5, "hint": 7}"#);
    assert!(!heard.contains("seated"), "{heard}");
}

#[test]
fn a_script_that_fails_later_does_not_stop_the_fallback() {
    for message in
        [r#"{"loop": 1}"#, r#"{"eat": 1}"#, r#"{"boom": 1}"#, "not json", r#"{"twice": 1}"#]
    {
        let mut played = Played::new(SESSION);
        played.hear(r#"{"welcome": true}"#);
        played.hear(r#"{"step": 1, "hint": 7}"#);
        let heard = played.hear(message);
        let named = heard.contains("session.luau:") || heard.contains("malformed");
        assert!(named || message.contains("twice"), "{message}: {heard}");
        assert_eq!(played.session.poll_timeout(), Some(played.now + Duration::from_secs(1)));
        played.session.handle_timeout(played.now + Duration::from_secs(1));
        assert_eq!(
            played.heard(),
            "> {\"id\":10,\"order\":\"rest\"}\ndefault 0:1: NoDecision\n",
            "{message}"
        );
    }
}

#[test]
fn an_answer_that_cannot_be_encoded_becomes_the_fallback() {
    let script = SESSION
        .replace("return { id =", "if order.name == 'dig' then error('dug') end return { id =");
    let mut played = Played::new(&script);
    played.hear(r#"{"welcome": true}"#);
    played.hear(r#"{"step": 1, "hint": 7}"#);
    assert!(played.act(1, &Said::new("dig", vec![Value::Int(3)])));
    insta::assert_snapshot!(played.heard());
}

#[test]
fn a_session_that_never_asks_or_names_a_stranger_is_reported() {
    let script = SESSION.replace("ask({ step", "ask({ agent = 'x9', step");
    let mut played = Played::new(&script);
    played.hear(r#"{"welcome": true}"#);
    insta::assert_snapshot!(played.hear(r#"{"step": 1}"#));
    let script = SESSION.replace("return { id = ask.tag", "send({}) return { id = ask.tag");
    let mut played = Played::new(&script);
    played.hear(r#"{"welcome": true}"#);
    insta::assert_snapshot!(played.hear(r#"{"step": 1}"#));
}

#[test]
fn a_lost_connection_closes_the_turn_and_the_state_stays() {
    let mut played = Played::new(SESSION);
    played.hear(r#"{"welcome": true}"#);
    played.hear(r#"{"step": 1, "hint": 7}"#);
    played.session.handle_disconnected(played.now);
    let heard = played.heard();
    assert!(heard.contains(&format!("default 0:1: {:?}", DefaultCause::Disconnected)), "{heard}");
    played.session.handle_connected(played.now);
    assert_eq!(played.heard(), "> {\"hello\":\"a1\"}\n");
}

#[test]
fn a_message_that_is_too_long_loses_the_connection_and_not_the_memory() {
    let mut played = Played::new(SESSION);
    let piece = vec![b'x'; 1 << 20];
    let fed = (0..3).try_for_each(|_| played.session.handle_input(&piece, played.now));
    assert!(fed.unwrap_err().to_string().contains("at most 1048576 bytes"));
}

#[test]
fn an_answer_that_was_given_twice_leaves_once() {
    let mut played = Played::new(SESSION);
    played.hear(r#"{"welcome": true}"#);
    played.hear(r#"{"step": 1, "hint": 7}"#);
    let dig = Said::new("dig", vec![Value::Int(3)]);
    assert!(played.act(1, &dig) && !played.act(1, &dig));
    played.session.handle_timeout(played.now + Duration::from_secs(1));
    assert_eq!(played.heard(), "> {\"depth\":3,\"id\":10,\"order\":\"dig\"}\n");
}

#[test]
fn a_session_that_never_arms_has_no_turn_and_says_nothing() {
    let mut played = Played::new(&SESSION.replace("ask({ step", "local unused = ({ step"));
    played.hear(r#"{"welcome": true}"#);
    assert_eq!(played.hear(r#"{"step": 1}"#), "");
    assert_eq!(played.session.poll_timeout(), None);
    assert!(!played.act(1, &Said::new("rest", Vec::new())));
}

#[test]
fn scripts_see_json_as_tables() {
    // Strings are quoted, and keys are sorted, so that equal tables print equally.
    let script = r#"
        local function show(value)
            if type(value) == "string" then
                return `'{value}'`
            elseif type(value) ~= "table" then
                return tostring(value)
            end
            local parts = {}
            for key, item in value do
                table.insert(parts, `{key}={show(item)}`)
            end
            table.sort(parts)
            return `\{{table.concat(parts, " ")}\}`
        end
        return {
            open = function() return {} end,
            message = function(self, message) unknown(show(message)) end,
            encode = function() return {} end,
        }
    "#;
    let large = (0..40).map(|key| format!("\"k{key:02}\":{key}")).collect::<Vec<_>>().join(",");
    let shown = (0..40).map(|key| format!("k{key:02}={key}")).collect::<Vec<_>>().join(" ");
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let mut played = Played::new(script);
    played.heard();
    for (json, expected) in [
        ("{}", "{}"),
        ("[]", "{}"),
        ("[1, -2, 2.5, true]", "{1=1 2=-2 3=2.5 4=true}"),
        // A hole would end the list; an absent key and null are the same.
        (r#"["a", null, "b"]"#, "{1='a' 2=false 3='b'}"),
        (r#"{"a": null, "b": {"c": []}}"#, "{b={c={}}}"),
        ("null", "nil"),
        (r#"{"a": 1, "a": 2}"#, "{a=2}"),
        (r#"{"a\u0062": "\u00e4 \/ b", "c": ["\u0064", "e"]}"#, "{ab='ä / b' c={1='d' 2='e'}}"),
        (&format!("{{{large}}}"), &format!("{{{shown}}}")),
        ("18446744073709551615", "18446744073709552000"),
        ("[1e3, -2.5E-1, 0, -0]", "{1=1000 2=-0.25 3=0 4=-0}"),
    ] {
        let heard = played.hear(json);
        assert!(heard.contains(expected), "{json}: {heard}");
    }
    for wrong in [
        "{",
        "[1,]",
        "1 2",
        "01",
        "[-]",
        "1.",
        "[1e999]",
        "tru",
        "\"\\x\"",
        "\"\t\"",
        "[\"\\ud800\"]",
        "{\"a\":1 \"b\":2}",
        "{\"a\" 1}",
        &deep(200),
    ] {
        let heard = played.hear(wrong);
        assert!(heard.contains("malformed"), "{wrong}: {heard}");
    }
    assert!(played.hear(&deep(100)).contains("{1={1="));
    let invalid = played.session.handle_input(b"\"\xff\"\n", played.now);
    assert!(invalid.is_ok() && played.heard().contains("malformed"));
}

#[test]
fn an_answer_with_what_the_encoding_cannot_say_becomes_the_fallback() {
    let script = SESSION
        .replace("depth = order.args[1] }", "depth = if order.name == 'dig' then print else nil }");
    let mut played = Played::new(&script);
    played.hear(r#"{"welcome": true}"#);
    played.hear(r#"{"step": 1, "hint": 7}"#);
    assert!(played.act(1, &Said::new("dig", vec![Value::Int(3)])));
    let heard = played.heard();
    assert!(heard.starts_with("> {\"id\":10,\"order\":\"rest\"}\n"), "{heard}");
    assert!(heard.contains("a function is not plain data"), "{heard}");
}

#[test]
fn whatever_a_referee_sends_the_session_goes_on() {
    let mut played = Played::new(SESSION);
    for line in [
        "[]",
        "3",
        "null",
        "\"x\"",
        "{\"step\": \"x\"}",
        "{\"step\": -1}",
        "{\"step\": 1e99}",
        "{}",
    ] {
        played.hear(line);
    }
    played.hear(r#"{"welcome": true}"#);
    assert!(played.hear(r#"{"step": 1, "hint": 7, "news": [{}]}"#).starts_with("asked 0:1"));
}
