//! Where referees are, and how bytes get there: every transport yields the same two halves.

use crate::lobby::Awaited;
use crate::pipe::Pipe;
use crate::web_socket;
use phalanx_game::Framing;
use socket2::{SockRef, TcpKeepalive};
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// Bytes in flight in one direction of an in-memory connection.
const MEMORY_BYTES_MAX: usize = 64 << 10;
/// In-memory connections that wait to be accepted.
const MEMORY_BACKLOG_MAX: usize = 128;
/// Silence after which the system asks whether the peer still lives.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(15);
/// Time between such questions.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const KEEPALIVE_EVERY: Duration = Duration::from_secs(5);
/// So many questions without an answer end the connection.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const KEEPALIVE_TRIES: u32 = 3;
/// Written bytes that are not acknowledged for so long end the connection.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_MAX: Duration = Duration::from_secs(20);

/// A place to connect to.
#[derive(Clone, Debug)]
pub enum Endpoint {
    /// A TCP address; the name is resolved at each try, unless [`Endpoint::resolved`] did it.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
        /// The addresses to dial; empty: those that the name has at each try.
        addresses: Vec<SocketAddr>,
    },
    /// A WebSocket at a TCP address, for games of whole messages.
    WebSocket {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
        /// As above.
        addresses: Vec<SocketAddr>,
    },
    /// A listener in this process.
    Memory(MemoryDialer),
    /// Nothing to connect to: the referee comes to us, through a bridge.
    Awaited(Awaited),
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The system says no.
    #[error("{endpoint}: {source}")]
    Io {
        /// Where to.
        endpoint: String,
        /// Why.
        source: std::io::Error,
    },
    /// Nobody answered.
    #[error("{endpoint}: no connection within {limit:?}")]
    Timeout {
        /// Where to.
        endpoint: String,
        /// The limit.
        limit: Duration,
    },
}

/// One open connection.
pub struct Link {
    /// What comes from the peer.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// What goes to the peer.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// Who the peer is, for people.
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

/// Who the peer is, of a connection that from now on is without Nagle's delay and with keepalive.
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

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port, .. } => f.write_str(&address(host, *port)),
            Self::WebSocket { host, port, .. } => write!(f, "ws://{}", address(host, *port)),
            Self::Memory(_) => f.write_str("memory"),
            Self::Awaited(awaited) => awaited.fmt(f),
        }
    }
}

/// Host and port in one.
fn address(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

impl Endpoint {
    /// A TCP address.
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        Self::Tcp { host: host.into(), port, addresses: Vec::new() }
    }

    /// A WebSocket at a TCP address.
    pub fn web_socket(host: impl Into<String>, port: u16) -> Self {
        Self::WebSocket { host: host.into(), port, addresses: Vec::new() }
    }

    /// The same with its name resolved once: whatever the name leads to later, only the addresses
    /// of now are dialled.
    ///
    /// # Errors
    /// When the name does not resolve within `limit`.
    pub async fn resolved(mut self, limit: Duration) -> Result<Self, EndpointError> {
        if let Self::Tcp { host, port, .. } | Self::WebSocket { host, port, .. } = &self {
            let looked_up = tokio::net::lookup_host((host.as_str(), *port));
            let found: Vec<_> = self.within(limit, looked_up).await?.collect();
            if found.is_empty() {
                let source = std::io::ErrorKind::NotFound.into();
                return Err(EndpointError::Io { endpoint: self.to_string(), source });
            }
            if let Self::Tcp { addresses, .. } | Self::WebSocket { addresses, .. } = &mut self {
                *addresses = found;
            }
        }
        Ok(self)
    }

    /// How it cuts what it carries.
    #[must_use]
    pub fn framing(&self) -> Framing {
        match self {
            Self::Tcp { .. } | Self::Memory(_) | Self::Awaited(_) => Framing::Stream,
            Self::WebSocket { .. } => Framing::Message,
        }
    }

    /// Connects, below whatever the transport puts on top.
    ///
    /// # Errors
    /// When the name does not resolve, nobody listens, it takes longer than `limit`, or the
    /// endpoint is one that is waited for.
    pub async fn connect(&self, limit: Duration) -> Result<Link, EndpointError> {
        self.within(limit, self.dial()).await
    }

    /// Connects the seat of an agent, and asks for a target where the transport has one. A seat
    /// that is waited for has no limit.
    pub(crate) async fn open(
        &self,
        agent: &str,
        target: &str,
        limit: Duration,
    ) -> Result<Pipe, EndpointError> {
        if let Self::Awaited(awaited) = self {
            let failed = |source| EndpointError::Io { endpoint: self.to_string(), source };
            return awaited.wait(agent).await.map(Pipe::from).map_err(failed);
        }
        let open = async {
            match self {
                Self::Tcp { host, port, addresses } => {
                    Pipe::tcp(connect(host, *port, addresses).await?)
                }
                Self::Memory(_) | Self::Awaited(_) => Ok(self.dial().await?.into()),
                Self::WebSocket { host, port, .. } => {
                    web_socket::ask(self.dial().await?, &address(host, *port), target).await
                }
            }
        };
        self.within(limit, open).await
    }

    async fn within<T>(
        &self,
        limit: Duration,
        done: impl Future<Output = std::io::Result<T>>,
    ) -> Result<T, EndpointError> {
        match tokio::time::timeout(limit, done).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(source)) => Err(EndpointError::Io { endpoint: self.to_string(), source }),
            Err(_) => Err(EndpointError::Timeout { endpoint: self.to_string(), limit }),
        }
    }

    async fn dial(&self) -> std::io::Result<Link> {
        match self {
            Self::Tcp { host, port, addresses } | Self::WebSocket { host, port, addresses } => {
                Link::tcp(connect(host, *port, addresses).await?)
            }
            Self::Memory(dialer) => dialer.dial().await,
            Self::Awaited(_) => Err(std::io::ErrorKind::Unsupported.into()),
        }
    }
}

async fn connect(host: &str, port: u16, addresses: &[SocketAddr]) -> std::io::Result<TcpStream> {
    if addresses.is_empty() {
        TcpStream::connect((host, port)).await
    } else {
        TcpStream::connect(addresses).await
    }
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

/// A listener in this process and the way to reach it.
#[must_use]
pub fn memory() -> (MemoryDialer, MemoryListener) {
    let (sender, receiver) = mpsc::channel(MEMORY_BACKLOG_MAX);
    (MemoryDialer { backlog: sender }, MemoryListener { backlog: receiver })
}

impl MemoryDialer {
    async fn dial(&self) -> std::io::Result<Link> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    const LIMIT: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn a_name_that_was_resolved_is_not_asked_for_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let resolved = Endpoint::tcp("localhost", address.port()).resolved(LIMIT).await.unwrap();
        assert_eq!(resolved.to_string(), format!("localhost:{}", address.port()));
        let Endpoint::Tcp { addresses, .. } = resolved else { panic!("{resolved:?}") };
        assert!(addresses.contains(&address), "{addresses:?}");
        // The name leads nowhere by now.
        let host = "gone.invalid".to_owned();
        let moved = Endpoint::Tcp { host, port: address.port(), addresses };
        moved.connect(LIMIT).await.unwrap();
    }
}
