//! `phalanx league run --dataset`: the decisions of a league's matches as Parquet.

use crate::queue::QueuedPlan;
use anyhow::{Context, Result};
use phalanx_cli::failure::misused;
use phalanx_exchange::{
    BoardState, COLUMNS, Column, ParquetTable, RowValue, Turns, is_of_turns, parquet_notes, rows,
};
use phalanx_files::Readers;
use phalanx_league::{Fixture, LeagueDefinition, LeagueTable, PlayError, PlayMatch};
use phalanx_record::{Channel, Loader, RecordingFile};
use phalanxd::league_matches::Matches;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::{fs, io};

/// What a row says of its match, before the columns of the decision itself.
const MATCH_COLUMNS: [Column; 7] = [
    Column::whole("match"),
    Column::whole("seed"),
    Column::text("player"),
    Column::text("opponent"),
    Column::text("outcome"),
    Column::whole("own_score"),
    Column::whole("other_score"),
];
/// What was on the board before the turn.
const BOARD: Column = Column::text("board");
/// Boards with more text than this are left out: one goes into each row of a turn.
const BOARD_BYTES_MAX: usize = 16 * 1024;
/// The name in a file's metadata that says of which league it is.
const LEAGUE: &str = "phalanx.league";
/// The folder in which recordings are until they are written as Parquet.
const RECORDINGS: &str = ".recordings";

/// How a match ended.
type Played = Result<Vec<i64>, PlayError>;

/// Matches that are recorded, and whose decisions are written into a folder.
pub(super) struct DatasetMatches<'a> {
    folder: &'a Path,
    plan: LeagueDefinition,
    /// Of which league the files are.
    league: String,
    matches: &'a Matches,
    /// Why a file could not be written.
    trouble: Mutex<Option<anyhow::Error>>,
}

