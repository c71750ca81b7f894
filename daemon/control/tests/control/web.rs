//! What is served besides gRPC: grpc-web by hand, pages of named origins, `/metrics`, `/healthz`,
//! and a proper answer to all other requests.

use crate::support::fake::{FakeDirectory, FakeTeam, socket};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use phalanx_control::client::{Address, connect};
use phalanx_control::{Access, Audit, ControlHandle, Options, Role, build};
use phalanx_metrics::Metrics;
use phalanx_proto::v1;
use phalanx_proto::v1::access_client::AccessClient;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use prost::Message;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

/// The origin that may call.
const DASH: &str = "https://dash.example:3000";

struct Daemon {
    folder: tempfile::TempDir,
    tcp: SocketAddr,
    handle: ControlHandle,
}

impl Daemon {
    fn start(loopback: Option<Role>, metrics_open: bool) -> Self {
        Self::start_with(loopback, metrics_open, true)
    }

    fn start_with(loopback: Option<Role>, metrics_open: bool, page: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            socket: Some(socket(folder.path().join("control.sock"))),
            tcp: Some("127.0.0.1:0".parse().unwrap()),
            origins: vec![DASH.to_owned()],
            hosts: vec!["phalanx.lan".to_owned(), "*.rack.lan:7420".to_owned()],
            metrics: Some(Arc::new(Metrics::new("1.2.3"))),
            metrics_open,
            page,
            ..Options::default()
        };
        let mut access = Access::open(&folder.path().join("tokens.json"), loopback).unwrap();
        access.audit = Some(Arc::new(Audit::open(&folder.path().join("audit.jsonl")).unwrap()));
        let teams = Arc::new(FakeDirectory(vec![FakeTeam::new("A")]));
        let control = build(&options, teams, Arc::new(access)).unwrap();
        Self { tcp: control.tcp().unwrap(), folder, handle: control.spawn() }
    }

    async fn token(&self, role: v1::Role) -> String {
        let path = self.folder.path().join("control.sock");
        let link = connect(&Address::Unix(path)).await.unwrap();
        let request = v1::CreateTokenRequest {
            display_name: "web".to_owned(),
            role: role.into(),
            ..Default::default()
        };
        AccessClient::new(link).create_token(request).await.unwrap().into_inner().text
    }

    async fn say(&self, head: &str, body: &[u8]) -> Answer {
        self.tell(&format!("{head}host: localhost\n"), body).await
    }

    /// As `say`, with a host of the caller's choice.
    async fn tell(&self, head: &str, body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.tcp).await.unwrap();
        let mut request = head.replace('\n', "\r\n").into_bytes();
        request.extend_from_slice(
            format!("connection: close\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(),
        );
        request.extend_from_slice(body);
        stream.write_all(&request).await.unwrap();
        Answer::read(stream).await
    }

    async fn get(&self, path: &str, headers: &str) -> Answer {
        self.say(&format!("GET {path} HTTP/1.1\n{headers}"), b"").await
    }

    async fn web(&self, method: &str, kind: &str, headers: &str, body: &[u8]) -> Answer {
        let head = format!("POST /phalanx.v1.{method} HTTP/1.1\ncontent-type: {kind}\n{headers}");
        self.say(&head, body).await
    }

    fn audit(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("audit.jsonl")).unwrap()
    }
}

/// What a plain HTTP/1 client reads until the connection ends.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    async fn read(mut stream: impl tokio::io::AsyncRead + Unpin) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let rest = bytes[end + 4..].to_vec();
        let body = if head.contains("transfer-encoding: chunked") { unchunk(&rest) } else { rest };
        Self { status, head, body }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = bytes.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return whole;
        }
        whole.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
}

/// A message in its frame: a flag, the length, the bytes.
fn framed(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    let mut frame = vec![0];
    frame.extend_from_slice(&u32::try_from(bytes.len()).unwrap().to_be_bytes());
    frame.extend_from_slice(&bytes);
    frame
}

