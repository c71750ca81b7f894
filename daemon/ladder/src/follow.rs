//! A ladder in a folder, to look at while other processes submit strategies and play.

use crate::error::LadderError;
use crate::folder::FolderLog;
use crate::ladder::Ladder;
use crate::store::count;
use std::path::{Path, PathBuf};

/// A ladder in a folder. It changes nothing, and knows no server.
#[derive(Debug)]
pub struct FollowedLadder {
    folder: PathBuf,
    log: FolderLog,
    ladder: Ladder,
    entries: u64,
    /// The size of the log when it could not be counted.
    broken: Option<u64>,
}

impl FollowedLadder {
    /// Whether a folder holds a ladder.
    #[must_use]
    pub fn is_at(folder: &Path) -> bool {
        FolderLog::new(folder).path().is_file()
    }

    /// The ladder of a folder; nothing is read yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let (log, ladder) = (FolderLog::new(folder), Ladder::default());
        Self { folder: folder.to_owned(), log, ladder, entries: 0, broken: None }
    }

    /// Counts what other processes appended. What cannot be counted is only read again when the log
    /// has changed, from its beginning.
    ///
    /// # Errors
    /// When it cannot be read, or makes no sense.
    pub fn read(&mut self) -> Result<(), LadderError> {
        let bytes = self.log.bytes();
        match self.broken {
            Some(then) if then == bytes => return Ok(()),
            Some(_) => *self = Self::new(&self.folder.clone()),
            None => {}
        }
        let counted = self.count_new();
        self.broken = counted.is_err().then_some(bytes);
        counted
    }

    fn count_new(&mut self) -> Result<(), LadderError> {
        let lines = self.log.read()?;
        let place = || self.log.path().display().to_string();
        count(&mut self.ladder, &mut self.entries, &lines, place)
    }

    /// Whether the log cannot be counted since the last change.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    #[must_use]
    pub fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// The process that plays its matches; `None`: none does.
    #[must_use]
    pub fn player(&self) -> Option<String> {
        self.log.player()
    }
}
