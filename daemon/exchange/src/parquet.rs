//! Tables as Parquet, the format that notebooks read fastest.

use crate::rows::{Column, ColumnType, RowValue};
use ::parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use ::parquet::errors::Result;
use ::parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

/// Rows of a row group, which are in memory until they are written.
const GROUP_ROWS_MAX: usize = 32 * 1024;
/// The same in bytes of text.
const GROUP_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Writes rows into a Parquet file. Texts and numbers may be missing in any row.
pub struct ParquetTable<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    /// Rows that are not written yet.
    rows: Vec<Vec<RowValue>>,
    /// How much text they have.
    bytes: usize,
}

impl<W: Write + Send> std::fmt::Debug for ParquetTable<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetTable").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<W: Write + Send> ParquetTable<W> {
    /// Begins a file. `notes` are names with values that readers find in its metadata.
    ///
    /// # Errors
    /// When its beginning cannot be written.
    pub fn new(out: W, columns: Vec<Column>, notes: &[(&str, &str)]) -> Result<Self> {
        let fields = columns.iter().map(field).collect::<Result<_>>()?;
        let schema = Type::group_type_builder("rows").with_fields(fields).build()?;
        let notes = notes
            .iter()
            .map(|(name, value)| KeyValue::new((*name).to_owned(), (*value).to_owned()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(Default::default()))
            .set_created_by("phalanx".to_owned())
            .set_key_value_metadata(Some(notes.collect()));
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        Ok(Self { file, columns, rows: Vec::new(), bytes: 0 })
    }

    /// Adds a row: its values in the order of the columns. A value of another type than its column
    /// is written as missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn push(&mut self, row: Vec<RowValue>) -> Result<()> {
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
    pub fn finish(mut self) -> Result<()> {
        self.write_group()?;
        self.file.close().map(drop)
    }

    fn write_group(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for (index, column) in self.columns.iter().enumerate() {
            let cells = rows.iter().map(|row| row.get(index).unwrap_or(&RowValue::Nothing));
            match column.holds {
                ColumnType::Text => write_column::<ByteArrayType, _>(&mut group, cells, |cell| {
                    let RowValue::Text(text) = cell else { return None };
                    Some(ByteArray::from(text.as_str()))
                })?,
                ColumnType::Whole => write_column::<Int64Type, _>(&mut group, cells, |cell| {
                    let RowValue::Whole(number) = cell else { return None };
                    Some(*number)
                })?,
                ColumnType::Truth => write_column::<BoolType, _>(&mut group, cells, |cell| {
                    let RowValue::Truth(truth) = cell else { return None };
                    Some(*truth)
                })?,
            }
        }
        group.close().map(drop)
    }
}

/// The notes in a file's metadata.
///
/// # Errors
/// When it is no Parquet file, or not whole.
pub fn parquet_notes(file: &File) -> Result<BTreeMap<String, String>> {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file)?;
    let notes = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    Ok(notes.map(|note| (note.key.clone(), note.value.clone().unwrap_or_default())).collect())
}

fn field(column: &Column) -> Result<Arc<Type>> {
    let (physical, logical) = match column.holds {
        ColumnType::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Whole => (PhysicalType::INT64, None),
        ColumnType::Truth => (PhysicalType::BOOLEAN, None),
    };
    let field = Type::primitive_type_builder(column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical);
    field.build().map(Arc::new)
}

fn write_column<'a, T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    cells: impl Iterator<Item = &'a RowValue>,
    value: impl Fn(&RowValue) -> Option<T::T>,
) -> Result<()> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        let value = value(cell);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    // The caller goes through the columns of the schema, so that there is a next one.
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}
