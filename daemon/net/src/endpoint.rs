//! Addresses of referees, and how each is connected to.

use crate::lobby::Awaited;
use crate::pipe::Pipe;
use crate::{Link, MemoryDialer, web_socket};
use phalanx_game::Framing;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;

/// An address to connect to.
#[derive(Clone, Debug)]
pub enum Endpoint {
    /// A TCP address; the name is resolved at each attempt, unless [`Endpoint::resolved`] did it.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
        /// The addresses to dial; empty: the name is resolved at each attempt.
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
    /// Nothing to connect to: the referee's bridge connects to us.
    Awaited(Awaited),
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The system refuses.
    #[error("{endpoint}: {why}")]
    Io {
        /// The address.
        endpoint: String,
        /// Why.
        why: std::io::Error,
    },
    /// There was no answer in time.
    #[error("{endpoint}: no connection within {limit:?}")]
    Timeout {
        /// The address.
        endpoint: String,
        /// The limit.
        limit: Duration,
    },
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

impl Endpoint {
    /// The referee as settings name it: `host:port`, or `bridge` for one that comes to us.
    #[must_use]
    pub fn server(&self) -> String {
        match self {
            Self::Tcp { host, port, .. } | Self::WebSocket { host, port, .. } => {
                address(host, *port)
            }
            Self::Memory(_) => "memory".to_owned(),
            Self::Awaited(_) => "bridge".to_owned(),
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

    /// The same endpoint with its name resolved once, so that later changes of the name have no
    /// effect.
    ///
    /// # Errors
    /// When the name does not resolve within `limit`.
    pub async fn resolved(mut self, limit: Duration) -> Result<Self, EndpointError> {
        if let Self::Tcp { host, port, .. } | Self::WebSocket { host, port, .. } = &self {
            let looked_up = tokio::net::lookup_host((host.as_str(), *port));
            let found: Vec<_> = self.within(limit, looked_up).await?.collect();
            if found.is_empty() {
                let why = std::io::ErrorKind::NotFound.into();
                return Err(EndpointError::Io { endpoint: self.to_string(), why });
            }
            if let Self::Tcp { addresses, .. } | Self::WebSocket { addresses, .. } = &mut self {
                *addresses = found;
            }
        }
        Ok(self)
    }

    /// Whether it carries a byte stream or messages.
    #[must_use]
    pub fn framing(&self) -> Framing {
        match self {
            Self::Tcp { .. } | Self::Memory(_) | Self::Awaited(_) => Framing::Stream,
            Self::WebSocket { .. } => Framing::Message,
        }
    }

    /// Connects, without the handshake of the transport.
    ///
    /// # Errors
    /// When the name does not resolve, the connection is refused, it takes longer than `limit`, or
    /// the endpoint is one where a seat waits for its referee.
    pub async fn connect(&self, limit: Duration) -> Result<Link, EndpointError> {
        self.within(limit, self.dial()).await
    }

    /// Connects the seat of an agent, and requests a target if the transport has one. A seat that
    /// waits for its referee has no limit.
    pub(crate) async fn open(
        &self,
        agent: &str,
        target: &str,
        limit: Duration,
    ) -> Result<Pipe, EndpointError> {
        if let Self::Awaited(awaited) = self {
            let failed = |why| EndpointError::Io { endpoint: self.to_string(), why };
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
            Ok(Err(why)) => Err(EndpointError::Io { endpoint: self.to_string(), why }),
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
        // The name does not resolve any more.
        let host = "gone.invalid".to_owned();
        let moved = Endpoint::Tcp { host, port: address.port(), addresses };
        moved.connect(LIMIT).await.unwrap();
    }
}
