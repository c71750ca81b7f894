//! The connection state of a seat, and the operations on it that may be cancelled at any time.

use crate::EndpointError;
use crate::pipe::{Pipe, Reader, Writer};
use bytes::BytesMut;
use futures_util::future::BoxFuture;
use std::collections::VecDeque;
use std::io;
use std::time::Instant;

pub(super) enum Line {
    Waiting { until: Instant },
    Dialing(Dial),
    Open(Open),
    Stopped,
    Closed,
}

pub(super) struct Open {
    pub(super) reader: Reader,
    pub(super) writer: Writer,
    /// Bytes of the outbox's first message that are written already.
    pub(super) written: usize,
    pub(super) tail: Tail,
    /// When the login must be accepted.
    pub(super) login_by: Option<Instant>,
    /// When the login was accepted.
    pub(super) seated_at: Option<Instant>,
}

/// What the writer has to do once the outbox is empty.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    Nothing,
    Flush,
    HalfClose,
    Done,
}

pub(super) type Dial = BoxFuture<'static, Result<Pipe, EndpointError>>;
pub(super) type Sending<'a> = (&'a mut Writer, usize, Tail);

impl Line {
    pub(super) fn parts(
        &mut self,
    ) -> (Option<&mut Dial>, Option<&mut Reader>, Option<Sending<'_>>) {
        match self {
            Self::Waiting { .. } | Self::Stopped | Self::Closed => (None, None, None),
            Self::Dialing(dial) => (Some(dial), None, None),
            Self::Open(Open { reader, writer, written, tail, .. }) => {
                (None, Some(reader), Some((writer, *written, *tail)))
            }
        }
    }
}

pub(super) async fn dial_done(dial: Option<&mut Dial>) -> Result<Pipe, EndpointError> {
    match dial {
        Some(dial) => dial.await,
        None => std::future::pending().await,
    }
}

pub(super) async fn read(reader: Option<&mut Reader>, buffer: &mut BytesMut) -> io::Result<usize> {
    match reader {
        Some(reader) => reader.read(buffer).await,
        None => std::future::pending().await,
    }
}

/// Writes a piece of the first message; if there is none, does what the tail requests.
pub(super) async fn write(
    writer: Option<Sending<'_>>,
    outbox: &VecDeque<Vec<u8>>,
) -> io::Result<usize> {
    let Some((writer, written, tail)) = writer else { return std::future::pending().await };
    if let Some(message) = outbox.front() {
        return match message.get(written..) {
            Some(rest) if !rest.is_empty() => writer.write(rest).await,
            Some(_) | None => Ok(0),
        };
    }
    match tail {
        Tail::Flush => writer.flush().await.map(|()| 0),
        Tail::HalfClose => writer.shutdown().await.map(|()| 0),
        Tail::Nothing | Tail::Done => std::future::pending().await,
    }
}
