//! Steering, creating and deleting teams, as clients see it, over real sockets.

use crate::support::fake;
use crate::support::steered::Steered;
use phalanx_control::TeamDirectory;
use phalanx_control::client::Link;
use phalanx_engine::{BrainError, BrainErrorKind, CommandError};
use phalanx_net::TeamEnd;
use phalanx_proto::v1;
use phalanx_proto::v1::access_client::AccessClient;
use phalanx_proto::v1::steering::Mode;
use phalanx_proto::v1::teams_client::TeamsClient;
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_types::StatusExt;

const AGENT: &str = "teams/A/agents/A1";

#[tokio::test]
async fn agents_are_steered_in_the_callers_name_and_answered_as_they_are_then() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let name = AGENT.to_owned();
    let pause = v1::PauseAgentRequest { name: name.clone(), ..Default::default() };
    let answer = client.pause_agent(pause).await.unwrap().into_inner();
    let agent = answer.agent.unwrap();
    assert_eq!(agent.resource_name, AGENT);
    let Some(Mode::Paused(paused)) = agent.steering.unwrap().mode else { panic!() };
    let me = AccessClient::new(daemon.local().await).get_caller(v1::GetCallerRequest {}).await;
    assert_eq!(paused.by, me.unwrap().into_inner().who);
    assert_eq!(answer.etag, etag(&mut client).await);

    let (order, turns) = ("act.move(\"n\")".to_owned(), 3);
    let pin = v1::PinOrderRequest {
        name: name.clone(),
        order: order.clone(),
        turns,
        ..Default::default()
    };
    let agent = client.pin_order(pin).await.unwrap().into_inner().agent.unwrap();
    let Some(Mode::Pinned(pinned)) = agent.steering.unwrap().mode else { panic!() };
    assert_eq!((pinned.order.as_str(), pinned.turns_left), ("move(\"n\")", 3));

    let pilot = v1::PilotAgentRequest { name: name.clone(), ..Default::default() };
    let agent = client.pilot_agent(pilot).await.unwrap().into_inner().agent.unwrap();
    let Some(Mode::Piloted(piloted)) = agent.steering.unwrap().mode else { panic!() };
    assert_eq!((piloted.lease_turns, piloted.order.as_str()), (10, ""));
    let order = v1::SendOrderRequest { name: name.clone(), order, ..Default::default() };
    let agent = client.send_order(order).await.unwrap().into_inner().agent.unwrap();
    let Some(Mode::Piloted(piloted)) = agent.steering.unwrap().mode else { panic!() };
    assert_eq!(piloted.order, "move(\"n\")");

    let release = v1::ReleaseAgentRequest { name: name.clone(), ..Default::default() };
    let agent = client.release_agent(release).await.unwrap().into_inner().agent.unwrap();
    assert_eq!(agent.steering.unwrap().mode, Some(Mode::Script(v1::ScriptSteering {})));
    let carry = v1::MemoryCarry::Forget.into();
    let role = v1::SetAgentRoleRequest { name, role: "scout".into(), carry, ..Default::default() };
    let agent = client.set_agent_role(role).await.unwrap().into_inner().agent.unwrap();
    assert_eq!(agent.role, "scout");
    let told = daemon.controls.told();
    assert_eq!(told.len(), 6, "{told:?}");
    assert!(told.last().unwrap().contains("scout Forget"), "{told:?}");
}

