//! What a strategy folder looks like from outside, without reading any file.

use phalanx_game::sorted::SortedMap;
use phalanx_lua::{DEPTH_MAX, TUNED_FILE};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Most entries that are looked at; what lies beyond them is not seen.
pub(crate) const ENTRIES_MAX: usize = 20_000;

/// A folder at a glance: equal looks mean equal files, as far as clocks of drives can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FolderMetadata {
    There {
        /// Where it really is: links to it may be switched.
        root: PathBuf,
        /// Device and number of the folder itself.
        identity: (u64, u64),
        files: SortedMap<PathBuf, Stamp>,
        /// There are more entries than [`ENTRIES_MAX`].
        is_cut: bool,
    },
    /// It is not there, or cannot be read.
    Gone(io::ErrorKind),
}

/// A file at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    size: u64,
    inode: u64,
    /// Modified and changed: seconds and nanoseconds each.
    times: [i64; 4],
}

impl From<&Metadata> for Stamp {
    fn from(meta: &Metadata) -> Self {
        let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
        Self { size: meta.len(), inode: meta.ino(), times }
    }
}

/// Looks at a folder. Hidden files and other endings are of no interest, as to
/// [`Bundle::read`](phalanx_lua::Bundle::read).
pub(crate) fn look(folder: &Path) -> FolderMetadata {
    look_there(folder).unwrap_or_else(|error| FolderMetadata::Gone(error.kind()))
}

fn look_there(folder: &Path) -> io::Result<FolderMetadata> {
    let root = folder.canonicalize()?;
    let meta = root.metadata()?;
    if !meta.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let mut files = SortedMap::new();
    let mut count = 0_usize;
    let walk = WalkDir::new(&root).min_depth(1).max_depth(DEPTH_MAX).sort_by_file_name();
    let shown = |entry: &walkdir::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
    for entry in walk.into_iter().filter_entry(shown) {
        count += 1;
        if count > ENTRIES_MAX {
            break;
        }
        // What vanishes while we look is missing in the next look, too.
        let Ok(entry) = entry else { continue };
        let ending = entry.path().extension().and_then(|ending| ending.to_str());
        let script = matches!(ending, Some("lua" | "luau")) || entry.file_name() == TUNED_FILE;
        if entry.file_type().is_dir() || !script {
            continue;
        }
        if let Ok(meta) = entry.metadata() {
            files.insert(entry.into_path(), Stamp::from(&meta));
        }
    }
    let is_cut = count > ENTRIES_MAX;
    Ok(FolderMetadata::There { root, identity: (meta.dev(), meta.ino()), files, is_cut })
}
