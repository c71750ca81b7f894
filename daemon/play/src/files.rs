//! Writes the files of new strategies, settings and certificates, and never replaces one.

use anyhow::{Context, Result};
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Who may read a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    /// Everyone, less what the umask takes.
    Shared,
    /// Only the owner.
    Private,
}

/// Writes a file that does not exist yet.
pub(crate) fn write_new(path: &Path, text: &str, mode: Mode) -> Result<()> {
    let bits = match mode {
        Mode::Shared => 0o666,
        Mode::Private => 0o600,
    };
    let file = OpenOptions::new().write(true).create_new(true).mode(bits).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a folder, if there is none, that only its owner can open.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.with_context(|| format!("cannot make {}", folder.display()))
}
