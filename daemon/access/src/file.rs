//! Files that only their owner reads, replaced as a whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Rights of our files: the owner's alone.
const MODE: u32 = 0o600;
/// Rights of folders that we make for them.
const FOLDER_MODE: u32 = 0o700;
/// The rights that others must not have.
const OTHERS: u32 = 0o077;

/// Opens a file for adding to it.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    folder(path)?;
    OpenOptions::new().create(true).append(true).mode(MODE).open(path)
}

/// Replaces a file atomically: a reader sees the old text or the new one, also after a crash.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    folder(path)?;
    let beside = beside(path);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(MODE)
        .open(&beside)
        .and_then(|mut file| {
            // An old file keeps its rights when it is opened.
            file.set_permissions(fs::Permissions::from_mode(MODE))?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        drop(fs::remove_file(&beside));
    }
    written
}

/// Whether others than the owner may read a file.
pub(crate) fn is_open_to_others(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.permissions().mode() & OTHERS != 0)
}

fn folder(path: &Path) -> io::Result<()> {
    let make = |folder| DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
    path.parent().map_or(Ok(()), make)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}
