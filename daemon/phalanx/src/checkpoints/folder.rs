//! One team's checkpoints in the state folder. Each is written beside its place and then renamed, so
//! that no half of one is ever read.
//!
//! ```text
//! checkpoints/TEAM              the newest
//! checkpoints/TEAM.1            the one before, or the last one that the disk has for sure
//! checkpoints/TEAM.refused      what could not be taken over: for people to look at
//! ```

use phalanx_strategy::safe_name;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The folder of all checkpoints, in the state folder.
pub(super) const CHECKPOINTS: &str = "checkpoints";
/// What is being written; leftovers are overwritten.
const UNDERWAY: &str = ".underway-";
/// What stands behind the name of the checkpoint before the newest.
const BEFORE: &str = ".1";
/// What stands behind the name of what was not taken over.
const REFUSED: &str = ".refused";
/// Largest checkpoint that is read, in bytes.
const BYTES_MAX: u64 = 256 << 20;
/// What a team knows is its own.
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// Which of a team's checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Newest,
    Before,
}

/// One team's checkpoints.
#[derive(Debug)]
pub(super) struct Folder {
    folder: PathBuf,
    team: String,
    name: String,
    /// Written since the last one that was forced onto the disk.
    unsynced: u32,
    /// The newest is on the disk for sure.
    is_synced: bool,
}

impl Folder {
    pub(super) fn of(folder: &Path, team: &str) -> Self {
        let (folder, name) = (folder.to_owned(), safe_name(team));
        Self { folder, team: team.to_owned(), name, unsynced: 0, is_synced: true }
    }

    pub(super) fn team(&self) -> &str {
        &self.team
    }

    pub(super) fn path(&self, slot: Slot) -> PathBuf {
        match slot {
            Slot::Newest => self.folder.join(&self.name),
            Slot::Before => self.folder.join(format!("{}{BEFORE}", self.name)),
        }
    }

    /// The bytes of a checkpoint; `None` where there is none.
    pub(super) fn read(&self, slot: Slot) -> io::Result<Option<Vec<u8>>> {
        let file = match File::open(self.path(slot)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(io::Error::other(format!("it has more than {BYTES_MAX} bytes")));
        }
        Ok(Some(bytes))
    }

    /// Puts a checkpoint in the place of the newest. One in `sync_every` is forced onto the disk; 0:
    /// none.
    pub(super) fn write(&mut self, bytes: &[u8], sync_every: u32) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&self.folder)?;
        self.unsynced = self.unsynced.saturating_add(1);
        let underway = self.folder.join(format!("{UNDERWAY}{}", self.name));
        let written = self.put_down(&underway, bytes, sync_every);
        if written.is_err() {
            // A full disk has no room for halves.
            drop(fs::remove_file(&underway));
        }
        written
    }

    fn put_down(&mut self, underway: &Path, bytes: &[u8], sync_every: u32) -> io::Result<()> {
        let sync = sync_every > 0 && self.unsynced >= sync_every;
        // What a daemon left that was killed, or a link that somebody put there.
        remove(underway)?;
        let mut file =
            File::options().write(true).create_new(true).mode(FILE_MODE).open(underway)?;
        file.write_all(bytes)?;
        if sync {
            file.sync_all()?;
        }
        let newest = self.path(Slot::Newest);
        // What the disk has for sure is not given up for two that it may not have.
        if sync_every == 0 || self.is_synced {
            let moved = fs::rename(&newest, self.path(Slot::Before));
            moved.or_else(missing)?;
        }
        fs::rename(underway, &newest)?;
        self.is_synced = sync;
        if sync {
            self.unsynced = 0;
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Where it is now.
    pub(super) fn set_aside(&self, slot: Slot) -> io::Result<PathBuf> {
        let from = self.path(slot);
        let mut aside = from.clone().into_os_string();
        aside.push(REFUSED);
        fs::rename(from, &aside)?;
        Ok(aside.into())
    }

    /// Nothing is left to go on from.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.is_synced = true;
        remove(&self.path(Slot::Newest)).and(remove(&self.path(Slot::Before)))
    }
}

fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(missing)
}

/// What is not there need not go.
fn missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
