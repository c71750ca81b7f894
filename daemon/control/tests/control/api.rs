//! The API as clients see it, over real sockets with plain clients.

use crate::support::fake::Daemon;
use phalanx_control::client;
use phalanx_engine::{AgentSnapshot, Counters, SeatState, Snapshot};
use phalanx_game::Turn;
use phalanx_proto::v1;
use phalanx_proto::v1::teams_client::TeamsClient;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
use tonic_reflection::pb::v1 as reflection;
use tonic_types::StatusExt;

#[tokio::test]
async fn teams_are_listed_by_name_page_by_page_over_both_sockets() {
    let daemon = Daemon::start(&["C", "A", "B"]);
    let tcp = client::connect(&daemon.tcp.to_string().parse().unwrap()).await.unwrap();
    for channel in [daemon.channel().await, tcp] {
        let mut client = TeamsClient::new(channel);
        let mut pages = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = v1::ListTeamsRequest { page_size: 2, page_token };
            let page = client.list_teams(request).await.unwrap().into_inner();
            pages.push(page.teams.into_iter().map(|team| team.name).collect::<Vec<_>>());
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        assert_eq!(pages, [vec!["teams/A", "teams/B"], vec!["teams/C"]]);
    }
}

#[tokio::test]
async fn a_team_shows_its_last_turn_and_its_connections_of_right_now() {
    let daemon = Daemon::start(&["A"]);
    let team = daemon.teams.first().unwrap();
    team.snapshot.send_replace(Arc::new(Snapshot {
        turn: Turn::new(1, 42),
        tick: 542,
        score: Some(30),
        rounds: vec![80],
        counters: Counters { asked: 20, decided: 18, fallback: 2, ..Counters::default() },
        agents: vec![AgentSnapshot {
            name: "A1".into(),
            role: "scout".into(),
            ..Default::default()
        }],
        ..Snapshot::default()
    }));
    team.seats(&SeatState::Connecting { failures: 3, reason: "refused".into() });
    let shown = get(&daemon, "teams/A").await.unwrap();
    assert_eq!(shown.turn, Some(v1::Turn { round: 1, step: 42 }));
    assert_eq!((shown.score, shown.round_scores), (Some(30), vec![80]));
    assert_eq!(shown.counters.unwrap().fallback, 2);
    assert_eq!((shown.agent_count, shown.seated_count), (2, 0));
    assert_eq!(shown.state, i32::from(v1::TeamState::Waiting));
    let rows: Vec<_> = shown
        .agents
        .iter()
        .map(|agent| (agent.name.as_str(), agent.role.as_str(), agent.seat_failures))
        .collect();
    // The second agent is not in the snapshot yet, so the roster is used.
    assert_eq!(rows, [("A1", "scout", 3), ("A2", "worker", 3)]);
}

#[tokio::test]
async fn a_refusal_says_what_was_wrong_in_a_form_for_programs() {
    let daemon = Daemon::start(&["A", "B"]);
    let long = format!("teams/{}", "x".repeat(10_000));
    let cases = [
        ("teams/Z", Code::NotFound, "TEAM_NOT_FOUND"),
        ("A", Code::InvalidArgument, "NAME_MALFORMED"),
        ("", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/A/agents/1", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/A\0", Code::InvalidArgument, "NAME_MALFORMED"),
        (&long, Code::InvalidArgument, "NAME_MALFORMED"),
    ];
    for (name, code, reason) in cases {
        let status = get(&daemon, name).await.unwrap_err();
        check(&status, code, reason);
    }
    let missing = get(&daemon, "teams/Z").await.unwrap_err();
    assert!(client::explain(&missing).contains("there are: A, B"), "{missing}");
    let empty = Daemon::start(&[]);
    let missing = get(&empty, "teams/Z").await.unwrap_err();
    assert!(client::explain(&missing).contains("there are: none"), "{missing}");
    let malformed = get(&daemon, "A").await.unwrap_err();
    let details = malformed.get_error_details();
    let fields = &details.bad_request().unwrap().field_violations;
    assert_eq!(fields.first().unwrap().field, "name");
}

#[tokio::test]
async fn a_malformed_page_is_refused_by_field() {
    let daemon = Daemon::start(&["A"]);
    let mut client = TeamsClient::new(daemon.channel().await);
    let cases = [
        (-1, "", "PAGE_SIZE_NEGATIVE"),
        (0, "nonsense", "PAGE_TOKEN_MALFORMED"),
        (0, &"after/".repeat(1_000), "PAGE_TOKEN_MALFORMED"),
    ];
    for (page_size, token, reason) in cases {
        let request = v1::ListTeamsRequest { page_size, page_token: token.to_owned() };
        check(&client.list_teams(request).await.unwrap_err(), Code::InvalidArgument, reason);
    }
    let request = v1::ListTeamsRequest { page_size: i32::MAX, page_token: "after/A".into() };
    assert_eq!(client.list_teams(request).await.unwrap().into_inner().teams, []);
}

