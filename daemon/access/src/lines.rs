//! Files of JSON lines that are only added to, and whose size has a bound.

use crate::file;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A file of lines with older ones beside it: `NAME`, `NAME.1`, `NAME.2`, …
#[derive(Debug)]
pub(crate) struct LineFile {
    path: PathBuf,
    bound: LineFileLimits,
    open: Mutex<OpenLineFile>,
}

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineFileLimits {
    /// Size from which a file is put aside and a new one begun, in bytes.
    pub(crate) file_bytes: u64,
    /// Files that were put aside and are kept.
    pub(crate) old_files: u32,
}

#[derive(Debug)]
struct OpenLineFile {
    file: File,
    bytes: u64,
}

impl LineFile {
    /// Goes on with the file of that path.
    pub(crate) fn open(path: &Path, bound: LineFileLimits) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), bound, open: Mutex::new(OpenLineFile::at(path)?) })
    }

    /// Adds lines, all in one write. Blocks.
    pub(crate) fn write<'a, T: Serialize + 'a>(
        &self,
        lines: impl IntoIterator<Item = &'a T>,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.bytes >= self.bound.file_bytes {
            self.rotate()?;
            *open = OpenLineFile::at(&self.path)?;
        }
        open.file.write_all(&text)?;
        open.bytes = open.bytes.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
        Ok(())
    }

    /// `audit.jsonl` becomes `audit.jsonl.1`, and so on; the oldest one goes.
    fn rotate(&self) -> io::Result<()> {
        for number in (1..self.bound.old_files).rev() {
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

impl OpenLineFile {
    fn at(path: &Path) -> io::Result<Self> {
        let file = file::append(path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { file, bytes })
    }
}
