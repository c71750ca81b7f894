//! WebSockets, with the referee of Bomberland behind them: teams, and clients that know only the
//! protocol.

use crate::toy::brains;
use futures_util::{SinkExt, StreamExt};
use phalanx_bomberland::Bomberland;
use phalanx_bomberland::arena::{ArenaConfig, ArenaOptions, BomberlandArena};
use phalanx_engine::{CommandError, Staged, TeamOptions};
use phalanx_game::{AgentId, MarginLimits, Roster, RosterEntry, Seat, SeatId};
use phalanx_net::{
    AgentSpec, ArenaEnd, ArenaHandle, BuildError, Endpoint, HostOptions, Listener, SeatOptions,
    TeamEnd, TeamSpec, origin, serve_arena,
};
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async, client_async};

/// A small world that burns quickly.
const SHORT: &str = "MAP_WIDTH=7\nMAP_HEIGHT=7\nUNITS_PER_AGENT=1\nGAME_DURATION_TICKS=5\n\
    FIRE_SPAWN_INTERVAL_TICKS=1\nINITIAL_HP=1\nGAME_START_DELAY_MS=0\nTICK_RATE_HZ=50\n\
    AGENT_SECRET_ID_MAP=red,blue";
/// A world without events.
const LONG: &str = "GAME_START_DELAY_MS=0\nTICK_RATE_HZ=20\nGAME_DURATION_TICKS=100000\n\
    AGENT_SECRET_ID_MAP=red,blue";
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

async fn host(config: &str) -> (ArenaHandle, u16) {
    let config = ArenaConfig::parse(config).unwrap();
    let options = ArenaOptions { seed: Some(1), ..ArenaOptions::default() };
    let arena = BomberlandArena::new(config, options, origin()).unwrap();
    let listener = Listener::bind_web_socket("127.0.0.1:0").await.unwrap();
    let handle = serve_arena(Box::new(arena), listener, HostOptions::default());
    let port = handle.address().unwrap().port();
    (handle, port)
}

fn team(name: &str, units: u16, endpoint: Endpoint) -> TeamSpec<Bomberland> {
    let entry = |unit| RosterEntry::new(format!("{name}{unit}"), "worker");
    let roster = Roster { team: name.into(), agents: (0..units).map(entry).collect() };
    let seat = Seat {
        id: SeatId(0),
        agents: (0..units).map(|unit| (AgentId(unit), format!("{name}{unit}"))).collect(),
        user: name.into(),
        password: String::new(),
        turn_limit: Duration::from_millis(100),
        margin: MarginLimits::default(),
    };
    TeamSpec {
        name: name.into(),
        game: Bomberland,
        roster,
        seats: vec![seat],
        endpoint,
        staged: Staged::default(),
        team: TeamOptions::default(),
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    }
}

/// A client that knows only the protocol.
struct Client(WebSocketStream<TcpStream>);

impl Client {
    async fn open(port: u16, target: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let uri = format!("ws://127.0.0.1:{port}{target}");
        Self(client_async(uri, stream).await.unwrap().0)
    }

    /// The next packet of that type.
    async fn hear(&mut self, kind: &str) -> Value {
        let wanted = async {
            loop {
                let message = self.0.next().await.unwrap().unwrap();
                let Message::Text(text) = message else { continue };
                let packet: Value = serde_json::from_str(&text).unwrap();
                if packet["type"] == kind {
                    return packet;
                }
            }
        };
        tokio::time::timeout(PATIENCE, wanted).await.unwrap()
    }

    async fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }
}

