//! Callers of both listeners: how many at once, with or without TLS, and nobody who says nothing.

use crate::first_words::{FIRST_WORDS_MAX, FirstWords};
use crate::tls::Certificates;
use phalanx_metrics::ApiMetrics;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Connected;

/// Most connections to a listener at once; who comes then is hung up on.
pub const CONNECTIONS_MAX: usize = 512;
/// Wait after the system refused to accept, as without free descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The listeners, in metrics.
const TCP: &str = "tcp";
const UNIX: &str = "unix";

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
/// slow handshake keeps nobody waiting.
pub(crate) fn accept(
    listener: TcpListener,
    tls: Option<Arc<Certificates>>,
    metrics: Option<ApiMetrics>,
) -> ReceiverStream<io::Result<FirstWords<NetStream>>> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
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
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                metrics.as_ref().inspect(|metrics| metrics.hung_up(TCP));
                tracing::warn!(%address, "too many connections to the control API: hung up");
                continue;
            };
            let counted = metrics.as_ref().map(|metrics| metrics.connected(TCP));
            let (sender, tls) = (sender.clone(), tls.clone());
            let secure = tls.is_some();
            tokio::spawn(async move {
                let greeted = tokio::time::timeout(FIRST_WORDS_MAX, greet(stream, tls)).await;
                let reason = match greeted {
                    Ok(Ok(inner)) => {
                        let stream = NetStream { inner, peer: NetPeer { address, secure } };
                        // A server that is gone takes nobody.
                        drop(sender.send(Ok(FirstWords::new(stream, place, counted))).await);
                        return;
                    }
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => format!("no word within {FIRST_WORDS_MAX:?}"),
                };
                tracing::debug!(%address, reason, "a caller of the control API was hung up on");
            });
        }
    });
    ReceiverStream::new(receiver)
}

/// The same for callers on this machine. Whoever may open the socket is known to the system, so
/// nothing is said before the first call.
pub(crate) fn accept_unix(
    listener: UnixListener,
    metrics: Option<ApiMetrics>,
) -> ReceiverStream<io::Result<FirstWords<UnixStream>>> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
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
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                metrics.as_ref().inspect(|metrics| metrics.hung_up(UNIX));
                tracing::warn!("too many connections to the control API's socket: hung up");
                continue;
            };
            let counted = metrics.as_ref().map(|metrics| metrics.connected(UNIX));
            // A server that is gone takes nobody.
            drop(sender.send(Ok(FirstWords::new(stream, place, counted))).await);
        }
    });
    ReceiverStream::new(receiver)
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
