//! Connections whose callers have to say something: a few bytes that could still become anything
//! hold no place for ever.

use phalanx_metrics::Connected as Counted;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Sleep;
use tonic::transport::server::Connected;

/// How long a caller may take for its first words, handshake included.
pub(crate) const FIRST_WORDS_MAX: Duration = Duration::from_secs(10);
/// After so many bytes it is known which protocol a caller speaks: the length of HTTP/2's preface.
/// From there on the protocols have limits of their own.
const FIRST_WORDS_BYTES: usize = 24;

/// A connection that ends when its first words do not come.
#[derive(Debug)]
pub(crate) struct FirstWords<S> {
    inner: S,
    /// Bytes read so far, and until when there have to be enough; `None`: there are.
    waits: Option<(usize, Pin<Box<Sleep>>)>,
    _place: OwnedSemaphorePermit,
    _counted: Option<Counted>,
}

impl<S> FirstWords<S> {
    pub(crate) fn new(inner: S, place: OwnedSemaphorePermit, counted: Option<Counted>) -> Self {
        let waits = Some((0, Box::pin(tokio::time::sleep(FIRST_WORDS_MAX))));
        Self { inner, waits, _place: place, _counted: counted }
    }
}

impl<S: Connected> Connected for FirstWords<S> {
    type ConnectInfo = S::ConnectInfo;

    fn connect_info(&self) -> S::ConnectInfo {
        self.inner.connect_info()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FirstWords<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        let Some((seen, patience)) = &mut self.waits else { return polled };
        *seen += buffer.filled().len() - before;
        if *seen >= FIRST_WORDS_BYTES {
            self.waits = None;
        } else if polled.is_pending() && patience.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FirstWords<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
