//! Who changed what: a line of JSON for each call that changes something, kept apart from the log.

use crate::lines::{LineFile, LineFileLimits};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// Size from which a file is put aside and a new one begun, in bytes.
pub const FILE_BYTES_MAX: u64 = 8 << 20;
/// Files that were put aside and are kept.
pub const OLD_FILES: u32 = 4;

/// One change, or an attempt that a handler refused. Calls that were not let in are counted by
/// [`Denials`](crate::Denials).
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
    /// Where to: the address to which a team is moved; otherwise empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub to: String,
    /// `ok`, or the gRPC status in words.
    pub result: String,
}

/// The audit log.
#[derive(Debug)]
pub struct Audit {
    file: LineFile,
}

impl Audit {
    /// Goes on with the log of that path.
    ///
    /// # Errors
    /// When it cannot be opened for writing.
    pub fn open(path: &Path) -> io::Result<Self> {
        let bound = LineFileLimits { file_bytes: FILE_BYTES_MAX, old_files: OLD_FILES };
        Ok(Self { file: LineFile::open(path, bound)? })
    }

    /// Adds a line. Blocks for a write.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn write(&self, line: &AuditLine) -> io::Result<()> {
        self.file.write([line])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file;
    use std::fs::{self, File};

    fn line(what: &str) -> AuditLine {
        AuditLine {
            time_ms: 1,
            who: "anna".to_owned(),
            from: "unix".to_owned(),
            what: what.to_owned(),
            on: "teams/A".to_owned(),
            to: String::new(),
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
