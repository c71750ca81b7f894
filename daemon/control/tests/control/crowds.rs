//! Crowds and rude callers: thousands of silent clients, some that never read, some that speak
//! another protocol. Well-behaved clients get answers all the while.

use crate::support::fake::Daemon;
use futures_util::task::AtomicWaker;
use hyper_util::rt::TokioIo;
use phalanx_control::client::{Address, Credentials, Link, connect};
use phalanx_control::{ConnectionLimits, Options, StreamLimits};
use phalanx_proto::v1;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Endpoint, Uri};
use tonic::{Code, Request, Status, Streaming};
use tonic_types::StatusExt;

/// Silent callers.
const CROWD: u64 = 10_000;
/// They come in waves of this many: fewer than may wait to be accepted.
const WAVE: usize = 100;
/// Descriptors for everything else of this process.
const OTHERS: u64 = 1_500;
/// A test that waits for longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// What HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// An empty SETTINGS frame.
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

async fn look(link: &Link) -> Result<usize, Status> {
    let listed = TeamsClient::new(link.clone()).list_teams(v1::ListTeamsRequest::default()).await;
    listed.map(|listed| listed.into_inner().teams.len())
}

#[tokio::test]
async fn ten_thousand_silent_callers_keep_nobody_at_the_socket_waiting() {
    let daemon = Daemon::start(&["A"]);
    let here = daemon.channel().await;
    let most = getrlimit(Resource::Nofile).maximum;
    // As many as this process may have; if the system allows fewer, the crowd is smaller.
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).unwrap();
    let crowd = most.map_or(CROWD, |most| CROWD.min(most.saturating_sub(OTHERS)));
    if crowd < CROWD {
        eprintln!("this machine allows {crowd} connections at once, not {CROWD}");
    }
    let crowd = usize::try_from(crowd).unwrap();
    let mut silent = Vec::new();
    while silent.len() < crowd {
        let wave = (0..WAVE).map(|_| TcpStream::connect(daemon.tcp));
        silent.extend(futures_util::future::try_join_all(wave).await.unwrap());
        // A caller that was connected before, and a new one.
        assert_eq!(look(&here).await.unwrap(), 1);
        assert_eq!(look(&daemon.channel().await).await.unwrap(), 1);
    }
    // The first one was closed for later ones, and another one is closed now.
    let hung_up = tokio::time::timeout(PATIENCE, silent[0].read(&mut [0])).await.unwrap();
    assert!(matches!(hung_up, Ok(0) | Err(_)), "{hung_up:?}");
    let address = Address::Http(format!("http://{}", daemon.tcp));
    assert_eq!(look(&connect(&address).await.unwrap()).await.unwrap(), 1);
}

#[tokio::test]
async fn callers_who_open_streams_and_never_read_take_little_memory_and_are_told() {
    const STREAMS: usize = 100;
    const EVENTS: u32 = 10_000;
    // It does not read for as long as this test takes on a busy machine, which is not the subject
    // here.
    let patience = 10 * PATIENCE;
    let options = Options {
        events_max: 50,
        connections: ConnectionLimits { stalled: patience, ..ConnectionLimits::default() },
        streams: StreamLimits { stalled: patience, ..StreamLimits::default() },
        ..Options::default()
    };
    let daemon = Daemon::start_with(&["A"], options);
    let team = daemon.teams.first().unwrap();
    let ears = Arc::new(Ears::default());
    // It announces windows of gigabytes, and then it does not read.
    let rude = greedy(daemon.tcp, &ears).await;
    let mut unread = Vec::new();
    for _ in 0..STREAMS {
        unread.push(watch(&rude).await.unwrap());
    }
    let mut eager = watch(&daemon.channel().await).await.unwrap();
    ears.close();
    let before = resident();
    let long = "x".repeat(1_000);
    for step in 0..EVENTS {
        team.log(step, &long);
        eager.message().await.unwrap().unwrap();
    }
    // All of them for every client would be a gigabyte.
    let grown = resident().saturating_sub(before);
    assert!(grown < 256 << 20, "{grown} bytes for {STREAMS} streams without a reader");
    ears.open();
    for mut stream in unread {
        let end = async {
            loop {
                match stream.message().await {
                    Ok(event) => assert!(event.is_some()),
                    Err(status) => break status,
                }
            }
        };
        let status = tokio::time::timeout(PATIENCE, end).await.unwrap();
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert_eq!(status.get_details_error_info().unwrap().reason, "CLIENT_TOO_SLOW");
    }
}

#[tokio::test]
async fn what_is_no_token_is_no_token() {
    let daemon = Daemon::start(&["A"]);
    let address = Address::Http(format!("http://{}", daemon.tcp));
    let link = connect(&address).await.unwrap();
    let mut wrong: Vec<MetadataValue<Ascii>> = [
        "",
        "Bearer",
        "Bearer ",
        "bearer phx_a_b",
        "Basic cm9vdDpyb290",
        "phx_abcdefgh_x",
        "Bearer phx__",
        "Bearer phx_abcdefgh_",
        "Bearer  phx_abcdefgh_x",
        "Bearer phx_abcdefgh_x y",
    ]
    .map(|text| text.parse().unwrap())
    .into();
    let letters = "x".repeat(4_000);
    wrong.push(format!("Bearer phx_abcdefgh_{letters}").parse().unwrap());
    wrong.push(MetadataValue::try_from(&b"Bearer phx_\xff\xfe"[..]).unwrap());
    for value in wrong {
        let mut request = Request::new(v1::ListTeamsRequest::default());
        request.metadata_mut().insert("authorization", value.clone());
        let refused = TeamsClient::new(link.clone()).list_teams(request).await.unwrap_err();
        let reason = refused.get_details_error_info().map(|info| info.reason).unwrap_or_default();
        let expected = ["TOKEN_MALFORMED", "TOO_MANY_FAILURES"];
        assert!(expected.contains(&reason.as_str()), "{value:?}: {refused}");
    }
    assert_eq!(look(&daemon.channel().await).await.unwrap(), 1);
}

