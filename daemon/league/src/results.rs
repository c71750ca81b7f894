//! Files of results: a plan, and one line for each match, which several processes never write at
//! once and of which a crash costs the last line at most.

use phalanx_files::Readers;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Rights of folders that we make: the owner's alone.
const FOLDER_MODE: u32 = 0o700;
/// The file with the results.
const RESULTS: &str = "results.jsonl";
/// Largest plan that is read, in bytes.
const PLAN_BYTES_MAX: u64 = 1 << 20;
/// Largest file of results that is read, in bytes: that of the longest league with room to spare.
const RESULTS_BYTES_MAX: u64 = 256 << 20;

/// Why results cannot be kept or go on.
#[derive(Debug, thiserror::Error)]
pub enum LeagueStoreError {
    /// The system refused.
    #[error("{path}: could not {what}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        why: io::Error,
    },
    /// Another process plays on here.
    #[error("{path}: another process plays the matches of this folder; wait for it, or stop it")]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds results of another plan.
    #[error("{path} holds another {what}: {difference}; choose another folder, or remove this one")]
    Other {
        /// The folder.
        path: PathBuf,
        /// What it is: a league, or a tune run.
        what: &'static str,
        /// In what it differs.
        difference: String,
    },
    /// The folder holds no results.
    #[error("{path} holds no {what}; `{path}/{file}` is missing")]
    Missing {
        /// The folder.
        path: PathBuf,
        /// What was looked for: a league, or a tune run.
        what: &'static str,
        /// The file with its plan.
        file: &'static str,
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

/// The results in a folder, open for appending. No other process can open them meanwhile.
#[derive(Debug)]
pub struct ResultsFile {
    path: PathBuf,
    file: File,
}

impl ResultsFile {
    /// Opens the results of a folder, makes both when they are missing, and returns the lines that
    /// are there. A line that was cut off when a machine stopped is removed.
    ///
    /// # Errors
    /// When the results are in use, or cannot be read or written.
    pub fn open(folder: &Path) -> Result<(Self, Vec<String>), LeagueStoreError> {
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
        made.map_err(failed(folder, "make the folder"))?;
        let path = folder.join(RESULTS);
        let mut file = hold(folder, &path)?;
        let text = bounded(&path, &mut file)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let lines = text.get(..whole).unwrap_or_default().lines().map(str::to_owned).collect();
        let end = whole as u64;
        file.set_len(end).map_err(failed(&path, "cut off half a line"))?;
        file.seek(SeekFrom::Start(end)).map_err(failed(&path, "find its end"))?;
        Ok((Self { path, file }, lines))
    }

    /// Appends a line, which ends with a line break.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn append(&mut self, line: &str) -> Result<(), LeagueStoreError> {
        self.file.write_all(line.as_bytes()).map_err(failed(&self.path, "append a result"))
    }

    /// The error for a line, counted from 0.
    #[must_use]
    pub fn malformed(folder: &Path, line: u64, problem: String) -> LeagueStoreError {
        LeagueStoreError::Malformed { path: folder.join(RESULTS), line: line + 1, problem }
    }
}

/// The results in a folder that another process may be playing for.
#[derive(Debug)]
pub struct ResultsReader {
    path: PathBuf,
    /// Bytes that were read.
    read: u64,
}

impl ResultsReader {
    /// Nothing is read yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(RESULTS), read: 0 }
    }

    /// The lines that came since the last call, without half a line at the end.
    ///
    /// # Errors
    /// When they cannot be read, or were cut off since.
    pub fn lines(&mut self) -> Result<Vec<String>, LeagueStoreError> {
        let Self { path, read } = self;
        let mut file = File::open(&*path).map_err(failed(path, "open it"))?;
        if file.metadata().map_err(failed(path, "look at it"))?.len() < *read {
            let problem = "it was cut off while it was read".to_owned();
            return Err(LeagueStoreError::Malformed { path: path.clone(), line: 1, problem });
        }
        file.seek(SeekFrom::Start(*read)).map_err(failed(path, "find its end"))?;
        let text = bounded(path, &mut file)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        *read += whole as u64;
        Ok(text.get(..whole).unwrap_or_default().lines().map(str::to_owned).collect())
    }

    /// The size of the results, in bytes; 0 if there are none.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.path.metadata().map_or(0, |data| data.len())
    }

    /// Bytes that were read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.read
    }

    /// Whether another process holds the results, to append to them.
    #[must_use]
    pub fn is_held(&self) -> bool {
        File::open(&self.path).is_ok_and(|file| phalanx_files::is_held(&file))
    }
}

/// Opens the results and holds them.
fn hold(folder: &Path, path: &Path) -> Result<File, LeagueStoreError> {
    let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = options.map_err(failed(path, "open it"))?;
    match phalanx_files::hold(&file).map_err(failed(path, "hold it"))? {
        true => Ok(file),
        false => Err(LeagueStoreError::InUse { path: folder.to_owned() }),
    }
}

fn bounded(path: &Path, file: &mut File) -> Result<String, LeagueStoreError> {
    let bytes = file.metadata().map_err(failed(path, "look at it"))?.len();
    if bytes > RESULTS_BYTES_MAX {
        let problem = format!("{bytes} bytes; at most {RESULTS_BYTES_MAX} are read");
        return Err(LeagueStoreError::Malformed { path: path.to_owned(), line: 1, problem });
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(failed(path, "read it"))?;
    Ok(text)
}

/// The plan in a file; `None` when there is no such file.
///
/// # Errors
/// When it cannot be read or is no plan.
pub fn read_plan<P: DeserializeOwned>(path: &Path) -> Result<Option<P>, LeagueStoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(path, "open it")(error)),
    };
    let mut text = String::new();
    file.take(PLAN_BYTES_MAX).read_to_string(&mut text).map_err(failed(path, "read it"))?;
    let plan = serde_json::from_str(&text).map_err(|error| LeagueStoreError::Malformed {
        path: path.to_owned(),
        line: error.line() as u64,
        problem: error.to_string(),
    })?;
    Ok(Some(plan))
}

/// Writes a plan beside its place first: it is there whole, or not at all.
///
/// # Errors
/// When the system refuses.
pub fn write_plan<P: Serialize>(path: &Path, plan: &P) -> Result<(), LeagueStoreError> {
    // Numbers and texts always have a form in JSON.
    let text = serde_json::to_string_pretty(plan).unwrap_or_default() + "\n";
    phalanx_files::replace(path, text.as_bytes(), Readers::Everyone)
        .map_err(failed(path, "write the plan"))
}

fn failed(path: &Path, what: &'static str) -> impl Fn(io::Error) -> LeagueStoreError + use<> {
    let path = path.to_owned();
    move |why| LeagueStoreError::File { path: path.clone(), what, why }
}
