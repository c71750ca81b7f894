//! Bytes and messages: framing, and the three encodings that a manifest can name.

pub(crate) mod json;
mod xml;

use crate::manifest::{Encoding, Manifest, Transport};
use crate::vm::Arg;
use phalanx_game::{ProtocolError, Value};

/// Bytes of the length in front of a message.
const LENGTH_BYTES: usize = 4;

/// Cuts a stream into messages.
#[derive(Debug)]
pub(crate) struct Frames {
    transport: Transport,
    most: usize,
    buffer: Vec<u8>,
}

impl Frames {
    pub(crate) fn new(manifest: &Manifest) -> Self {
        let Manifest { transport, message_bytes_max, .. } = *manifest;
        Self { transport, most: message_bytes_max, buffer: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.buffer.clear();
    }

    /// All messages that these bytes complete.
    ///
    /// # Errors
    /// When a message is longer than the manifest allows: where the next one begins is not known.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, ProtocolError> {
        if self.transport == Transport::WebSocket {
            self.check(bytes.len(), bytes)?;
            return Ok(vec![bytes.to_vec()]);
        }
        self.buffer.extend_from_slice(bytes);
        let mut frames = Vec::new();
        let mut used = 0;
        loop {
            let rest = self.buffer.get(used..).unwrap_or_default();
            match self.transport.next(rest) {
                Next::Frame { skip, length, total } => {
                    self.check(length, rest)?;
                    frames.extend(rest.get(skip..skip + length).map(<[u8]>::to_vec));
                    used += total;
                }
                Next::Length(length) => {
                    self.check(length, rest)?;
                    break;
                }
            }
        }
        self.buffer.drain(..used);
        Ok(frames)
    }

    fn check(&self, length: usize, bytes: &[u8]) -> Result<(), ProtocolError> {
        if length <= self.most {
            return Ok(());
        }
        let expected = format!("a message of at most {} bytes", self.most);
        Err(ProtocolError::new("the length of a message", expected, bytes))
    }
}

/// What the beginning of a stream has.
enum Next {
    /// A message after `skip` bytes; `total` bytes are done with it.
    Frame { skip: usize, length: usize, total: usize },
    /// Only a part of a message, which is at least this long.
    Length(usize),
}

impl Transport {
    fn next(self, bytes: &[u8]) -> Next {
        let end = match self {
            Self::Lines | Self::Stdio => b'\n',
            Self::Nul => 0,
            Self::WebSocket => return Next::Length(bytes.len()),
            Self::LengthPrefixed => {
                let Some((head, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else {
                    return Next::Length(0);
                };
                let length = usize::try_from(u32::from_be_bytes(*head)).unwrap_or(usize::MAX);
                let total = length.saturating_add(LENGTH_BYTES);
                return if rest.len() < length {
                    Next::Length(length)
                } else {
                    Next::Frame { skip: LENGTH_BYTES, length, total }
                };
            }
        };
        match memchr::memchr(end, bytes) {
            Some(length) => Next::Frame { skip: 0, length, total: length + 1 },
            None => Next::Length(bytes.len()),
        }
    }

    /// A message as it is sent.
    fn framed(self, mut bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Lines | Self::Stdio => bytes.push(b'\n'),
            Self::Nul => bytes.push(0),
            Self::WebSocket => {}
            Self::LengthPrefixed => {
                let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                bytes.splice(..0, length.to_be_bytes());
            }
        }
        bytes
    }
}

/// A message as an argument of a script's function; `None`: an empty one, which many protocols send
/// to keep a connection. Whether JSON is well-formed shows when it is handed over.
///
/// # Errors
/// When the bytes are not of this encoding.
pub(crate) fn decode(encoding: Encoding, bytes: &[u8]) -> Result<Option<Arg>, ProtocolError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    Ok(Some(match encoding {
        Encoding::Json => Arg::Json(bytes.into()),
        Encoding::Xml => {
            Arg::Value(xml::decode(bytes).map_err(|error| {
                ProtocolError::new("a message", format!("XML ({error})"), bytes)
            })?)
        }
        Encoding::Bytes => {
            Value::List(bytes.iter().map(|byte| Value::Int((*byte).into())).collect()).into()
        }
    }))
}

/// A message of a script as bytes, framed.
///
/// # Errors
/// What is wrong with the message.
pub(crate) fn encode(manifest: &Manifest, message: &Value) -> Result<Vec<u8>, String> {
    let bytes = match manifest.encoding {
        Encoding::Json => serde_json::to_vec(message).map_err(|error| error.to_string())?,
        Encoding::Xml => xml::encode(message)?,
        Encoding::Bytes => {
            let byte = |item: &Value| item.as_int().and_then(|int| u8::try_from(int).ok());
            let items = message.as_list().and_then(|items| items.iter().map(byte).collect());
            items.ok_or("a message is a list of numbers from 0 to 255")?
        }
    };
    let end = match manifest.transport {
        Transport::Lines | Transport::Stdio => Some(b'\n'),
        Transport::Nul => Some(0),
        Transport::WebSocket | Transport::LengthPrefixed => None,
    };
    if let Some(end) = end.filter(|end| bytes.contains(end)) {
        return Err(format!("the message contains the byte {end}, which ends messages"));
    }
    Ok(manifest.transport.framed(bytes))
}
