//! Hostile callers of the control API, each kind in the largest possible number, until their tasks
//! are ended.

use phalanx_proto::v1;
use phalanx_proto::v1::access_client::AccessClient;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

/// Connections of a flood of connections: the number of the listener's slots.
const CONNECTIONS: usize = 512;
/// Interval at which each of them sends something.
const PAUSE: Duration = Duration::from_millis(100);
/// Delay before a disconnected caller connects again.
const AGAIN: Duration = Duration::from_millis(500);
/// Clients of a flood of calls, each as fast as it can.
const CALLERS: usize = 4;
/// Streams that are never read, as many as the daemon has slots.
const STREAMS: usize = 256;
/// The begin of HTTP/2, and an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// A PING frame, and the same as an answer.
const PING: &[u8] = b"\0\0\x08\x06\0\0\0\0\0phalanx!\0\0\x08\x06\x01\0\0\0\0phalanx!";

/// Kinds of hostile callers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Connections that only answer pings.
    Idle,
    /// Heads of requests, byte by byte.
    Slowloris,
    /// Calls with unknown tokens.
    BadTokens,
    /// Calls that need another role.
    Denied,
    /// Streams that are never read.
    NeverRead,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] =
        [Self::Idle, Self::Slowloris, Self::BadTokens, Self::Denied, Self::NeverRead];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle connections",
            Self::Slowloris => "slowloris",
            Self::BadTokens => "bad tokens",
            Self::Denied => "denied calls",
            Self::NeverRead => "streams never read",
        }
    }
}

/// Starts a flood; it ends with the tasks.
pub(crate) fn start(kind: Kind, control: SocketAddr, runtime: &Handle) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let count = match kind {
        Kind::Idle | Kind::Slowloris => CONNECTIONS,
        Kind::BadTokens | Kind::Denied => CALLERS,
        Kind::NeverRead => STREAMS,
    };
    for _ in 0..count {
        tasks.spawn_on(rude(kind, control), runtime);
    }
    tasks
}

async fn rude(kind: Kind, control: SocketAddr) {
    match kind {
        Kind::Idle => hold(control, PREFACE, PING).await,
        Kind::Slowloris => hold(control, b"GET / HTTP/1.1\r\nx: ", b"x").await,
        Kind::BadTokens => guess(control).await,
        Kind::Denied => overreach(control).await,
        Kind::NeverRead => never_read(control).await,
    }
}

/// Holds a connection for as long as the daemon allows it, repeatedly.
async fn hold(control: SocketAddr, begin: &'static [u8], again: &'static [u8]) {
    loop {
        if let Ok(mut stream) = TcpStream::connect(control).await
            && stream.write_all(begin).await.is_ok()
        {
            let mut answer = [0; 256];
            loop {
                tokio::select! {
                    read = stream.read(&mut answer) => {
                        if matches!(read, Ok(0) | Err(_)) {
                            break;
                        }
                    }
                    () = tokio::time::sleep(PAUSE) => {
                        if stream.write_all(again).await.is_err() {
                            break;
                        }
                    }
                }
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
}

fn channel(control: SocketAddr) -> Channel {
    let window = Some(u32::from(u16::MAX));
    let endpoint = Endpoint::from_shared(format!("http://{control}")).unwrap();
    endpoint
        .initial_stream_window_size(window)
        .initial_connection_window_size(window)
        .connect_lazy()
}

async fn guess(control: SocketAddr) {
    let mut teams = TeamsClient::new(channel(control));
    for number in 0_u64.. {
        let mut request = Request::new(v1::ListTeamsRequest::default());
        let token = format!("Bearer phx_abcdefgh_{number:043}");
        request.metadata_mut().insert("authorization", token.parse().unwrap());
        drop(teams.list_teams(request).await);
    }
}

async fn overreach(control: SocketAddr) {
    let mut access = AccessClient::new(channel(control));
    loop {
        let request =
            v1::RevokeTokenRequest { name: "tokens/abcdefgh".to_owned(), ..Default::default() };
        drop(access.revoke_token(request).await);
    }
}

async fn never_read(control: SocketAddr) {
    loop {
        let mut matches = MatchesClient::new(channel(control));
        let request = v1::WatchMatchRequest {
            team: "teams/A".to_owned(),
            decisions: true,
            ..Default::default()
        };
        if let Ok(stream) = matches.watch_match(request).await {
            // The daemon ends it, and the connection; we never look.
            tokio::time::sleep(Duration::from_secs(40)).await;
            drop(stream);
        }
        tokio::time::sleep(AGAIN).await;
    }
}
