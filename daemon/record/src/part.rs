//! One file of a recording that is being written.

use crate::channel::{Channel, ENCODING};
use crate::disk::DiskFile;
use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{Attachment, Compression, McapError, WriteOptions, Writer};
use phalanx_game::sorted::{SortedMap, SortedSet};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest message, in bytes; larger ones are dropped.
pub(crate) const MESSAGE_BYTES_MAX: usize = 16 << 20;
/// The name of the record with the recording's description.
pub(crate) const METADATA: &str = "phalanx";
/// The name of the record with the figures of the file, at its end.
pub(crate) const METADATA_END: &str = "phalanx-end";
/// The profile in the file's header.
pub(crate) const PROFILE: &str = "phalanx";

/// Why a file gets no further messages.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PartError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Mcap(McapError),
}

impl From<McapError> for PartError {
    fn from(error: McapError) -> Self {
        if let McapError::Io(error) = error { Self::Io(error) } else { Self::Mcap(error) }
    }
}

/// Options of writing a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartOptions {
    /// A chunk is closed once it has this many bytes before compression.
    pub(crate) chunk_bytes: u64,
    /// Force each closed chunk onto the disk.
    pub(crate) sync: bool,
}

/// A file that is being written.
pub(crate) struct Part {
    writer: Writer<NoSeek<CountingWriter>>,
    options: PartOptions,
    written: Arc<AtomicU64>,
    declared: SortedSet<Channel>,
    /// The number of each message's schema in the file.
    schemas: SortedMap<&'static str, u16>,
    sequence: u32,
    /// Messages and bytes before compression, by channel.
    pub(crate) tally: SortedMap<Channel, (u64, u64)>,
    /// The messages in the open chunk, which are lost if the disk fails now: counts by channel,
    /// first and last log time.
    pub(crate) open: OpenChunk,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct OpenChunk {
    pub(crate) counts: SortedMap<Channel, u64>,
    pub(crate) times: Option<(u64, u64)>,
    bytes: u64,
}

impl OpenChunk {
    /// Its messages of a channel.
    pub(crate) fn count(&self, channel: Channel) -> usize {
        let count = self.counts.get(&channel).copied().unwrap_or_default();
        usize::try_from(count).unwrap_or(usize::MAX)
    }
}

/// Counts the written bytes. Nothing is written twice, so the count is the file's size.
#[derive(Debug)]
struct CountingWriter {
    file: Box<dyn DiskFile>,
    written: Arc<AtomicU64>,
    sync: bool,
}

impl Write for CountingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written.fetch_add(count as u64, Ordering::AcqRel);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()?;
        if self.sync { self.file.sync() } else { Ok(()) }
    }
}

impl Part {
    /// Begins a file.
    pub(crate) fn begin(
        file: Box<dyn DiskFile>,
        options: PartOptions,
        metadata: BTreeMap<String, String>,
    ) -> Result<Self, PartError> {
        let written = Arc::new(AtomicU64::new(0));
        let sync = options.sync;
        let counted = CountingWriter { file, written: Arc::clone(&written), sync };
        // Chunks are made in memory and written at once, so an unfinished file ends between two
        // chunks or within one. We close the chunks ourselves, to know the content of the open one.
        let writer = WriteOptions::new()
            .profile(PROFILE)
            .library(concat!("phalanx ", env!("CARGO_PKG_VERSION")))
            .compression(Some(Compression::Zstd))
            .compression_threads(0)
            .chunk_size(None)
            .disable_seeking(true)
            .create(NoSeek::new(counted))?;
        let mut part = Self {
            writer,
            options,
            written,
            declared: SortedSet::new(),
            schemas: SortedMap::new(),
            sequence: 0,
            tally: SortedMap::new(),
            open: OpenChunk::default(),
        };
        part.metadata(METADATA, metadata)?;
        Ok(part)
    }

    pub(crate) fn metadata(
        &mut self,
        name: &str,
        metadata: BTreeMap<String, String>,
    ) -> Result<(), PartError> {
        self.flush()?;
        Ok(self.writer.write_metadata(&Metadata { name: name.to_owned(), metadata })?)
    }

    pub(crate) fn attach(
        &mut self,
        name: &str,
        media_type: &str,
        time: u64,
        data: &[u8],
    ) -> Result<(), PartError> {
        self.flush()?;
        Ok(self.writer.attach(&Attachment {
            log_time: time,
            create_time: time,
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            data: Cow::Borrowed(data),
        })?)
    }

    /// Writes a message. False if it cannot be in a file: it is too large, or its seat has no
    /// number.
    pub(crate) fn message(
        &mut self,
        channel: Channel,
        log_time: u64,
        data: &[u8],
    ) -> Result<bool, PartError> {
        let number = channel.number().filter(|_| data.len() <= MESSAGE_BYTES_MAX);
        let Some(channel_id) = number else { return Ok(false) };
        if self.open.bytes >= self.options.chunk_bytes {
            self.flush()?;
        }
        self.declare(channel, channel_id)?;
        let OpenChunk { counts, times, bytes } = &mut self.open;
        *counts.entry(channel).or_default() += 1;
        let (first, last) = times.unwrap_or((log_time, log_time));
        *times = Some((first.min(log_time), last.max(log_time)));
        *bytes += data.len() as u64;
        self.sequence = self.sequence.wrapping_add(1);
        let sequence = self.sequence;
        let header = MessageHeader { channel_id, sequence, log_time, publish_time: log_time };
        self.writer.write_to_known_channel(&header, data)?;
        let (messages, bytes) = self.tally.entry(channel).or_default();
        (*messages, *bytes) = (*messages + 1, *bytes + data.len() as u64);
        Ok(true)
    }

    fn declare(&mut self, channel: Channel, number: u16) -> Result<(), PartError> {
        if !self.declared.insert(channel) {
            return Ok(());
        }
        let message = channel.message();
        let schema = match self.schemas.get(message) {
            Some(schema) => *schema,
            None => self.writer.add_schema(message, ENCODING, &channel.schema())?,
        };
        self.schemas.insert(message, schema);
        let topic = channel.topic();
        self.writer.add_channel_with_id(number, schema, &topic, ENCODING, &BTreeMap::new())?;
        Ok(())
    }

    /// Closes the chunk and writes it to the disk.
    pub(crate) fn flush(&mut self) -> Result<(), PartError> {
        if self.open.times.is_some() {
            self.writer.flush()?;
            self.open = OpenChunk::default();
        }
        Ok(())
    }

    /// The file's size so far, without the open chunk.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// Whether the open chunk has messages.
    pub(crate) fn is_open(&self) -> bool {
        self.open.times.is_some()
    }

    /// Writes the index. A disk error is returned; the file is readable without an index.
    pub(crate) fn finish(mut self, fields: BTreeMap<String, String>) -> Result<(), PartError> {
        let mut fields = fields;
        for (channel, (_, bytes)) in &self.tally {
            fields.insert(format!("bytes{}", channel.topic()), bytes.to_string());
        }
        self.metadata(METADATA_END, fields)?;
        self.writer.finish()?;
        let mut counted = self.writer.into_inner().into_inner();
        counted.file.flush()?;
        Ok(counted.file.sync()?)
    }
}
