//! A ladder to look at while other processes submit strategies and play: in a folder, or on a server
//! whose entries the caller reads.

use crate::error::LadderError;
use crate::folder::FolderLog;
use crate::ladder::Ladder;
use crate::store::count;
use std::path::Path;

/// A ladder of other processes. It changes nothing.
#[derive(Debug)]
pub struct FollowedLadder {
    source: Source,
    ladder: Ladder,
    entries: u64,
    /// The size of the log when it could not be counted.
    broken: Option<u64>,
}

#[derive(Debug)]
enum Source {
    Folder(FolderLog),
    /// A log of a server with this name, and the process that plays its matches.
    Server {
        name: String,
        player: Option<String>,
    },
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
        Self::of(Source::Folder(FolderLog::new(folder)))
    }

    /// A ladder of a server, before its first entry.
    #[must_use]
    pub fn on_server(name: &str) -> Self {
        Self::of(Source::Server { name: name.to_owned(), player: None })
    }

    fn of(source: Source) -> Self {
        Self { source, ladder: Ladder::default(), entries: 0, broken: None }
    }

    /// Counts what other processes appended to the log of a folder. What cannot be counted is only
    /// read again when the log has changed, from its beginning.
    ///
    /// # Errors
    /// When it cannot be read, or makes no sense.
    pub fn read(&mut self) -> Result<(), LadderError> {
        let Source::Folder(log) = &mut self.source else { return Ok(()) };
        let bytes = log.bytes();
        match self.broken {
            Some(then) if then == bytes => return Ok(()),
            Some(_) => {
                (self.ladder, self.entries) = (Ladder::default(), 0);
                log.restart();
            }
            None => {}
        }
        let place = log.path().display().to_string();
        let counted = log
            .read()
            .and_then(|lines| count(&mut self.ladder, &mut self.entries, &lines, || place));
        self.broken = counted.is_err().then_some(bytes);
        counted
    }

    /// Counts the next entries of a server's log. After an error no more are counted.
    ///
    /// # Errors
    /// When one makes no sense.
    pub fn add(&mut self, lines: &[String]) -> Result<(), LadderError> {
        let (Source::Server { name, .. }, None) = (&self.source, self.broken) else {
            return Ok(());
        };
        let counted = count(&mut self.ladder, &mut self.entries, lines, || name.clone());
        self.broken = counted.is_err().then_some(0);
        counted
    }

    /// Notes which process plays the matches of a server's ladder.
    pub fn set_player(&mut self, now: Option<String>) {
        if let Source::Server { player, .. } = &mut self.source {
            *player = now;
        }
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
        match &self.source {
            Source::Folder(log) => log.player(),
            Source::Server { player, .. } => player.clone(),
        }
    }
}
