//! The transport of a session's bytes: a stream that may be cut anywhere, or whole messages. Both
//! halves are cancel-safe, so that they can be used in a `select!`.

use crate::Link;
use crate::link::tuned;
use crate::options::READ_BYTES_MAX;
use crate::web_socket::{self, MessageSocket};
use bytes::BytesMut;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::future::poll_fn;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio_tungstenite::tungstenite::Message;

/// Both halves of an open connection.
pub(crate) struct Pipe {
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
    /// The peer, for people.
    pub(crate) peer: String,
}

/// The half that reads from the peer.
pub(crate) enum Reader {
    Tcp(OwnedReadHalf),
    Bytes(Box<dyn AsyncRead + Send + Unpin>),
    Messages(SplitStream<MessageSocket>),
}

/// The half that writes to the peer.
pub(crate) enum Writer {
    Tcp(OwnedWriteHalf),
    Bytes(Box<dyn AsyncWrite + Send + Unpin>),
    Messages(SplitSink<MessageSocket, Message>),
}

impl From<Link> for Pipe {
    fn from(link: Link) -> Self {
        Self {
            reader: Reader::Bytes(link.reader),
            writer: Writer::Bytes(link.writer),
            peer: link.peer,
        }
    }
}

impl Pipe {
    /// A connection over TCP.
    pub(crate) fn tcp(stream: TcpStream) -> io::Result<Self> {
        let peer = tuned(&stream)?;
        let (reader, writer) = stream.into_split();
        Ok(Self { reader: Reader::Tcp(reader), writer: Writer::Tcp(writer), peer })
    }

    /// A TCP connection from another process.
    pub(crate) fn adopted(stream: std::net::TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Self::tcp(TcpStream::from_std(stream)?)
    }

    pub(crate) fn messages(socket: MessageSocket, peer: String) -> Self {
        let (writer, reader) = socket.split();
        Self { reader: Reader::Messages(reader), writer: Writer::Messages(writer), peer }
    }
}

/// The connection of both halves for another process; `None` if it is not plain TCP. No write may
/// be incomplete on it.
pub(crate) fn given_away(
    reader: Reader,
    writer: Writer,
) -> io::Result<Option<std::net::TcpStream>> {
    let (Reader::Tcp(reader), Writer::Tcp(writer)) = (reader, writer) else { return Ok(None) };
    let stream = reader.reunite(writer).map_err(io::Error::other)?;
    stream.into_std().map(Some)
}

impl Reader {
    /// Appends a piece of the stream, or one whole message, to the buffer. Returns the number of
    /// bytes, 0 at the end. Empty messages are skipped.
    pub(crate) async fn read(&mut self, buffer: &mut BytesMut) -> io::Result<usize> {
        match self {
            Self::Tcp(reader) => {
                buffer.reserve(READ_BYTES_MAX);
                reader.take(READ_BYTES_MAX as u64).read_buf(buffer).await
            }
            Self::Bytes(reader) => {
                buffer.reserve(READ_BYTES_MAX);
                reader.take(READ_BYTES_MAX as u64).read_buf(buffer).await
            }
            Self::Messages(reader) => loop {
                let message = match reader.next().await {
                    Some(Err(error)) if !web_socket::is_gone(&error) => {
                        return Err(web_socket::failure(error));
                    }
                    Some(Ok(message)) => message,
                    Some(Err(_)) | None => return Ok(0),
                };
                match message {
                    message @ (Message::Text(_) | Message::Binary(_)) if !message.is_empty() => {
                        let bytes = message.into_data();
                        buffer.extend_from_slice(&bytes);
                        return Ok(bytes.len());
                    }
                    // The library answers pings and a close frame while we read on.
                    Message::Text(_)
                    | Message::Binary(_)
                    | Message::Ping(_)
                    | Message::Pong(_)
                    | Message::Close(_)
                    | Message::Frame(_) => {}
                }
            },
        }
    }
}

impl Writer {
    /// Writes a piece of the stream, or one whole message. Returns the number of bytes.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(writer) => some_of(bytes, writer.write(bytes).await?),
            Self::Bytes(writer) => some_of(bytes, writer.write(bytes).await?),
            Self::Messages(writer) => {
                poll_fn(|context| writer.poll_ready_unpin(context))
                    .await
                    .and_then(|()| writer.start_send_unpin(web_socket::message(bytes)))
                    .map_err(web_socket::failure)?;
                Ok(bytes.len())
            }
        }
    }

    /// Writes all of the bytes.
    pub(crate) async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = self.write(rest).await?;
            rest = rest.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(writer) => writer.flush().await,
            Self::Bytes(writer) => writer.flush().await,
            Self::Messages(writer) => writer.flush().await.map_err(web_socket::failure),
        }
    }

    /// Closes the writing half.
    pub(crate) async fn shutdown(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(writer) => writer.shutdown().await,
            Self::Bytes(writer) => writer.shutdown().await,
            Self::Messages(writer) => writer.close().await.map_err(web_socket::failure),
        }
    }

    /// Closes the writing half with a reason, if the transport supports one.
    pub(crate) async fn refuse(&mut self, code: u16) -> io::Result<()> {
        if let Self::Messages(writer) = self {
            writer.send(web_socket::goodbye(code)).await.map_err(web_socket::failure)?;
        }
        self.shutdown().await
    }
}

/// A stream that accepts no bytes any more is an error.
fn some_of(bytes: &[u8], written: usize) -> io::Result<usize> {
    if written == 0 && !bytes.is_empty() {
        Err(io::ErrorKind::WriteZero.into())
    } else {
        Ok(written)
    }
}
