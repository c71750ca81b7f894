//! Every text that a user can see of an event: the snapshot is their documentation.

use crate::actor::Match;
use phalanx_engine::{
    AlertKind, Carry, Description, Fault, Generation, Input, JournalEntry, JournalEvent, Keep,
    Reason, SeatState, SteerCause, Steering, StrategyOrigin, TeamOptions, TurnDone,
};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{DefaultCause, Notice, ProtocolError, SeatId, Turn, Value};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Private words of this project; texts use the ordinary ones.
const DIALECT: [&str; 9] =
    ["told", "tells", "nobody", "somebody", "stands", "so many", "whoever", "wish", "heard"];

/// The variant's name. A variant that is new here needs a sample below.
fn name(event: &JournalEvent) -> &'static str {
    match event {
        JournalEvent::Seat { .. } => "Seat",
        JournalEvent::RoundStarted => "RoundStarted",
        JournalEvent::Resumed { .. } => "Resumed",
        JournalEvent::CheckpointRefused { .. } => "CheckpointRefused",
        JournalEvent::Decided { .. } => "Decided",
        JournalEvent::Fallback { .. } => "Fallback",
        JournalEvent::ScriptError { .. } => "ScriptError",
        JournalEvent::Generation { .. } => "Generation",
        JournalEvent::StrategyRefused { .. } => "StrategyRefused",
        JournalEvent::TakenBack { .. } => "TakenBack",
        JournalEvent::ParamSet { .. } => "ParamSet",
        JournalEvent::BoardSet { .. } => "BoardSet",
        JournalEvent::Ran { .. } => "Ran",
        JournalEvent::RoleSet { .. } => "RoleSet",
        JournalEvent::Steered { .. } => "Steered",
        JournalEvent::Ordered { .. } => "Ordered",
        JournalEvent::Held { .. } => "Held",
        JournalEvent::AgentAdded { .. } => "AgentAdded",
        JournalEvent::AgentRemoved { .. } => "AgentRemoved",
        JournalEvent::Retuned { .. } => "Retuned",
        JournalEvent::Left { .. } => "Left",
        JournalEvent::Returned { .. } => "Returned",
        JournalEvent::AlertBegan { .. } => "AlertBegan",
        JournalEvent::AlertEnded { .. } => "AlertEnded",
        JournalEvent::Defaulted { .. } => "Defaulted",
        JournalEvent::Late => "Late",
        JournalEvent::Notice(_) => "Notice",
        JournalEvent::Log { .. } => "Log",
        JournalEvent::TurnDone(_) => "TurnDone",
        JournalEvent::RoundOver { .. } => "RoundOver",
        JournalEvent::MatchOver => "MatchOver",
    }
}

/// Variants.
const VARIANTS: usize = 31;

fn ann() -> String {
    "ann".to_owned()
}

fn generation(number: u32, origin: StrategyOrigin) -> Arc<Generation> {
    Arc::new(Generation { number, hash: "5e1f".into(), accepted: SystemTime::UNIX_EPOCH, origin })
}

fn fault(fatal: bool, line: u32, message: &str, help: &str) -> Fault {
    let excerpt = format!("{line} | act.mvoe(\"n\")\n  |     ^");
    let (file, line, message, help) =
        ("worker.luau".into(), Some(line), message.into(), help.into());
    Fault { fatal, file, line, column: Some(5), message, help, excerpt }
}

fn seats() -> Vec<JournalEvent> {
    let reason = || "connection refused".to_owned();
    let states = [
        SeatState::Idle,
        SeatState::Connecting { failures: 0, reason: String::new() },
        SeatState::Connecting { failures: 2, reason: reason() },
        SeatState::Connected,
        SeatState::Seated,
        SeatState::Refused { reason: "wrong password".into() },
        SeatState::Stopped,
        SeatState::Closed,
    ];
    states.into_iter().map(|state| JournalEvent::Seat { seat: SeatId(3), state }).collect()
}

