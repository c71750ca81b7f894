//! Listeners for the clients of an arena.

use crate::{Link, MemoryListener};
use phalanx_game::Framing;
use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpListener, ToSocketAddrs};

/// A listener.
#[derive(Debug)]
pub enum Listener {
    /// A TCP port.
    Tcp(TcpListener),
    /// A TCP port for WebSockets.
    WebSocket(TcpListener),
    /// A listener in this process.
    Memory(MemoryListener),
    /// No listener: the host starts all players itself.
    Closed,
}

impl Listener {
    /// Listens on a TCP address; port 0 picks a free one.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        Ok(Self::Tcp(TcpListener::bind(address).await?))
    }

    /// Listens for WebSockets on a TCP address; port 0 picks a free one.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn bind_web_socket(address: impl ToSocketAddrs) -> io::Result<Self> {
        Ok(Self::WebSocket(TcpListener::bind(address).await?))
    }

    /// Whether it carries byte streams or messages.
    #[must_use]
    pub fn framing(&self) -> Framing {
        match self {
            Self::Tcp(_) | Self::Memory(_) | Self::Closed => Framing::Stream,
            Self::WebSocket(_) => Framing::Message,
        }
    }

    /// The bound address, if there is one.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) | Self::WebSocket(listener) => listener.local_addr().ok(),
            Self::Memory(_) | Self::Closed => None,
        }
    }

    /// The next connection, without the handshake of the transport; `None` when there can be no
    /// further one.
    ///
    /// # Errors
    /// The error of the system; the next attempt may succeed.
    pub async fn accept(&mut self) -> io::Result<Option<Link>> {
        match self {
            Self::Tcp(listener) | Self::WebSocket(listener) => {
                let (stream, _) = listener.accept().await?;
                Link::tcp(stream).map(Some)
            }
            Self::Memory(listener) => Ok(listener.accept().await),
            Self::Closed => Ok(None),
        }
    }
}
