//! Callers that keep connections and streams without using them: each loses what it keeps, and a
//! well-behaved caller gets answers all the while.

use crate::access::Authority;
use crate::support::fake::{FakeDirectory, FakeTeam, local, socket};
use futures_util::future::join_all;
use phalanx_control::client::{Address, Credentials, Link, connect, connect_as};
use phalanx_control::{
    Access, Certificates, ConnectionLimits, ControlHandle, Messages, Options, PartFile,
    RecordingDirectory, RecordingRefusal, Role, ServedTeam, StreamLimits, TeamDirectory, build,
};
use phalanx_metrics::Metrics;
use phalanx_proto::v1;
use phalanx_proto::v1::access_client::AccessClient;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::recordings_client::RecordingsClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use std::fs::File;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt;

/// A test that waits for longer than this has failed: twice the longest deadline of these tests,
/// and time for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// The deadlines of these tests.
const DEADLINE: Duration = Duration::from_millis(500);
/// What HTTP/2 begins with, and an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// A PING frame, and the same as an answer.
const PING: &[u8] = b"\0\0\x08\x06\0\0\0\0\0phalanx!\0\0\x08\x06\x01\0\0\0\0phalanx!";
/// The smallest window of HTTP/2: what a client does not read waits at the server.
const WINDOW: u32 = u16::MAX as u32;
/// Size of the recording that does not fit into any buffer, in bytes.
const LARGE: u64 = 64 << 20;

struct Daemon {
    folder: tempfile::TempDir,
    tcp: SocketAddr,
    team: Arc<FakeTeam>,
    metrics: Arc<Metrics>,
    _handle: ControlHandle,
}

/// A team, and two recordings.
struct Directory {
    teams: FakeDirectory,
    folder: PathBuf,
}

impl TeamDirectory for Directory {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        self.teams.teams()
    }

    fn recordings(&self) -> Option<Arc<dyn RecordingDirectory>> {
        Some(Arc::new(Recordings(self.folder.clone())))
    }
}

struct Recordings(PathBuf);

impl RecordingDirectory for Recordings {
    fn recordings(&self) -> Result<Vec<v1::Recording>, RecordingRefusal> {
        Ok(Vec::new())
    }

    fn recording(&self, _: &str) -> Result<v1::Recording, RecordingRefusal> {
        Err(RecordingRefusal::NotFound)
    }

    fn replay(&self, _: &str, _: Duration) -> Result<Messages, RecordingRefusal> {
        Err(RecordingRefusal::NotFound)
    }

    fn part(&self, id: &str, _: u32) -> Result<PartFile, RecordingRefusal> {
        let path = self.0.join(id);
        let file = File::open(&path).map_err(|_| RecordingRefusal::NotFound)?;
        Ok(PartFile { path, file })
    }

    fn delete(&self, _: &str) -> Result<(), RecordingRefusal> {
        Err(RecordingRefusal::NotFound)
    }

    fn write_flight_recorder(&self, _: &str, _: &str) -> Result<String, RecordingRefusal> {
        Err(RecordingRefusal::NoFlightRecorder)
    }
}

impl Daemon {
    fn start(access: Arc<Access>, options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let metrics = Arc::new(Metrics::new("1.2.3"));
        let options = Options {
            socket: Some(socket(folder.path().join("control.sock"))),
            tcp: Some("127.0.0.1:0".parse().unwrap()),
            metrics: Some(Arc::clone(&metrics)),
            metrics_open: true,
            ..options
        };
        let team = FakeTeam::new("A");
        let teams = FakeDirectory(vec![Arc::clone(&team)]);
        File::create(folder.path().join("large")).unwrap().set_len(LARGE).unwrap();
        std::fs::write(folder.path().join("small"), "a recording").unwrap();
        let directory = Directory { teams, folder: folder.path().to_owned() };
        let control = build(&options, Arc::new(directory), access).unwrap();
        let tcp = control.tcp().unwrap();
        Self { folder, tcp, team, metrics, _handle: control.spawn() }
    }

    /// As few slots as possible, and short deadlines.
    fn small(connections: ConnectionLimits) -> Self {
        Self::start(local(), Options { connections, ..Options::default() })
    }

    async fn link(&self) -> Link {
        connect(&Address::Http(format!("http://{}", self.tcp))).await.unwrap()
    }

    /// A call of a well-behaved caller, over a connection of its own.
    async fn serves(&self) {
        let look = get_team(self.link().await);
        assert!(tokio::time::timeout(PATIENCE, look).await.unwrap().is_ok());
        assert_eq!(self.health().await, "HTTP/1.1 200 OK");
    }

