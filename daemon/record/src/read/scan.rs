//! Walks through the records of a file from its begin, and over what is damaged.

use super::bytes::Bytes;
use super::{Damage, Wrong};
use mcap::records::op;
use std::io::{self, Read, Seek, SeekFrom};

/// Largest record beside chunks that is read, in bytes.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// Largest chunk that is read, in bytes, as it is in the file.
const CHUNK_BYTES_MAX: u64 = 64 << 20;
/// Operation and length.
const HEAD: u64 = 9;
/// A chunk's record up to its data, where the compression is `zstd`.
const CHUNK_HEAD: usize = 57;
/// How the word for the compression lies in a record, and where.
const MARK: &[u8] = b"\x04\0\0\0zstd";
const MARK_AT: usize = 37;
/// So much is looked through at a time for the next chunk.
const WINDOW: usize = 1 << 20;

/// What was found.
#[derive(Debug)]
pub(crate) enum Piece {
    /// A chunk with messages.
    Chunk(Chunk),
    /// Any other record that may be of interest.
    Record { op: u8, at: u64, body: Vec<u8> },
    /// Something that cannot be read.
    Damage(Damage),
    /// The record at the end: the file is whole.
    Footer,
    /// The file ends here, without its end.
    Cut,
}

/// A chunk in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Where its record begins.
    pub(crate) at: u64,
    /// Log times of its first and last message, in nanoseconds.
    pub(crate) times: (u64, u64),
    /// Size of its records.
    pub(crate) size: u64,
    /// Their checksum; 0: none.
    pub(crate) crc: u32,
    /// Whether they are compressed.
    pub(crate) zstd: bool,
    /// Where its data begins, and how much of it is in the file.
    pub(crate) data: (u64, u64),
    /// The file ends before it does.
    pub(crate) cut: bool,
}

/// A walk through a file.
#[derive(Debug)]
pub(crate) struct Scan<R> {
    file: R,
    length: u64,
    at: u64,
    /// Where the last record began that made sense by itself.
    before: u64,
    over: bool,
}

impl<R: Read + Seek> Scan<R> {
    /// From the first record on, which is behind the magic bytes.
    pub(crate) fn new(mut file: R) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        let at = mcap::MAGIC.len() as u64;
        Ok(Self { file, length, at, before: at, over: false })
    }

    /// Nothing comes any more.
    pub(crate) fn stop(&mut self) {
        self.over = true;
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The next piece; `None` behind the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Piece>> {
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
                    return Ok(Some(Piece::Footer));
                }
                op::SCHEMA
                | op::CHANNEL
                | op::MESSAGE
                | op::ATTACHMENT
                | op::METADATA
                | op::STATISTICS
                | op::HEADER => {
                    if length > RECORD_BYTES_MAX {
                        let damage = Damage::new(at, HEAD + length, Wrong::TooLarge(length));
                        return Ok(Some(Piece::Damage(damage)));
                    }
                    let body = self.read(body, length)?;
                    return Ok(Some(Piece::Record { op: kind, at, body }));
                }
                // Indices and what others may have added.
                _ => {}
            }
        }
        Ok(None)
    }

    /// The data of a chunk.
    pub(crate) fn data(&mut self, chunk: &Chunk) -> io::Result<Vec<u8>> {
        self.read(chunk.data.0, chunk.data.1)
    }

    fn read(&mut self, from: u64, count: u64) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        // It is at most as long as what is left of the file, and bounded by our callers.
        (&mut self.file).take(count).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn chunk(&mut self, length: u64) -> io::Result<Piece> {
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
            let wrong = Wrong::TooLarge(chunk.data.1);
            return Ok(Piece::Damage(Damage::new(chunk.at, whole, wrong)));
        }
        if chunk.cut && self.search(self.at + 1)?.is_some() {
            // There is more behind it: its length is wrong.
            return self.skip();
        }
        self.before = self.at;
        self.at = if chunk.cut { self.length } else { self.at + HEAD + declared };
        Ok(Piece::Chunk(chunk))
    }

    /// Something is wrong here: goes on at the next chunk.
    fn skip(&mut self) -> io::Result<Piece> {
        let from = self.at;
        // What led here may have lied about its length.
        let found = self.search(self.before + 1)?.filter(|found| *found > self.before);
        let (to, wrong) = match found {
            Some(to) => (to, Wrong::Framing),
            None => (self.length, Wrong::End),
        };
        (self.at, self.before) = (to, to);
        self.over = found.is_none();
        let start = from.min(to);
        Ok(Piece::Damage(Damage::new(start, to - start, wrong)))
    }

    fn end(&mut self) -> Piece {
        self.over = true;
        Piece::Cut
    }

    /// Where the next chunk begins, from there on.
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
            // The next window takes the end of this one along.
            from += (last + 1) as u64;
        }
        Ok(None)
    }
}

/// A chunk by its head, and the length that its record must have.
fn chunk_head(head: &[u8], at: u64, file_length: u64) -> Option<(Chunk, u64)> {
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
    let chunk = Chunk { at, times, size, crc, zstd, data: (from, there), cut };
    Some((chunk, declared))
}
