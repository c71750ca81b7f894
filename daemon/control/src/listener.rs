//! Accepts callers on both listeners, with or without TLS; each connection has a slot
//! (`crate::slots`) from the moment it is accepted.

use crate::connection::{ByteStream, Connection, NetPeer, Peer};
use crate::slots::Slots;
use crate::tls::Certificates;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_rustls::TlsAcceptor;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Connected;

/// The pause after the system refused to accept, for example without free descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The answer to a request without TLS where TLS is needed.
const USE_TLS: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\
    Content-Length: 50\r\nConnection: close\r\n\r\nThis address needs TLS: use https://, not http://\n";

/// The listeners, in metrics.
pub(crate) const TCP: &str = "tcp";
pub(crate) const UNIX: &str = "unix";
pub(crate) const HERE: &str = "here";

/// Accepts until the receiver is gone. Every handshake has its own task, so that a slow one does
/// not delay other callers.
pub(crate) fn accept(
    listener: TcpListener,
    tls: Option<Arc<Certificates>>,
    slots: Arc<Slots>,
) -> ReceiverStream<io::Result<Connection>> {
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
                    // The slot has the deadline, and the metrics count why it was closed.
                    () = slot.closed() => return,
                };
                match greeted {
                    Ok(stream) => {
                        let peer = Peer::Net(NetPeer { address, secure });
                        // If the server is gone, it takes no connection.
                        drop(sender.send(Ok(Connection::new(stream, peer, place))).await);
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

/// The same for callers on this machine. The system identifies the user of the socket, so there is
/// no handshake.
pub(crate) fn accept_unix(
    listener: UnixListener,
    slots: Arc<Slots>,
) -> ReceiverStream<io::Result<Connection>> {
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
            let peer = Peer::Unix(stream.connect_info());
            // If the server is gone, it takes no connection.
            drop(sender.send(Ok(Connection::new(Box::new(stream), peer, place))).await);
        }
    });
    ReceiverStream::new(receiver)
}

/// The same for callers within this process, who count as callers on a loopback address.
pub(crate) fn accept_here(
    mut callers: mpsc::Receiver<DuplexStream>,
    slots: Arc<Slots>,
) -> ReceiverStream<io::Result<Connection>> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let peer = NetPeer { address: SocketAddr::from(([127, 0, 0, 1], 0)), secure: false };
        while let Some(stream) = callers.recv().await {
            let Some(place) = slots.admit(None) else {
                slots.refused();
                continue;
            };
            let connection = Connection::new(Box::new(stream), Peer::Net(peer), place);
            // If the server is gone, it takes no connection.
            drop(sender.send(Ok(connection)).await);
        }
    });
    ReceiverStream::new(receiver)
}

fn deadlines(slots: &Slots) -> Interval {
    let mut deadlines = tokio::time::interval(slots.pause());
    deadlines.set_missed_tick_behavior(MissedTickBehavior::Delay);
    deadlines
}

/// A caller that speaks HTTP without TLS gets an answer that it can read.
async fn refuse_plain(stream: &mut TcpStream) -> io::Result<()> {
    let mut first = [0];
    let count = stream.peek(&mut first).await?;
    let [letter] = first;
    if count == 0 || !letter.is_ascii_uppercase() {
        return Ok(());
    }
    // Read what came, so that closing the connection does not discard the answer.
    let mut request = [0; 4096];
    drop(stream.try_read(&mut request));
    stream.write_all(USE_TLS).await?;
    stream.shutdown().await?;
    Err(io::Error::new(io::ErrorKind::InvalidData, "a request without TLS"))
}

async fn greet(
    mut stream: TcpStream,
    tls: Option<Arc<Certificates>>,
) -> io::Result<Box<dyn ByteStream>> {
    stream.set_nodelay(true)?;
    match tls {
        Some(tls) => {
            refuse_plain(&mut stream).await?;
            let acceptor = TlsAcceptor::from(tls.current());
            Ok(Box::new(acceptor.accept(stream).await?))
        }
        None => {
            if stream.peek(&mut [0]).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Ok(Box::new(stream))
        }
    }
}

/// The web page's address as a browser takes it; `None`: it is not served.
pub(crate) fn page(is_served: bool, has_tls: bool, address: SocketAddr) -> Option<String> {
    let scheme = if has_tls { "https" } else { "http" };
    is_served.then(|| {
        if address.ip().is_unspecified() {
            format!("{scheme}://localhost:{}/", address.port())
        } else {
            format!("{scheme}://{address}/")
        }
    })
}

/// Where the server listens, for people.
pub(crate) fn names(socket: Option<&Path>, has_tls: bool, tcp: Option<SocketAddr>) -> Vec<String> {
    let unix = socket.map(|path| format!("unix:{}", path.display()));
    let scheme = if has_tls { "tls" } else { "tcp" };
    unix.into_iter().chain(tcp.map(|address| format!("{scheme}:{address}"))).collect()
}