    /// The first line of the answer of `/healthz`.
    async fn health(&self) -> String {
        let mut stream = TcpStream::connect(self.tcp).await.unwrap();
        let request = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        drop(tokio::time::timeout(PATIENCE, read).await.unwrap());
        answer.lines().next().unwrap_or_default().to_owned()
    }

    /// The value of a counter.
    fn count(&self, line: &str) -> u64 {
        let text = self.metrics.render();
        let found = text.lines().find_map(|one| one.strip_prefix(line));
        found.map_or(0, |value| value.trim().parse().unwrap())
    }

    fn evicted(&self, reason: &str) -> u64 {
        self.count(&format!(
            "phalanx_api_connections_evicted_total{{listener=\"tcp\",reason=\"{reason}\"}}"
        ))
    }
}

fn limits() -> ConnectionLimits {
    ConnectionLimits {
        total: 12,
        reserved: 4,
        per_address: 8,
        first_request: DEADLINE,
        idle: DEADLINE,
        stalled: DEADLINE,
        body: DEADLINE,
    }
}

/// Deadlines that no test reaches, so that only the number of slots counts.
fn patient(limits: ConnectionLimits) -> ConnectionLimits {
    let long = 10 * PATIENCE;
    ConnectionLimits { first_request: long, idle: long, stalled: long, body: long, ..limits }
}

async fn get_team(link: Link) -> Result<String, Status> {
    let request = v1::GetTeamRequest { name: "teams/A".to_owned() };
    let team = TeamsClient::new(link).get_team(request).await?.into_inner().team;
    Ok(team.unwrap().name)
}

/// Sends bytes, then repeats others for ever; true when the server has closed the connection.
async fn is_hung_up_on(mut stream: TcpStream, begin: &[u8], again: &[u8]) -> bool {
    let rude = async {
        if stream.write_all(begin).await.is_err() {
            return;
        }
        let mut answer = [0; 256];
        loop {
            tokio::select! {
                read = stream.read(&mut answer) => if matches!(read, Ok(0) | Err(_)) { return },
                () = tokio::time::sleep(DEADLINE / 10) => {
                    if stream.write_all(again).await.is_err() {
                        return;
                    }
                }
            }
        }
    };
    tokio::time::timeout(PATIENCE, rude).await.is_ok()
}

#[tokio::test]
async fn a_connection_without_a_whole_request_ends_at_its_deadline() {
    let daemon = Daemon::small(limits());
    let cases: [(&str, &[u8], &[u8]); 6] = [
        ("nothing", b"", b""),
        ("half of HTTP/2's first words", b"PRI * HTTP/2.0\r\n", b""),
        ("a head, byte by byte", b"GET / HTTP/1.1\r\nhost: localhost\r\nx: ", b"x"),
        ("HTTP/2's first words", PREFACE, b""),
        ("HTTP/2 with pings", PREFACE, PING),
        ("half a frame of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\xff\x01\0\0", b""),
    ];
    let all = cases.map(|(what, begin, again)| {
        let tcp = daemon.tcp;
        async move {
            let stream = TcpStream::connect(tcp).await.unwrap();
            assert!(is_hung_up_on(stream, begin, again).await, "{what}");
        }
    });
    join_all(all).await;
    assert_eq!(daemon.evicted("first_request"), 6);
    daemon.serves().await;
}

#[tokio::test]
async fn a_tls_handshake_that_stalls_ends_at_its_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let certificates = Certificates::load(authority.serve(folder.path())).unwrap();
    let tls = Some(Arc::new(certificates));
    let daemon =
        Daemon::start(local(), Options { tls, connections: limits(), ..Options::default() });
    // The length of a TLS greeting that never arrives.
    for begin in [&b""[..], b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03"] {
        let stream = TcpStream::connect(daemon.tcp).await.unwrap();
        assert!(is_hung_up_on(stream, begin, b"").await);
    }
    assert_eq!(daemon.evicted("first_request"), 2);
}

#[tokio::test]
async fn a_request_whose_body_never_comes_is_answered_at_its_deadline() {
    let daemon = Daemon::small(limits());
    let head = "POST /phalanx.v1.Teams/GetTeam HTTP/1.1\r\nhost: localhost\r\n\
                content-type: application/grpc-web\r\ncontent-length: 100\r\n\r\n\0\0";
    let mut stream = TcpStream::connect(daemon.tcp).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // Over HTTP/1, no other request can follow a body that was not read.
    let end = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(end.is_ok() && answer.contains("not%20complete%20within%20500ms"), "{answer:?}");
}

