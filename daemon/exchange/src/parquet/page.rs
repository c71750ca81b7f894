//! Pages of Parquet files: the values of a column, encoded.

use super::count;
use super::thrift::{Fields, varint};
use crate::rows::{ColumnType, RowValue};
use std::collections::HashMap;

/// `Encoding`.
const PLAIN: i64 = 0;
pub(super) const RLE: i64 = 3;
const RLE_DICTIONARY: i64 = 8;

/// A page before it is compressed.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) is_dictionary: bool,
    pub(super) encoding: i64,
    values: usize,
    pub(super) bytes: Vec<u8>,
}

impl Page {
    /// `PageHeader`, for a page that has this many bytes when compressed.
    pub(super) fn header(&self, compressed: usize) -> Vec<u8> {
        let sort = if self.is_dictionary { 2 } else { 0 };
        let header = Fields::default().int(1, sort).int(2, count(self.bytes.len()));
        let header = header.int(3, count(compressed));
        let about = Fields::default().int(1, count(self.values)).int(2, self.encoding);
        let header = if self.is_dictionary {
            header.structure(7, about)
        } else {
            header.structure(5, about.int(3, RLE).int(4, RLE))
        };
        header.end()
    }
}

/// The pages of a column: a dictionary if its texts repeat, and the data.
pub(super) fn pages<'a>(
    holds: ColumnType,
    cells: impl Iterator<Item = &'a RowValue> + Clone,
) -> Vec<Page> {
    let is_there = |cell: &RowValue| {
        matches!(
            (holds, cell),
            (ColumnType::Text, RowValue::Text(_))
                | (ColumnType::Whole, RowValue::Whole(_))
                | (ColumnType::Truth, RowValue::Truth(_))
        )
    };
    let levels: Vec<u32> = cells.clone().map(|cell| is_there(cell).into()).collect();
    let mut bytes = Vec::new();
    let packed = hybrid(&levels, 1);
    put_length(packed.len(), &mut bytes);
    bytes.extend(packed);
    let values = cells.filter(|cell| is_there(cell));
    let data =
        |encoding, bytes| Page { is_dictionary: false, encoding, values: levels.len(), bytes };
    if holds == ColumnType::Text {
        let texts: Vec<&str> = values
            .filter_map(|cell| if let RowValue::Text(text) = cell { Some(&**text) } else { None })
            .collect();
        if let Some((dictionary, places)) = dictionary(&texts) {
            let width = width(dictionary.values);
            bytes.push(width);
            bytes.extend(hybrid(&places, width));
            return vec![dictionary, data(RLE_DICTIONARY, bytes)];
        }
        texts.into_iter().for_each(|text| put_text(text, &mut bytes));
        return vec![data(PLAIN, bytes)];
    }
    let mut truths = Vec::new();
    for value in values {
        match value {
            RowValue::Whole(number) => bytes.extend(number.to_le_bytes()),
            RowValue::Truth(truth) => truths.push(u32::from(*truth)),
            RowValue::Nothing | RowValue::Text(_) => {}
        }
    }
    bytes.extend(packed_bits(&truths, 1));
    vec![data(PLAIN, bytes)]
}

/// The different texts, and the place of each text among them; `None`: they hardly repeat.
fn dictionary(texts: &[&str]) -> Option<(Page, Vec<u32>)> {
    let (mut known, mut bytes, mut all) = (HashMap::new(), Vec::new(), 0);
    let mut places = Vec::with_capacity(texts.len());
    for text in texts {
        let next = u32::try_from(known.len()).ok()?;
        let place = *known.entry(*text).or_insert_with(|| {
            put_text(text, &mut bytes);
            next
        });
        places.push(place);
        all += text.len() + 4;
    }
    let page = Page { is_dictionary: true, encoding: PLAIN, values: known.len(), bytes };
    (page.values > 0 && page.bytes.len() <= all / 2).then_some((page, places))
}

fn put_text(text: &str, bytes: &mut Vec<u8>) {
    put_length(text.len(), bytes);
    bytes.extend(text.as_bytes());
}

fn put_length(length: usize, bytes: &mut Vec<u8>) {
    bytes.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

/// Bits that the places of this many values need.
fn width(values: usize) -> u8 {
    let highest = values.saturating_sub(1).max(1);
    u8::try_from(usize::BITS - highest.leading_zeros()).unwrap_or(u8::MAX)
}

/// Numbers in the hybrid of run lengths and packed bits: one run if all are equal, or else one of
/// packed bits.
fn hybrid(numbers: &[u32], width: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    match numbers {
        [] => {}
        [first, rest @ ..] if rest.iter().all(|number| number == first) => {
            varint((numbers.len() as u64) << 1, &mut bytes);
            bytes.extend(first.to_le_bytes().into_iter().take(usize::from(width.div_ceil(8))));
        }
        _ => {
            // A run has whole groups of eight.
            let groups = numbers.len().div_ceil(8);
            let mut whole = numbers.to_vec();
            whole.resize(groups * 8, 0);
            varint((groups as u64) << 1 | 1, &mut bytes);
            bytes.extend(packed_bits(&whole, width));
        }
    }
    bytes
}

/// Numbers of this many bits each, the lowest bit first.
#[expect(clippy::cast_possible_truncation, reason = "eight bits are taken")]
fn packed_bits(numbers: &[u32], width: u8) -> Vec<u8> {
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u64, 0);
    for number in numbers {
        held |= u64::from(*number) << bits;
        bits += u32::from(width);
        while bits >= 8 {
            bytes.push(held as u8);
            held >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        bytes.push(held as u8);
    }
    bytes
}
