//! The results on disk: a folder with the plan and one line a match.
//!
//! Lines are appended in the order of the schedule, so what a league has played is what its file
//! holds. A line that was cut off when the machine stopped is taken away when the league goes on.

use crate::outcome::{self, MatchOutcome};
use crate::{Fixture, LeagueDefinition, LeagueTally};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Rights of folders that we make: the owner's alone.
const FOLDER_MODE: u32 = 0o700;
/// The file with the plan.
const PLAN: &str = "league.json";
/// The file with the results.
const RESULTS: &str = "results.jsonl";
/// Largest plan that is read, in bytes.
const PLAN_BYTES_MAX: u64 = 1 << 20;
/// Largest file of results that is read, in bytes: that of the longest league with room to spare.
const RESULTS_BYTES_MAX: u64 = 256 << 20;

/// Why a league cannot be kept or go on.
#[derive(Debug, thiserror::Error)]
pub enum LeagueStoreError {
    /// The system refused.
    #[error("{path}: could not {what}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// Somebody else plays this league now.
    #[error("{path}: this league is being played by another process; wait for it, or stop it")]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds a league with another plan.
    #[error("{path} holds another league: {difference}; choose another folder, or remove this one")]
    Other {
        /// The folder.
        path: PathBuf,
        /// In what it differs.
        difference: String,
    },
    /// A file does not hold what it should.
    #[error("{path}, line {line}: {problem}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
}

/// Where the results of a league go.
#[derive(Debug)]
pub struct LeagueStore {
    plan: LeagueDefinition,
    tally: LeagueTally,
    file: Option<(PathBuf, File)>,
}

impl LeagueStore {
    /// Results that are kept in memory only.
    #[must_use]
    pub fn in_memory(plan: LeagueDefinition) -> Self {
        Self { tally: LeagueTally::new(&plan), plan, file: None }
    }

