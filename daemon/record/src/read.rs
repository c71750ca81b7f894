//! Reads a recording: all of it, or the readable rest.

mod bytes;
mod chunk;
mod decode;
mod open;
mod raw;
mod scan;
mod sections;
mod summary;

pub use decode::{Entry, Recorded};
pub(crate) use open::attachment;
pub use open::{Attachment, RecordingError, RecordingFile};
pub use raw::{RawMessage, RawMessages};
pub use summary::{ChannelTally, Summary};

use crate::channel::Channel;
use crate::taped::{Epoch, Loader, Reading};
use chunk::{Channels as Known, Raw, message, messages, unpack};
use mcap::records::op;
use phalanx_engine::Generation;
use scan::{Scan, ScannedPiece};
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Instant;

/// A piece of a recording that cannot be read. The pieces around it can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingDamage {
    /// The part of the recording, from 1.
    pub part: u32,
    /// The offset in that file, in bytes.
    pub at: u64,
    /// The number of skipped bytes.
    pub bytes: u64,
    /// The cause.
    pub wrong: DamageCause,
}

/// Why a piece of a recording cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DamageCause {
    /// Its checksum is wrong.
    Checksum,
    /// No record begins here.
    Framing,
    /// The file ends here, or nothing after this point can be read.
    End,
    /// It declares this many bytes, more than are read.
    TooLarge(u64),
    /// A message lacks something that it needs.
    Message(String),
    /// The disk fails to read it.
    Disk(String),
    /// A file of the recording is not there.
    PartMissing,
    /// An attached file, for example a strategy, has a wrong checksum.
    Attachment,
    /// The checksum of all records is wrong, although every message and every attached file can be
    /// read.
    Records,
    /// The checksum of the index is wrong, or the file does not end as a finished one does.
    Index,
}

impl RecordingDamage {
    pub(crate) fn new(at: u64, bytes: u64, wrong: DamageCause) -> Self {
        Self { part: 0, at, bytes, wrong }
    }

    /// Whether nothing that was written is missing: the file was only not finished, or its index is
    /// damaged.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        match self.wrong {
            DamageCause::End => self.bytes == 0,
            DamageCause::Records | DamageCause::Index => true,
            DamageCause::Checksum
            | DamageCause::Attachment
            | DamageCause::Framing
            | DamageCause::TooLarge(_)
            | DamageCause::Message(_)
            | DamageCause::Disk(_)
            | DamageCause::PartMissing => false,
        }
    }

    pub(crate) fn missing(part: u32) -> Self {
        Self { part, ..Self::new(0, 0, DamageCause::PartMissing) }
    }

    fn in_part(self, part: u32) -> Self {
        Self { part, ..self }
    }
}

impl fmt::Display for RecordingDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, at, bytes, wrong } = self;
        match wrong {
            DamageCause::PartMissing => return write!(f, "part {part} is missing"),
            // They are about the file as a whole.
            DamageCause::Records | DamageCause::Index => return write!(f, "part {part}: {wrong}"),
            DamageCause::Checksum
            | DamageCause::Attachment
            | DamageCause::Framing
            | DamageCause::End
            | DamageCause::TooLarge(_)
            | DamageCause::Message(_)
            | DamageCause::Disk(_) => {}
        }
        write!(f, "part {part}, byte {at}: {wrong}")?;
        if *bytes > 0 { write!(f, "; {bytes} bytes are passed over") } else { Ok(()) }
    }
}

impl fmt::Display for DamageCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum => f.write_str("the chunk is damaged"),
            Self::Framing => f.write_str("no record begins here"),
            Self::End => f.write_str("the file is cut off or damaged up to its end"),
            Self::TooLarge(bytes) => write!(f, "it says that it has {bytes} bytes"),
            Self::Message(what) => f.write_str(what),
            Self::Disk(error) => write!(f, "the disk says: {error}"),
            Self::PartMissing => f.write_str("it is missing"),
            Self::Attachment => f.write_str("an attached file is damaged: a strategy or settings"),
            Self::Records => f.write_str("the checksum of the whole file is wrong"),
            Self::Index => {
                f.write_str("the index is damaged; `phalanx recording recover` makes a new one")
            }
        }
    }
}

/// The entries of a recording, in the order in which they were written, one part after the other.
/// Holds one chunk in memory.
#[derive(Debug)]
pub struct Entries<'a> {
    recording: &'a RecordingFile,
    epoch: Epoch,
    loader: Loader,
    wanted: fn(Channel) -> bool,
    parts: VecDeque<(u32, Option<PathBuf>)>,
    walk: Option<PartWalk>,
    /// Channel and size of the last message.
    seen: (String, u64),
}

/// Iterates over the messages of one part.
#[derive(Debug)]
pub(crate) struct PartWalk {
    pub(crate) part: u32,
    scan: Scan<BufReader<File>>,
    pub(crate) channels: Known,
    waiting: VecDeque<(u64, Raw)>,
    from: u64,
    wanted: fn(Channel) -> bool,
}

/// An item of a part.
pub(crate) enum WalkStep {
    Message(u64, Raw),
    Damage(RecordingDamage),
    /// Schemas, attachments and similar records.
    Other(u8, Vec<u8>),
}

impl PartWalk {
    pub(crate) fn new(part: u32, path: &PathBuf, from: u64) -> std::io::Result<Self> {
        let scan = Scan::new(BufReader::new(File::open(path)?))?;
        let (channels, waiting) = (Known::default(), VecDeque::new());
        Ok(Self { part, scan, channels, waiting, from, wanted: |_| true })
    }