#[tokio::test]
async fn agents_come_and_go() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let spec = |name: &str| {
        Some(v1::AgentSpec { name: name.into(), password: "planted".into(), ..Default::default() })
    };
    let team = "teams/A".to_owned();
    let add = |agent, validate_only| v1::AddAgentRequest {
        team: team.clone(),
        agent,
        validate_only,
        ..Default::default()
    };
    let checked = client.add_agent(add(spec("A3"), true)).await.unwrap().into_inner();
    assert_eq!(checked.agent.unwrap().resource_name, "teams/A/agents/A3");
    for (name, code, reason) in [
        ("A2", Code::AlreadyExists, "AGENT_EXISTS"),
        ("", Code::InvalidArgument, "AGENT_SPEC"),
        ("a/b", Code::InvalidArgument, "AGENT_SPEC"),
        ("a\0b", Code::InvalidArgument, "AGENT_SPEC"),
    ] {
        check(&client.add_agent(add(spec(name), true)).await.unwrap_err(), code, reason);
    }
    assert!(daemon.controls.told().is_empty(), "validate_only does nothing");
    client.add_agent(add(spec("A3"), false)).await.unwrap();
    let remove = v1::RemoveAgentRequest { name: AGENT.into(), ..Default::default() };
    let last = client.remove_agent(remove).await.unwrap().into_inner().agent.unwrap();
    assert_eq!(last.name, "A1");
    let told = daemon.controls.told();
    assert!(told[0].starts_with("add A3") && told[1].starts_with("remove"), "{told:?}");
    assert!(!format!("{told:?}").contains("planted"));
}

#[tokio::test]
async fn a_team_whose_match_is_over_says_so_when_it_is_started() {
    let daemon = Steered::start();
    daemon.teams.find("A").puppet.end(TeamEnd::MatchOver);
    let start = v1::StartTeamRequest { name: "teams/A".into(), ..Default::default() };
    let status = TeamsClient::new(daemon.local().await).start_team(start).await.unwrap_err();
    check(&status, Code::Unavailable, "TEAM_ENDED");
    assert!(status.message().contains("the match of team \"A\" is over"), "{status}");
}

#[tokio::test]
async fn a_team_stops_starts_moves_and_ends() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let name = "teams/A".to_owned();
    let stop = v1::StopTeamRequest { name: name.clone(), ..Default::default() };
    let team = client.stop_team(stop).await.unwrap().into_inner().team.unwrap();
    assert!(team.stopped && team.state() == v1::TeamState::Stopped);
    let server = "b:1".to_owned();
    let send =
        v1::MoveTeamRequest { name: name.clone(), server, keep_memory: true, ..Default::default() };
    client.move_team(send).await.unwrap();
    let start = v1::StartTeamRequest { name: name.clone(), ..Default::default() };
    let team = client.start_team(start.clone()).await.unwrap().into_inner().team.unwrap();
    assert!(!team.stopped && team.state() == v1::TeamState::Waiting);
    let restart = v1::RestartTeamRequest { name: name.clone(), ..Default::default() };
    client.restart_team(restart).await.unwrap();
    let team = daemon.teams.find("A");
    assert_eq!(team.puppet.restarts.lock().unwrap().len(), 1);
    team.puppet.refuse_to_leave();
    let grace = Some(prost_types::Duration { seconds: 0, nanos: 200_000_000 });
    let drain = v1::DrainTeamRequest { name: name.clone(), grace, ..Default::default() };
    let drained = client.drain_team(drain.clone()).await.unwrap().into_inner();
    let team = drained.team.unwrap();
    assert_eq!((team.end(), team.state()), (v1::TeamEnd::Drained, v1::TeamState::Over));
    assert_eq!(drained.stragglers, ["A1", "A2"]);
    // An ended team stays ended.
    assert!(client.drain_team(drain).await.unwrap().into_inner().stragglers.is_empty());
    let status = client.start_team(start).await.unwrap_err();
    check(&status, Code::Unavailable, "TEAM_ENDED");
    let words = ["stop", "move b:1 false true", "start"];
    let told = daemon.controls.told();
    assert_eq!(told.len(), words.len(), "{told:?}");
    assert!(told.iter().zip(words).all(|(told, word)| told.starts_with(word)), "{told:?}");
}