#[tokio::test]
async fn a_caller_who_only_asked_for_an_open_page_is_hung_up_on_when_it_idles() {
    let daemon = Daemon::small(limits());
    let page = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let stream = TcpStream::connect(daemon.tcp).await.unwrap();
    assert!(is_hung_up_on(stream, page, b"").await);
    assert_eq!(daemon.evicted("idle"), 1);
}

#[tokio::test]
async fn connections_that_only_answer_pings_make_room_for_the_next_one() {
    let daemon = Daemon::small(patient(limits()));
    let regular = daemon.link().await;
    assert!(get_team(regular.clone()).await.is_ok());
    let mut crowd = Vec::new();
    for _ in 0..30 {
        let mut stream = TcpStream::connect(daemon.tcp).await.unwrap();
        stream.write_all(PREFACE).await.unwrap();
        crowd.push(stream);
        daemon.serves().await;
    }
    assert!(daemon.evicted("crowded") >= 20, "{}", daemon.metrics.render());
    assert_eq!(daemon.count("phalanx_api_connections_refused_total{listener=\"tcp\"}"), 0);
    // The identified caller was not counted as one of them.
    assert!(get_team(regular).await.is_ok());
}

#[tokio::test]
async fn where_every_slot_is_busy_health_is_answered_and_admins_get_in() {
    let access = Arc::new(Access::on_this_machine(Role::Viewer));
    let connections = patient(ConnectionLimits { total: 4, reserved: 2, ..limits() });
    let daemon = Daemon::start(access, Options { connections, ..Options::default() });
    let mut watched = Vec::new();
    for _ in 0..2 {
        watched.push(watch(daemon.link().await).await.unwrap());
    }
    assert_eq!(daemon.health().await, "HTTP/1.1 200 OK");
    let refused = get_team(daemon.link().await).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    assert_eq!(refused.get_details_error_info().unwrap().reason, "TOO_MANY_CONNECTIONS");
    let address = Address::Unix(daemon.folder.path().join("control.sock"));
    let here = connect(&address).await.unwrap();
    let request = v1::CreateTokenRequest {
        display_name: "root".to_owned(),
        role: v1::Role::Admin.into(),
        ..Default::default()
    };
    let token = AccessClient::new(here).create_token(request).await.unwrap().into_inner().text;
    let credentials = Credentials::default().with_token(&token.into()).unwrap();
    let address = Address::Http(format!("http://{}", daemon.tcp));
    let admin = connect_as(&address, credentials).await.unwrap();
    assert!(get_team(admin).await.is_ok());
    assert_eq!(daemon.health().await, "HTTP/1.1 200 OK");
}

async fn watch(link: Link) -> Result<Streaming<v1::WatchMatchResponse>, Status> {
    let request = v1::WatchMatchRequest { team: "teams/A".to_owned(), ..Default::default() };
    Ok(MatchesClient::new(link).watch_match(request).await?.into_inner())
}

/// A connection with small windows, so that little fits if it is not read.
async fn narrow(daemon: &Daemon) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{}", daemon.tcp)).unwrap();
    let endpoint = endpoint.initial_stream_window_size(WINDOW);
    endpoint.initial_connection_window_size(WINDOW).connect().await.unwrap()
}

async fn download(
    daemon: &Daemon,
    id: &str,
) -> Result<Streaming<v1::DownloadRecordingResponse>, Status> {
    let request =
        v1::DownloadRecordingRequest { name: format!("recordings/{id}"), ..Default::default() };
    let mut client = RecordingsClient::new(narrow(daemon).await);
    Ok(client.download_recording(request).await?.into_inner())
}

/// Reads up to the status at the end.
async fn end<T>(mut stream: Streaming<T>) -> Status {
    let end = async {
        loop {
            match stream.message().await {
                Ok(Some(_)) => {}
                Ok(None) => return Status::ok(""),
                Err(status) => return status,
            }
        }
    };
    tokio::time::timeout(PATIENCE, end).await.unwrap()
}

