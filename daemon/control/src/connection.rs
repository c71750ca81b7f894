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
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tonic::transport::server::{Connected, UdsConnectInfo};

/// A connection with its slot.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    inner: S,
    place: SlotHold,
}

/// The other end of a connection, with its slot.
#[derive(Clone, Debug)]
pub(crate) struct Peer<P> {
    peer: P,
    slot: Arc<ConnectionSlot>,
}

/// The peer of a connection over the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetPeer {
    pub(crate) address: SocketAddr,
    /// The connection has TLS.
    pub(crate) secure: bool,
}

impl<S> Connection<S> {
    pub(crate) fn new(inner: S, place: SlotHold) -> Self {
        Self { inner, place }
    }

    fn refuse_closed(&self, context: &Context<'_>) -> io::Result<()> {
        match self.place.slot().poll_closed(context) {
            Poll::Ready(()) => Err(io::ErrorKind::ConnectionAborted.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl<S: Connected> Connected for Connection<S> {
    type ConnectInfo = Peer<S::ConnectInfo>;

    fn connect_info(&self) -> Self::ConnectInfo {
        Peer { peer: self.inner.connect_info(), slot: Arc::clone(self.place.slot()) }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.refuse_closed(context)?;
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.refuse_closed(context)?;
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.place.slot().wrote(written.is_ready());
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.refuse_closed(context)?;
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.place.slot().wrote(flushed.is_ready());
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.refuse_closed(context)?;
        let ended = Pin::new(&mut self.inner).poll_shutdown(context);
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
    if let Some(Peer { peer, slot }) = extensions.remove::<Peer<NetPeer>>() {
        extensions.insert(peer);
        return Some(slot);
    }
    let Peer { peer, slot } = extensions.remove::<Peer<UdsConnectInfo>>()?;
    extensions.insert(peer);
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