#[tokio::test]
async fn other_languages_are_hung_up_on_and_the_others_are_served() {
    let daemon = Daemon::start(&["A"]);
    let frame = |kind: u8, flags: u8, stream: u32, body: &[u8]| {
        let length = u32::try_from(body.len()).unwrap().to_be_bytes();
        let [_, length @ ..] = length;
        [&length[..], &[kind, flags], &stream.to_be_bytes(), body].concat()
    };
    let begun = |frames: &[u8]| [PREFACE, SETTINGS, frames].concat();
    let reset = [frame(1, 4, 1, b"\x82"), frame(3, 0, 1, &[0, 0, 0, 8])].concat();
    let many_resets = (0..5_000_u32).flat_map(|number| {
        let stream = number * 2 + 1;
        // A call's head from the static table alone, and its end at once.
        [frame(1, 4, stream, b"\x83\x86\x84\x01\x01x"), frame(3, 0, stream, &[0, 0, 0, 8])].concat()
    });
    let cases = [
        // The first bytes of TLS.
        ("TLS", b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03".repeat(20)),
        ("a database", b"\x00\x00\x00\x08\x04\xd2\x16\x2f".repeat(20)),
        ("SSH", b"SSH-2.0-OpenSSH_9.6\r\n".repeat(3)),
        ("garbage behind a good beginning", begun(&[0x47; 4_096])),
        ("a frame larger than allowed", begun(&frame(0, 0, 1, &vec![0; 100_000]))),
        ("a head that cannot be unpacked", begun(&frame(1, 4, 1, &[0xff; 64]))),
        ("a stream of number 0", begun(&frame(1, 4, 0, b"\x82"))),
        ("settings that make no sense", begun(&frame(4, 0, 0, &[0, 5, 0, 0, 0, 0]))),
        ("a window without end", begun(&frame(8, 0, 0, &[0x7f, 0xff, 0xff, 0xff]).repeat(2))),
        ("a call that is given up", begun(&[reset, frame(7, 0, 0, &[0; 8])].concat())),
        ("calls that are given up by the thousand", begun(&many_resets.collect::<Vec<_>>())),
        ("a head without end", {
            let start = frame(1, 0, 1, &[0; 8]);
            begun(&[start, frame(9, 0, 1, &[0; 8_000]).repeat(100)].concat())
        }),
    ];
    for (what, bytes) in cases {
        let mut stream = TcpStream::connect(daemon.tcp).await.unwrap();
        // The server may close the connection before it has read everything.
        drop(stream.write_all(&bytes).await);
        drop(stream.shutdown().await);
        let mut answer = Vec::new();
        let end = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
        assert!(end.is_ok(), "{what}: it never hung up");
        assert!(answer.len() < 1 << 20, "{what}: {}", answer.len());
        let link = connect(&Address::Http(format!("http://{}", daemon.tcp))).await.unwrap();
        assert_eq!(look(&link).await.unwrap(), 1, "after {what}");
    }
}

async fn watch(link: &Link) -> Result<Streaming<v1::WatchMatchResponse>, Status> {
    let request = v1::WatchMatchRequest { team: "teams/A".to_owned(), ..Default::default() };
    Ok(MatchesClient::new(link.clone()).watch_match(request).await?.into_inner())
}

/// A caller that announces the largest windows of HTTP/2, and reads while its ears are open.
async fn greedy(address: SocketAddr, ears: &Arc<Ears>) -> Link {
    let endpoint = Endpoint::from_static("http://localhost")
        .initial_connection_window_size((1 << 31) - 1)
        .initial_stream_window_size((1 << 31) - 1);
    let ears = Arc::clone(ears);
    let connector = tower::service_fn(move |_: Uri| {
        let ears = Arc::clone(&ears);
        async move {
            let stream = TcpStream::connect(address).await?;
            Ok::<_, io::Error>(TokioIo::new(Selective { stream, ears }))
        }
    });
    let channel = endpoint.connect_with_connector(connector).await.unwrap();
    InterceptedService::new(channel, Credentials::default())
}

/// Whether the connection is read.
#[derive(Default)]
struct Ears {
    closed: AtomicBool,
    waiting: AtomicWaker,
}

impl Ears {
    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    fn open(&self) {
        self.closed.store(false, Ordering::SeqCst);
        self.waiting.wake();
    }
}

/// A connection that is read while the ears are open.
struct Selective {
    stream: TcpStream,
    ears: Arc<Ears>,
}

impl AsyncRead for Selective {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.ears.waiting.register(context.waker());
        if self.ears.closed.load(Ordering::SeqCst) {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Selective {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Memory of this process, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes: usize = line.trim().strip_suffix("kB").unwrap().trim().parse().unwrap();
    kilobytes * 1024
}
