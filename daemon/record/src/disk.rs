//! Where files are written: the disk, or in tests something that fails or blocks on purpose.

use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Rights of folders that we make: the owner's alone.
const FOLDER_MODE: u32 = 0o700;
/// A new file is tried to be locked so often.
const LOCK_TRIES: u32 = 1_000;

/// Makes files. Called by a recording's own thread alone.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Makes a new file that nobody had before.
    ///
    /// # Errors
    /// When it is there already, or cannot be made.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Takes away a file of which nothing can be read.
    ///
    /// # Errors
    /// When the disk fails.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// A file that is written from its begin to its end.
pub trait DiskFile: Write + fmt::Debug + Send {
    /// What was written survives the loss of power.
    ///
    /// # Errors
    /// When the disk fails.
    fn sync(&mut self) -> io::Result<()>;
}

/// The machine's own disk. A file is locked as long as it is written, so that nobody prunes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = make(path)?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => break,
                // Somebody is just looking whether it is written.
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

/// Makes a new file; its folder too, where there is none.
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

/// Whether somebody writes the file right now.
pub(crate) fn is_written(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