/// The messages and the trailers of an answer.
fn frames(mut bytes: &[u8]) -> (Vec<Vec<u8>>, String) {
    let (mut messages, mut trailers) = (Vec::new(), String::new());
    while let [flag, a, b, c, d, rest @ ..] = bytes {
        let length = usize::try_from(u32::from_be_bytes([*a, *b, *c, *d])).unwrap();
        let (frame, others) = rest.split_at(length);
        if flag & 0x80 == 0 {
            messages.push(frame.to_vec());
        } else {
            trailers.push_str(std::str::from_utf8(frame).unwrap());
        }
        bytes = others;
    }
    (messages, trailers)
}

/// Each piece of text has its own padding.
fn untext(text: &[u8]) -> Vec<u8> {
    text.chunks(4).flat_map(|four| BASE64.decode(four).unwrap()).collect()
}

#[tokio::test]
async fn a_page_calls_over_grpc_web_in_bytes_and_in_text() {
    let daemon = Daemon::start(Some(Role::Viewer), false);
    let request = framed(&v1::ListTeamsRequest::default());
    let list = "Teams/ListTeams";
    let bytes = daemon.web(list, "application/grpc-web+proto", "", &request).await;
    let text = BASE64.encode(&request).into_bytes();
    let headers = "accept: application/grpc-web-text\n";
    let text = daemon.web(list, "application/grpc-web-text+proto", headers, &text).await;
    assert_eq!((bytes.status, text.status), (200, 200), "{bytes:?} {text:?}");
    for body in [bytes.body.clone(), untext(&text.body)] {
        let (messages, trailers) = frames(&body);
        let teams = v1::ListTeamsResponse::decode(messages[0].as_slice()).unwrap().teams;
        assert_eq!((messages.len(), teams[0].name.as_str()), (1, "teams/A"));
        assert!(trailers.replace(' ', "").contains("grpc-status:0"), "{trailers}");
    }
}

#[tokio::test]
async fn the_page_comes_with_a_strict_policy_and_its_files_are_kept_for_ever() {
    let daemon = Daemon::start(None, false);
    let page = daemon.get("/", "").await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.head.contains("content-type: text/html; charset=utf-8"), "{}", page.head);
    assert!(page.head.contains("content-security-policy: default-src 'none';"), "{}", page.head);
    for forbidden in ["unsafe", "data:", "http:", "*"] {
        let policy = page.head.lines().find(|line| line.starts_with("content-security")).unwrap();
        assert!(!policy.contains(forbidden), "{policy}");
    }
    assert!(page.head.contains("cache-control: no-cache"), "{}", page.head);
    let tag = page.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let again = daemon.get("/", &format!("if-none-match: {tag}\n")).await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    let text = page.text();
    let files: Vec<&str> = text.split('"').filter_map(|part| part.strip_prefix("./")).collect();
    assert!(files.len() >= 3, "script, style and icon: {text}");
    for file in files {
        let found = daemon.get(&format!("/{file}"), "").await;
        assert_eq!(found.status, 200, "{file}");
        assert!(found.head.contains("cache-control: public, max-age=31536000"), "{}", found.head);
        assert!(!found.body.is_empty() && !found.head.contains("octet-stream"), "{}", found.head);
    }
    assert_eq!(daemon.get("/assets/..%2findex.html", "").await.status, 404);
}

#[tokio::test]
async fn a_browser_gets_the_files_compressed_and_who_cannot_read_that_gets_them_as_they_are() {
    let daemon = Daemon::start(None, false);
    let page = daemon.get("/", "").await;
    let text = page.text();
    let script = text.split('"').find(|part| part.ends_with(".js")).unwrap();
    let path = format!("/{}", script.trim_start_matches("./"));
    let plain = daemon.get(&path, "").await;
    assert!(!plain.head.contains("content-encoding"), "{}", plain.head);
    let tag = |answer: &Answer| {
        answer.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned()
    };
    for _ in ["made", "kept"] {
        let packed = daemon.get(&path, "accept-encoding: gzip, br\n").await;
        assert!(packed.head.contains("content-encoding: gzip"), "{}", packed.head);
        assert!(packed.head.contains("vary: accept-encoding"), "{}", packed.head);
        assert!(packed.head.contains("content-type: text/javascript"), "{}", packed.head);
        let mut unpacked = Vec::new();
        GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == plain.body && packed.body.len() * 2 < plain.body.len());
        assert_ne!(tag(&packed), tag(&plain));
        let headers = format!("accept-encoding: gzip\nif-none-match: {}\n", tag(&packed));
        assert_eq!(daemon.get(&path, &headers).await.status, 304);
    }
}

