//! Connections without TLS, which notice when the daemon wants TLS.

use super::CONNECT_MAX;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tonic::transport::Uri;
use tower::{Service, ServiceExt};

/// The first bytes of an alert, with which TLS refuses other protocols.
const ALERT: &[u8] = &[0x15, 0x03];
/// How our own daemon begins its answer to a request without TLS.
const BAD_REQUEST: &[u8] = b"HTTP/1.1 400";

/// What the first bytes from the daemon say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Greeting {
    /// It goes on without TLS, or has closed the connection.
    Plain,
    NeedsTls,
}

/// Opens such a connection; its greeting goes to the sender.
pub(super) async fn open(
    uri: Uri,
    greetings: mpsc::Sender<Greeting>,
) -> io::Result<TokioIo<PlainStream>> {
    let mut http = HttpConnector::new();
    http.set_nodelay(true);
    http.set_connect_timeout(Some(CONNECT_MAX));
    let stream = http.ready().await.map_err(io::Error::other)?.call(uri).await;
    let inner = stream.map_err(io::Error::other)?.into_inner();
    Ok(TokioIo::new(PlainStream { inner, greetings: Some(greetings) }))
}

/// A stream whose first bytes are looked at.
#[derive(Debug)]
pub(super) struct PlainStream {
    inner: TcpStream,
    /// Until the first bytes came.
    greetings: Option<mpsc::Sender<Greeting>>,
}

impl AsyncRead for PlainStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.inner).poll_read(context, buffer));
        if let Some(greetings) = self.greetings.take() {
            let first = buffer.filled().get(before..).unwrap_or_default();
            let refuses = first.starts_with(ALERT) || first.starts_with(BAD_REQUEST);
            let greeting = if refuses { Greeting::NeedsTls } else { Greeting::Plain };
            // Only the first connection has a reader.
            greetings.try_send(greeting).unwrap_or_default();
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for PlainStream {
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