#[tokio::test]
async fn teams_are_made_watched_by_health_and_deleted() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let made = client.create_team(team("B", false)).await.unwrap().into_inner();
    assert_eq!(
        (made.team.unwrap().name.as_str(), made.report.unwrap().hash.as_str()),
        ("teams/B", "abc")
    );
    let exists = client.create_team(team("B", false)).await.unwrap_err();
    check(&exists, Code::AlreadyExists, "TEAM_EXISTS");
    let mut health = HealthClient::new(daemon.local().await);
    let service = || HealthCheckRequest { service: "teams/B".into() };
    // The follower registers its team a moment after it was created.
    while health.check(service()).await.is_err() {}

    let delete = |force, validate_only| v1::DeleteTeamRequest {
        name: "teams/B".into(),
        force,
        validate_only,
        ..Default::default()
    };
    let plays = client.delete_team(delete(false, false)).await.unwrap_err();
    check(&plays, Code::FailedPrecondition, "TEAM_PLAYS");
    client.delete_team(delete(true, true)).await.unwrap();
    assert!(daemon.teams.team("B").is_some(), "validate_only does nothing");
    let gone = client.delete_team(delete(true, false)).await.unwrap().into_inner().team.unwrap();
    assert_eq!(gone.end(), v1::TeamEnd::Drained);
    assert_eq!(health.check(service()).await.unwrap_err().code(), Code::NotFound);
    let missing = client.delete_team(delete(true, false)).await.unwrap_err();
    check(&missing, Code::NotFound, "TEAM_NOT_FOUND");
    // Its name is free again.
    client.create_team(team("B", false)).await.unwrap();
}

#[tokio::test]
async fn a_team_that_cannot_be_made_says_why_by_field() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let wrong = client.create_team(team("", true)).await.unwrap_err();
    check(&wrong, Code::InvalidArgument, "TEAM_SPEC");
    let details = wrong.get_details_bad_request().unwrap();
    let fields: Vec<_> = details.field_violations.into_iter().map(|one| one.field).collect();
    assert_eq!(fields, ["team.name", "team.agents[3].name"]);
    let mut broken = team("B", false);
    broken.team.as_mut().unwrap().strategy = "/broken".into();
    let refused = client.create_team(broken).await.unwrap_err();
    check(&refused, Code::FailedPrecondition, "STRATEGY_REFUSED");
    let (report, _) = phalanx_control::client::refused(&refused).unwrap();
    assert_eq!(report.hash, "abc");
    let checked = client.create_team(team("B", true)).await.unwrap().into_inner().team.unwrap();
    assert_eq!((checked.name.as_str(), checked.agent_count), ("teams/B", 1));
    assert!(daemon.teams.team("B").is_none(), "validate_only does nothing");
}

#[tokio::test]
async fn a_server_whose_teams_are_fixed_makes_and_deletes_none() {
    let daemon = fake::Daemon::start(&["A"]);
    let mut client = TeamsClient::new(daemon.channel().await);
    let refused = client.create_team(team("B", false)).await.unwrap_err();
    check(&refused, Code::FailedPrecondition, "TEAMS_FIXED");
    let delete = v1::DeleteTeamRequest { name: "teams/A".into(), ..Default::default() };
    let refused = client.delete_team(delete).await.unwrap_err();
    check(&refused, Code::FailedPrecondition, "TEAMS_FIXED");
}

