//! The messages of a chunk.

use super::DamageCause;
use super::bytes::Bytes;
use super::scan::FileChunk;
use crate::channel::Channel;
use mcap::records::op;
use phalanx_game::sorted::SortedMap;
use std::io::Read;

/// Most bytes of a chunk after decompression, whatever its header declares.
const UNPACKED_BYTES_MAX: u64 = 64 << 20;
/// Largest window of a compressed chunk, as a power of two, in bytes.
const WINDOW_LOG_MAX: u32 = 25;
/// The header of a message.
const MESSAGE_HEAD: usize = 22;

/// A message as it is stored in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    pub(crate) channel: u16,
    /// In nanoseconds since the Unix epoch.
    pub(crate) time: u64,
    pub(crate) data: Vec<u8>,
}

/// The channels of a file, by their numbers there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Channels(SortedMap<u16, (String, Option<Channel>)>);

impl Channels {
    /// Reads a record that declares a channel.
    pub(crate) fn learn(&mut self, body: &[u8]) {
        let mut bytes = Bytes(body);
        let mut read = || Some((bytes.short()?, bytes.short()?, bytes.text()?));
        if let Some((number, _, topic)) = read() {
            self.0.insert(number, (topic.to_owned(), Channel::named(topic)));
        }
    }

    /// The channel of a number; without a declaration our fixed numbers apply.
    pub(crate) fn channel(&self, number: u16) -> Option<Channel> {
        match self.0.get(&number) {
            Some((_, channel)) => *channel,
            None => Channel::numbered(number),
        }
    }

    /// Whether a message is of a wanted channel, or of one that is not known.
    pub(crate) fn may_want(&self, message: &[u8], wanted: fn(Channel) -> bool) -> bool {
        let channel = Bytes(message).short().and_then(|number| self.channel(number));
        channel.is_none_or(wanted)
    }

    /// The name of a number's channel; its declaration may be in a skipped chunk.
    pub(crate) fn topic(&self, number: u16) -> String {
        let ours = || Channel::numbered(number).map(Channel::topic);
        self.0
            .get(&number)
            .map(|(topic, _)| topic.clone())
            .or_else(ours)
            .unwrap_or_else(|| number.to_string())
    }
}

/// The records of a chunk; of an incomplete chunk the readable rest.
pub(crate) fn unpack(chunk: &FileChunk, data: &[u8]) -> Result<Vec<u8>, DamageCause> {
    let (records, error) = if chunk.zstd { decompress(data) } else { (data.to_vec(), None) };
    if records.len() as u64 > UNPACKED_BYTES_MAX {
        return Err(DamageCause::TooLarge(chunk.size));
    }
    if chunk.cut {
        return Ok(records);
    }
    let whole = error.is_none() && records.len() as u64 == chunk.size;
    if whole && (chunk.crc == 0 || crc32fast::hash(&records) == chunk.crc) {
        Ok(records)
    } else {
        Err(DamageCause::Checksum)
    }
}

/// The decompressed data, at most one byte more than is allowed.
fn decompress(data: &[u8]) -> (Vec<u8>, Option<std::io::Error>) {
    let mut records = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(data).and_then(|mut decoder| {
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        Ok(decoder)
    });
    let read =
        decoder.and_then(|decoder| decoder.take(UNPACKED_BYTES_MAX + 1).read_to_end(&mut records));
    (records, read.err())
}

/// The messages of wanted and of unknown channels among records; an incomplete chunk ends with its
/// last whole message.
pub(crate) fn messages(
    records: &[u8],
    channels: &mut Channels,
    wanted: fn(Channel) -> bool,
) -> Vec<Raw> {
    let mut bytes = Bytes(records);
    let mut messages = Vec::new();
    let mut next = || {
        let (kind, length) = (bytes.byte()?, bytes.long()?);
        let body = bytes.take(usize::try_from(length).ok()?)?;
        Some((kind, body))
    };
    while let Some((kind, body)) = next() {
        if kind == op::CHANNEL {
            channels.learn(body);
        } else if kind == op::MESSAGE && channels.may_want(body, wanted) {
            messages.extend(message(body));
        }
    }
    messages
}

pub(crate) fn message(body: &[u8]) -> Option<Raw> {
    let mut bytes = Bytes(body);
    let channel = bytes.short()?;
    let (_sequence, time, _published) = (bytes.word()?, bytes.long()?, bytes.long()?);
    debug_assert_eq!(body.len() - bytes.0.len(), MESSAGE_HEAD);
    Some(Raw { channel, time, data: bytes.0.to_vec() })
}