#[tokio::test]
async fn an_oversized_request_is_refused_and_the_connection_stays() {
    let daemon = Daemon::start(&["A"]);
    let mut client = TeamsClient::new(daemon.channel().await);
    let name = "x".repeat(1 << 20);
    let status = client.get_team(v1::GetTeamRequest { name }).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
    assert!(client.list_teams(v1::ListTeamsRequest::default()).await.is_ok());
}

#[tokio::test]
async fn a_plain_client_finds_every_service_by_reflection() {
    let daemon = Daemon::start(&[]);
    let mut client =
        reflection::server_reflection_client::ServerReflectionClient::new(daemon.channel().await);
    let ask = reflection::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(reflection::server_reflection_request::MessageRequest::ListServices(
            String::new(),
        )),
    };
    let answers = client.server_reflection_info(tokio_stream::iter([ask])).await.unwrap();
    let answer = answers.into_inner().message().await.unwrap().unwrap().message_response.unwrap();
    let reflection::server_reflection_response::MessageResponse::ListServicesResponse(list) =
        answer
    else {
        panic!("{answer:?}");
    };
    let mut names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
    names.sort();
    let mut expected = vec!["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"];
    expected.extend(phalanx_proto::v1::NAMES);
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn health_follows_each_team_and_the_drain() {
    let daemon = Daemon::start(&["A"]);
    let mut client = HealthClient::new(daemon.channel().await);
    let mut watch = health(&mut client, "teams/A").await;
    assert_eq!(next(&mut watch).await, ServingStatus::NotServing);
    daemon.teams.first().unwrap().seats(&SeatState::Seated);
    assert_eq!(next(&mut watch).await, ServingStatus::Serving);
    // Without a change of state there is no message.
    (0..100).for_each(|step| daemon.teams.first().unwrap().log(step, "x"));
    daemon.teams.first().unwrap().seats(&SeatState::Closed);
    assert_eq!(next(&mut watch).await, ServingStatus::NotServing);
    let mut whole = health(&mut client, "").await;
    assert_eq!(next(&mut whole).await, ServingStatus::Serving);
    daemon.handle.not_serving().await;
    assert_eq!(next(&mut whole).await, ServingStatus::NotServing);
    let missing = client.check(HealthCheckRequest { service: "teams/Z".into() }).await;
    assert_eq!(missing.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn garbage_and_http_1_do_not_disturb_other_clients() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let daemon = Daemon::start(&["A"]);
    for garbage in [b"GET / HTTP/1.1\r\n\r\n".to_vec(), vec![0xff; 100_000]] {
        let mut socket = tokio::net::TcpStream::connect(daemon.tcp).await.unwrap();
        // The server may close while we still write.
        drop(socket.write_all(&garbage).await);
        drop(socket.read_to_end(&mut Vec::new()).await);
    }
    assert!(get(&daemon, "teams/A").await.is_ok());
}

#[tokio::test]
async fn a_stop_is_clean_while_clients_are_connected_but_quiet() {
    let daemon = Daemon::start(&["A"]);
    let mut client = TeamsClient::new(daemon.channel().await);
    assert!(client.list_teams(v1::ListTeamsRequest::default()).await.is_ok());
    let path = daemon.path();
    assert!(daemon.handle.stop(Duration::from_secs(20)).await);
    assert!(!path.exists());
    let gone = client.list_teams(v1::ListTeamsRequest::default()).await.unwrap_err();
    assert_eq!(gone.code(), Code::Unavailable, "{gone}");
}

async fn get(daemon: &Daemon, name: &str) -> Result<v1::Team, Status> {
    let mut client = TeamsClient::new(daemon.channel().await);
    let answer = client.get_team(v1::GetTeamRequest { name: name.to_owned() }).await?;
    Ok(answer.into_inner().team.unwrap())
}

fn check(status: &Status, code: Code, reason: &str) {
    assert_eq!(status.code(), code, "{status}");
    let info = status.get_details_error_info().unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), (reason, "phalanx"));
}

type HealthStream = tonic::Streaming<tonic_health::pb::HealthCheckResponse>;

async fn health(
    client: &mut HealthClient<phalanx_control::client::Link>,
    name: &str,
) -> HealthStream {
    // The follower registers its team a moment after the server is up.
    loop {
        let request = HealthCheckRequest { service: name.to_owned() };
        match client.watch(request).await {
            Ok(stream) => return stream.into_inner(),
            Err(status) => assert_eq!(status.code(), Code::NotFound),
        }
    }
}

async fn next(stream: &mut HealthStream) -> ServingStatus {
    stream.message().await.unwrap().unwrap().status()
}
