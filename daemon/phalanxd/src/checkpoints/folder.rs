//! One team's checkpoints in the state folder. Each is written to a temporary file and then
//! renamed, so that readers never see half of one.
//!
//! ```text
//! checkpoints/TEAM              the newest
//! checkpoints/TEAM.1            the one before, or the last one that was synced to the disk
//! checkpoints/TEAM.refused      a checkpoint that could not be used, kept for inspection
//! ```

use phalanx_strategy::safe_name;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The folder of all checkpoints, in the state folder.
pub(super) const CHECKPOINTS: &str = "checkpoints";
/// Name of the temporary file; leftovers are overwritten.
const UNDERWAY: &str = ".underway-";
/// Suffix of the checkpoint before the newest.
const BEFORE: &str = ".1";
/// Suffix of a checkpoint that was set aside.
const REFUSED: &str = ".refused";
/// Largest checkpoint that is read, in bytes.
const BYTES_MAX: u64 = 256 << 20;
/// A team's knowledge is readable by the daemon's user only.
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// A file among a team's checkpoints.
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
    /// Checkpoints since the last one that was synced; the first one is synced.
    unsynced: u32,
    /// The newest one is synced to the disk.
    is_synced: bool,
}

impl Folder {
    pub(super) fn of(folder: &Path, team: &str) -> Self {
        let (folder, name) = (folder.to_owned(), safe_name(team));
        Self { folder, team: team.to_owned(), name, unsynced: u32::MAX, is_synced: true }
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
        if file.metadata()?.len() > BYTES_MAX {
            return Err(io::Error::other(format!("it has more than {BYTES_MAX} bytes")));
        }
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Writes a checkpoint as the newest one. One in `sync_every` is synced to the disk; 0: none.
    pub(super) fn write(&mut self, bytes: &[u8], sync_every: u32) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&self.folder)?;
        self.unsynced = self.unsynced.saturating_add(1);
        let underway = self.folder.join(format!("{UNDERWAY}{}", self.name));
        let written = self.put_down(&underway, bytes, sync_every);
        if written.is_err() {
            // A partial file would only take space on a full disk.
            drop(fs::remove_file(&underway));
        }
        written
    }

    fn put_down(&mut self, underway: &Path, bytes: &[u8], sync_every: u32) -> io::Result<()> {
        let sync = sync_every > 0 && self.unsynced >= sync_every;
        // A killed daemon may have left a file, or a user a link.
        remove(underway)?;
        let mut file =
            File::options().write(true).create_new(true).mode(FILE_MODE).open(underway)?;
        file.write_all(bytes)?;
        if sync {
            file.sync_all()?;
        }
        let newest = self.path(Slot::Newest);
        // A synced checkpoint is not given up for two that may not be on the disk.
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

    /// Moves a checkpoint aside; returns its new path.
    pub(super) fn set_aside(&self, slot: Slot) -> io::Result<PathBuf> {
        let from = self.path(slot);
        let mut aside = from.clone().into_os_string();
        aside.push(REFUSED);
        fs::rename(from, &aside)?;
        Ok(aside.into())
    }

    /// Removes all checkpoints, so that there is none to resume from.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        (self.unsynced, self.is_synced) = (u32::MAX, true);
        remove(&self.path(Slot::Newest)).and(remove(&self.path(Slot::Before)))
    }
}

fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(missing)
}

