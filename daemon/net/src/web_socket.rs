//! WebSocket on a byte stream: the handshakes of both sides, limits, reasons to close.

use crate::Link;
use crate::pipe::Pipe;
use bytes::{Bytes, BytesMut};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, Join};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::machine::TryParse;
use tokio_tungstenite::tungstenite::handshake::server::{Request, create_response, write_response};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// Longest message from a referee: the end of a long game with its whole history.
const REFEREE_BYTES_MAX: usize = 64 << 20;
/// Longest message to our referee; a client that sends a longer one is disconnected.
const CLIENT_BYTES_MAX: usize = 16 << 20;
/// Longest head of a request that asks for a WebSocket.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// Most bytes of one read.
const READ_BYTES: usize = 16 << 10;

/// The peer broke the protocol.
const PROTOCOL_BROKEN: u16 = 1002;
/// A text is not UTF-8.
const NOT_UTF8: u16 = 1007;
/// A message is too long.
const TOO_LONG: u16 = 1009;

/// The answer to plain HTTP.
const UPGRADE_REQUIRED: &str = "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n\
    Connection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\nContent-Type: text/plain\r\n\
    Content-Length: 35\r\n\r\nThis port speaks WebSocket, not web";
const BAD_REQUEST: &str =
    "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// A WebSocket on the halves of a [`Link`].
pub(crate) type MessageSocket =
    WebSocketStream<Join<Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>>>;

fn config(bytes_max: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BYTES)
        .max_message_size(Some(bytes_max))
        .max_frame_size(Some(bytes_max))
}

/// The client's handshake with a referee.
pub(crate) async fn ask(link: Link, address: &str, target: &str) -> io::Result<Pipe> {
    let uri = format!("ws://{address}{target}");
    let request = uri.into_client_request().map_err(failure)?;
    let stream = tokio::io::join(link.reader, link.writer);
    let config = Some(config(REFEREE_BYTES_MAX));
    let (socket, _) = client_async_with_config(request, stream, config).await.map_err(failure)?;
    Ok(Pipe::messages(socket, link.peer))
}

/// Lets a client in: the referee's handshake, and the target that the client named. Other requests
/// get an HTTP error.
pub(crate) async fn accept(link: Link) -> io::Result<(Pipe, String)> {
    let Link { mut reader, mut writer, peer } = link;
    let (request, rest) = match head(&mut reader).await? {
        Ok(head) => head,
        Err(refused) => return refuse(&mut writer, refused).await,
    };
    let response = match create_response(&request) {
        Ok(response) => response,
        Err(Error::Protocol(
            ProtocolError::MissingConnectionUpgradeHeader
            | ProtocolError::MissingUpgradeWebSocketHeader
            | ProtocolError::MissingSecWebSocketVersionHeader,
        )) => return refuse(&mut writer, UPGRADE_REQUIRED).await,
        Err(_) => return refuse(&mut writer, BAD_REQUEST).await,
    };
    let mut text = Vec::new();
    write_response(&mut text, &response).map_err(failure)?;
    writer.write_all(&text).await?;
    writer.flush().await?;
    let stream = tokio::io::join(reader, writer);
    let config = Some(config(CLIENT_BYTES_MAX));
    let socket = WebSocketStream::from_partially_read(stream, rest, Role::Server, config).await;
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str()).to_owned();
    Ok((Pipe::messages(socket, peer), target))
}

/// Reads a request up to its empty line, with the bytes after it; or returns the answer that
/// refuses it.
async fn head(
    reader: &mut (dyn AsyncRead + Send + Unpin),
) -> io::Result<Result<(Request, Vec<u8>), &'static str>> {
    let mut buffer = BytesMut::new();
    loop {
        if reader.read_buf(&mut buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match Request::try_parse(&buffer) {
            Ok(Some((size, request))) => {
                return Ok(Ok((request, buffer.split_off(size).to_vec())));
            }
            Ok(None) if buffer.len() < HEAD_BYTES_MAX => {}
            Ok(None) | Err(_) => return Ok(Err(BAD_REQUEST)),
        }
    }
}

async fn refuse<T>(
    writer: &mut (dyn AsyncWrite + Send + Unpin),
    answer: &'static str,
) -> io::Result<T> {
    writer.write_all(answer.as_bytes()).await?;
    writer.shutdown().await?;
    Err(io::Error::new(io::ErrorKind::InvalidData, "a request for something else than a WebSocket"))
}

/// Bytes as a message: as text if they are text, which all of our games use.
pub(crate) fn message(bytes: &[u8]) -> Message {
    let bytes = Bytes::copy_from_slice(bytes);
    match Utf8Bytes::try_from(bytes.clone()) {
        Ok(text) => Message::Text(text),
        Err(_) => Message::Binary(bytes),
    }
}

/// A close frame with its reason.
pub(crate) fn goodbye(code: u16) -> Message {
    Message::Close(Some(CloseFrame { code: CloseCode::from(code), reason: Utf8Bytes::default() }))
}

/// The close code for an error; `None` if the peer is gone.
pub(crate) fn reason_to_close(error: &io::Error) -> Option<u16> {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>())?;
    let broken = matches!(inner, Error::Protocol(_)) && !is_gone(inner);
    let reasons = [
        (matches!(inner, Error::Capacity(_)), TOO_LONG),
        (matches!(inner, Error::Utf8(_)), NOT_UTF8),
        (broken, PROTOCOL_BROKEN),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, code)| code)
}

/// Whether the peer left without a close frame, which is an end like any other.
pub(crate) fn is_gone(error: &Error) -> bool {
    matches!(error, Error::Protocol(ProtocolError::ResetWithoutClosingHandshake))
}

/// An error of the protocol as an IO error.
pub(crate) fn failure(error: Error) -> io::Error {
    if let Error::Io(error) = error { error } else { io::Error::other(error) }
}
