//! What a client that watches a match gets: all events in order, or a clear end.

use crate::support::fake::{Daemon, FakeTeam};
use phalanx_control::Options;
use phalanx_engine::{
    AlertKind, BoardLooks, Carry, Fault, Generation, JournalEvent, Keep, LookKind, Provenance,
    Reason, SeatState, SteerCause, Steering, StrategyOrigin, TurnDone,
};
use phalanx_game::{DefaultCause, Notice, ProtocolError, Said, SeatId, Turn, Value};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::matches_client::MatchesClient;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt;

#[tokio::test]
async fn every_kind_of_event_arrives_in_order() {
    let daemon = Daemon::start(&["A"]);
    let mut stream = watch(&daemon, "", true).await.unwrap();
    let team = daemon.teams.first().unwrap();
    let events: Vec<_> = played().into_iter().chain(steered()).collect();
    let count = events.len();
    (0..).zip(events).for_each(|(step, event)| team.happens(step, event));
    team.puppet.end_journal();
    let mut seen = Vec::new();
    while let Some(event) = stream.message().await.unwrap() {
        seen.push(event.event.unwrap());
    }
    assert_eq!(seen.len(), count, "the stream ends with the team");
    let steps: Vec<_> = seen.iter().filter_map(|event| Some(event.turn?.step)).collect();
    assert_eq!(steps, (0..).take(count).collect::<Vec<_>>());
    let shown: Vec<_> = seen
        .into_iter()
        .map(|event| format!("{} {:?}", event.generation, event.kind.unwrap()))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[tokio::test]
async fn events_that_a_slow_reader_missed_are_counted() {
    let daemon = Daemon::of(vec![FakeTeam::with_journal("A", 4)], Options::default());
    let mut stream = watch(&daemon, "", true).await.unwrap();
    let team = daemon.teams.first().unwrap();
    (0..8).for_each(|step| team.log(step, "hm"));
    team.puppet.end_journal();
    let mut seen = Vec::new();
    while let Some(event) = stream.message().await.unwrap() {
        seen.push(event.event.unwrap().kind.unwrap());
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
    assert_eq!(seen.first(), Some(&Kind::EventsLost(v1::EventsLost { count: 4 })));
}

/// The events of a match without operators.
fn played() -> Vec<JournalEvent> {
    let malformed = ProtocolError::new("message", "json", b"\x00");
    let spent = Duration::from_micros(1_500);
    vec![
        JournalEvent::Seat { seat: SeatId(1), state: SeatState::Refused { reason: "no".into() } },
        JournalEvent::RoundStarted,
        JournalEvent::Decided {
            action: "move(n)".into(),
            role: "w".into(),
            reason: Some(because("north is free", Value::map([("free", Value::Int(3))]))),
            spent,
            grounds: grounds(),
        },
        JournalEvent::Fallback {
            reason: "w.lua:3: x".into(),
            role: "w".into(),
            explained: Some(because("trying", Value::Nil)),
            spent,
            grounds: Box::default(),
        },
        JournalEvent::Generation {
            generation: generation(2),
            pinned: true,
            note: "rolled back by kuno".into(),
        },
        JournalEvent::StrategyRefused { origin: StrategyOrigin::File, faults: vec![fault()] },
        JournalEvent::TakenBack {
            failed: generation(2),
            generation: generation(1),
            reason: "6 errors".into(),
        },
        JournalEvent::ParamSet {
            name: "greed".into(),
            scope: "role w".into(),
            before: String::new(),
            value: "0.5".into(),
            by: "kuno".into(),
        },
        JournalEvent::BoardSet {
            key: "goal".into(),
            value: Value::map([("x", Value::Int(3))]),
            turns: Some(5),
            by: "kuno".into(),
        },
        JournalEvent::Ran { code: "me.x = 1".into(), by: "kuno".into(), trouble: String::new() },
        JournalEvent::ScriptError { call: "plan", reason: "y".into() },
        JournalEvent::Defaulted { cause: DefaultCause::Superseded },
        JournalEvent::Late,
        JournalEvent::Notice(Notice::Malformed(malformed)),
        JournalEvent::Notice(Notice::AnswerLost { turn: Turn::new(0, 3) }),
        JournalEvent::Log { level: "warn", text: "hm".into() },
        JournalEvent::TurnDone(TurnDone {
            asked: 3,
            decided: 2,
            script_us: 1_500,
            ..TurnDone::default()
        }),
        JournalEvent::RoundOver { score: 30, ranking: Some(1) },
        JournalEvent::Resumed { turn: Turn::new(0, 90), missed: 3 },
        JournalEvent::CheckpointRefused { reason: "it is another map".into() },
        JournalEvent::MatchOver,
    ]
}

/// Actions of operators, and alerts.
fn steered() -> Vec<JournalEvent> {
    let by = || "kuno".to_owned();
    let order = Said::new("move", vec!["n".into()]);
    let steered = |steering, cause| JournalEvent::Steered { steering, cause };
    let operator = || SteerCause::Operator { by: by() };
    let piloted = |order| Steering::Piloted { by: by(), lease: 9, turns_left: 8, order };
    vec![
        JournalEvent::RoleSet {
            before: "w".into(),
            role: "scout".into(),
            carry: Carry::Forget,
            by: by(),
        },
        steered(Steering::Paused { by: by() }, operator()),
        steered(Steering::Pinned { order: order.clone(), turns_left: 3, by: by() }, operator()),
        steered(piloted(None), operator()),
        steered(piloted(Some(order)), operator()),
        steered(Steering::Script, SteerCause::TurnsOver),
        steered(Steering::Script, SteerCause::LeaseOver),
        JournalEvent::Ordered { action: "move(n)".into(), by: by(), pinned: true },
        JournalEvent::Held { by: by(), piloted: true },
        JournalEvent::AgentAdded { role: "w".into(), again: true, by: by() },
        JournalEvent::AgentRemoved { by: by() },
        JournalEvent::Left { to: None, keep: Keep::ALL, by: by() },
        JournalEvent::Left { to: Some("b:1".into()), keep: Keep::NOTHING, by: by() },
        JournalEvent::Returned { to: "b:1".into(), by: by() },
        JournalEvent::Retuned { changes: "decide_max 250ms → 300ms".into(), by: by() },
        JournalEvent::AlertBegan { alert: AlertKind::SilentAgent, text: "5 turns".into() },
        JournalEvent::AlertEnded { alert: AlertKind::ErrorStorm, turns: 7 },
    ]
}

#[tokio::test]
async fn single_decisions_come_on_request_only() {
    let daemon = Daemon::start(&["A"]);
    let mut stream = watch(&daemon, "", false).await.unwrap();
    let team = daemon.teams.first().unwrap();
    let (role, spent, grounds) = ("w".to_owned(), Duration::ZERO, Box::default());
    let action = "skip()".to_owned();
    team.happens(1, JournalEvent::Decided { action, role, reason: None, spent, grounds });
    team.log(1, "after");
    assert_eq!(text(&mut stream).await.unwrap().0, "after");
}

#[tokio::test]
async fn a_client_resumes_after_the_last_event_that_it_saw() {
    let daemon = Daemon::start(&["A"]);
    let mut first = watch(&daemon, "", false).await.unwrap();
    let team = daemon.teams.first().unwrap();
    ["one", "two", "three"].iter().for_each(|line| team.log(1, line));
    let (line, cursor) = text(&mut first).await.unwrap();
    assert_eq!(line, "one");
    drop(first);
    let mut second = watch(&daemon, &cursor, false).await.unwrap();
    assert_eq!(text(&mut second).await.unwrap().0, "two");
    assert_eq!(text(&mut second).await.unwrap().0, "three");
}

#[tokio::test]
async fn a_client_that_does_not_read_loses_its_stream_and_nobody_else_does() {
    let daemon = Daemon::start_with(&["A"], Options { events_max: 50, ..Options::default() });
    let mut lazy = watch(&daemon, "", false).await.unwrap();
    let mut eager = watch(&daemon, "", false).await.unwrap();
    let team = daemon.teams.first().unwrap();
    // More than the windows of HTTP/2 and the socket's buffers hold for a client that does not
    // read.
    let long = "x".repeat(400);
    for step in 0..20_000 {
        team.log(step, &long);
        text(&mut eager).await.unwrap();
    }
    let mut read = 0;
    let status = loop {
        match text(&mut lazy).await {
            Ok(_) => read += 1,
            Err(status) => break status,
        }
    };
    assert!((1..20_000).contains(&read), "{read}");
    assert_eq!(status.code(), Code::ResourceExhausted);
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.reason, "CLIENT_TOO_SLOW");
    let cursor = info.metadata.get("cursor").unwrap();
    assert!(watch(&daemon, cursor, false).await.is_ok(), "{cursor}");
}

#[tokio::test]
async fn a_cursor_that_makes_no_sense_or_is_too_old_is_refused() {
    let daemon = Daemon::start_with(&["A"], Options { events_max: 2, ..Options::default() });
    let mut stream = watch(&daemon, "", false).await.unwrap();
    let team = daemon.teams.first().unwrap();
    let mut first = String::new();
    for step in 0..5 {
        team.log(step, "x");
        let (_, cursor) = text(&mut stream).await.unwrap();
        if step == 0 {
            first = cursor;
        }
    }
    let expired = watch(&daemon, &first, false).await.unwrap_err();
    assert_eq!(expired.code(), Code::OutOfRange);
    let oldest = expired.get_details_error_info().unwrap().metadata.get("oldest").cloned();
    assert!(watch(&daemon, &oldest.unwrap(), false).await.is_ok());
    for bad in ["x", "0.0", "\0", &"9".repeat(1_000)] {
        let status = watch(&daemon, bad, false).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{bad}");
    }
}

#[tokio::test]
async fn open_streams_have_a_bound() {
    let daemon = Daemon::start_with(&["A"], Options { streams_max: 1, ..Options::default() });
    let held = watch(&daemon, "", false).await.unwrap();
    let status = watch(&daemon, "", false).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(status.get_details_error_info().unwrap().reason, "TOO_MANY_STREAMS");
    drop(held);
    // The server notices a moment later that the stream is gone.
    while watch(&daemon, "", false).await.is_err() {}
}

#[tokio::test]
async fn a_stopping_daemon_ends_streams_with_a_reason() {
    let daemon = Daemon::start(&["A"]);
    let mut stream = watch(&daemon, "", false).await.unwrap();
    let stop = tokio::spawn(daemon.handle.stop(Duration::from_secs(20)));
    let status = text(&mut stream).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.get_details_error_info().unwrap().reason, "SHUTTING_DOWN");
    drop(stream);
    assert!(stop.await.unwrap());
}

