//! Files that only their owner reads, replaced as a whole.

use phalanx_files::Readers;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

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

/// Replaces a file as a whole.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    folder(path)?;
    phalanx_files::replace(path, text.as_bytes(), Readers::Owner)
}

/// Whether others than the owner may read a file.
pub(crate) fn is_open_to_others(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.permissions().mode() & OTHERS != 0)
}

fn folder(path: &Path) -> io::Result<()> {
    let make = |folder| DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
    path.parent().map_or(Ok(()), make)
}
