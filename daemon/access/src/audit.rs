//! Who changed what: a line of JSON for each call that changes something, kept apart from the log.

use crate::file;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Size from which a file is put aside and a new one begun, in bytes.
pub const FILE_BYTES_MAX: u64 = 8 << 20;
/// Files that were put aside and are kept.
pub const OLD_FILES: u32 = 4;

/// One change, or the attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    /// When, in milliseconds since the Unix epoch.
    pub time_ms: u64,
    /// Who: the user at the Unix socket, or the token's name and id.
    pub who: String,
    /// From where: `unix`, or an address.
    pub from: String,
    /// Which method: `Teams/StopTeam`.
    pub what: String,
    /// On what: `teams/A`; empty where the call names nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub on: String,
    /// `ok`, or the gRPC status in words.
    pub result: String,
}

/// The audit log.
#[derive(Debug)]
pub struct Audit {
    path: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    bytes: u64,
}

impl Audit {
    /// Goes on with the log of that path.
    ///
    /// # Errors
    /// When it cannot be opened for writing.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), open: Mutex::new(Open::at(path)?) })
    }

    /// Adds a line. Blocks for a write.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn write(&self, line: &AuditLine) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.bytes >= FILE_BYTES_MAX {
            self.rotate()?;
            *open = Open::at(&self.path)?;
        }
        open.file.write_all(&text)?;
        open.bytes = open.bytes.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
        Ok(())
    }

    /// `audit.jsonl` becomes `audit.jsonl.1`, and so on; the oldest one goes.
    fn rotate(&self) -> io::Result<()> {
        for number in (1..OLD_FILES).rev() {
            match fs::rename(self.old(number), self.old(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.path, self.old(1))
    }

    fn old(&self, number: u32) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{number}"));
        self.path.with_file_name(name)
    }
}

impl Open {
    fn at(path: &Path) -> io::Result<Self> {
        let file = file::append(path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { file, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(what: &str) -> AuditLine {
        AuditLine {
            time_ms: 1,
            who: "anna".to_owned(),
            from: "unix".to_owned(),
            what: what.to_owned(),
            on: "teams/A".to_owned(),
            result: "ok".to_owned(),
        }
    }

    #[test]
    fn lines_outlive_the_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state/audit.jsonl");
        for what in ["Teams/StopTeam", "Teams/StartTeam"] {
            Audit::open(&path).expect("opens").write(&line(what)).expect("writes");
        }
        let text = fs::read_to_string(&path).expect("reads");
        let lines: Vec<AuditLine> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines, [line("Teams/StopTeam"), line("Teams/StartTeam")]);
        assert!(!file::is_open_to_others(&path).expect("exists"));
    }

    #[test]
    fn a_long_log_is_cut_and_its_oldest_part_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        for _ in 0..OLD_FILES + 3 {
            let full = File::options().create(true).append(true).open(&path).expect("opens");
            full.set_len(FILE_BYTES_MAX).expect("grows");
            Audit::open(&path).expect("opens").write(&line("x")).expect("writes");
        }
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .expect("lists")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
            .collect();
        names.sort();
        let old = (1..=OLD_FILES).map(|number| format!("audit.jsonl.{number}"));
        let expected: Vec<_> = std::iter::once("audit.jsonl".to_owned()).chain(old).collect();
        assert_eq!(names, expected);
        assert_eq!(fs::read_to_string(&path).expect("reads").lines().count(), 1);
    }
}