#[tokio::test]
async fn what_happened_before_the_daemon_stops_is_still_told() {
    let daemon = Daemon::start(&["A"]);
    let mut stream = watch(&daemon, "", false).await.unwrap();
    let team = daemon.teams.first().unwrap();
    (0..100).for_each(|step| team.log(step, "last words"));
    let stop = tokio::spawn(daemon.handle.stop(Duration::from_secs(20)));
    for _ in 0..100 {
        assert_eq!(text(&mut stream).await.unwrap().0, "last words");
    }
    assert_eq!(text(&mut stream).await.unwrap_err().code(), Code::Unavailable);
    drop(stream);
    assert!(stop.await.unwrap());
}

fn because(text: &str, data: Value) -> Reason {
    Reason { text: text.to_owned(), data }
}

fn grounds() -> Box<Provenance> {
    let mut board = BoardLooks::default();
    board.note(LookKind::Value, "goal".into(), Value::cell(3, 4));
    board.note(LookKind::Holder, "dig".into(), Value::Nil);
    Box::new(Provenance { place: Some(("w.lua".into(), 7)), board, ..Provenance::default() })
}

fn generation(number: u32) -> Arc<Generation> {
    let accepted = UNIX_EPOCH + Duration::from_secs(number.into());
    let origin = StrategyOrigin::Api { user: "kuno".into() };
    Arc::new(Generation { number, hash: format!("hash{number}"), accepted, origin })
}

fn fault() -> Fault {
    Fault {
        fatal: true,
        file: "w.luau".into(),
        line: Some(3),
        column: None,
        message: "x is not known".into(),
        help: String::new(),
        excerpt: "x()\n^".into(),
    }
}

async fn watch(
    daemon: &Daemon,
    cursor: &str,
    decisions: bool,
) -> Result<Streaming<v1::WatchMatchResponse>, Status> {
    let mut client = MatchesClient::new(daemon.channel().await);
    let request =
        v1::WatchMatchRequest { team: "teams/A".into(), cursor: cursor.to_owned(), decisions };
    Ok(client.watch_match(request).await?.into_inner())
}

/// The text of the next event, a log line, and its cursor.
async fn text(stream: &mut Streaming<v1::WatchMatchResponse>) -> Result<(String, String), Status> {
    let event = stream.message().await?.unwrap().event.unwrap();
    let Some(Kind::ScriptLog(line)) = event.kind else { panic!("a log line: {event:?}") };
    Ok((line.text, event.cursor))
}
