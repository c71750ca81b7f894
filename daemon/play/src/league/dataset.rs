//! The decisions of a league as Parquet, for notebooks: a file for each match, a row for each
//! decision.

use anyhow::{Context, Result, bail};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use phalanx_exchange::{
    COLUMNS, RowValue, TRUTH_COLUMNS, Turns, WHOLE_COLUMNS, is_of_pictures, plain, rows,
};
use phalanx_league::{Fixture, LeagueDefinition, PlayError, PlayMatch};
use phalanx_proto::v1::BoardChanges;
use phalanx_record::{Channel, Loader, RecordingFile};
use phalanxd::league_matches::Matches;
use serde_json::{Map, Value};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What is the same in all rows of a team in a match; the columns of decisions follow.
const MATCH_COLUMNS: [&str; 7] =
    ["match", "seed", "player", "opponent", "outcome", "own_score", "other_score"];
/// Columns with whole numbers among those.
const MATCH_WHOLE: [&str; 4] = ["match", "seed", "own_score", "other_score"];
/// The last column: what was on the team's board before the turn, as a JSON object.
const BOARD: &str = "board";
/// Largest board in a row, in bytes; a larger one is null.
const BOARD_BYTES_MAX: usize = 16 << 10;
/// Rows that are in memory at once.
const ROWS_MAX: usize = 20_000;

/// Plays the matches of a league, and writes the decisions of each one.
pub(super) struct DatasetMatches<'a> {
    plan: LeagueDefinition,
    matches: &'a Matches,
    folder: PathBuf,
}

impl<'a> DatasetMatches<'a> {
    /// A dataset in this folder, which already has a file for each of the first `played` matches
    /// that did not fail.
    ///
    /// # Errors
    /// When the folder cannot be made, or the first matches are missing in it.
    pub(super) fn new(
        folder: &Path,
        plan: &LeagueDefinition,
        matches: &'a Matches,
        played: u64,
    ) -> Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let dataset = Self { plan: plan.clone(), matches, folder: folder.to_owned() };
        if played > 0 && !(0..played).any(|number| dataset.file(number).exists()) {
            bail!(
                "{} has none of the {played} matches that were played before; resume with the \
                 --dataset of the first time, or choose another --folder",
                folder.display()
            );
        }
        Ok(dataset)
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(format!("match-{number:06}.parquet"))
    }

    fn write(&self, fixture: &Fixture, scores: &[i64], recordings: &[PathBuf]) -> Result<()> {
        let path = self.file(fixture.number);
        // Beside its place first: a file is there whole, or not at all.
        let beside = path.with_extension("new");
        let mut table = DecisionTable::create(&beside)?;
        for (seat, recording) in recordings.iter().enumerate() {
            table.add(&self.match_cells(fixture, scores, seat), recording)?;
        }
        table.finish()?;
        std::fs::rename(&beside, &path)?;
        Ok(())
    }

    /// The values of [`MATCH_COLUMNS`] for a team.
    fn match_cells(&self, fixture: &Fixture, scores: &[i64], seat: usize) -> Vec<RowValue> {
        let name = |seat: usize| {
            let player = fixture.players.get(seat).and_then(|place| self.plan.players.get(*place));
            player.map_or(RowValue::Nothing, |player| RowValue::Text(player.name.clone()))
        };
        let whole = |number: u64| RowValue::Whole(i64::try_from(number).unwrap_or(i64::MAX));
        let score = |seat: usize| scores.get(seat).copied();
        let other = 1 - seat.min(1);
        let outcome = score(seat).zip(score(other)).map(|(own, other)| match own.cmp(&other) {
            std::cmp::Ordering::Greater => "won",
            std::cmp::Ordering::Equal => "drawn",
            std::cmp::Ordering::Less => "lost",
        });
        vec![
            whole(fixture.number),
            whole(fixture.seed),
            name(seat),
            name(other),
            outcome.map_or(RowValue::Nothing, |word| RowValue::Text(word.to_owned())),
            score(seat).map_or(RowValue::Nothing, RowValue::Whole),
            score(other).map_or(RowValue::Nothing, RowValue::Whole),
        ]
    }
}

impl PlayMatch for DatasetMatches<'_> {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let failed = |why: anyhow::Error| PlayError::Failed(format!("the dataset: {why:#}"));
        let films = tempfile::Builder::new().prefix(".match-").tempdir_in(&self.folder);
        let films = films.map_err(|why| failed(why.into()))?;
        let (scores, recordings) = self.matches.record(fixture, films.path(), stop)?;
        self.write(fixture, &scores, &recordings).map_err(failed)?;
        Ok(scores)
    }

    fn begin(&self) {
        self.matches.begin();
    }
}

/// A file of decisions that is written.
struct DecisionTable {
    writer: SerializedFileWriter<File>,
    columns: Vec<TableColumn>,
    rows: usize,
}

/// The values of a column that were not written yet.
struct TableColumn {
    name: &'static str,
    values: ColumnValues,
    /// For each row, 1 if it has a value, else 0.
    levels: Vec<i16>,
}

enum ColumnValues {
    Whole(Vec<i64>),
    Truth(Vec<bool>),
    Text(Vec<ByteArray>),
}