fn decisions() -> Vec<JournalEvent> {
    let data = Value::map([("x", Value::Int(3)), ("free", Value::Bool(true))]);
    let reason = |data| Some(Reason { text: "north is free".into(), data });
    let decided = |reason| JournalEvent::Decided {
        action: "move(n)".into(),
        role: "worker".into(),
        reason,
        spent: Duration::from_micros(41),
        grounds: Box::default(),
    };
    let fallback = |explained| JournalEvent::Fallback {
        reason: "worker.luau:42: attempt to index nil with 'x'".into(),
        role: "worker".into(),
        explained,
        spent: Duration::ZERO,
        grounds: Box::default(),
    };
    vec![
        decided(None),
        decided(reason(data)),
        fallback(None),
        fallback(reason(Value::Nil)),
        JournalEvent::ScriptError { call: "plan", reason: "team.luau:7: no plan".into() },
        JournalEvent::Ordered { action: "skip()".into(), by: ann(), pinned: false },
        JournalEvent::Ordered { action: "skip()".into(), by: ann(), pinned: true },
        JournalEvent::Held { by: ann(), piloted: false },
        JournalEvent::Held { by: ann(), piloted: true },
        JournalEvent::Defaulted { cause: DefaultCause::NoDecision },
        JournalEvent::Defaulted { cause: DefaultCause::Superseded },
        JournalEvent::Defaulted { cause: DefaultCause::Disconnected },
        JournalEvent::Late,
        JournalEvent::Notice(Notice::Malformed(ProtocolError::new(
            "field step",
            "a whole number",
            b"twelve",
        ))),
        JournalEvent::Notice(Notice::Unknown { kind: "gossip".into() }),
        JournalEvent::Notice(Notice::AnswerLost { turn: Turn::new(0, 117) }),
        JournalEvent::Log { level: "debug", text: "hello".into() },
        JournalEvent::Log { level: "info", text: "hello".into() },
        JournalEvent::Log { level: "warn", text: "hello".into() },
        JournalEvent::Log { level: "error", text: "hello".into() },
    ]
}

fn strategies() -> Vec<JournalEvent> {
    let param = |before: &str, value: &str| JournalEvent::ParamSet {
        name: "greed".into(),
        scope: "role worker".into(),
        before: before.into(),
        value: value.into(),
        by: ann(),
    };
    let refused = |faults| JournalEvent::StrategyRefused { origin: StrategyOrigin::File, faults };
    let held = "it passed its trial, but generation 6 is pinned";
    let unpin = "`phalanx strategy unpin A` lets it play";
    let typo = fault(true, 3, "there is no action \"mvoe\"", "did you mean \"move\"?");
    vec![
        JournalEvent::Generation {
            generation: generation(3, StrategyOrigin::Api { user: ann() }),
            pinned: false,
            note: String::new(),
        },
        JournalEvent::Generation {
            generation: generation(2, StrategyOrigin::Start),
            pinned: true,
            note: "rolled back by ann".into(),
        },
        refused(vec![typo, fault(false, 9, "`x` is not used", "")]),
        refused(vec![fault(false, 1, held, unpin)]),
        JournalEvent::TakenBack {
            failed: generation(3, StrategyOrigin::Hangup),
            generation: generation(2, StrategyOrigin::File),
            reason: "11 errors in 40 decisions".into(),
        },
        param("", "0.5"),
        param("0.5", "0.7"),
        param("0.7", ""),
    ]
}

