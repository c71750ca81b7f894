//! Checkpoints as bytes.
//!
//! ```text
//! "PHXCHKPT"  format u16  length u64  CRC-32 u32      of all that follows
//! head · state · params · board · world               each: length u32, bytes
//! ```
//!
//! Numbers are little-endian. A file is read as a whole or not at all: the CRC finds any damage,
//! and no allocation is larger than the file.

mod parts;

use super::{Checkpoint, CheckpointError, Found, Freezer, Identity};
use crate::board::BoardParts;
use crate::{Params, TeamState};
use parts::{BoardFile, HeadFile, SetFile, StateFile};
use phalanx_game::{Game, World, freeze, thaw};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The version of this format. Files of other versions are refused.
pub const CHECKPOINT_FORMAT: u16 = 1;

/// The first bytes of every checkpoint.
const MAGIC: &[u8; 8] = b"PHXCHKPT";
/// Magic, format, length, CRC.
const HEADER_BYTES: usize = 22;

/// A checkpoint whose world and board are not made yet.
pub(super) struct ParsedCheckpoint {
    pub(super) found: Found,
    pub(super) state: TeamState,
    pub(super) board: BoardParts,
    pub(super) world: Vec<u8>,
}

pub(super) fn write<G: Game>(
    checkpoint: &Checkpoint<G>,
    identity: &Identity,
    freezer: &mut Freezer,
) -> Vec<u8> {
    let version = CHECKPOINT_FORMAT;
    let (state, Freezer { board, params }) = (&checkpoint.state, freezer);
    let mut bytes = vec![0; HEADER_BYTES];
    section(&mut bytes, &freeze(version, &HeadFile::of(checkpoint, identity)));
    section(&mut bytes, &freeze(version, &StateFile::of(state)));
    let file = || freeze(version, &SetFile::of(&state.params.set_by_operators()));
    section(&mut bytes, kept(params, &state.params, file));
    let file = || freeze(version, &BoardFile::of(state.board.parts()));
    section(&mut bytes, kept(board, &state.board, file));
    section(&mut bytes, &checkpoint.world.save());
    seal(bytes)
}

fn section(bytes: &mut Vec<u8>, content: &[u8]) {
    // No section comes near four gigabytes; if one did, its file would be refused.
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_le_bytes());
    bytes.extend(content);
}

/// The bytes from the last checkpoint, if the part has not changed.
fn kept<'a, T>(
    last: &'a mut Option<(Arc<T>, Vec<u8>)>,
    value: &Arc<T>,
    file: impl FnOnce() -> Vec<u8>,
) -> &'a [u8] {
    let same = last.take().filter(|(known, _)| Arc::ptr_eq(known, value));
    let (_, bytes) = last.insert(same.unwrap_or_else(|| (Arc::clone(value), file())));
    bytes
}

fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.get(HEADER_BYTES..).unwrap_or_default();
    let (length, crc) = (body.len() as u64, crc32fast::hash(body));
    let mut header = MAGIC.to_vec();
    header.extend(CHECKPOINT_FORMAT.to_le_bytes());
    header.extend(length.to_le_bytes());
    header.extend(crc.to_le_bytes());
    for (place, byte) in bytes.iter_mut().zip(header) {
        *place = byte;
    }
    bytes
}

pub(super) fn read(bytes: &[u8]) -> Result<ParsedCheckpoint, CheckpointError> {
    let mut body = unseal(bytes)?;
    let head: HeadFile = part(&mut body)?;
    let state: StateFile = part(&mut body)?;
    let set: SetFile = part(&mut body)?;
    let board: BoardFile = part(&mut body)?;
    let world = take(&mut body)?.to_vec();
    if !body.is_empty() {
        return Err(CheckpointError::Damaged("bytes are left over"));
    }
    let unsound = || CheckpointError::Damaged("a value cannot be decoded");
    let (found, roster) = head.whole().ok_or_else(unsound)?;
    let (turn, tick) = (found.turn, found.tick);
    let begun = TeamState { turn, tick, ..TeamState::new(Arc::new(roster)) };
    let state = state.whole(begun).ok_or_else(unsound)?;
    let board = board.whole().ok_or_else(unsound)?;
    let mut params = Params::default();
    params.set_again(set.whole().ok_or_else(unsound)?);
    let state = TeamState { params: Arc::new(params), ..state };
    Ok(ParsedCheckpoint { found, state, board, world })
}

fn unseal(bytes: &[u8]) -> Result<&[u8], CheckpointError> {
    let mut rest = bytes;
    if split::<8>(&mut rest)? != *MAGIC {
        return Err(CheckpointError::Foreign);
    }
    let found = u16::from_le_bytes(split(&mut rest)?);
    if found != CHECKPOINT_FORMAT {
        return Err(CheckpointError::Format { found });
    }
    let length = u64::from_le_bytes(split(&mut rest)?);
    let crc = u32::from_le_bytes(split(&mut rest)?);
    if (rest.len() as u64) < length {
        return Err(CheckpointError::Damaged("it ends too early"));
    }
    if rest.len() as u64 != length {
        return Err(CheckpointError::Damaged("there are bytes after its end"));
    }
    if crc32fast::hash(rest) != crc {
        return Err(CheckpointError::Damaged("its checksum does not match"));
    }
    Ok(rest)
}

fn split<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], CheckpointError> {
    let (head, rest) = bytes.split_first_chunk::<N>().ok_or(match bytes.is_empty() {
        true => CheckpointError::Damaged("it is empty"),
        false => CheckpointError::Damaged("it ends too early"),
    })?;
    *bytes = rest;
    Ok(*head)
}

fn take<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], CheckpointError> {
    let length = u32::from_le_bytes(split(bytes)?);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let short = CheckpointError::Damaged("a section ends too early");
    let (section, rest) = bytes.split_at_checked(length).ok_or(short)?;
    *bytes = rest;
    Ok(section)
}

fn part<T: DeserializeOwned>(bytes: &mut &[u8]) -> Result<T, CheckpointError> {
    Ok(thaw(CHECKPOINT_FORMAT, take(bytes)?)?)
}