#[tokio::test]
async fn a_daemon_whose_page_is_switched_off_serves_none_and_answers_calls() {
    let daemon = Daemon::start_with(Some(Role::Viewer), false, false);
    assert_eq!(daemon.get("/", "").await.status, 404);
    let request = framed(&v1::ListTeamsRequest::default());
    let answer = daemon.web("Teams/ListTeams", "application/grpc-web", "", &request).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn the_daemons_own_page_may_call_and_a_name_that_only_leads_here_may_not() {
    let daemon = Daemon::start(Some(Role::Viewer), false);
    let request = framed(&v1::ListTeamsRequest::default());
    let call = async |origin: &str, host: &str| {
        let head = format!(
            "POST /phalanx.v1.Teams/ListTeams HTTP/1.1\ncontent-type: application/grpc-web\n\
             origin: {origin}\nhost: {host}\n"
        );
        daemon.tell(&head, &request).await.status
    };
    assert_eq!(call("http://127.0.0.1:7420", "127.0.0.1:7420").await, 200);
    assert_eq!(call("http://[::1]:7420", "[::1]:7420").await, 200);
    assert_eq!(call("http://localhost:7420", "localhost:7420").await, 200);
    assert_eq!(call("http://phalanx.lan:7420", "phalanx.lan:7420").await, 200);
    // Without TLS there is no certificate with this name.
    assert_eq!(call("https://room.example:7420", "room.example:7420").await, 403);
    assert_eq!(call("https://127.0.0.1:7420", "127.0.0.1:7420").await, 403);
    assert_eq!(call("http://evil.example:7420", "evil.example:7420").await, 403);
    assert_eq!(call("http://127.0.0.1:8000", "127.0.0.1:7420").await, 403);
    assert_eq!(call("null", "127.0.0.1:7420").await, 403);
}

#[tokio::test]
async fn without_tls_only_names_that_are_ours_are_answered() {
    let daemon = Daemon::start(Some(Role::Viewer), true);
    let metrics = async |headers: &str| {
        daemon.tell(&format!("GET /metrics HTTP/1.1\n{headers}"), b"").await.status
    };
    for host in ["localhost", "LOCALHOST:7420", "127.0.0.1:7420", "[::1]:1", "192.0.2.7"] {
        assert_eq!(metrics(&format!("host: {host}\n")).await, 200, "{host}");
    }
    for host in ["phalanx.lan", "Phalanx.LAN:80", "a.rack.lan:7420"] {
        assert_eq!(metrics(&format!("host: {host}\n")).await, 200, "{host}");
    }
    let strangers =
        ["evil.example", "localhost.evil.example", "rack.lan:7420", "a.rack.lan:1", "a b"];
    for host in strangers {
        // Browsers send no origin with requests that they consider the page's own.
        assert_ne!(metrics(&format!("host: {host}\n")).await, 200, "{host}");
    }
    assert_ne!(metrics("host: localhost\nhost: evil.example\n").await, 200);
    let health = daemon.tell("GET /healthz HTTP/1.1\nhost: evil.example\n", b"").await;
    assert_eq!(health.status, 200);
}

#[tokio::test]
async fn the_gate_and_the_audit_log_guard_grpc_web_as_well() {
    let daemon = Daemon::start(None, false);
    let request =
        framed(&v1::PinStrategyRequest { team: "teams/A".to_owned(), ..Default::default() });
    let status = |answer: &Answer| {
        let (_, trailers) = frames(&answer.body);
        let all = format!("{}\n{trailers}", answer.head).replace(' ', "");
        let line = all.lines().find_map(|line| line.strip_prefix("grpc-status:"));
        line.unwrap_or_default().trim().to_owned()
    };
    let web = "application/grpc-web";
    let pin = "Strategies/PinStrategy";
    assert_eq!(status(&daemon.web(pin, web, "", &request).await), "16", "no token");
    let viewer = format!("authorization: Bearer {}\n", daemon.token(v1::Role::Viewer).await);
    assert_eq!(status(&daemon.web(pin, web, &viewer, &request).await), "7", "a viewer");
    let operator = format!("authorization: Bearer {}\n", daemon.token(v1::Role::Operator).await);
    assert_eq!(status(&daemon.web(pin, web, &operator, &request).await), "9", "nothing to pin");
    let audit = daemon.audit();
    let told = |result: &str| {
        audit.lines().any(|line| line.contains("Strategies/PinStrategy") && line.contains(result))
    };
    assert!(!told("Unauthenticated") && !told("PermissionDenied"), "{audit}");
    assert!(told("FailedPrecondition") && audit.contains("teams/A"), "{audit}");
}

#[tokio::test]
async fn a_preflight_is_answered_without_a_token_for_named_origins_alone() {
    let daemon = Daemon::start(None, false);
    let ask = |origin: &str| {
        let head = format!(
            "OPTIONS /phalanx.v1.Teams/ListTeams HTTP/1.1\norigin: {origin}\n\
             access-control-request-method: POST\n\
             access-control-request-headers: content-type,x-grpc-web,authorization\n"
        );
        let daemon = &daemon;
        async move { daemon.say(&head, b"").await }
    };
    let allowed = ask(DASH).await;
    assert_eq!(allowed.status, 200, "{allowed:?}");
    assert!(allowed.head.contains(&format!("access-control-allow-origin: {DASH}")), "{allowed:?}");
    assert!(allowed.head.contains("authorization"), "{allowed:?}");
    for stranger in ["https://evil.example", "null", "https://dash.example"] {
        let refused = ask(stranger).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        assert!(!refused.head.contains("access-control-allow"), "{refused:?}");
        assert!(refused.text().contains("control.origins"), "{refused:?}");
    }
}

#[tokio::test]
async fn a_page_of_another_origin_does_nothing_with_this_machines_rights() {
    let daemon = Daemon::start(Some(Role::Admin), false);
    let request =
        framed(&v1::PinStrategyRequest { team: "teams/A".to_owned(), ..Default::default() });
    let evil = "origin: https://evil.example\n";
    let web = daemon.web("Strategies/PinStrategy", "application/grpc-web", evil, &request).await;
    assert_eq!(web.status, 403, "{web:?}");
    assert_eq!(daemon.get("/metrics", evil).await.status, 403);
    assert!(!daemon.audit().contains("PinStrategy"));
    let ours = format!("origin: {DASH}\n");
    let web = daemon.web("Strategies/PinStrategy", "application/grpc-web", &ours, &request).await;
    assert_eq!(web.status, 200, "{web:?}");
    assert!(web.head.contains("access-control-expose-headers: grpc-status"), "{web:?}");
}

#[tokio::test]
async fn metrics_take_a_viewer_unless_they_are_open() {
    let closed = Daemon::start(None, false);
    let refused = closed.get("/metrics", "").await;
    assert_eq!(refused.status, 401, "{refused:?}");
    assert!(refused.head.contains("www-authenticate: bearer"), "{refused:?}");
    assert!(refused.text().contains("phalanx token create"), "{refused:?}");
    let wrong = closed.get("/metrics", "authorization: Bearer nonsense\n").await;
    assert_eq!(wrong.status, 401, "{wrong:?}");
    let token = closed.token(v1::Role::Viewer).await;
    let shown = closed.get("/metrics", &format!("authorization: Bearer {token}\n")).await;
    assert_eq!(shown.status, 200, "{shown:?}");
    assert!(shown.head.contains("content-type: text/plain; version=0.0.4"), "{shown:?}");
    assert!(shown.text().contains("phalanx_build_info{version=\"1.2.3\"} 1"), "{shown:?}");

    let open = Daemon::start(None, true);
    assert_eq!(open.get("/metrics", "").await.status, 200);
    let here = Daemon::start(Some(Role::Viewer), false);
    assert_eq!(here.get("/metrics", "").await.status, 200);
    // The system identifies every user that can open the socket.
    let mut stream = UnixStream::connect(closed.folder.path().join("control.sock")).await.unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    assert_eq!(Answer::read(stream).await.status, 200);
}

#[tokio::test]
async fn calls_streams_and_connections_are_counted() {
    let daemon = Daemon::start(Some(Role::Viewer), false);
    let link = connect(&Address::Http(format!("http://{}", daemon.tcp))).await.unwrap();
    let mut teams = TeamsClient::new(link.clone());
    for _ in 0..3 {
        teams.list_teams(v1::ListTeamsRequest::default()).await.unwrap();
    }
    let unknown = v1::GetTeamRequest { name: "teams/Z".to_owned() };
    teams.get_team(unknown).await.unwrap_err();
    let watch = v1::WatchMatchRequest { team: "teams/A".to_owned(), ..Default::default() };
    let stream = MatchesClient::new(link).watch_match(watch).await.unwrap();
    let text = daemon.get("/metrics", "").await.text();
    let line = |name: &str, labels: &str| {
        let found = text.lines().find(|line| {
            line.starts_with(name) && labels.split(',').all(|label| line.contains(label))
        });
        let found = found.unwrap_or_else(|| panic!("{name} {labels} in\n{text}"));
        found.rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    let list = "method=\"phalanx.v1.Teams/ListTeams\"";
    let near = |value: f64, want: f64| (value - want).abs() < 1e-9;
    let listed = line("phalanx_api_calls_total", &format!("{list},code=\"OK\""));
    assert!(near(listed, 3.0), "{text}");
    assert!(near(line("phalanx_api_call_seconds_count", list), 3.0));
    let missing = "method=\"phalanx.v1.Teams/GetTeam\",code=\"NotFound\"";
    assert!(near(line("phalanx_api_calls_total", missing), 1.0));
    let watched = "method=\"phalanx.v1.Matches/WatchMatch\"";
    assert!(near(line("phalanx_api_open_calls", watched), 1.0));
    assert!(line("phalanx_api_connections", "listener=\"tcp\"") >= 1.0);
    drop(stream);
}

#[tokio::test]
async fn health_is_told_to_anybody_and_ends_with_the_daemon() {
    let daemon = Daemon::start(None, false);
    let well = daemon.get("/healthz", "").await;
    assert_eq!((well.status, well.text().as_str()), (200, "ok\n"));
    daemon.handle.not_serving().await;
    assert_eq!(daemon.get("/healthz", "").await.status, 503);
}

#[tokio::test]
async fn whatever_else_comes_gets_an_orderly_answer() {
    let daemon = Daemon::start(Some(Role::Admin), false);
    let lost = daemon.get("/nothing", "").await;
    assert_eq!(lost.status, 404);
    assert!(lost.text().contains("gRPC over HTTP/2"), "{lost:?}");
    let json = daemon.web("Teams/ListTeams", "application/json", "", b"{}").await;
    assert_eq!(json.status, 415, "{json:?}");
    let wrong = daemon
        .say(
            "GET /phalanx.v1.Teams/ListTeams HTTP/1.1\n\
                            content-type: application/grpc-web\n",
            b"",
        )
        .await;
    assert_eq!(wrong.status, 405, "{wrong:?}");
    // Larger than the reader accepts, and not HTTP.
    let long = format!("x: {}\n", "a".repeat(600_000));
    for bytes in [format!("GET / HTTP/1.1\n{long}\n"), "\0\0\0\0garbage\n\n".to_owned()] {
        let mut stream = TcpStream::connect(daemon.tcp).await.unwrap();
        // The server may close the connection before it has read everything.
        drop(stream.write_all(bytes.replace('\n', "\r\n").as_bytes()).await);
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer).await);
        let text = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    }
    assert_eq!(daemon.get("/healthz", "").await.status, 200);
}

#[tokio::test]
async fn a_caller_who_stops_in_the_middle_of_its_first_words_is_hung_up_on() {
    let daemon = Daemon::start(Some(Role::Viewer), false);
    tokio::time::pause();
    for words in ["P", "PRI * HTTP/2.0\r\n", "GET / HT", "GET /metrics HTTP/1.1\r\nhost: x\r\n"] {
        let mut stream = TcpStream::connect(daemon.tcp).await.unwrap();
        stream.write_all(words.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // The paused clock advances when all tasks wait: the daemon's deadline is the first.
        drop(stream.read_to_end(&mut answer).await);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{words:?}");
    }
}
