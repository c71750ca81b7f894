//! A connection that ends when its slot is taken away, and the calls on it.

use crate::error::{Reason, refuse};
use crate::listener::NetPeer;
use crate::shares::Flow;
use crate::slots::{OpenRequest, Place, Slot};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::Extensions;
use http_body::{Frame, SizeHint};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;
use tonic::transport::server::{Connected, UdsConnectInfo};

/// A connection and its hold on a slot.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    inner: S,
    place: Place,
}

/// The other end of a connection, with its slot.
#[derive(Clone, Debug)]
pub(crate) struct Peer<P> {
    peer: P,
    slot: Arc<Slot>,
}

impl<S> Connection<S> {
    pub(crate) fn new(inner: S, place: Place) -> Self {
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

/// Notes every request in the slot of its connection, until the last byte of the answer; a body
/// that does not come in time fails. Services behind this find the peer and the slot among the
/// request's extensions.
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
    let request = request.map(|inner| {
        let late = Box::pin(tokio::time::sleep(body_max));
        Body::new(Receiving { inner, open: Arc::clone(&open), late, max: body_max })
    });
    next.run(request).await.map(|inner| Body::new(Answering { inner, flow, _open: open }))
}

/// Puts peer and slot of a request's connection among its extensions.
fn unpack(extensions: &mut Extensions) -> Option<Arc<Slot>> {
    if let Some(Peer { peer, slot }) = extensions.remove::<Peer<NetPeer>>() {
        extensions.insert(peer);
        return Some(slot);
    }
    let Peer { peer, slot } = extensions.remove::<Peer<UdsConnectInfo>>()?;
    extensions.insert(peer);
    Some(slot)
}

/// The body of a request on its way.
struct Receiving {
    inner: Body,
    open: Arc<OpenRequest>,
    late: Pin<Box<Sleep>>,
    max: Duration,
}

impl HttpBody for Receiving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.inner.is_end_stream() {
            self.open.received();
        } else if frame.is_pending() && self.late.as_mut().poll(context).is_ready() {
            let message = format!("the request was not complete within {:?}", self.max);
            let late = refuse(Reason::DeadlineExceeded, message, []);
            return Poll::Ready(Some(Err(axum::Error::new(late))));
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// An answer on its way.
struct Answering {
    inner: Body,
    flow: Arc<Flow>,
    _open: Arc<OpenRequest>,
}

impl HttpBody for Answering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.flow.asked();
        let frame = Pin::new(&mut self.inner).poll_frame(context);
        if matches!(frame, Poll::Ready(Some(_))) {
            self.flow.sent();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