async fn players(port: u16) -> (Client, Client) {
    let mut red = Client::open(port, "/?role=agent&agentId=red").await;
    let mut blue = Client::open(port, "/?role=agent&agentId=blue").await;
    red.hear("game_state").await;
    blue.hear("game_state").await;
    (red, blue)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_teams_play_a_match_to_its_end() {
    let (arena, port) = host(SHORT).await;
    let mut teams = Vec::new();
    for name in ["red", "blue"] {
        let spec = team(name, 1, Endpoint::web_socket("127.0.0.1", port));
        teams.push(spec.build(brains(|_, _| "wait".into())).await.unwrap().spawn());
    }
    for team in &teams {
        let end = tokio::time::timeout(PATIENCE, team.ended()).await.unwrap();
        assert_eq!(end, TeamEnd::MatchOver);
    }
    let report = arena.ended().await;
    assert_eq!((report.end, report.clients_slow), (ArenaEnd::Over, 0));
    for (team, score) in teams.iter().zip(&report.verdict.teams) {
        let snapshot = team.snapshot();
        assert_eq!(snapshot.rounds, score.rounds, "{}", score.team);
        assert!(snapshot.counters.asked > 0, "{}", score.team);
    }
}

#[tokio::test]
async fn a_team_whose_units_share_a_connection_stays_as_it_is() {
    let spec = team("red", 2, Endpoint::web_socket("127.0.0.1", 1));
    let team = spec.build(brains(|_, _| "wait".into())).await.unwrap().spawn();
    let (name, role, password) = ("red2".to_owned(), "worker".to_owned(), String::new().into());
    let spec = AgentSpec { name, role, user: None, password };
    let refused = team.add_agent(spec, "ann".into()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "teams of bomberland do not change while they play: one connection carries all units of a \
         team, and the game begins with them"
    );
    let refused = team.remove_agent(AgentId(0), "ann".into()).await;
    assert!(matches!(refused, Err(CommandError::Fixed { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_client_that_knows_only_the_protocol_plays() {
    let (_arena, port) = host(LONG).await;
    let (mut red, mut blue) = players(port).await;
    red.hear("tick").await;
    // Pings are answered at any time.
    red.0.send(Message::Ping("are you there".into())).await.unwrap();
    red.say(r#"{"type":"bomb","unit_id":"c"}"#).await;
    let bombed = async {
        loop {
            let tick = blue.hear("tick").await;
            if tick.to_string().contains(r#""bomb""#) {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, bombed).await.unwrap();
    let answered = async { while !matches!(red.0.next().await, Some(Ok(Message::Pong(_)))) {} };
    tokio::time::timeout(PATIENCE, answered).await.unwrap();
}

#[tokio::test]
async fn who_leaves_in_the_middle_comes_back_into_the_same_game() {
    let (_arena, port) = host(LONG).await;
    let (mut red, mut blue) = players(port).await;
    let before = red.hear("tick").await["payload"]["tick"].as_u64().unwrap();
    drop(red);
    blue.hear("tick").await;
    let again = async {
        loop {
            // The referee keeps the seat until it notices that the old connection is gone.
            let mut red = Client::open(port, "/?role=agent&agentId=red").await;
            let first = tokio::time::timeout(Duration::from_secs(1), red.hear("game_state")).await;
            if let Ok(state) = first {
                return state["payload"]["tick"].as_u64().unwrap();
            }
        }
    };
    let tick = tokio::time::timeout(PATIENCE, again).await.unwrap();
    assert!(tick >= before, "{tick} after {before}");
}

/// The answer to plain bytes, up to the end of the connection.
async fn answer(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().ok();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn whoever_does_not_speak_the_protocol_is_told_so_and_disturbs_nobody() {
    let (_arena, port) = host(LONG).await;
    let silent = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (mut red, mut blue) = players(port).await;
    let web = answer(port, b"GET /?role=spectator HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(web.starts_with("HTTP/1.1 426 "), "{web}");
    let post = answer(port, b"POST / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(post.starts_with("HTTP/1.1 400 "), "{post}");
    let noise = answer(port, &[0xff; 64]).await;
    assert!(noise.starts_with("HTTP/1.1 400 "), "{noise}");
    let endless = answer(port, &[b'a'; 17 << 10]).await;
    assert!(endless.is_empty() || endless.starts_with("HTTP/1.1 400 "), "{endless}");
    blue.say("\u{0}not json").await;
    blue.0.send(Message::Binary(vec![0xff; 100].into())).await.unwrap();
    for _ in 0..2 {
        red.hear("tick").await;
        blue.hear("tick").await;
    }
    drop(silent);
}

#[tokio::test]
async fn a_frame_against_the_protocol_or_beyond_the_bounds_ends_the_connection() {
    let (_arena, port) = host(LONG).await;
    let (mut red, blue) = players(port).await;
    // From here on the game continues without the others.
    red.hear("tick").await;
    // A server's frames are not masked, which is forbidden for a client.
    let stream = blue.0.into_inner();
    let config = Some(WebSocketConfig::default());
    let mut rude = WebSocketStream::from_raw_socket(stream, Role::Server, config).await;
    rude.send(Message::text("{}")).await.unwrap();
    let mut rude = rude.into_inner();
    let mut rest = Vec::new();
    tokio::time::timeout(PATIENCE, rude.read_to_end(&mut rest)).await.unwrap().ok();
    assert!(rest.ends_with(&[0x88, 2, 0x03, 0xea]), "no goodbye with 1002: {:?}", rest.last());
    let mut blue = Client::open(port, "/?role=spectator").await;
    blue.hear("game_state").await;
    let long = Message::text("x".repeat(17 << 20));
    let told = async {
        let sent = blue.0.send(long).await;
        while let Some(Ok(_)) = blue.0.next().await {}
        sent
    };
    // It may notice the end while it still writes.
    let sent = tokio::time::timeout(PATIENCE, told).await.unwrap();
    assert!(matches!(sent, Ok(()) | Err(Error::Io(_) | Error::Protocol(_))), "{sent:?}");
    red.hear("tick").await;
}

#[tokio::test]
async fn a_seat_comes_back_with_its_target_after_a_goodbye() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let endpoint = Endpoint::web_socket("127.0.0.1", port);
    let spec = team("a name", 3, endpoint);
    let _team = spec.build(brains(|_, _| "wait".into())).await.unwrap().spawn();
    for _ in 0..2 {
        let (stream, _) = listener.accept().await.unwrap();
        let mut target = String::new();
        #[expect(clippy::result_large_err, reason = "the library's type")]
        let note = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
            request.uri().to_string().clone_into(&mut target);
            Ok(response)
        };
        let mut socket = accept_hdr_async(stream, note).await.unwrap();
        assert_eq!(target, "/?role=agent&agentId=a%20name&name=a%20name");
        socket.close(None).await.unwrap();
    }
}

#[tokio::test]
async fn a_game_of_messages_does_not_go_over_a_stream() {
    let spec = team("red", 1, Endpoint::tcp("127.0.0.1", 1));
    let error = spec.build(brains(|_, _| "wait".into())).await.unwrap_err();
    assert!(matches!(error, BuildError::Framing { game: "bomberland", .. }), "{error}");
}
