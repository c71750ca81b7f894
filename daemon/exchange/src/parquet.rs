//! Tables as Parquet, the format that notebooks read fastest:
//! <https://parquet.apache.org/docs/file-format/>.
//!
//! Only what three kinds of columns need is written: one page of data for each column of a row
//! group, with a dictionary where texts repeat, all compressed by zstd. The format's own library
//! takes longer to compile than half of our crates; the tests read our files with it.

mod page;
mod thrift;

use crate::rows::{Column, ColumnType, RowValue};
use page::Page;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use thrift::{Fields, I32, Reader, STRUCT, TEXT};

/// Rows of a row group, which are in memory until they are written.
const GROUP_ROWS_MAX: usize = 32 * 1024;
/// The same in bytes of text.
const GROUP_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Most bytes of metadata that are read.
const METADATA_BYTES_MAX: u64 = 64 << 20;
/// How a file begins and ends.
const MAGIC: &[u8; 4] = b"PAR1";
/// `CompressionCodec.ZSTD`.
const ZSTD: i64 = 6;

/// Writes rows into a Parquet file. Texts and numbers may be missing in any row.
pub struct ParquetTable<W: Write> {
    out: W,
    /// Bytes that are written.
    written: u64,
    columns: Vec<Column>,
    notes: Vec<(String, String)>,
    /// Row groups that are written: their metadata and their rows.
    groups: Vec<Vec<u8>>,
    rows_written: usize,
    /// Rows that are not written yet.
    rows: Vec<Vec<RowValue>>,
    /// How much text they have.
    bytes: usize,
}

