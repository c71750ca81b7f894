//! Writes files: on the disk, or in tests to something that fails or blocks on purpose.

use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Permissions of new folders: only the owner.
const FOLDER_MODE: u32 = 0o700;
/// How often the lock of a new file is tried.
const LOCK_TRIES: u32 = 1_000;

/// Makes files. Only called by a recording's own thread.
pub trait RecordingDisk: fmt::Debug + Send + Sync {
    /// Makes a new file.
    ///
    /// # Errors
    /// When the file exists already, or cannot be made.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Removes a file without readable content.
    ///
    /// # Errors
    /// When the disk fails.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// A file that is written from begin to end.
pub trait DiskFile: Write + fmt::Debug + Send {
    /// Makes sure that everything written survives the loss of power.
    ///
    /// # Errors
    /// When the disk fails.
    fn sync(&mut self) -> io::Result<()>;
}

/// The machine's own disk. A file is locked while it is written, so that `prune` leaves it alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl RecordingDisk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = make(path)?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => break,
                // Another process checks whether the file is being written.
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
                // Some file systems have no locks: there a recording can be pruned too early.
                Err(TryLockError::Error(error)) => {
                    tracing::debug!(path = %path.display(), %error, "the recording is not locked");
                    break;
                }
            }
        }
        Ok(Box::new(file))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }
}

impl DiskFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Makes a new file, and its folder if it does not exist.
fn make(path: &Path) -> io::Result<File> {
    let make = || OpenOptions::new().write(true).create_new(true).open(path);
    match (make(), path.parent()) {
        (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
            make()
        }
        (made, _) => made,
    }
}

/// Whether the file is being written now.
pub(crate) fn is_written(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
