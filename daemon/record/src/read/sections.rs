//! The checksums of a whole file: of its records, and of the index behind them.

use super::bytes::Bytes;
use super::scan::read_at;
use super::{DamageCause, RecordingDamage};
use mcap::records::op;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The record that ends the index, with its head, and the magic bytes after it.
const FOOTER: u64 = 9 + 20;
const MAGIC: u64 = mcap::MAGIC.len() as u64;
/// The record that ends the messages, with its head; its content is the checksum.
const DATA_END: u64 = 9 + 4;
/// The checksum at the end of the footer.
const CRC: u64 = 4;

/// Damage that the end of a finished file shows: its checksums, and the magic bytes.
pub(super) fn damage(path: &Path) -> io::Result<Vec<RecordingDamage>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let footer_at = length.saturating_sub(FOOTER + MAGIC);
    let tail = read_at(&mut file, footer_at, FOOTER + MAGIC)?;
    let Some((index_at, index_crc)) = footer(&tail) else {
        return Ok(vec![RecordingDamage::new(footer_at, 0, DamageCause::Index)]);
    };
    let index_at = if index_at == 0 { footer_at } else { index_at };
    let index_is_right =
        index_at <= footer_at && is_right(&mut file, (index_at, length - MAGIC - CRC), index_crc)?;
    let Some(end_at) = index_at.checked_sub(DATA_END).filter(|_| index_is_right) else {
        // It says where the messages end.
        return Ok(vec![RecordingDamage::new(index_at, 0, DamageCause::Index)]);
    };
    let end = read_at(&mut file, end_at, DATA_END)?;
    let crc = end.last_chunk().copied().map_or(0, u32::from_le_bytes);
    let records_are_right =
        end.first() == Some(&op::DATA_END) && is_right(&mut file, (0, end_at), crc)?;
    let found = (!records_are_right).then(|| RecordingDamage::new(0, 0, DamageCause::Records));
    Ok(found.into_iter().collect())
}

/// The offset of the index and its checksum; `None`: this is not how a finished file ends.
fn footer(tail: &[u8]) -> Option<(u64, u32)> {
    let mut bytes = Bytes(tail.strip_suffix(mcap::MAGIC)?);
    if bytes.byte()? != op::FOOTER || bytes.long()? != FOOTER - 9 {
        return None;
    }
    let index_at = bytes.long()?;
    bytes.long()?;
    Some((index_at, bytes.word()?))
}

/// Whether these bytes have this checksum; 0: there is none.
fn is_right(file: &mut File, (from, to): (u64, u64), crc: u32) -> io::Result<bool> {
    if crc == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(from))?;
    let mut rest = file.take(to.saturating_sub(from));
    let (mut hasher, mut buffer) = (crc32fast::Hasher::new(), [0; 1 << 13]);
    loop {
        match rest.read(&mut buffer)? {
            0 => return Ok(hasher.finalize() == crc),
            count => hasher.update(buffer.get(..count).unwrap_or_default()),
        }
    }
}
