//! End-to-end and tidy tests: the real programs over real sockets, and the rules of the repository.
//!
//! The tests are in `tests/`; here is what they share. Absent on purpose: anything that ships.

pub mod bomberland;
pub mod fuzz;
pub mod modules;
pub mod soak;

use std::path::{Path, PathBuf};

/// Folders that no rule is about.
const FOREIGN: &[&str] = &["target", ".git", "node_modules"];

/// The top of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Every file of the repository, relative to its top, in order.
#[must_use]
pub fn files() -> Vec<PathBuf> {
    let root = root();
    let own = |entry: &walkdir::DirEntry| {
        !FOREIGN.contains(&entry.file_name().to_string_lossy().as_ref())
    };
    let entries = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().filter_entry(own);
    let files = entries.flatten().filter(|entry| entry.file_type().is_file());
    files.filter_map(|entry| entry.path().strip_prefix(&root).ok().map(Path::to_owned)).collect()
}

/// The text of a file of the repository; empty when it is not text.
#[must_use]
pub fn text(path: &Path) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_default()
}

/// Whether the path ends in one of these extensions.
#[must_use]
pub fn is(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|end| extensions.iter().any(|known| end == *known))
}
