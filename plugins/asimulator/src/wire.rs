//! Bytes of the protocol (spec sections 3, 4 and 6): what the simulator says and what the agent
//! says, in both handbook revisions, both byte orders and both orders of bits.
//!
//! - `opening`: rules, first percept, known tiles. `request`: what a client sends.
//! - `detect`: which revision and bit order a burst of bytes is written in.
//!
//! Nothing in the opening can be wrong, only incomplete: decoders say `None` until enough bytes are
//! there. Requests can be wrong, and say how.

mod detect;
mod opening;
mod request;

pub use detect::{DETECT_BYTES_MIN, Detected, detect};
pub use opening::{
    AnnouncedTile, KnownTile, PlainDanger, TILES_MAX, Unsendable, decode_entry, decode_rules,
    decode_score, decode_senses, decode_tile, encode_opening, encode_rules, encode_score,
    encode_senses, encode_tile,
};
pub use request::{
    ClientRequest, DisplayMark, Symbol, TEXT_BYTES_MAX, decode_request, encode_request,
};

use serde::{Deserialize, Serialize};

/// The handbook's revision: they differ in the costs of turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Revision {
    /// 0.1: one cost for each direction.
    #[default]
    R1,
    /// 0.2: one cost for both.
    R2,
}

/// The byte order of numbers, which the client chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ByteOrder {
    /// Most significant byte first.
    #[default]
    Big,
    /// Least significant byte first.
    Little,
}

/// Which end of a byte is bit 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BitOrder {
    /// The least significant.
    #[default]
    LsbFirst,
    /// The most significant.
    MsbFirst,
}

/// Which way y grows on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum YAxis {
    /// Northward, as everywhere in this crate.
    #[default]
    North,
    /// Southward.
    South,
}

/// How one connection writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    pub revision: Revision,
    pub bytes: ByteOrder,
    pub bits: BitOrder,
    /// The direction of y.
    pub y_axis: YAxis,
}

impl Dialect {
    /// The client's first byte: its highest bit is the byte order (section 2).
    #[must_use]
    pub fn info(self) -> u8 {
        match self.bytes {
            ByteOrder::Big => 0x00,
            ByteOrder::Little => 0x80,
        }
    }

    /// This dialect with the byte order of a client's first byte, whose other bits are unused.
    #[must_use]
    pub fn informed(self, info: u8) -> Self {
        let bytes = if info & 0x80 == 0 { ByteOrder::Big } else { ByteOrder::Little };
        Self { bytes, ..self }
    }

    /// Turns a byte of flags into one with bit 1 as the least significant, and back.
    fn flags(self, byte: u8) -> u8 {
        match self.bits {
            BitOrder::LsbFirst => byte,
            BitOrder::MsbFirst => byte.reverse_bits(),
        }
    }

    fn u16(self, bytes: [u8; 2]) -> u16 {
        match self.bytes {
            ByteOrder::Big => u16::from_be_bytes(bytes),
            ByteOrder::Little => u16::from_le_bytes(bytes),
        }
    }

    fn u32(self, bytes: [u8; 4]) -> u32 {
        match self.bytes {
            ByteOrder::Big => u32::from_be_bytes(bytes),
            ByteOrder::Little => u32::from_le_bytes(bytes),
        }
    }

    fn put_u16(self, out: &mut Vec<u8>, value: u16) {
        match self.bytes {
            ByteOrder::Big => out.extend(value.to_be_bytes()),
            ByteOrder::Little => out.extend(value.to_le_bytes()),
        }
    }

    fn put_u32(self, out: &mut Vec<u8>, value: u32) {
        match self.bytes {
            ByteOrder::Big => out.extend(value.to_be_bytes()),
            ByteOrder::Little => out.extend(value.to_le_bytes()),
        }
    }

    /// A y on the wire as a y of ours, and back.
    fn y(self, y: i8) -> i8 {
        match self.y_axis {
            YAxis::North => y,
            YAxis::South => y.saturating_neg(),
        }
    }
}

/// Bytes that are taken from the front; `None` when too few are left.
#[derive(Clone, Copy, Debug)]
struct FrontReader<'a> {
    rest: &'a [u8],
    dialect: Dialect,
}

impl FrontReader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn i8(&mut self) -> Option<i8> {
        self.take::<1>().map(i8::from_be_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(|bytes| self.dialect.u16(bytes))
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(|bytes| self.dialect.u32(bytes))
    }

    fn i32(&mut self) -> Option<i32> {
        self.u32().map(u32::cast_signed)
    }
}