impl<'a> DatasetMatches<'a> {
    /// Writes the matches that come after these results.
    ///
    /// # Errors
    /// When the folder cannot be used, holds files of another league, or lacks matches that were
    /// played without it.
    pub(super) fn new(
        folder: &'a Path,
        plan: &LeagueDefinition,
        matches: &'a Matches,
        standing: &LeagueTable,
    ) -> Result<Self> {
        let league = QueuedPlan::of_league(plan, None).run;
        let it = Self { folder, plan: plan.clone(), league, matches, trouble: Mutex::default() };
        let cannot = || format!("the dataset's folder {}", folder.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        let known = it.files().with_context(cannot)?;
        for (_, path) in &known {
            if it.is_of_another_league(path) {
                return Err(misused(format!(
                    "{} is of another league: name another folder for this one's dataset",
                    path.display()
                )));
            }
        }
        // A match that failed has no file.
        let written = known.iter().filter(|(number, _)| *number < standing.played).count();
        let missing = (standing.played - standing.failed).saturating_sub(written as u64);
        if missing > 0 {
            return Err(misused(format!(
                "{missing} matches of this league were played without this dataset, and are not \
                 played again: leave --dataset out, or begin anew with another --folder"
            )));
        }
        Ok(it)
    }

    /// Removes what is not a part of the league after this many matches: an early stop leaves
    /// matches that were already played.
    ///
    /// # Errors
    /// Why a file could not be written or removed.
    pub(super) fn finish(&self, played: u64) -> Result<()> {
        if let Some(trouble) = self.trouble().take() {
            return Err(trouble);
        }
        for (_, path) in self.files()?.into_iter().filter(|(number, _)| *number >= played) {
            fs::remove_file(path)?;
        }
        Ok(remove(&self.folder.join(RECORDINGS))?)
    }

    fn trouble(&self) -> MutexGuard<'_, Option<anyhow::Error>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of matches, with their numbers.
    fn files(&self) -> Result<Vec<(u64, PathBuf)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.folder)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let number = name.strip_prefix("match-").and_then(|it| it.strip_suffix(".parquet"));
            files.extend(number.and_then(|it| it.parse().ok()).map(|number| (number, path)));
        }
        Ok(files)
    }

    fn is_of_another_league(&self, path: &Path) -> bool {
        fs::File::open(path).is_ok_and(|file| {
            parquet_notes(&file)
                .is_ok_and(|notes| notes.get(LEAGUE).is_some_and(|it| *it != self.league))
        })
    }

    /// Plays a match and writes its decisions.
    fn write_match(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Played> {
        let name = format!("match-{:06}", fixture.number);
        let recordings = self.folder.join(RECORDINGS).join(&name);
        // What a killed process left would give the recordings other names.
        remove(&recordings)?;
        fs::create_dir_all(&recordings)?;
        let played = self.matches.record(fixture, &recordings, stop);
        if let Ok((scores, files)) = &played {
            let path = self.folder.join(name).with_extension("parquet");
            self.write(fixture, scores, files, &path)?;
        }
        fs::remove_dir_all(&recordings)?;
        Ok(played.map(|(scores, _)| scores))
    }

    /// Writes a match; a file is always whole.
    fn write(
        &self,
        fixture: &Fixture,
        scores: &[i64],
        files: &[PathBuf],
        path: &Path,
    ) -> Result<()> {
        let columns = MATCH_COLUMNS.into_iter().chain(COLUMNS).chain([BOARD]);
        let mut bytes = Vec::new();
        let notes = [(LEAGUE, self.league.as_str()), ("phalanx.version", phalanxd::BUILD)];
        let mut table = ParquetTable::new(&mut bytes, columns.collect(), &notes)?;
        for (seat, file) in files.iter().enumerate() {
            let before = self.of_match(fixture, scores, seat);
            write_decisions(&mut table, &before, file)?;
        }
        table.finish()?;
        phalanx_files::replace(path, &bytes, Readers::Everyone).map_err(Into::into)
    }

    /// The columns of the match, for the team in this seat.
    fn of_match(&self, fixture: &Fixture, scores: &[i64], seat: usize) -> Vec<RowValue> {
        let player = |seat: Option<usize>| {
            let player = seat.and_then(|seat| fixture.players.get(seat));
            let player = player.and_then(|player| self.plan.players.get(*player));
            player.map_or(RowValue::Nothing, |player| RowValue::Text(player.name.clone()))
        };
        let other = (fixture.players.len() > 1).then(|| 1 - seat.min(1));
        let score = |seat: Option<usize>| seat.and_then(|seat| scores.get(seat)).copied();
        let outcome =
            score(Some(seat)).zip(score(other)).map(|(own, other)| match own.cmp(&other) {
                std::cmp::Ordering::Less => "lost",
                std::cmp::Ordering::Equal => "drawn",
                std::cmp::Ordering::Greater => "won",
            });
        vec![
            RowValue::count(fixture.number),
            RowValue::count(fixture.seed),
            player(Some(seat)),
            player(other),
            RowValue::text(outcome.unwrap_or_default()),
            RowValue::maybe(score(Some(seat))),
            RowValue::maybe(score(other)),
        ]
    }
}

impl PlayMatch for DatasetMatches<'_> {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        self.write_match(fixture, stop).unwrap_or_else(|error| {
            // The match itself is fine: without its file it does not count, and is played again.
            let trouble = format!("match {} of the dataset", fixture.number);
            self.trouble().get_or_insert(error.context(trouble));
            stop.store(true, Ordering::Relaxed);
            Err(PlayError::Stopped)
        })
    }

    fn begin(&self) {
        self.matches.begin();
    }
}

/// Removes a folder, if it is there.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Writes the decisions of a recording; each row begins with these values.
fn write_decisions(
    table: &mut ParquetTable<&mut Vec<u8>>,
    before: &[RowValue],
    path: &Path,
) -> Result<()> {
    let file = RecordingFile::open(path)?;
    let entries = file.entries(Instant::now(), &Loader::default());
    let wanted = |channel| is_of_turns(channel) || channel == Channel::Board;
    let mut turns = Turns::with_pictures(entries.only(wanted));
    let begin_ms = i64::try_from(file.begin_nanos() / 1_000_000).unwrap_or(i64::MAX);
    let mut board = BoardState::default();
    for turn in turns.by_ref() {
        let text = board.json();
        let text = if text.len() > BOARD_BYTES_MAX { "" } else { &text };
        for row in rows(file.info(), begin_ms, &turn) {
            let mut values = before.to_vec();
            values.extend(row.into_values());
            values.push(RowValue::text(text));
            table.push(values)?;
        }
        turn.board.iter().for_each(|changes| board.apply(changes));
    }
    anyhow::ensure!(turns.damage() == 0, "{} has damaged pieces", path.display());
    Ok(())
}
