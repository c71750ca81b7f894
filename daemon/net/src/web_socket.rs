//! WebSocket on top of a stream of bytes: the handshakes of both sides, bounds, reasons to close.

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

/// Longest message that we read from a referee: the end of a long game with its whole history.
const REFEREE_BYTES_MAX: usize = 64 << 20;
/// Longest message that our referee reads; who sends more is disconnected.
const CLIENT_BYTES_MAX: usize = 16 << 20;
/// Longest head of a request that asks for a WebSocket.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// What each connection reads at once.
const READ_BYTES: usize = 16 << 10;

/// The peer broke the protocol.
const PROTOCOL_BROKEN: u16 = 1002;
/// A text that is none.
const NOT_UTF8: u16 = 1007;
/// A message beyond the bounds.
const TOO_LONG: u16 = 1009;

/// Who is met with plain HTTP hears this.
const UPGRADE_REQUIRED: &str = "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n\
    Connection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\nContent-Type: text/plain\r\n\
    Content-Length: 35\r\n\r\nThis port speaks WebSocket, not web";
const BAD_REQUEST: &str =
    "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// A WebSocket on the halves of a [`Link`].
pub(crate) type Messages =
    WebSocketStream<Join<Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>>>;

fn config(bytes_max: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BYTES)
        .max_message_size(Some(bytes_max))
        .max_frame_size(Some(bytes_max))
}

/// Asks a referee for a WebSocket: the client's handshake.
pub(crate) async fn ask(link: Link, address: &str, target: &str) -> io::Result<Pipe> {
    let uri = format!("ws://{address}{target}");
    let request = uri.into_client_request().map_err(failure)?;
    let stream = tokio::io::join(link.reader, link.writer);
    let config = Some(config(REFEREE_BYTES_MAX));
    let (socket, _) = client_async_with_config(request, stream, config).await.map_err(failure)?;
    Ok(Pipe::messages(socket, link.peer))
}

/// Lets a client in: the referee's handshake, and the target that the client named. Who asks for
/// something else is told so.
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

/// Reads a request up to its empty line, with the bytes behind it; or what to answer instead.
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

/// Bytes as a message: text where they are text, as all of our games have it.
pub(crate) fn message(bytes: &[u8]) -> Message {
    let bytes = Bytes::copy_from_slice(bytes);
    match Utf8Bytes::try_from(bytes.clone()) {
        Ok(text) => Message::Text(text),
        Err(_) => Message::Binary(bytes),
    }
}

/// A goodbye with its reason.
pub(crate) fn goodbye(code: u16) -> Message {
    Message::Close(Some(CloseFrame { code: CloseCode::from(code), reason: Utf8Bytes::default() }))
}

/// Why a connection that failed so is closed, as the protocol numbers it; `None` when it is gone.
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

/// Whether the peer went without a goodbye, which is an end like any other.
pub(crate) fn is_gone(error: &Error) -> bool {
    matches!(error, Error::Protocol(ProtocolError::ResetWithoutClosingHandshake))
}

/// An error of the protocol as one of the system.
pub(crate) fn failure(error: Error) -> io::Error {
    if let Error::Io(error) = error { error } else { io::Error::other(error) }
}