    /// Makes a folder for a league, or goes on with the one that is there.
    ///
    /// # Errors
    /// When the folder holds another league, or is in use, or cannot be read or written.
    pub fn open(folder: &Path, plan: LeagueDefinition) -> Result<Self, LeagueStoreError> {
        let path = folder.join(PLAN);
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
        made.map_err(failed(folder, "make the folder"))?;
        let file = results(folder)?;
        match std::fs::metadata(&path) {
            Ok(_) => {
                let kept = read_plan(folder)?;
                if let Some(difference) = difference(&kept, &plan) {
                    return Err(LeagueStoreError::Other { path: folder.to_owned(), difference });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => write_plan(&path, &plan)?,
            Err(error) => return Err(failed(&path, "look at it")(error)),
        }
        Self::read(folder, plan, file)
    }

    /// Goes on with the league that a folder holds.
    ///
    /// # Errors
    /// When the folder holds none, or is in use, or cannot be read or written.
    pub fn reopen(folder: &Path) -> Result<Self, LeagueStoreError> {
        let plan = read_plan(folder)?;
        let file = results(folder)?;
        Self::read(folder, plan, file)
    }

    #[must_use]
    pub fn plan(&self) -> &LeagueDefinition {
        &self.plan
    }

    /// The sums over all results so far.
    #[must_use]
    pub fn tally(&self) -> &LeagueTally {
        &self.tally
    }

    /// Keeps the next result of the schedule.
    pub(crate) fn append(
        &mut self,
        fixture: &Fixture,
        outcome: &MatchOutcome,
    ) -> Result<(), LeagueStoreError> {
        if let Some((path, file)) = &mut self.file {
            let line = outcome::write(&self.plan, fixture, outcome);
            file.write_all(line.as_bytes()).map_err(failed(path, "append a result"))?;
        }
        self.tally.add(fixture, outcome);
        Ok(())
    }

    fn read(
        folder: &Path,
        plan: LeagueDefinition,
        mut file: File,
    ) -> Result<Self, LeagueStoreError> {
        let path = folder.join(RESULTS);
        let mut text = String::new();
        let bytes = file.metadata().map_err(failed(&path, "look at it"))?.len();
        if bytes > RESULTS_BYTES_MAX {
            let problem = format!("{bytes} bytes; at most {RESULTS_BYTES_MAX} are read");
            return Err(LeagueStoreError::Malformed { path, line: 1, problem });
        }
        file.read_to_string(&mut text).map_err(failed(&path, "read it"))?;
        let mut tally = LeagueTally::new(&plan);
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for (number, line) in (0..).zip(text.get(..whole).unwrap_or_default().lines()) {
            let malformed = |problem| LeagueStoreError::Malformed {
                path: path.clone(),
                line: number + 1,
                problem,
            };
            let fixture = plan.fixture(number);
            let fixture = fixture
                .ok_or_else(|| malformed("more results than the league has matches".to_owned()))?;
            let outcome = outcome::read(&plan, &fixture, line).map_err(malformed)?;
            tally.add(&fixture, &outcome);
        }
        let end = whole as u64;
        file.set_len(end).map_err(failed(&path, "cut off half a line"))?;
        file.seek(SeekFrom::Start(end)).map_err(failed(&path, "find its end"))?;
        Ok(Self { plan, tally, file: Some((path, file)) })
    }
}

/// Opens the results and holds them, so that no two processes play one league.
fn results(folder: &Path) -> Result<File, LeagueStoreError> {
    let path = folder.join(RESULTS);
    let options =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let file = options.map_err(failed(&path, "open it"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(LeagueStoreError::InUse { path: folder.to_owned() })
        }
        Err(std::fs::TryLockError::Error(error)) => Err(failed(&path, "hold it")(error)),
    }
}

fn read_plan(folder: &Path) -> Result<LeagueDefinition, LeagueStoreError> {
    let path = folder.join(PLAN);
    let file = File::open(&path).map_err(failed(&path, "open it"))?;
    let mut text = String::new();
    file.take(PLAN_BYTES_MAX).read_to_string(&mut text).map_err(failed(&path, "read it"))?;
    let malformed =
        |problem: String| LeagueStoreError::Malformed { path: path.clone(), line: 1, problem };
    let plan: LeagueDefinition =
        serde_json::from_str(&text).map_err(|error| LeagueStoreError::Malformed {
            path: path.clone(),
            line: error.line() as u64,
            problem: error.to_string(),
        })?;
    match plan.mistakes().as_slice() {
        [] => Ok(plan),
        mistakes => Err(malformed(mistakes.join("; "))),
    }
}

/// Writes the plan beside its place first: it is there whole, or not at all.
fn write_plan(path: &Path, plan: &LeagueDefinition) -> Result<(), LeagueStoreError> {
    let beside = path.with_extension("new");
    // Numbers and texts always have a form in JSON.
    let text = serde_json::to_string_pretty(plan).unwrap_or_default() + "\n";
    std::fs::write(&beside, text).map_err(failed(&beside, "write the plan"))?;
    std::fs::rename(&beside, path).map_err(failed(path, "put the plan in its place"))
}

fn failed(path: &Path, what: &'static str) -> impl Fn(io::Error) -> LeagueStoreError + use<> {
    let path = path.to_owned();
    move |source| LeagueStoreError::File { path: path.clone(), what, source }
}

/// In what a plan differs from the one that is kept; where a player comes from is no difference.
fn difference(kept: &LeagueDefinition, plan: &LeagueDefinition) -> Option<String> {
    let names = |plan: &LeagueDefinition| {
        plan.players.iter().map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    if kept.game != plan.game {
        return Some(format!("its game is {}", kept.game));
    }
    if names(kept) != names(plan) {
        return Some(format!("its players are {}", names(kept).join(", ")));
    }
    let mut pairs = kept.players.iter().zip(&plan.players);
    if let Some((old, _)) = pairs.find(|(old, new)| old.identity != new.identity) {
        return Some(format!("the files of {} were other ones", old.name));
    }
    if kept.setup != plan.setup {
        return Some(format!("its matches are set up with {:?}", kept.setup));
    }
    let rest = |plan: &LeagueDefinition| (plan.seeds, plan.pairing, plan.swap, plan.sprt);
    let other = rest(kept) != rest(plan);
    other.then(|| "seeds, pairing or early stop are other ones".to_owned())
}
