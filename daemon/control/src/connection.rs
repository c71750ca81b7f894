//! A connection that ends when it loses its slot, and its calls.

use crate::body::read_by;
use crate::error::{Reason, refuse};
use crate::shares::Flow;
use crate::slots::{ConnectionSlot, OpenRequest, SlotHold};
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::Extensions;
use std::fmt::Debug;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tonic::transport::server::{Connected, UdsConnectInfo};

/// The bytes of a caller: TCP, TLS or a Unix socket.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Debug + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Debug + Send + Unpin> ByteStream for S {}

/// A connection with its slot. One type for all listeners, so that the compiler makes one copy of
/// the HTTP server.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: Box<dyn ByteStream>,
    peer: Peer,
    place: SlotHold,
}

/// The other end of a connection.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// Over the network.
    Net(NetPeer),
    /// A process of this machine, over the Unix socket.
    Unix(UdsConnectInfo),
}

/// The peer of a connection over the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetPeer {
    pub(crate) address: SocketAddr,
    /// The connection has TLS.
    pub(crate) secure: bool,
}

/// The other end of a connection, with its slot.
#[derive(Clone, Debug)]
pub(crate) struct ConnectedPeer {
    peer: Peer,
    slot: Arc<ConnectionSlot>,
}

impl Connection {
    pub(crate) fn new(stream: Box<dyn ByteStream>, peer: Peer, place: SlotHold) -> Self {
        Self { stream, peer, place }
    }

    fn refuse_closed(&self, context: &Context<'_>) -> io::Result<()> {
        match self.place.slot().poll_closed(context) {
            Poll::Ready(()) => Err(io::ErrorKind::ConnectionAborted.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = ConnectedPeer;

    fn connect_info(&self) -> Self::ConnectInfo {
        ConnectedPeer { peer: self.peer.clone(), slot: Arc::clone(self.place.slot()) }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.refuse_closed(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.refuse_closed(context)?;
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.place.slot().wrote(written.is_ready());
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.refuse_closed(context)?;
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.place.slot().wrote(flushed.is_ready());
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.refuse_closed(context)?;
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.place.slot().wrote(ended.is_ready());
        ended
    }
}

/// Notes every request in the slot of its connection until the last byte of the answer; a request
/// body that is too slow fails. Later services find the peer and the slot among the request's
/// extensions.
pub(crate) async fn hold(
    State(body_max): State<Duration>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(slot) = unpack(request.extensions_mut()) else { return next.run(request).await };
    let open = Arc::new(slot.asked());
    request.extensions_mut().insert(slot);
    let flow = Arc::new(Flow::default());
    request.extensions_mut().insert(Arc::clone(&flow));
    if request.body().is_end_stream() {
        open.received();
    }
    let request = request.map(|inner| received(inner, Arc::clone(&open), body_max));
    next.run(request).await.map(|inner| answered(inner, open, flow))
}

/// Adds the peer and the slot of the connection to the request's extensions.
fn unpack(extensions: &mut Extensions) -> Option<Arc<ConnectionSlot>> {
    let ConnectedPeer { peer, slot } = extensions.remove::<ConnectedPeer>()?;
    match peer {
        Peer::Net(peer) => drop(extensions.insert(peer)),
        Peer::Unix(peer) => drop(extensions.insert(peer)),
    }
    Some(slot)
}

/// A request body that fails if it is too slow.
fn received(inner: Body, open: Arc<OpenRequest>, max: Duration) -> Body {
    let mut late = Box::pin(tokio::time::sleep(max));
    read_by(inner, move |mut inner, context| {
        let frame = inner.as_mut().poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || inner.is_end_stream() {
            open.received();
        } else if frame.is_pending() && late.as_mut().poll(context).is_ready() {
            let message = format!("the request was not complete within {max:?}");
            let late = refuse(Reason::DeadlineExceeded, message, []);
            return Poll::Ready(Some(Err(axum::Error::new(late))));
        }
        frame
    })
}

/// A response body: the request is open until its last byte.
fn answered(inner: Body, open: Arc<OpenRequest>, flow: Arc<Flow>) -> Body {
    read_by(inner, move |inner, context| {
        // It ends with the body.
        let _open = &open;
        flow.asked();
        let frame = inner.poll_frame(context);
        if matches!(frame, Poll::Ready(Some(_))) {
            flow.sent();
        }
        frame
    })
}
