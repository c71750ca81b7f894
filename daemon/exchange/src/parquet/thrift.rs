//! Metadata of Parquet files: structs in Thrift's compact protocol.
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>

/// Types of fields and of items of lists.
pub(super) const I32: u8 = 5;
const I64: u8 = 6;
pub(super) const TEXT: u8 = 8;
const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;
/// Structs in structs that are read.
const DEPTH_MAX: u8 = 16;

/// A struct that is written, field by field in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Fields {
    bytes: Vec<u8>,
    /// The number of the last field.
    last: u8,
}

impl Fields {
    pub(super) fn int(self, id: u8, value: i64) -> Self {
        self.field(id, I32, &number(value))
    }

    pub(super) fn whole(self, id: u8, value: i64) -> Self {
        self.field(id, I64, &number(value))
    }

    pub(super) fn text(self, id: u8, value: &str) -> Self {
        self.field(id, TEXT, &text(value))
    }

    pub(super) fn structure(self, id: u8, value: Self) -> Self {
        self.field(id, STRUCT, &value.end())
    }

    /// A list of items that are written already.
    pub(super) fn list(self, id: u8, kind: u8, items: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let (mut count, mut body) = (0, Vec::new());
        for item in items {
            count += 1;
            body.extend(item);
        }
        let mut bytes = vec![0xf0 | kind];
        varint(count, &mut bytes);
        bytes.extend(body);
        self.field(id, LIST, &bytes)
    }

    fn field(mut self, id: u8, kind: u8, value: &[u8]) -> Self {
        // Our numbers are far below the 15 that fit between two fields.
        self.bytes.push((id - self.last) << 4 | kind);
        self.bytes.extend(value);
        self.last = id;
        self
    }

    /// The struct's bytes.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// A number as an item of a list.
pub(super) fn number(value: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint((value << 1 ^ value >> 63).cast_unsigned(), &mut bytes);
    bytes
}

/// A text as an item of a list.
pub(super) fn text(value: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint(value.len() as u64, &mut bytes);
    bytes.extend(value.as_bytes());
    bytes
}

/// Seven bits a byte, the lowest first.
#[expect(clippy::cast_possible_truncation, reason = "seven bits are taken")]
pub(super) fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 & 0x7f | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads structs. Every method returns `None` when the bytes are no such thing.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The number and type of the next field, or `Some(None)` at the end of the struct. `last` is
    /// the number of the field before.
    pub(super) fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *last = match head >> 4 {
            0 => self.number()?,
            delta => last.checked_add(i64::from(delta))?,
        };
        Some(Some((*last, head & 0x0f)))
    }

    /// The size and type of a list.
    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let size = match head >> 4 {
            15 => self.varint()?,
            size => u64::from(size),
        };
        // Each item has a byte at least.
        (size <= self.rest.len() as u64).then_some((size, head & 0x0f))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.varint()?).ok()?;
        Some(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// Leaves out a value of this type.
    pub(super) fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_within(kind, DEPTH_MAX)
    }

    fn skip_within(&mut self, kind: u8, depth: u8) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // Truths are in the type.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => drop(self.take(8)?),
            TEXT => drop(self.text()?),
            LIST | 10 => {
                let (size, kind) = self.list()?;
                for _ in 0..size {
                    match kind {
                        1 | 2 => drop(self.byte()?),
                        kind => self.skip_within(kind, depth)?,
                    }
                }
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip_within(kind, depth)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}