    /// The same without the messages of other channels.
    fn only(self, wanted: fn(Channel) -> bool) -> Self {
        Self { wanted, ..self }
    }

    pub(crate) fn next(&mut self) -> Option<WalkStep> {
        loop {
            if let Some((at, raw)) = self.waiting.pop_front() {
                return Some(WalkStep::Message(at, raw));
            }
            let piece = match self.scan.next() {
                Ok(piece) => piece?,
                Err(error) => return Some(self.disk(&error)),
            };
            match piece {
                ScannedPiece::Chunk(chunk) if !chunk.cut && chunk.times.1 < self.from => {}
                ScannedPiece::Chunk(chunk) => {
                    let data = match self.scan.data(&chunk) {
                        Ok(data) => data,
                        Err(error) => return Some(self.disk(&error)),
                    };
                    let records = match unpack(&chunk, &data) {
                        Ok(records) => records,
                        Err(wrong) => {
                            let damage = RecordingDamage::new(chunk.at, data.len() as u64, wrong);
                            return Some(WalkStep::Damage(damage.in_part(self.part)));
                        }
                    };
                    let found = messages(&records, &mut self.channels, self.wanted);
                    self.waiting.extend(found.into_iter().map(|raw| (chunk.at, raw)));
                    if chunk.cut {
                        let left = self.scan.length().saturating_sub(chunk.at);
                        let damage = RecordingDamage::new(chunk.at, left, DamageCause::End);
                        // The readable rest comes after it.
                        return Some(WalkStep::Damage(damage.in_part(self.part)));
                    }
                }
                ScannedPiece::Record { op: op::MESSAGE, at, body } => {
                    let wanted = self.channels.may_want(&body, self.wanted);
                    if let Some(raw) = message(&body).filter(|_| wanted) {
                        return Some(WalkStep::Message(at, raw));
                    }
                }
                ScannedPiece::Record { op: op::CHANNEL, body, .. } => self.channels.learn(&body),
                ScannedPiece::Record { op, body, .. } => return Some(WalkStep::Other(op, body)),
                ScannedPiece::Damage(damage) => {
                    return Some(WalkStep::Damage(damage.in_part(self.part)));
                }
                ScannedPiece::Footer => {}
                ScannedPiece::Cut => {
                    let damage = RecordingDamage::new(self.scan.length(), 0, DamageCause::End);
                    return Some(WalkStep::Damage(damage.in_part(self.part)));
                }
            }
        }
    }

    /// The disk fails: the part ends here.
    fn disk(&mut self, error: &std::io::Error) -> WalkStep {
        self.scan.stop();
        let damage = RecordingDamage::new(0, 0, DamageCause::Disk(error.to_string()));
        WalkStep::Damage(damage.in_part(self.part))
    }
}

impl RecordingFile {
    /// All entries, with times relative to `begin`. `loader` loads the recorded strategies.
    #[must_use]
    pub fn entries(&self, begin: Instant, loader: &Loader) -> Entries<'_> {
        Entries {
            recording: self,
            epoch: Epoch(begin),
            loader: loader.clone(),
            wanted: |_| true,
            parts: self.parts(),
            walk: None,
            seen: Default::default(),
        }
    }
}

/// The channel of a message, if it is known.
struct Of {
    channel: Option<Channel>,
    topic: String,
}

impl Entries<'_> {
    /// The same without the messages of other channels, which are neither copied nor decoded.
    #[must_use]
    pub fn only(self, wanted: fn(Channel) -> bool) -> Self {
        Self { wanted, ..self }
    }

    /// The name of the channel and the size of the last message.
    fn last_seen(&self) -> (String, u64) {
        self.seen.clone()
    }

    fn entry(&mut self, part: u32, at: u64, raw: Raw, of: Of) -> Result<Entry, RecordingDamage> {
        let code = |generation: &Generation| {
            let files = self.recording.strategy(&generation.hash);
            self.loader.code(generation, files)
        };
        let reading = Reading { epoch: self.epoch, code: &code };
        let begin = self.recording.begin_nanos();
        let size = raw.data.len() as u64;
        let read = decode::entry(&reading, begin, of.channel, raw);
        let topic = of.topic;
        let read = read.map_err(|why| {
            let text = format!("a message of {topic} cannot be read: {why}");
            RecordingDamage { part, at, bytes: 0, wrong: DamageCause::Message(text) }
        });
        self.seen = (topic, size);
        read
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, RecordingDamage>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(walk) = &mut self.walk else {
                let (part, path) = self.parts.pop_front()?;
                let missing = RecordingDamage::missing(part);
                let Some(path) = path else { return Some(Err(missing)) };
                match PartWalk::new(part, &path, 0) {
                    Ok(walk) => self.walk = Some(walk.only(self.wanted)),
                    Err(error) => {
                        let wrong = DamageCause::Disk(error.to_string());
                        return Some(Err(RecordingDamage { wrong, ..missing }));
                    }
                }
                continue;
            };
            match walk.next() {
                None => self.walk = None,
                Some(WalkStep::Damage(damage)) => return Some(Err(damage)),
                Some(WalkStep::Other(..)) => {}
                Some(WalkStep::Message(at, raw)) => {
                    let topic = walk.channels.topic(raw.channel);
                    let of = Of { channel: walk.channels.channel(raw.channel), topic };
                    let part = walk.part;
                    return Some(self.entry(part, at, raw, of));
                }
            }
        }
    }
}
