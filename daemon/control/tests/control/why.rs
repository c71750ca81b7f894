//! Explanations of agents' decisions over the API.

use crate::support::fake::{Daemon, FakeTeam};
use phalanx_engine::{AgentSnapshot, BoardLooks, JournalEvent, LookKind, Provenance, Snapshot};
use phalanx_game::{Turn, Value};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::matches_client::MatchesClient;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::StatusExt;

#[tokio::test]
async fn a_decision_is_explained_with_what_it_rests_on_and_its_answer() {
    let daemon = Daemon::start(&["A"]);
    let team = daemon.teams.first().unwrap();
    plays(team, 3, "");
    // If snapshots follow each other faster, only the last one is seen.
    until(&daemon, ask(Some(3)), |told| !told.percept.is_empty()).await;
    plays(team, 5, "failed_path");
    let told = until(&daemon, ask(Some(3)), |told| told.result_turn.is_some()).await;
    assert_eq!((told.agent.as_str(), told.generation), ("teams/A/agents/A1", 2));
    assert_eq!((told.percept.as_str(), told.result.as_str()), ("stands at 3", "failed_path"));
    assert_eq!(told.turn, Some(v1::Turn { round: 0, step: 3 }));
    assert_eq!(told.result_turn, Some(v1::Turn { round: 0, step: 5 }));
    let [event] = told.events.as_slice() else { panic!("{told:?}") };
    let Some(Kind::Decided(decided)) = &event.kind else { panic!("{event:?}") };
    assert_eq!((decided.action.as_str(), decided.role.as_str()), ("move(n)", "w"));
    let grounds = decided.grounds.as_ref().unwrap();
    assert_eq!((grounds.file.as_str(), grounds.line, grounds.board_more), ("w.luau", 7, 0));
    let [look] = grounds.board.as_slice() else { panic!("{grounds:?}") };
    let got = look.got.as_ref().and_then(|got| got.kind.clone());
    assert_eq!((look.key.as_str(), look.kind()), ("goal", v1::BoardLookKind::Value));
    assert_eq!(got, Some(prost_types::value::Kind::NumberValue(9.0)));
    let last = explain(&daemon, ask(None)).await.unwrap();
    assert_eq!((last.turn.unwrap().step, last.result_turn), (5, None));
    let ago = v1::ExplainDecisionRequest { ago: 1, ..ask(None) };
    assert_eq!(explain(&daemon, ago).await.unwrap(), told);
}

#[tokio::test]
async fn whoever_asks_for_what_is_not_there_hears_what_is() {
    let daemon = Daemon::start(&["A"]);
    let team = daemon.teams.first().unwrap();
    let nothing = explain(&daemon, ask(None)).await.unwrap_err();
    assert_eq!((nothing.code(), reason(&nothing).0.as_str()), (Code::OutOfRange, "TURN_NOT_KEPT"));
    plays(team, 3, "");
    plays(team, 5, "");
    until(&daemon, ask(None), |told| told.turn.unwrap().step == 5).await;
    let (why, kept) = reason(&explain(&daemon, ask(Some(8))).await.unwrap_err());
    assert_eq!((why.as_str(), &*kept["oldest"], &*kept["newest"]), ("TURN_NOT_KEPT", "0:3", "0:5"));
    let other = v1::ExplainDecisionRequest { name: "teams/A/agents/A2".into(), ..ask(Some(5)) };
    let (why, near) = reason(&explain(&daemon, other).await.unwrap_err());
    assert_eq!((why.as_str(), &*near["turns"]), ("NOT_ASKED", ""));
    for (name, expected) in [
        ("teams/A/agents/nobody", "AGENT_NOT_FOUND"),
        ("teams/Z/agents/A1", "TEAM_NOT_FOUND"),
        ("teams/A", "NAME_MALFORMED"),
    ] {
        let request = v1::ExplainDecisionRequest { name: name.into(), ..ask(None) };
        assert_eq!(reason(&explain(&daemon, request).await.unwrap_err()).0, expected, "{name}");
    }
    let both = v1::ExplainDecisionRequest { ago: 1, ..ask(Some(3)) };
    let alone = v1::ExplainDecisionRequest { round: Some(0), ..ask(None) };
    for odd in [both, alone] {
        assert_eq!(reason(&explain(&daemon, odd).await.unwrap_err()).0, "TURNS_MALFORMED");
    }
}

/// The first agent decides in a turn, and the team publishes the result.
fn plays(team: &Arc<FakeTeam>, step: u32, result: &str) {
    let mut board = BoardLooks::default();
    board.note(LookKind::Value, "goal".into(), Value::Int(9));
    let grounds =
        Box::new(Provenance { place: Some(("w.luau".into(), 7)), board, ..Provenance::default() });
    let (action, role, spent) = ("move(n)".into(), "w".into(), Duration::from_micros(40));
    team.happens(step, JournalEvent::Decided { action, role, reason: None, spent, grounds });
    let turn = Turn::new(0, step);
    let agent = AgentSnapshot {
        name: "A1".into(),
        summary: format!("stands at {step}"),
        last_asked: Some(turn),
        last_result: result.into(),
        ..AgentSnapshot::default()
    };
    let snapshot = Snapshot { turn, agents: vec![agent], ..Snapshot::default() };
    team.snapshot.send_replace(Arc::new(snapshot));
}

fn ask(step: Option<u32>) -> v1::ExplainDecisionRequest {
    let name = "teams/A/agents/A1".to_owned();
    v1::ExplainDecisionRequest { name, step, round: None, ago: 0 }
}

async fn explain(
    daemon: &Daemon,
    request: v1::ExplainDecisionRequest,
) -> Result<v1::Explanation, Status> {
    let mut client = MatchesClient::new(daemon.channel().await);
    let answer = client.explain_decision(request).await?.into_inner();
    Ok(answer.explanation.unwrap())
}

/// The follower gets everything a moment later.
async fn until(
    daemon: &Daemon,
    request: v1::ExplainDecisionRequest,
    seen: impl Fn(&v1::Explanation) -> bool,
) -> v1::Explanation {
    loop {
        if let Ok(told) = explain(daemon, request.clone()).await
            && seen(&told)
        {
            return told;
        }
    }
}

fn reason(status: &Status) -> (String, HashMap<String, String>) {
    let info = status.get_details_error_info().unwrap();
    (info.reason, info.metadata)
}
