//! Iterates over the records of a file from its begin, and skips what is damaged.

use super::bytes::Bytes;
use super::{DamageCause, RecordingDamage};
use mcap::records::op;
use std::io::{self, Read, Seek, SeekFrom};

/// Largest record other than chunks that is read, in bytes.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// Largest chunk that is read, in bytes in the file.
const CHUNK_BYTES_MAX: u64 = 64 << 20;
/// Operation and length.
const HEAD: u64 = 9;
/// The length of a chunk's record before its data, if the compression is `zstd`.
const CHUNK_HEAD: usize = 57;
/// The encoded name of the compression in a chunk's record.
const MARK: &[u8] = b"\x04\0\0\0zstd";
const MARK_AT: usize = 37;
/// How much is searched at once for the next chunk.
const WINDOW: usize = 1 << 20;

/// An item of the scan.
#[derive(Debug)]
pub(crate) enum ScannedPiece {
    /// A chunk with messages.
    Chunk(FileChunk),
    /// Any other record.
    Record { op: u8, at: u64, body: Vec<u8> },
    /// An unreadable piece.
    Damage(RecordingDamage),
    /// The record at the end: the file is whole.
    Footer,
    /// The file ends here without a footer.
    Cut,
}

/// A chunk in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChunk {
    /// The offset of its record.
    pub(crate) at: u64,
    /// Log times of its first and last message, in nanoseconds.
    pub(crate) times: (u64, u64),
    /// Size of its records.
    pub(crate) size: u64,
    /// Their checksum; 0: none.
    pub(crate) crc: u32,
    /// Whether they are compressed.
    pub(crate) zstd: bool,
    /// The offset of its data, and how much of the data is in the file.
    pub(crate) data: (u64, u64),
    /// The file ends within the chunk.
    pub(crate) cut: bool,
}

/// A walk through a file.
#[derive(Debug)]
pub(crate) struct Scan<R> {
    file: R,
    length: u64,
    at: u64,
    /// The offset of the last plausible record.
    before: u64,
    over: bool,
}

