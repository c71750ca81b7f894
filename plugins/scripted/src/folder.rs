//! The files of a game as one immutable piece, with a hash.

use crate::mistake::Mistake;
use phalanx_game::sorted::SortedMap;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;
use walkdir::WalkDir;

/// The file that declares the game.
pub const MANIFEST: &str = "game.toml";
/// The folder with the game's own strategy; it is no part of the rules.
pub const STRATEGY_FOLDER: &str = "strategy";
/// Most files of a game.
const FILES_MAX: usize = 100;
/// Largest file, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The end of the names of scripts.
const ENDING: &str = ".luau";

/// The manifest and the scripts of a game. Equal files have equal hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFolder {
    files: SortedMap<String, Arc<str>>,
    hash: String,
}

impl GameFolder {
    /// Reads `game.toml` and the `.luau` files next to it. Folders inside are left out.
    ///
    /// # Errors
    /// All files that cannot be read, are too large, or are links.
    pub fn read(dir: &Path) -> Result<Self, Vec<Mistake>> {
        let mut files = SortedMap::new();
        let mut mistakes = Vec::new();
        for entry in WalkDir::new(dir).min_depth(1).max_depth(1).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let folder = dir.display().to_string();
                    return Err(vec![Mistake::of_file(
                        &folder,
                        format!("cannot read it: {error}"),
                    )]);
                }
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != MANIFEST && !name.ends_with(ENDING) {
                continue;
            }
            match read_file(&entry) {
                Ok(text) => {
                    files.insert(name, text.into());
                }
                Err(what) => mistakes.push(Mistake::of_file(&name, what)),
            }
        }
        if files.len() > FILES_MAX {
            let what = format!("a game has at most {FILES_MAX} files, this folder {}", files.len());
            mistakes.push(Mistake::of_file(&dir.display().to_string(), what));
        }
        if mistakes.is_empty() { Self::from_files(files) } else { Err(mistakes) }
    }

    /// A game from files in memory, by name.
    ///
    /// # Errors
    /// When there is no manifest.
    pub fn from_files(files: SortedMap<String, Arc<str>>) -> Result<Self, Vec<Mistake>> {
        if !files.contains_key(MANIFEST) {
            let what = "there is no such file; `phalanx game new DIR` makes a game to start from";
            return Err(vec![Mistake::of_file(MANIFEST, what.to_owned())]);
        }
        let mut hasher = Sha256::new();
        for (name, text) in &files {
            // Lengths keep the parts apart.
            hasher.update((name.len() as u64).to_le_bytes());
            hasher.update(name);
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let hash = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { files, hash })
    }

    /// The SHA-256 of all names and texts, as 64 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// All files in order of their names.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text))
    }

    /// The text of a file.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(AsRef::as_ref)
    }
}

fn read_file(entry: &walkdir::DirEntry) -> Result<String, String> {
    if !entry.file_type().is_file() {
        return Err("is a link or no plain file; copy the file instead".to_owned());
    }
    let length = entry.metadata().map_or(0, |data| data.len());
    if length > FILE_BYTES_MAX {
        return Err(format!("has {length} bytes, at most {FILE_BYTES_MAX}"));
    }
    std::fs::read_to_string(entry.path()).map_err(|error| format!("cannot read it: {error}"))
}
