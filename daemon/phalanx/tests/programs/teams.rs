//! A daemon that is started without teams: a plain client creates, steers, moves and deletes them
//! over its API.

use crate::support::{Running, arena, arena_at, arena_config, daemon, settings};
use phalanx_control::client::{Address, Credentials, Link, connect, connect_as};
use phalanx_proto::v1;
use phalanx_proto::v1::access_client::AccessClient;
use phalanx_proto::v1::daemon_client::DaemonClient;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use tonic::{Code, Status, Streaming};

/// Settings without a team.
fn empty(dir: &Path) -> std::path::PathBuf {
    let path = dir.join("phalanxd.toml");
    let text = format!(
        "[control]\nsocket = \"{}/control.sock\"\n[log]\nformat = \"json\"\n",
        dir.display()
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// A folder with the roles worker and scout.
fn strategy(dir: &Path) -> String {
    let folder = dir.join("strategy");
    std::fs::create_dir_all(&folder).unwrap();
    for role in ["worker", "scout"] {
        let source = "return { decide = function() return act.skip() end }";
        std::fs::write(folder.join(format!("{role}.luau")), source).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

fn spec(dir: &Path, server: SocketAddr) -> v1::TeamSpec {
    v1::TeamSpec {
        name: "A".into(),
        game: "assemble".into(),
        server: server.to_string(),
        strategy: strategy(dir),
        pattern: Some(v1::AgentPattern { prefix: "agentA".into(), count: 2, first: None }),
        password: "secret-a".into(),
        ..v1::TeamSpec::default()
    }
}

struct Client {
    teams: TeamsClient<Link>,
    link: Link,
}

impl Client {
    async fn new(dir: &Path) -> Self {
        let link = connect(&Address::Unix(dir.join("control.sock"))).await.unwrap();
        Self { teams: TeamsClient::new(link.clone()), link }
    }

    async fn create(
        &mut self,
        team: v1::TeamSpec,
        stopped: bool,
        validate_only: bool,
    ) -> Result<v1::CreateTeamResponse, Status> {
        let request = v1::CreateTeamRequest {
            team: Some(team),
            stopped,
            validate_only,
            ..Default::default()
        };
        Ok(self.teams.create_team(request).await?.into_inner())
    }

    async fn team(&mut self) -> Result<v1::Team, Status> {
        let request = v1::GetTeamRequest { name: "teams/A".into() };
        Ok(self.teams.get_team(request).await?.into_inner().team.unwrap())
    }

    async fn events(&self) -> Streaming<v1::WatchMatchResponse> {
        let request = v1::WatchMatchRequest { team: "teams/A".into(), ..Default::default() };
        MatchesClient::new(self.link.clone()).watch_match(request).await.unwrap().into_inner()
    }
}

/// The first event that matches; the test fails at the end of the stream.
async fn event(
    events: &mut Streaming<v1::WatchMatchResponse>,
    fits: impl Fn(&Kind) -> bool,
) -> Kind {
    loop {
        let event = events.message().await.unwrap().unwrap().event.unwrap();
        if let Some(kind) = event.kind.filter(|kind| fits(kind)) {
            return kind;
        }
    }
}

fn seated(kind: &Kind) -> bool {
    matches!(kind, Kind::SeatChanged(seat) if seat.state() == v1::SeatState::Seated)
}

fn reason(status: &Status) -> String {
    use tonic_types::StatusExt;
    status.get_details_error_info().unwrap().reason
}

fn started(dir: &Path) -> Running {
    let mut daemon = daemon(&empty(dir));
    daemon.line_with("control API");
    daemon
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_lives_from_its_making_to_its_deletion_over_the_api() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, first) = arena(&arena_config(dir.path(), 2, 40, 4000));
    let (_other, second) = arena(&arena_config(dir.path(), 2, 40, 4000));
    let daemon = started(dir.path());
    let mut client = Client::new(dir.path()).await;

    let checked = client.create(spec(dir.path(), first), true, true).await.unwrap();
    assert_eq!(checked.team.unwrap().agent_count, 2);
    assert_eq!(client.team().await.unwrap_err().code(), Code::NotFound);
    let made = client.create(spec(dir.path(), first), true, false).await.unwrap();
    assert!(made.report.unwrap().passed);
    let team = made.team.unwrap();
    assert_eq!((team.state(), team.generation), (v1::TeamState::Stopped, 1));
    assert!(!team.creator.is_empty() && team.server == first.to_string());
    let again = client.create(spec(dir.path(), first), true, false).await.unwrap_err();
    assert_eq!(reason(&again), "TEAM_EXISTS");

    let mut events = client.events().await;
    let name = || "teams/A".to_owned();
    let start = v1::StartTeamRequest { name: name(), ..Default::default() };
    client.teams.start_team(start).await.unwrap();
    event(&mut events, |kind| matches!(kind, Kind::Returned(_))).await;
    event(&mut events, seated).await;

    let agent = || "teams/A/agents/agentA1".to_owned();
    let role = |role: &str, validate_only| v1::SetAgentRoleRequest {
        name: agent(),
        role: role.into(),
        validate_only,
        ..Default::default()
    };
    for validate_only in [true, false] {
        let refused = client.teams.set_agent_role(role("wizard", validate_only)).await.unwrap_err();
        assert_eq!(reason(&refused), "ROLE_NOT_FOUND", "{refused}");
    }
    let changed = client.teams.set_agent_role(role("scout", false)).await.unwrap().into_inner();
    assert_eq!(changed.agent.unwrap().role, "scout");
    event(&mut events, |kind| matches!(kind, Kind::RoleSet(set) if set.role == "scout")).await;
    let (order, turns) = ("act.fly()".to_owned(), 3);
    let pin = v1::PinOrderRequest { name: agent(), order, turns, ..Default::default() };
    let refused = client.teams.pin_order(pin).await.unwrap_err();
    assert_eq!(reason(&refused), "ORDER_MALFORMED", "{refused}");
    let etag = client.team().await.unwrap().etag;
    let pause =
        || v1::PauseAgentRequest { name: agent(), etag: etag.clone(), ..Default::default() };
    client.teams.pause_agent(pause()).await.unwrap();
    let refused = client.teams.pause_agent(pause()).await.unwrap_err();
    assert_eq!(reason(&refused), "ETAG_MISMATCH");

    let server = second.to_string();
    let send = v1::MoveTeamRequest { name: name(), server, keep_world: true, ..Default::default() };
    let moved = client.teams.move_team(send).await.unwrap().into_inner().team.unwrap();
    assert_eq!(moved.server, second.to_string());
    event(&mut events, |kind| matches!(kind, Kind::Left(left) if left.keep_world)).await;
    event(&mut events, seated).await;

    let drain = v1::DrainTeamRequest { name: name(), ..Default::default() };
    let drained = client.teams.drain_team(drain).await.unwrap().into_inner();
    assert_eq!(drained.team.unwrap().end(), v1::TeamEnd::Drained);
    // Streams end with the team; its last state can still be read.
    while events.message().await.unwrap().is_some() {}
    assert_eq!(client.team().await.unwrap().state(), v1::TeamState::Over);
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_whose_match_is_over_plays_the_next_one_when_it_is_started() {
    let dir = tempfile::tempdir().unwrap();
    let config = arena_config(dir.path(), 1, 3, 4000);
    let (first, address) = arena(&config);
    let daemon = started(dir.path());
    let mut client = Client::new(dir.path()).await;
    let team = |name: &str| v1::TeamSpec {
        name: name.into(),
        pattern: Some(v1::AgentPattern { prefix: format!("agent{name}"), count: 1, first: None }),
        password: format!("secret-{}", name.to_lowercase()),
        ..spec(dir.path(), address)
    };
    for name in ["A", "B"] {
        client.create(team(name), false, false).await.unwrap();
    }
    let over = async |client: &mut Client| {
        while client.team().await.unwrap().end() != v1::TeamEnd::MatchOver {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    over(&mut client).await;
    let made = client.team().await.unwrap();
    drop(first);
    let (_second, _) = arena_at(&config, address);
    for name in ["teams/A", "teams/B"] {
        let start = v1::StartTeamRequest { name: name.into(), ..Default::default() };
        let team = client.teams.start_team(start).await.unwrap().into_inner().team.unwrap();
        assert_eq!((team.end(), team.agent_count), (v1::TeamEnd::Unspecified, 1));
        assert_eq!((&team.server, &team.creator), (&made.server, &made.creator));
    }
    over(&mut client).await;
    assert!(client.team().await.unwrap().counters.unwrap().asked > 0);
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_waits_for_teams_stays_until_it_is_told_to_leave() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, address) = arena(&arena_config(dir.path(), 2, 40, 4000));
    let daemon = started(dir.path());
    let mut client = Client::new(dir.path()).await;
    for _ in 0..2 {
        // The name is free again after each round.
        client.create(spec(dir.path(), address), true, false).await.unwrap();
        let delete = v1::DeleteTeamRequest { name: "teams/A".into(), ..Default::default() };
        client.teams.delete_team(delete).await.unwrap();
        assert_eq!(reason(&client.team().await.unwrap_err()), "TEAM_NOT_FOUND");
    }
    daemon.terminate();
    let (log, code) = tokio::task::spawn_blocking(move || daemon.finish()).await.unwrap();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("SIGTERM") && !log.contains("secret-a"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_that_cannot_be_made_names_every_field_and_no_password() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = started(dir.path());
    let mut client = Client::new(dir.path()).await;
    let mut wrong = spec(dir.path(), "127.0.0.1:1".parse().unwrap());
    wrong.game = "chess".into();
    wrong.server = "nowhere".into();
    wrong.strategy = "relative".into();
    wrong.password = "planted\u{1}".into();
    wrong.pattern = Some(v1::AgentPattern { prefix: "a/b".into(), count: 0, first: None });
    let refused = client.create(wrong, false, false).await.unwrap_err();
    assert_eq!(reason(&refused), "TEAM_SPEC");
    use tonic_types::StatusExt;
    let details = refused.get_details_bad_request().unwrap().field_violations;
    let mut fields: Vec<_> = details.iter().map(|one| one.field.as_str()).collect();
    fields.sort_unstable();
    let expected =
        ["team.game", "team.pattern.count", "team.pattern.prefix", "team.server", "team.strategy"];
    assert_eq!(fields, expected);
    assert!(!format!("{refused:?}").contains("planted"), "{refused:?}");

    let mut broken = spec(dir.path(), "127.0.0.1:1".parse().unwrap());
    let folder = dir.path().join("broken");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("worker.luau"), "return {\n  decide = function(\n}\n").unwrap();
    broken.strategy = folder.to_str().unwrap().to_owned();
    let refused = client.create(broken, false, false).await.unwrap_err();
    assert_eq!(reason(&refused), "STRATEGY_REFUSED");
    let (report, _) = phalanx_control::client::refused(&refused).unwrap();
    assert!(report.faults.iter().any(|fault| fault.file == "worker.luau"), "{report:?}");
    assert_eq!(reason(&client.team().await.unwrap_err()), "TEAM_NOT_FOUND");
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_has_no_password_sent_to_a_server_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let (_arena, home) = arena(&arena_config(dir.path(), 2, 40, 4000));
    let (_other, listed) = arena(&arena_config(dir.path(), 2, 40, 4000));
    let thief = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    thief.set_nonblocking(true).unwrap();
    let there = thief.local_addr().unwrap();
    let path =
        settings(dir.path(), home, 2, "return { decide = function() return act.skip() end }");
    let text = std::fs::read_to_string(&path).unwrap();
    let control = format!(
        "state_dir = \"state\"\n[control]\ntcp = \"127.0.0.1:0\"\nmove_hosts = [\"localhost:{}\"]\n",
        listed.port()
    );
    std::fs::write(&path, text.replacen("[control]\n", &control, 1)).unwrap();
    let mut daemon = daemon(&path);
    let tcp = loop {
        let line: serde_json::Value =
            serde_json::from_str(&daemon.line_with("control API")).unwrap();
        if let Some(address) = line["fields"]["address"].as_str() {
            break address.to_owned();
        }
    };
    let admin = Client::new(dir.path()).await;
    let request = v1::CreateTokenRequest {
        display_name: "kim".into(),
        role: v1::Role::Operator.into(),
        ..Default::default()
    };
    let token = AccessClient::new(admin.link.clone()).create_token(request).await.unwrap();
    let token = token.into_inner().text.into();
    let credentials = Credentials::default().with_token(&token).unwrap();
    let link = connect_as(&Address::Http(format!("http://{tcp}")), credentials).await.unwrap();
    let mut operator = TeamsClient::new(link);
    let send = |server: String| v1::MoveTeamRequest {
        name: "teams/A".into(),
        server,
        ..Default::default()
    };

    for server in [there.to_string(), format!("localhost:{}", there.port())] {
        for validate_only in [true, false] {
            let request = v1::MoveTeamRequest { validate_only, ..send(server.clone()) };
            let refused = operator.move_team(request).await.unwrap_err();
            assert_eq!(reason(&refused), "SERVER_NOT_ALLOWED", "{refused}");
            assert!(refused.message().contains("control.move_hosts"), "{refused}");
        }
    }
    let moved = operator.move_team(send(format!("localhost:{}", listed.port()))).await.unwrap();
    let moved = moved.into_inner().team.unwrap();
    assert_eq!(moved.server, format!("localhost:{}", listed.port()));
    operator.move_team(send(home.to_string())).await.unwrap();
    // No connection was ever made to the server that the operator named.
    let came = thief.accept().map(drop).map_err(|error| error.kind());
    assert_eq!(came, Err(std::io::ErrorKind::WouldBlock));
    let audit = std::fs::read_to_string(dir.path().join("state/audit.jsonl")).unwrap();
    let attempt = audit.lines().find(|line| line.contains(&there.to_string())).unwrap();
    assert!(attempt.contains("kim") && attempt.contains("PermissionDenied"), "{attempt}");

    // An admin may, and when an admin reloads changed settings, operators may, too.
    let allowed = control.replace("move_hosts = [", &format!("move_hosts = [\"{there}\", "));
    std::fs::write(&path, text.replacen("[control]\n", &allowed, 1)).unwrap();
    let mut host = DaemonClient::new(admin.link.clone());
    host.reload_settings(v1::ReloadSettingsRequest::default()).await.unwrap();
    operator.move_team(send(there.to_string())).await.unwrap();
    drop(daemon);
}