/// A missing file counts as removed.
fn missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn folder() -> (TempDir, Folder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::of(&dir.path().join("checkpoints"), "red/Team");
        (dir, folder)
    }

    /// The newest and the one before.
    fn read(folder: &Folder) -> [Option<Vec<u8>>; 2] {
        [Slot::Newest, Slot::Before].map(|slot| folder.read(slot).unwrap())
    }

    fn both(newest: &[u8], before: &[u8]) -> [Option<Vec<u8>>; 2] {
        [newest, before].map(|bytes| Some(bytes.to_vec()))
    }

    fn names(folder: &Folder) -> Vec<String> {
        let files = fs::read_dir(&folder.folder).unwrap();
        let mut names: Vec<_> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_one_before_is_kept_from_the_second_on() {
        for sync_every in [0, 1, 3] {
            let (_dir, mut folder) = folder();
            assert_eq!(read(&folder), [None, None]);
            folder.write(b"1", sync_every).unwrap();
            assert_eq!(read(&folder), [Some(b"1".to_vec()), None]);
            folder.write(b"2", sync_every).unwrap();
            assert_eq!(read(&folder), both(b"2", b"1"), "{sync_every}");
        }
    }

    #[test]
    fn what_the_disk_has_for_sure_is_kept_until_it_has_another() {
        let (_dir, mut folder) = folder();
        let kept = (1..=8).map(|number: u8| {
            folder.write(&[number], 3).unwrap();
            read(&folder)[1].as_ref().map(|bytes| bytes[0])
        });
        // The first, the fourth and the seventh were synced.
        let kept: Vec<_> = kept.map(Option::unwrap_or_default).collect();
        assert_eq!(kept, [0, 1, 1, 1, 4, 4, 4, 7]);
    }

    #[test]
    fn a_half_that_a_killed_daemon_left_is_in_nobodys_way() {
        let (_dir, mut folder) = folder();
        folder.write(b"whole", 1).unwrap();
        let half = folder.folder.join(format!("{UNDERWAY}{}", folder.name));
        fs::write(&half, b"ha").unwrap();
        assert_eq!(read(&folder)[0], Some(b"whole".to_vec()));
        folder.write(b"next", 1).unwrap();
        assert_eq!(read(&folder), both(b"next", b"whole"));
        assert!(!half.exists());
    }

    #[test]
    fn a_link_in_the_place_of_a_half_is_not_followed() {
        let (dir, mut folder) = folder();
        folder.write(b"1", 1).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        fs::write(&elsewhere, b"precious").unwrap();
        let half = folder.folder.join(format!("{UNDERWAY}{}", folder.name));
        std::os::unix::fs::symlink(&elsewhere, half).unwrap();
        folder.write(b"2", 1).unwrap();
        assert_eq!(fs::read(elsewhere).unwrap(), b"precious");
        assert_eq!(read(&folder), both(b"2", b"1"));
    }

    #[test]
    fn what_is_set_aside_is_not_found_again_and_what_is_cleared_is_gone() {
        let (_dir, mut folder) = folder();
        folder.write(b"1", 1).unwrap();
        folder.write(b"2", 1).unwrap();
        let aside = folder.set_aside(Slot::Newest).unwrap();
        assert_eq!(read(&folder), [None, Some(b"1".to_vec())]);
        assert_eq!(fs::read(&aside).unwrap(), b"2");
        folder.clear().unwrap();
        folder.clear().unwrap();
        assert_eq!(read(&folder), [None, None]);
        let aside = aside.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(names(&folder), [aside], "people may look at it");
    }

    #[test]
    fn files_are_for_nobody_else_and_teams_do_not_share_them() {
        use std::os::unix::fs::PermissionsExt;
        let (_dir, mut folder) = folder();
        folder.write(b"1", 1).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder.path(Slot::Newest)), FILE_MODE);
        assert_eq!(mode(&folder.folder), FOLDER_MODE);
        let others = ["red", "red/team", "../red/Team", "red/Team.1"];
        let others = others.map(|name| Folder::of(&folder.folder, name).path(Slot::Newest));
        assert!(others.iter().all(|path| *path != folder.path(Slot::Newest)));
        assert!(others.iter().all(|path| path.parent() == Some(&*folder.folder)));
    }

    #[test]
    fn what_is_larger_than_any_checkpoint_is_not_read() {
        let (_dir, mut folder) = folder();
        folder.write(b"1", 1).unwrap();
        // A sparse file, since no disk has that much space.
        let file = File::options().write(true).open(folder.path(Slot::Newest)).unwrap();
        file.set_len(100 << 30).unwrap();
        assert!(folder.read(Slot::Newest).unwrap_err().to_string().contains("more than"));
    }
}