impl<R: Read + Seek> Scan<R> {
    /// Begins at the first record, after the magic bytes.
    pub(crate) fn new(mut file: R) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        let at = mcap::MAGIC.len() as u64;
        Ok(Self { file, length, at, before: at, over: false })
    }

    /// Ends the scan.
    pub(crate) fn stop(&mut self) {
        self.over = true;
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The next item; `None` after the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<ScannedPiece>> {
        while !self.over {
            if self.length - self.at < HEAD {
                return Ok(Some(self.end()));
            }
            let head = self.read(self.at, HEAD)?;
            let mut head = Bytes(&head);
            let (Some(kind), Some(length)) = (head.byte(), head.long()) else {
                return Ok(Some(self.end()));
            };
            let known = (op::HEADER..=op::DATA_END).contains(&kind) || kind >= 0x80;
            let rest = self.length - self.at - HEAD;
            let (at, body) = (self.at, self.at + HEAD);
            if known && kind == op::CHUNK {
                return self.chunk(length).map(Some);
            }
            if !known || length > rest {
                return self.skip().map(Some);
            }
            (self.before, self.at) = (at, body + length);
            match kind {
                op::FOOTER => {
                    self.over = true;
                    return Ok(Some(ScannedPiece::Footer));
                }
                op::SCHEMA
                | op::CHANNEL
                | op::MESSAGE
                | op::ATTACHMENT
                | op::METADATA
                | op::STATISTICS
                | op::HEADER => {
                    if length > RECORD_BYTES_MAX {
                        let damage =
                            RecordingDamage::new(at, HEAD + length, DamageCause::TooLarge(length));
                        return Ok(Some(ScannedPiece::Damage(damage)));
                    }
                    let body = self.read(body, length)?;
                    if kind == op::ATTACHMENT && !is_intact(&body) {
                        let wrong = DamageCause::Attachment;
                        let damage = RecordingDamage::new(at, HEAD + length, wrong);
                        return Ok(Some(ScannedPiece::Damage(damage)));
                    }
                    return Ok(Some(ScannedPiece::Record { op: kind, at, body }));
                }
                // Indices, and records of other programs.
                _ => {}
            }
        }
        Ok(None)
    }

    /// The data of a chunk.
    pub(crate) fn data(&mut self, chunk: &FileChunk) -> io::Result<Vec<u8>> {
        self.read(chunk.data.0, chunk.data.1)
    }

    fn read(&mut self, from: u64, count: u64) -> io::Result<Vec<u8>> {
        read_at(&mut self.file, from, count)
    }

    fn chunk(&mut self, length: u64) -> io::Result<ScannedPiece> {
        let head = self.read(self.at, CHUNK_HEAD as u64)?;
        let found = chunk_head(&head, self.at, self.length);
        let Some((chunk, declared)) = found.filter(|(_, declared)| *declared == length) else {
            return self.skip();
        };
        if chunk.data.1 > CHUNK_BYTES_MAX {
            if chunk.cut {
                return self.skip();
            }
            let whole = HEAD + declared;
            (self.before, self.at) = (self.at, self.at + whole);
            let wrong = DamageCause::TooLarge(chunk.data.1);
            return Ok(ScannedPiece::Damage(RecordingDamage::new(chunk.at, whole, wrong)));
        }
        if chunk.cut && self.search(self.at + 1)?.is_some() {
            // There is more data after it, so its length is wrong.
            return self.skip();
        }
        self.before = self.at;
        self.at = if chunk.cut { self.length } else { self.at + HEAD + declared };
        Ok(ScannedPiece::Chunk(chunk))
    }

    /// Something is wrong here: continues at the next chunk.
    fn skip(&mut self) -> io::Result<ScannedPiece> {
        let from = self.at;
        // The record before may have had a wrong length.
        let found = self.search(self.before + 1)?.filter(|found| *found > self.before);
        let (to, wrong) = match found {
            Some(to) => (to, DamageCause::Framing),
            None => (self.length, DamageCause::End),
        };
        (self.at, self.before) = (to, to);
        self.over = found.is_none();
        let start = from.min(to);
        Ok(ScannedPiece::Damage(RecordingDamage::new(start, to - start, wrong)))
    }

    fn end(&mut self) -> ScannedPiece {
        self.over = true;
        ScannedPiece::Cut
    }

    /// The offset of the next chunk after `from`.
    fn search(&mut self, from: u64) -> io::Result<Option<u64>> {
        let mut from = from;
        while from + (CHUNK_HEAD as u64) <= self.length {
            let window = self.read(from, WINDOW as u64)?;
            let last = window.len().saturating_sub(MARK_AT + MARK.len());
            for index in 0..=last {
                let marked = window.get(index + MARK_AT..index + MARK_AT + MARK.len());
                if window.get(index) != Some(&op::CHUNK) || marked != Some(MARK) {
                    continue;
                }
                let at = from + index as u64;
                let head = self.read(at, CHUNK_HEAD as u64)?;
                let mut length = Bytes(head.get(1..).unwrap_or_default());
                let length = length.long();
                let found = chunk_head(&head, at, self.length);
                if found.is_some_and(|(_, declared)| Some(declared) == length) {
                    return Ok(Some(at));
                }
            }
            if window.len() < WINDOW {
                break;
            }
            // The next window overlaps the end of this one.
            from += (last + 1) as u64;
        }
        Ok(None)
    }
}

/// Reads `count` bytes, or as many as there are; callers bound them.
pub(super) fn read_at(file: &mut (impl Read + Seek), from: u64, count: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether the record of an attached file, which ends with its checksum, has the right one; 0:
/// there is none.
fn is_intact(body: &[u8]) -> bool {
    body.split_last_chunk::<4>().is_some_and(|(checked, crc)| {
        let crc = u32::from_le_bytes(*crc);
        crc == 0 || crc32fast::hash(checked) == crc
    })
}

/// Parses the head of a chunk. Also returns the length that its record must have.
fn chunk_head(head: &[u8], at: u64, file_length: u64) -> Option<(FileChunk, u64)> {
    let mut bytes = Bytes(head);
    if bytes.byte()? != op::CHUNK {
        return None;
    }
    bytes.long()?;
    let times = (bytes.long()?, bytes.long()?);
    let (size, crc) = (bytes.long()?, bytes.word()?);
    let zstd = match bytes.text()? {
        "zstd" => true,
        "" => false,
        _ => return None,
    };
    let stored = bytes.long()?;
    let used = (head.len() - bytes.0.len()) as u64;
    let from = at.checked_add(used)?;
    let declared = (used - HEAD).checked_add(stored)?;
    let there = stored.min(file_length.checked_sub(from)?);
    let cut = there < stored;
    if times.0 > times.1 {
        return None;
    }
    let chunk = FileChunk { at, times, size, crc, zstd, data: (from, there), cut };
    Some((chunk, declared))
}