impl<W: Write> std::fmt::Debug for ParquetTable<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetTable").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<W: Write> ParquetTable<W> {
    /// Begins a file. `notes` are names with values that readers find in its metadata.
    ///
    /// # Errors
    /// When its beginning cannot be written.
    pub fn new(out: W, columns: Vec<Column>, notes: &[(&str, &str)]) -> io::Result<Self> {
        let notes =
            notes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut table = Self {
            out,
            written: 0,
            columns,
            notes,
            groups: Vec::new(),
            rows_written: 0,
            rows: Vec::new(),
            bytes: 0,
        };
        table.write(MAGIC)?;
        Ok(table)
    }

    /// Adds a row: its values in the order of the columns. A value of another type than its column
    /// is written as missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn push(&mut self, row: Vec<RowValue>) -> io::Result<()> {
        self.bytes += row.iter().map(RowValue::bytes).sum::<usize>();
        self.rows.push(row);
        if self.rows.len() >= GROUP_ROWS_MAX || self.bytes >= GROUP_BYTES_MAX {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes what is left, and the end of the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_group()?;
        let metadata = self.metadata();
        let length = u32::try_from(metadata.len()).map_err(io::Error::other)?;
        self.write(&metadata)?;
        self.write(&length.to_le_bytes())?;
        self.write(MAGIC)?;
        self.out.flush()
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn write_group(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let (mut chunks, mut raw_bytes) = (Vec::new(), 0);
        for (index, column) in self.columns.clone().into_iter().enumerate() {
            let cells = rows.iter().map(|row| row.get(index).unwrap_or(&RowValue::Nothing));
            let pages = page::pages(column.holds, cells);
            let (chunk, bytes) = self.write_chunk(&column, &pages, rows.len())?;
            chunks.push(chunk);
            raw_bytes += bytes;
        }
        // RowGroup
        let group = Fields::default()
            .list(1, STRUCT, chunks)
            .whole(2, raw_bytes)
            .whole(3, count(rows.len()))
            .end();
        self.groups.push(group);
        self.rows_written += rows.len();
        Ok(())
    }

    /// Writes the pages of a column; returns its metadata (`ColumnChunk`) and the size of its pages
    /// before they were compressed.
    fn write_chunk(
        &mut self,
        column: &Column,
        pages: &[Page],
        rows: usize,
    ) -> io::Result<(Vec<u8>, i64)> {
        let (start, mut raw_bytes) = (self.written, 0);
        let (mut dictionary, mut data) = (None, start);
        for page in pages {
            let packed = zstd::bulk::compress(&page.bytes, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            let header = page.header(packed.len());
            if page.is_dictionary {
                dictionary = Some(self.written);
            } else {
                data = self.written;
            }
            raw_bytes += count(header.len() + page.bytes.len());
            self.write(&header)?;
            self.write(&packed)?;
        }
        let encodings = pages.iter().map(|page| page.encoding).chain([page::RLE]);
        // ColumnMetaData
        let metadata = Fields::default()
            .int(1, physical(column.holds))
            .list(2, I32, encodings.map(thrift::number))
            .list(3, TEXT, [thrift::text(column.name)])
            .int(4, ZSTD)
            .whole(5, count(rows))
            .whole(6, raw_bytes)
            .whole(7, offset(self.written - start))
            .whole(9, offset(data));
        let metadata = match dictionary {
            Some(at) => metadata.whole(11, offset(at)),
            None => metadata,
        };
        let chunk = Fields::default().whole(2, offset(start)).structure(3, metadata);
        Ok((chunk.end(), raw_bytes))
    }

    /// `FileMetaData`: the schema, and where everything is.
    fn metadata(&self) -> Vec<u8> {
        let root = Fields::default().text(4, "rows").int(5, count(self.columns.len())).end();
        let schema = [root].into_iter().chain(self.columns.iter().map(element));
        let notes = self
            .notes
            .iter()
            .map(|(name, value)| Fields::default().text(1, name).text(2, value).end());
        Fields::default()
            .int(1, 1)
            .list(2, STRUCT, schema)
            .whole(3, count(self.rows_written))
            .list(4, STRUCT, self.groups.iter().cloned())
            .list(5, STRUCT, notes)
            .text(6, "phalanx")
            .end()
    }
}

/// `SchemaElement` of a column whose values may be missing.
fn element(column: &Column) -> Vec<u8> {
    let optional = 1;
    let element = Fields::default().int(1, physical(column.holds)).int(3, optional);
    let element = element.text(4, column.name);
    let element = match column.holds {
        // As older readers know it, UTF8, and as newer ones do, a union with the member STRING.
        ColumnType::Text => {
            let string = Fields::default().structure(1, Fields::default());
            element.int(6, 0).structure(10, string)
        }
        ColumnType::Whole | ColumnType::Truth => element,
    };
    element.end()
}

/// `Type`.
const fn physical(holds: ColumnType) -> i64 {
    match holds {
        ColumnType::Truth => 0,
        ColumnType::Whole => 2,
        ColumnType::Text => 6,
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn offset(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// The notes in a file's metadata.
///
/// # Errors
/// When it is no Parquet file, or not whole.
pub fn parquet_notes(mut file: &File) -> io::Result<BTreeMap<String, String>> {
    let broken = || io::Error::new(io::ErrorKind::InvalidData, "no whole Parquet file");
    let size = file.seek(SeekFrom::End(0))?;
    let mut tail = [0; 8];
    file.seek(SeekFrom::Start(size.checked_sub(8).ok_or_else(broken)?))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    if magic != *MAGIC || length > METADATA_BYTES_MAX {
        return Err(broken());
    }
    file.seek(SeekFrom::Start((size - 8).checked_sub(length).ok_or_else(broken)?))?;
    let mut metadata = Vec::new();
    file.take(length).read_to_end(&mut metadata)?;
    notes(&mut Reader::new(&metadata)).ok_or_else(broken)
}

fn notes(metadata: &mut Reader<'_>) -> Option<BTreeMap<String, String>> {
    let mut notes = BTreeMap::new();
    let mut last = 0;
    while let Some((id, kind)) = metadata.field(&mut last)? {
        if id != 5 {
            metadata.skip(kind)?;
            continue;
        }
        let (size, _) = metadata.list()?;
        for _ in 0..size {
            let (mut name, mut value, mut last) = (String::new(), String::new(), 0);
            while let Some((id, kind)) = metadata.field(&mut last)? {
                match id {
                    1 => name = metadata.text()?,
                    2 => value = metadata.text()?,
                    _ => metadata.skip(kind)?,
                }
            }
            notes.insert(name, value);
        }
    }
    Some(notes)
}