#[tokio::test]
async fn downloads_that_nobody_reads_make_room_for_one_that_is_read() {
    let streams = StreamLimits { stalled: 10 * PATIENCE, crowded: Duration::from_millis(100) };
    let daemon = Daemon::start(local(), Options { streams, ..Options::default() });
    // More than there are threads for; the first of them have to stall first.
    let mut unread = Vec::new();
    for _ in 0..10 {
        unread.push(opened(&daemon, "large").await);
    }
    assert_eq!(end(opened(&daemon, "small").await).await.code(), Code::Ok);
    let slow = end(unread.swap_remove(0)).await;
    assert_eq!(slow.get_details_error_info().unwrap().reason, "CLIENT_TOO_SLOW", "{slow}");
    let evicted = "phalanx_api_streams_evicted_total{kind=\"recordings\",reason=\"stalled\"}";
    assert!(daemon.count(evicted) >= 6, "{}", daemon.metrics.render());
    daemon.serves().await;
}

/// A download, as soon as one of the others has stalled for long enough.
async fn opened(daemon: &Daemon, id: &str) -> Streaming<v1::DownloadRecordingResponse> {
    let opened = async {
        loop {
            match download(daemon, id).await {
                Ok(stream) => return stream,
                Err(status) => assert_eq!(status.code(), Code::ResourceExhausted, "{status}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, opened).await.unwrap()
}

#[tokio::test]
async fn a_stream_whose_client_reads_nothing_ends_with_a_status_and_then_with_its_connection() {
    let streams = StreamLimits { stalled: 2 * DEADLINE, crowded: DEADLINE };
    let daemon = Daemon::start(local(), Options { streams, ..Options::default() });
    let channel = narrow(&daemon).await;
    let request = v1::WatchMatchRequest { team: "teams/A".to_owned(), ..Default::default() };
    let watch = |channel: Channel| {
        let request = request.clone();
        async move { MatchesClient::new(channel).watch_match(request).await.unwrap().into_inner() }
    };
    let (read, unread) = (watch(channel.clone()).await, watch(narrow(&daemon).await).await);
    let text = "x".repeat(1_000);
    let evicted = "phalanx_api_streams_evicted_total{kind=\"events\",reason=\"stalled\"}";
    let waits = async {
        let mut step = 0;
        while daemon.count(evicted) < 2 {
            daemon.team.log(step, &text);
            step += 1;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waits).await.unwrap();
    // This one reads early enough to learn the reason; the other one never reads.
    let status = end(read).await;
    assert_eq!(status.get_details_error_info().unwrap().reason, "CLIENT_TOO_SLOW", "{status}");
    let connections = "phalanx_api_connections{listener=\"tcp\"}";
    drop(channel);
    let gone = async {
        while daemon.count(connections) > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.unwrap();
    drop(unread);
}

#[tokio::test]
async fn a_client_that_takes_no_byte_of_an_answer_is_hung_up_on() {
    let daemon = Daemon::small(limits());
    let mut stream = TcpStream::connect(daemon.tcp).await.unwrap();
    // The same page again and again, without reading the answers.
    let page = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100);
    let rude = async { while stream.write_all(&page).await.is_ok() {} };
    tokio::time::timeout(PATIENCE, rude).await.unwrap();
    assert_eq!(daemon.evicted("stalled"), 1, "{}", daemon.metrics.render());
}

#[tokio::test]
async fn while_every_kind_of_flood_goes_on_a_caller_who_behaves_is_served() {
    const EACH: usize = 40;
    let connections = ConnectionLimits { total: 150, reserved: 8, per_address: 120, ..limits() };
    let connections = ConnectionLimits { stalled: DEADLINE, ..patient(connections) };
    let streams = StreamLimits { stalled: DEADLINE, crowded: Duration::from_millis(100) };
    let options = Options { connections, streams, streams_max: 16, ..Options::default() };
    let daemon = Daemon::start(local(), options);
    let kinds: [(&[u8], &[u8]); 4] = [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nx: ", b"x"),
        (PREFACE, PING),
        (b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n", b""),
    ];
    let mut flood = tokio::task::JoinSet::new();
    for (begin, again) in kinds {
        for _ in 0..EACH {
            let tcp = daemon.tcp;
            flood.spawn(async move {
                // A caller whose connection was closed connects again.
                loop {
                    if let Ok(stream) = TcpStream::connect(tcp).await {
                        is_hung_up_on(stream, begin, again).await;
                    }
                    tokio::time::sleep(2 * DEADLINE).await;
                }
            });
        }
    }
    let mut unread = Vec::new();
    for _ in 0..EACH {
        if let Ok(stream) = download(&daemon, "large").await {
            unread.push(stream);
        }
    }
    for _ in 0..20 {
        daemon.serves().await;
    }
    assert!(daemon.evicted("crowded") > 0, "{}", daemon.metrics.render());
}
