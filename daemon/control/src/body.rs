//! A body of a request or an answer that is watched while it is read.

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// What a body gives when it is asked for its next part.
pub(crate) type NextFrame = Poll<Option<Result<Frame<Bytes>, axum::Error>>>;

/// The same body, read through this function: it polls the body, and may do more. What the function
/// owns is dropped with the body.
pub(crate) fn read_by(
    inner: Body,
    read: impl FnMut(Pin<&mut Body>, &mut Context<'_>) -> NextFrame + Send + Unpin + 'static,
) -> Body {
    Body::new(WatchedBody { inner, read })
}

struct WatchedBody<F> {
    inner: Body,
    read: F,
}

impl<F> HttpBody for WatchedBody<F>
where
    F: FnMut(Pin<&mut Body>, &mut Context<'_>) -> NextFrame + Unpin,
{
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> NextFrame {
        let this = &mut *self;
        (this.read)(Pin::new(&mut this.inner), context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