fn operators() -> Vec<JournalEvent> {
    let board =
        |value, turns| JournalEvent::BoardSet { key: "goal".into(), value, turns, by: ann() };
    let ran = |trouble: &str| JournalEvent::Ran {
        code: "me.memory.mark = 5".into(),
        by: ann(),
        trouble: trouble.into(),
    };
    let steered = |steering, cause| JournalEvent::Steered { steering, cause };
    let by_ann = || SteerCause::Operator { by: ann() };
    let order = phalanx_game::Said::new("move", vec!["n".into()]);
    let left =
        |to: Option<&str>, keep| JournalEvent::Left { to: to.map(str::to_owned), keep, by: ann() };
    let added = |again| JournalEvent::AgentAdded { role: "scout".into(), again, by: ann() };
    vec![
        board(Value::cell(3, 4), Some(5)),
        board("north".into(), None),
        board(Value::Nil, None),
        ran(""),
        ran("attempt to index nil with 'memory'"),
        JournalEvent::RoleSet {
            before: "worker".into(),
            role: "scout".into(),
            carry: Carry::Strict,
            by: ann(),
        },
        steered(Steering::Paused { by: ann() }, by_ann()),
        steered(Steering::Pinned { order: order.clone(), turns_left: 5, by: ann() }, by_ann()),
        steered(Steering::Piloted { by: ann(), lease: 10, turns_left: 10, order: None }, by_ann()),
        steered(Steering::Script, by_ann()),
        steered(Steering::Script, SteerCause::TurnsOver),
        steered(Steering::Script, SteerCause::LeaseOver),
        added(false),
        added(true),
        JournalEvent::AgentRemoved { by: ann() },
        JournalEvent::Retuned { changes: "decide_max 250ms → 300ms".into(), by: ann() },
        left(None, Keep::ALL),
        left(Some("localhost:12300"), Keep { world: false, memory: true }),
        JournalEvent::Returned { to: "localhost:12300".into(), by: ann() },
    ]
}

fn matches() -> Vec<JournalEvent> {
    let alert = AlertKind::SilentAgent;
    let done = |score| TurnDone {
        asked: 15,
        decided: 14,
        fallback: 1,
        score,
        script_us: 812,
        ..TurnDone::default()
    };
    vec![
        JournalEvent::RoundStarted,
        JournalEvent::Resumed { turn: Turn::new(0, 116), missed: 1 },
        JournalEvent::Resumed { turn: Turn::new(0, 110), missed: 7 },
        JournalEvent::CheckpointRefused { reason: "it is of another match".into() },
        JournalEvent::TurnDone(done(None)),
        JournalEvent::TurnDone(done(Some(-3))),
        JournalEvent::AlertBegan { alert, text: "answered by fallbacks for 5 turns".into() },
        JournalEvent::AlertEnded { alert, turns: 7 },
        JournalEvent::RoundOver { score: 120, ranking: None },
        JournalEvent::RoundOver { score: 120, ranking: Some(1) },
        JournalEvent::MatchOver,
    ]
}

#[test]
fn every_event_says_what_happened_in_plain_english() {
    let groups = [seats(), decisions(), strategies(), operators(), matches()];
    let (mut names, mut texts) = (SortedSet::new(), String::new());
    for event in groups.into_iter().flatten() {
        let name = name(&event);
        names.insert(name);
        let entry = JournalEntry { turn: Turn::new(0, 118), agent: None, generation: 2, event };
        let Description { severity, topic, text, details } = entry.describe();
        let words = format!("{text} {}", details.join(" ")).to_lowercase();
        assert!(!text.is_empty() && !text.contains('\n'), "{name}: {text}");
        let dialect = DIALECT.iter().find(|word| words.contains(**word));
        assert_eq!(dialect, None, "{name}: {text}");
        texts.push_str(&format!("{name} ({severity:?}, {})\n  {text}\n", topic.word()));
        for line in details.iter().flat_map(|detail| detail.lines()) {
            texts.push_str(&format!("    {line}\n"));
        }
    }
    assert_eq!(names.len(), VARIANTS, "{names:?}");
    insta::assert_snapshot!(texts);
}

#[test]
fn a_seat_is_named_after_its_first_agent() {
    let mut match_ = Match::new(2, TeamOptions::default());
    match_.turn(1);
    match_.journal.clear();
    let reason = "wrong password".to_owned();
    match_.input(Input::Seat { seat: SeatId(1), state: SeatState::Refused { reason } });
    let entry = &match_.journal[0];
    assert_eq!(entry.agent.as_deref(), Some("a1"));
    assert_eq!(entry.describe().text, "seat was refused: wrong password");
}