#[tokio::test]
async fn what_a_team_refuses_has_a_reason_of_its_own() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let memory = BrainError::without_place(BrainErrorKind::Script, "no migrate");
    let agent = || "A1".to_owned();
    for (trouble, code, reason) in [
        (CommandError::busy(), Code::Unavailable, "TEAM_BUSY"),
        (CommandError::Ended, Code::Unavailable, "TEAM_ENDED"),
        (
            CommandError::NoSuchRole { role: "x".into(), known: vec![], meant: None },
            Code::NotFound,
            "ROLE_NOT_FOUND",
        ),
        (CommandError::Memory(memory), Code::FailedPrecondition, "MEMORY_REFUSED"),
        (CommandError::NotPiloted { agent: agent() }, Code::FailedPrecondition, "NOT_PILOTED"),
        (
            CommandError::Piloted { agent: agent(), by: "anna".into() },
            Code::FailedPrecondition,
            "PILOTED_BY_OTHER",
        ),
        (CommandError::Leaving, Code::FailedPrecondition, "TEAM_LEAVING"),
        (CommandError::Busy("full".into()), Code::Unavailable, "TEAM_BUSY"),
        (CommandError::Over, Code::FailedPrecondition, "MATCH_OVER"),
        (CommandError::LastAgent { name: agent() }, Code::FailedPrecondition, "LAST_AGENT"),
        (
            CommandError::Fixed { game: "toy", reason: "so" },
            Code::FailedPrecondition,
            "MEMBERS_FIXED",
        ),
        (CommandError::TooManyAgents { max: 1 }, Code::ResourceExhausted, "TOO_MANY_AGENTS"),
    ] {
        daemon.controls.refuses(trouble);
        let role = v1::SetAgentRoleRequest {
            name: AGENT.into(),
            role: "scout".into(),
            ..Default::default()
        };
        check(&client.set_agent_role(role).await.unwrap_err(), code, reason);
    }
    assert!(daemon.controls.told().is_empty());
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_before_the_team_hears_of_it() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let long = format!("teams/A/agents/{}", "x".repeat(1 << 15));
    for (name, code, reason) in [
        ("", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/A", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/A/agents/", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/A/agents/A1/x", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/A/agents/A\0", Code::InvalidArgument, "NAME_MALFORMED"),
        (&long, Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/Z/agents/A1", Code::NotFound, "TEAM_NOT_FOUND"),
        ("teams/A/agents/A9", Code::NotFound, "AGENT_NOT_FOUND"),
    ] {
        let pause = v1::PauseAgentRequest { name: name.into(), ..Default::default() };
        check(&client.pause_agent(pause).await.unwrap_err(), code, reason);
    }
    for (order, turns, reason) in [
        ("move(", 1, "ORDER_MALFORMED"),
        ("fly()", 1, "ORDER_MALFORMED"),
        ("move('n')", 0, "TURNS_MALFORMED"),
        ("move('n')", 10_001, "TURNS_MALFORMED"),
    ] {
        let (name, order) = (AGENT.to_owned(), order.to_owned());
        let pin = v1::PinOrderRequest { name, order, turns, ..Default::default() };
        let status = client.pin_order(pin).await.unwrap_err();
        check(&status, Code::InvalidArgument, reason);
    }
    let (name, lease_turns) = (AGENT.to_owned(), 1_001);
    let pilot = v1::PilotAgentRequest { name, lease_turns, ..Default::default() };
    let status = client.pilot_agent(pilot).await.unwrap_err();
    check(&status, Code::InvalidArgument, "TURNS_MALFORMED");
    let (name, server) = ("teams/A".to_owned(), "nowhere".to_owned());
    let send = v1::MoveTeamRequest { name, server, ..Default::default() };
    let status = client.move_team(send).await.unwrap_err();
    check(&status, Code::InvalidArgument, "SERVER_MALFORMED");
    for seconds in [-1, 601] {
        let grace = Some(prost_types::Duration { seconds, nanos: 0 });
        let drain = v1::DrainTeamRequest { name: "teams/A".into(), grace, ..Default::default() };
        let status = client.drain_team(drain).await.unwrap_err();
        check(&status, Code::InvalidArgument, "GRACE_MALFORMED");
    }
    assert!(daemon.controls.told().is_empty());
}

#[tokio::test]
async fn nothing_is_done_where_only_a_check_is_asked_for() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let (name, validate_only) = (|| "teams/A".to_owned(), true);
    let before = client.get_team(v1::GetTeamRequest { name: name() }).await.unwrap().into_inner();
    let team = v1::StopTeamRequest { name: name(), validate_only, ..Default::default() };
    client.stop_team(team).await.unwrap();
    let team = v1::StartTeamRequest { name: name(), validate_only, ..Default::default() };
    client.start_team(team).await.unwrap();
    let team = v1::DrainTeamRequest { name: name(), validate_only, ..Default::default() };
    client.drain_team(team).await.unwrap();
    let server = "b:1".to_owned();
    let team = v1::MoveTeamRequest { name: name(), server, validate_only, ..Default::default() };
    client.move_team(team).await.unwrap();
    let agent = || AGENT.to_owned();
    let one = v1::PauseAgentRequest { name: agent(), validate_only, ..Default::default() };
    client.pause_agent(one).await.unwrap();
    let one = v1::RemoveAgentRequest { name: agent(), validate_only, ..Default::default() };
    client.remove_agent(one).await.unwrap();
    let role = "scout".to_owned();
    let one = v1::SetAgentRoleRequest { name: agent(), role, validate_only, ..Default::default() };
    client.set_agent_role(one).await.unwrap();
    let order = "move('n')".to_owned();
    let one =
        v1::PinOrderRequest { name: agent(), order, turns: 1, validate_only, ..Default::default() };
    client.pin_order(one).await.unwrap();
    // What the team would refuse is refused here, too.
    let order = "move('n')".to_owned();
    let one = v1::SendOrderRequest { name: agent(), order, validate_only, ..Default::default() };
    check(&client.send_order(one).await.unwrap_err(), Code::FailedPrecondition, "NOT_PILOTED");
    assert!(daemon.controls.told().is_empty());
    let after = client.get_team(v1::GetTeamRequest { name: name() }).await.unwrap().into_inner();
    assert_eq!(before, after);
}

