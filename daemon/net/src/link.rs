//! Open connections: every transport yields the same two halves.

use socket2::{SockRef, TcpKeepalive};
use std::fmt;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// Bytes in flight in one direction of an in-memory connection.
const MEMORY_BYTES_MAX: usize = 64 << 10;
/// In-memory connections that wait to be accepted.
const MEMORY_BACKLOG_MAX: usize = 128;
/// Silence after which the system sends a keepalive probe.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(15);
/// Time between two probes.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const KEEPALIVE_EVERY: Duration = Duration::from_secs(5);
/// This many probes without an answer end the connection.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const KEEPALIVE_TRIES: u32 = 3;
/// Written bytes that are unacknowledged for this long end the connection.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_MAX: Duration = Duration::from_secs(20);

/// One open connection.
pub struct Link {
    /// Bytes from the peer.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// Bytes to the peer.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// The peer, for people.
    pub peer: String,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("peer", &self.peer).finish_non_exhaustive()
    }
}

impl Link {
    /// A connection over TCP.
    pub(crate) fn tcp(stream: TcpStream) -> std::io::Result<Self> {
        let peer = tuned(&stream)?;
        let (reader, writer) = stream.into_split();
        Ok(Self { reader: Box::new(reader), writer: Box::new(writer), peer })
    }

    /// A connection in memory.
    pub(crate) fn memory(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self { reader: Box::new(reader), writer: Box::new(writer), peer: "memory".into() }
    }
}

/// Turns Nagle's algorithm off and keepalive on. Returns the peer's address as text.
pub(crate) fn tuned(stream: &TcpStream) -> std::io::Result<String> {
    let peer = stream.peer_addr()?.to_string();
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE_AFTER);
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    let keepalive = keepalive.with_interval(KEEPALIVE_EVERY).with_retries(KEEPALIVE_TRIES);
    socket.set_tcp_keepalive(&keepalive)?;
    // Keepalive is silent while written bytes wait for their acknowledgement.
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED_MAX))?;
    Ok(peer)
}

/// The connecting end of an in-memory listener.
#[derive(Clone, Debug)]
pub struct MemoryDialer {
    backlog: mpsc::Sender<DuplexStream>,
}

/// The accepting end.
#[derive(Debug)]
pub struct MemoryListener {
    backlog: mpsc::Receiver<DuplexStream>,
}

/// A listener in this process and its dialer.
#[must_use]
pub fn memory() -> (MemoryDialer, MemoryListener) {
    let (sender, receiver) = mpsc::channel(MEMORY_BACKLOG_MAX);
    (MemoryDialer { backlog: sender }, MemoryListener { backlog: receiver })
}

impl MemoryDialer {
    pub(crate) async fn dial(&self) -> std::io::Result<Link> {
        let (ours, theirs) = tokio::io::duplex(MEMORY_BYTES_MAX);
        match self.backlog.send(theirs).await {
            Ok(()) => Ok(Link::memory(ours)),
            Err(_) => Err(std::io::ErrorKind::ConnectionRefused.into()),
        }
    }
}

impl MemoryListener {
    /// The next connection; `None` once every dialer is gone.
    pub async fn accept(&mut self) -> Option<Link> {
        self.backlog.recv().await.map(Link::memory)
    }
}
