//! Where clients of an arena come in.

use crate::{Link, MemoryListener};
use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpListener, ToSocketAddrs};

/// An open door.
#[derive(Debug)]
pub enum Listener {
    /// A TCP port.
    Tcp(TcpListener),
    /// A door in this process.
    Memory(MemoryListener),
}

impl Listener {
    /// Listens on a TCP address; port 0 picks a free one.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        Ok(Self::Tcp(TcpListener::bind(address).await?))
    }

    /// The bound address, where there is one.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            Self::Memory(_) => None,
        }
    }

    /// The next connection; `None` when no more can come.
    ///
    /// # Errors
    /// What the system says; the next try may work.
    pub async fn accept(&mut self) -> io::Result<Option<Link>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                Link::tcp(stream).map(Some)
            }
            Self::Memory(listener) => Ok(listener.accept().await),
        }
    }
}