#[tokio::test]
async fn of_two_changes_of_the_same_state_one_is_refused() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let known = etag(&mut client).await;
    let pause = |name: &str| v1::PauseAgentRequest {
        name: name.to_owned(),
        etag: known.clone(),
        ..Default::default()
    };
    let (mut one, mut other) = (client.clone(), client.clone());
    let both = tokio::join!(
        one.pause_agent(pause("teams/A/agents/A1")),
        other.pause_agent(pause("teams/A/agents/A2"))
    );
    let refused = match both {
        (Ok(_), Err(refused)) | (Err(refused), Ok(_)) => refused,
        both => panic!("{both:?}"),
    };
    check(&refused, Code::Aborted, "ETAG_MISMATCH");
    let told = refused.get_details_error_info().unwrap();
    assert_eq!(told.metadata.get("etag"), Some(&etag(&mut client).await));
    assert_eq!(daemon.controls.told().len(), 1);
    // A pilot's order is not a change.
    let name = AGENT.to_owned();
    let pilot = v1::PilotAgentRequest { name: name.clone(), lease_turns: 9, ..Default::default() };
    client.pilot_agent(pilot).await.unwrap();
    let before = etag(&mut client).await;
    let order = v1::SendOrderRequest { name, order: "move('n')".into(), ..Default::default() };
    client.send_order(order).await.unwrap();
    assert_eq!(before, etag(&mut client).await);
}

#[tokio::test]
async fn a_request_that_is_sent_again_is_done_once() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    let pause = |id: &str| v1::PauseAgentRequest {
        name: AGENT.into(),
        request_id: id.to_owned(),
        ..Default::default()
    };
    let first = client.pause_agent(pause("one")).await.unwrap().into_inner();
    let again = client.pause_agent(pause("one")).await.unwrap().into_inner();
    // The same caller over another connection.
    let other = TeamsClient::new(daemon.local().await).pause_agent(pause("one")).await.unwrap();
    assert_eq!((&first, &first), (&again, &other.into_inner()));
    assert_eq!(daemon.controls.told().len(), 1);
    // The id is different for another method, and refused for another request.
    let release = v1::ReleaseAgentRequest {
        name: AGENT.into(),
        request_id: "one".into(),
        ..Default::default()
    };
    client.release_agent(release).await.unwrap();
    let other = v1::PauseAgentRequest { name: "teams/A/agents/A2".into(), ..pause("one") };
    let reused = client.pause_agent(other).await.unwrap_err();
    check(&reused, Code::FailedPrecondition, "REQUEST_ID_REUSED");
    let malformed = client.pause_agent(pause("a\nb")).await.unwrap_err();
    check(&malformed, Code::InvalidArgument, "REQUEST_ID_MALFORMED");
    // You may try a refused request again.
    daemon.controls.refuses(CommandError::busy());
    check(&client.pause_agent(pause("two")).await.unwrap_err(), Code::Unavailable, "TEAM_BUSY");
    daemon.controls.0.trouble.lock().unwrap().take();
    client.pause_agent(pause("two")).await.unwrap();
    assert_eq!(daemon.controls.told().len(), 3);
}

