//! Callers of both listeners, with or without TLS; each has a slot (`crate::slots`) from the
//! moment it is accepted.

use crate::connection::Connection;
use crate::slots::Slots;
use crate::tls::Certificates;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Connected;

/// Wait after the system refused to accept, as without free descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The listeners, in metrics.
pub(crate) const TCP: &str = "tcp";
pub(crate) const UNIX: &str = "unix";

/// The other end of a connection over the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetPeer {
    pub(crate) address: SocketAddr,
    /// The connection has TLS.
    pub(crate) secure: bool,
}

/// A connection over the network.
#[derive(Debug)]
pub(crate) struct NetStream {
    inner: Inner,
    peer: NetPeer,
}

#[derive(Debug)]
enum Inner {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connected for NetStream {
    type ConnectInfo = NetPeer;

    fn connect_info(&self) -> NetPeer {
        self.peer
    }
}

/// Accepts until the receiver is gone. Every caller is greeted by a task of its own, so that a
/// slow handshake keeps no other caller waiting.
pub(crate) fn accept(
    listener: TcpListener,
    tls: Option<Arc<Certificates>>,
    slots: Arc<Slots>,
) -> ReceiverStream<io::Result<Connection<NetStream>>> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut deadlines = deadlines(&slots);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = deadlines.tick() => {
                    slots.sweep();
                    continue;
                }
                () = sender.closed() => return,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "the control API could not accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let Some(place) = slots.admit(Some(address.ip())) else {
                slots.refused();
                tracing::warn!(%address, "too many connections to the control API: hung up");
                continue;
            };
            let (sender, tls) = (sender.clone(), tls.clone());
            let secure = tls.is_some();
            tokio::spawn(async move {
                let slot = Arc::clone(place.slot());
                let greeted = tokio::select! {
                    greeted = greet(stream, tls) => greeted,
                    // The slot keeps the deadline, and says in metrics why it was closed.
                    () = slot.closed() => return,
                };
                match greeted {
                    Ok(inner) => {
                        let stream = NetStream { inner, peer: NetPeer { address, secure } };
                        // A server that is gone takes no connection.
                        drop(sender.send(Ok(Connection::new(stream, place))).await);
                    }
                    Err(error) => {
                        tracing::debug!(%address, %error, "a caller of the control API was hung up on");
                    }
                }
            });
        }
    });
    ReceiverStream::new(receiver)
}

/// The same for callers on this machine. The system knows who opens the socket, so nothing is said
/// before the first call.
pub(crate) fn accept_unix(
    listener: UnixListener,
    slots: Arc<Slots>,
) -> ReceiverStream<io::Result<Connection<UnixStream>>> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut deadlines = deadlines(&slots);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = deadlines.tick() => {
                    slots.sweep();
                    continue;
                }
                () = sender.closed() => return,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "the control API could not accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let Some(place) = slots.admit(None) else {
                slots.refused();
                tracing::warn!("too many connections to the control API's socket: hung up");
                continue;
            };
            // A server that is gone takes no connection.
            drop(sender.send(Ok(Connection::new(stream, place))).await);
        }
    });
    ReceiverStream::new(receiver)
}

fn deadlines(slots: &Slots) -> Interval {
    let mut deadlines = tokio::time::interval(slots.pause());
    deadlines.set_missed_tick_behavior(MissedTickBehavior::Delay);
    deadlines
}

async fn greet(stream: TcpStream, tls: Option<Arc<Certificates>>) -> io::Result<Inner> {
    stream.set_nodelay(true)?;
    match tls {
        Some(tls) => {
            let acceptor = TlsAcceptor::from(tls.current());
            Ok(Inner::Tls(Box::new(acceptor.accept(stream).await?)))
        }
        None => {
            if stream.peek(&mut [0]).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Ok(Inner::Plain(stream))
        }
    }
}

impl AsyncRead for NetStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.inner {
            Inner::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Inner::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for NetStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.inner {
            Inner::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Inner::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.inner {
            Inner::Plain(stream) => Pin::new(stream).poll_flush(context),
            Inner::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.inner {
            Inner::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Inner::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