impl TableColumn {
    fn new(name: &'static str) -> Self {
        let values = if WHOLE_COLUMNS.contains(&name) || MATCH_WHOLE.contains(&name) {
            ColumnValues::Whole(Vec::new())
        } else if TRUTH_COLUMNS.contains(&name) {
            ColumnValues::Truth(Vec::new())
        } else {
            ColumnValues::Text(Vec::new())
        };
        Self { name, values, levels: Vec::new() }
    }

    fn schema(&self) -> Result<Type> {
        let (physical, logical) = match self.values {
            ColumnValues::Whole(_) => (PhysicalType::INT64, None),
            ColumnValues::Truth(_) => (PhysicalType::BOOLEAN, None),
            ColumnValues::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let column = Type::primitive_type_builder(self.name, physical);
        let column = column.with_repetition(Repetition::OPTIONAL).with_logical_type(logical);
        Ok(column.build()?)
    }

    fn push(&mut self, cell: &RowValue) {
        match (&mut self.values, cell) {
            (ColumnValues::Whole(values), RowValue::Whole(number)) => values.push(*number),
            (ColumnValues::Truth(values), RowValue::Truth(truth)) => values.push(*truth),
            (ColumnValues::Text(values), RowValue::Text(text)) => values.push(text.as_str().into()),
            (_, _) => return self.levels.push(0),
        }
        self.levels.push(1);
    }

    /// A text that many rows share.
    fn push_shared(&mut self, text: Option<&ByteArray>) {
        if let (ColumnValues::Text(values), Some(text)) = (&mut self.values, text) {
            values.push(text.clone());
        }
        self.levels.push(i16::from(text.is_some()));
    }
}

impl DecisionTable {
    fn create(path: &Path) -> Result<Self> {
        let decisions = COLUMNS.into_iter().filter(|name| *name != "recording");
        let names = MATCH_COLUMNS.into_iter().chain(decisions).chain([BOARD]);
        let columns: Vec<_> = names.map(TableColumn::new).collect();
        let fields = columns.iter().map(|column| Ok(Arc::new(column.schema()?)));
        let fields = fields.collect::<Result<_>>()?;
        let schema = Type::group_type_builder("decisions").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(
            parquet::basic::ZstdLevel::default(),
        ));
        let file =
            File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
        let writer =
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?;
        Ok(Self { writer, columns, rows: 0 })
    }

    /// Adds the decisions of a recording.
    fn add(&mut self, of_match: &[RowValue], recording: &Path) -> Result<()> {
        let file = RecordingFile::open(recording)?;
        // Only differences between times are used, and no script is compiled.
        let entries = file.entries(Instant::now(), &Loader::default()).only(is_shown);
        let begin_ms = i64::try_from(file.begin_nanos() / 1_000_000).unwrap_or(i64::MAX);
        let mut board = TeamBoard::default();
        for turn in Turns::with_pictures(entries) {
            let before = board.text();
            for row in rows(file.info(), begin_ms, &turn) {
                let decision = row.cells().iter().zip(COLUMNS);
                let decision = decision.filter(|(_, name)| *name != "recording");
                let cells = of_match.iter().chain(decision.map(|(cell, _)| cell));
                for (column, cell) in self.columns.iter_mut().zip(cells) {
                    column.push(cell);
                }
                if let Some(column) = self.columns.last_mut() {
                    column.push_shared(before.as_ref());
                }
                self.rows += 1;
            }
            turn.board.iter().for_each(|changes| board.apply(changes));
            if self.rows >= ROWS_MAX {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes the rows so far as a row group.
    fn flush(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for TableColumn { values, levels, .. } in &mut self.columns {
            let mut column = group.next_column()?.context("a column of the schema")?;
            let some = Some(levels.as_slice());
            match values {
                ColumnValues::Whole(all) => {
                    column.typed::<Int64Type>().write_batch(all, some, None)?;
                    all.clear();
                }
                ColumnValues::Truth(all) => {
                    column.typed::<BoolType>().write_batch(all, some, None)?;
                    all.clear();
                }
                ColumnValues::Text(all) => {
                    column.typed::<ByteArrayType>().write_batch(all, some, None)?;
                    all.clear();
                }
            }
            column.close()?;
            levels.clear();
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.flush()?;
        }
        self.writer.close()?;
        Ok(())
    }
}

/// Pictures of the world are not needed.
fn is_shown(channel: Channel) -> bool {
    is_of_pictures(channel) && channel != Channel::World
}

/// What a team's scripts have on their board.
#[derive(Default)]
struct TeamBoard {
    values: Map<String, Value>,
    /// Its text, until it changes.
    text: Option<Option<ByteArray>>,
}

impl TeamBoard {
    fn apply(&mut self, changes: &BoardChanges) {
        if changes.reset {
            self.values.clear();
        }
        for key in &changes.gone {
            self.values.remove(key);
        }
        for entry in &changes.entries {
            let value = entry.value.as_ref().map_or(Value::Null, plain);
            self.values.insert(entry.key.clone(), value);
        }
        self.text = None;
    }

    /// As a JSON object; `None` if it is too large.
    fn text(&mut self) -> Option<ByteArray> {
        if self.text.is_none() {
            // Numbers and texts always have a form in JSON.
            let text = serde_json::to_string(&self.values).unwrap_or_default();
            self.text = Some((text.len() <= BOARD_BYTES_MAX).then(|| text.as_str().into()));
        }
        self.text.clone().flatten()
    }
}