#[tokio::test]
async fn a_caller_without_patience_is_told_that_it_goes_on_and_hears_of_the_end_by_its_id() {
    let daemon = Steered::start();
    let mut client = TeamsClient::new(daemon.local().await);
    daemon.controls.0.turns.forget_permits(usize::MAX);
    let stop = || v1::StopTeamRequest {
        name: "teams/A".into(),
        request_id: "stop".into(),
        ..Default::default()
    };
    let late = loop {
        let mut hasty = Request::new(stop());
        hasty.metadata_mut().insert("grpc-timeout", "200m".parse().unwrap());
        let late = client.stop_team(hasty).await.unwrap_err();
        // The client has the same deadline, and may be first.
        if (late.code(), late.message()) != (Code::Cancelled, "Timeout expired") {
            break late;
        }
    };
    check(&late, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    let told = late.get_details_error_info().unwrap();
    assert_eq!(told.metadata.get("goes_on").map(String::as_str), Some("true"));
    daemon.controls.0.turns.add_permits(10);
    let team = client.stop_team(stop()).await.unwrap().into_inner().team.unwrap();
    assert!(team.stopped);
    assert_eq!(daemon.controls.told().len(), 1, "it was done once");
}

#[tokio::test]
async fn viewers_steer_nothing_and_only_admins_make_and_delete() {
    let daemon = Steered::start();
    let mut tokens = AccessClient::new(daemon.local().await);
    let request = v1::CreateTokenRequest {
        display_name: "operator".into(),
        role: v1::Role::Operator.into(),
        ..Default::default()
    };
    let token = tokens.create_token(request).await.unwrap().into_inner().text;
    let mut viewer = TeamsClient::new(daemon.remote(None).await);
    let mut operator = TeamsClient::new(daemon.remote(Some(token)).await);
    let stop = || v1::StopTeamRequest { name: "teams/A".into(), ..Default::default() };
    let refused = viewer.stop_team(stop()).await.unwrap_err();
    check(&refused, Code::PermissionDenied, "ROLE_TOO_SMALL");
    viewer.get_team(v1::GetTeamRequest { name: "teams/A".into() }).await.unwrap();
    operator.stop_team(stop()).await.unwrap();
    let send = |server: &str, validate_only| v1::MoveTeamRequest {
        name: "teams/A".into(),
        server: server.into(),
        validate_only,
        ..Default::default()
    };
    for validate_only in [true, false] {
        let refused = operator.move_team(send("thief:1", validate_only)).await.unwrap_err();
        check(&refused, Code::PermissionDenied, "SERVER_NOT_ALLOWED");
    }
    operator.move_team(send("127.0.0.1:1", false)).await.unwrap();
    TeamsClient::new(daemon.local().await).move_team(send("anywhere:1", false)).await.unwrap();
    let refused = operator.create_team(team("B", false)).await.unwrap_err();
    check(&refused, Code::PermissionDenied, "ROLE_TOO_SMALL");
    let delete = v1::DeleteTeamRequest { name: "teams/A".into(), ..Default::default() };
    let refused = operator.delete_team(delete.clone()).await.unwrap_err();
    check(&refused, Code::PermissionDenied, "ROLE_TOO_SMALL");
    TeamsClient::new(daemon.local().await).delete_team(delete).await.unwrap();
}

fn team(name: &str, validate_only: bool) -> v1::CreateTeamRequest {
    let agent = v1::AgentSpec { name: "b1".into(), ..Default::default() };
    let spec = v1::TeamSpec { name: name.into(), agents: vec![agent], ..Default::default() };
    v1::CreateTeamRequest { team: Some(spec), validate_only, ..Default::default() }
}

async fn etag(client: &mut TeamsClient<Link>) -> String {
    let request = v1::GetTeamRequest { name: "teams/A".into() };
    client.get_team(request).await.unwrap().into_inner().team.unwrap().etag
}

fn check(status: &Status, code: Code, reason: &str) {
    assert_eq!(status.code(), code, "{status}");
    let info = status.get_details_error_info().unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), (reason, "phalanx"));
}
