//! A strategy as one immutable piece: path → source, with a hash.

use crate::{Diagnostic, LoadError, SPEC_FOLDER, TUNED_FILE, Tuned};
use phalanx_game::sorted::SortedMap;
use sha2::{Digest, Sha256};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use walkdir::{DirEntry, WalkDir};

/// Most files of a strategy.
pub const FILES_MAX: usize = 300;
/// Largest file, in bytes.
pub const FILE_BYTES_MAX: u64 = 1 << 20;
/// Largest sum of all files, in bytes.
pub const TOTAL_BYTES_MAX: u64 = 8 << 20;
/// Deepest nesting of folders.
pub const DEPTH_MAX: usize = 8;
/// Longest name of a file or folder, in bytes: drives keep no longer ones.
const NAME_BYTES_MAX: usize = 200;
/// The folder in which shared modules appear.
pub const LIB_FOLDER: &str = "lib";
/// The folder with type definitions for editors: no part of the strategy.
pub const TYPES_FOLDER: &str = "types";
/// The name, without its ending, of the file that plans for the team.
pub const TEAM_SCRIPT: &str = "team";

const ENDINGS: [&str; 2] = ["luau", "lua"];

/// The files of one strategy. Equal files have equal hashes.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    files: SortedMap<String, Arc<str>>,
    tuned: Arc<Tuned>,
    hash: String,
}

impl Bundle {
    /// Reads a strategy folder, and shared modules from `lib_dirs` into its `lib/`; where both have
    /// a file of the same name, the strategy's own counts, then the earlier folder's. Files that do
    /// not end in `.luau` or `.lua`, besides `tuned.toml` at the top, hidden ones, the folder `types` and the `spec` of `lib_dirs`
    /// are left out; symbolic links inside are refused.
    ///
    /// # Errors
    /// All mistakes: unreadable, oversized, doubled, oddly named files, or no file at all.
    pub fn read(dir: &Path, lib_dirs: &[&Path]) -> Result<Self, LoadError> {
        let mut reader = BundleReader::default();
        reader.folder(dir, "");
        let scripts = reader.files.keys().filter(|path| *path != TUNED_FILE).count();
        if scripts == 0 && reader.mistakes.is_empty() {
            let none = "no file ends in .luau or .lua";
            reader.mistakes.push(Diagnostic::error(dir.display().to_string(), none));
        }
        for lib in lib_dirs {
            reader.folder(lib, "lib/");
        }
        reader.finish()
    }

    /// Reads a folder of shared modules, to run its specs: the modules appear under `lib/` as they
    /// do in strategies, the files of its `spec/` under `spec/`.
    ///
    /// # Errors
    /// As [`Bundle::read`].
    pub fn read_modules(dir: &Path) -> Result<Self, LoadError> {
        let mut reader = BundleReader::default();
        let specs = dir.join(SPEC_FOLDER);
        if specs.is_dir() {
            reader.folder(&specs, "spec/");
        }
        reader.folder(dir, "lib/");
        reader.finish()
    }

    /// A strategy from files in memory: paths with `/`, ending in `.luau` or `.lua`, and `tuned.toml`. The folder
    /// `types` is left out, as it is from folders.
    ///
    /// # Errors
    /// As [`Bundle::read`].
    pub fn from_files<P, S>(files: impl IntoIterator<Item = (P, S)>) -> Result<Self, LoadError>
    where
        P: Into<String>,
        S: Into<Arc<str>>,
    {
        let mut reader = BundleReader::default();
        for (path, source) in files {
            let path: String = path.into();
            if path.split_once('/').is_none_or(|(top, _)| top != TYPES_FOLDER) {
                reader.file(path, source.into());
            }
        }
        reader.folders();
        reader.finish()
    }

    /// The SHA-256 of all paths and sources, as 64 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// All files in order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        self.files.iter().map(|(path, source)| (path.as_str(), source))
    }

    /// The files that are scripts.
    pub fn scripts(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        self.files().filter(|(path, _)| stem(path).is_some())
    }

    /// The values of its `tuned.toml`; none without that file.
    #[must_use]
    pub fn tuned(&self) -> &Arc<Tuned> {
        &self.tuned
    }

    /// The strategy with these values of parameters instead of those in its `tuned.toml`; without
    /// any, the file is left out.
    ///
    /// # Errors
    /// When the strategy becomes too big.
    pub fn with_tuned(&self, tuned: Option<&Tuned>) -> Result<Self, LoadError> {
        let scripts = self.scripts().map(|(path, source)| (path.to_owned(), Arc::clone(source)));
        let file = tuned.map(|tuned| (TUNED_FILE.to_owned(), Arc::from(tuned.text())));
        Self::from_files(scripts.chain(file))
    }

    /// The source of a file.
    #[must_use]
    pub fn source(&self, path: &str) -> Option<&Arc<str>> {
        self.files.get(path)
    }

    /// The path of a module: its name with the ending that exists.
    #[must_use]
    pub fn resolve(&self, module: &str) -> Option<&str> {
        ENDINGS.iter().find_map(|ending| {
            let (path, _) = self.files.get_key_value(&format!("{module}.{ending}"))?;
            Some(path.as_str())
        })
    }

    /// The names of the files beside `team`, not in folders: each may be a role.
    pub fn root_names(&self) -> impl Iterator<Item = &str> {
        let stems = self.files.keys().filter_map(|path| stem(path));
        stems.filter(|name| !name.contains('/') && *name != TEAM_SCRIPT)
    }
}

#[derive(Default)]
struct BundleReader {
    files: SortedMap<String, Arc<str>>,
    bytes: u64,
    mistakes: Vec<Diagnostic>,
}

impl BundleReader {
    fn folder(&mut self, dir: &Path, prefix: &str) {
        let mistake =
            |path: &Path, what: String| Diagnostic::error(path.display().to_string(), what);
        // The folder itself may be a link, as deployments make them; nothing inside may.
        let root = match dir.canonicalize() {
            Ok(root) => root,
            Err(error) => {
                let what = if error.kind() == ErrorKind::NotFound {
                    "there is no such folder".to_owned()
                } else {
                    format!("cannot read it: {error}")
                };
                return self.mistakes.push(mistake(dir, what));
            }
        };
        if root.is_file() {
            let what = "is a file; name the folder that it is in".to_owned();
            return self.mistakes.push(mistake(dir, what));
        }
        let walk = WalkDir::new(&root).min_depth(1).max_depth(DEPTH_MAX).sort_by_file_name();
        let foreign = |entry: &DirEntry| !prefix.is_empty() && is_spec_folder(entry);
        let kept = |entry: &DirEntry| !is_hidden(entry) && !is_types(entry) && !foreign(entry);
        for entry in walk.into_iter().filter_entry(kept) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.mistakes.push(mistake(dir, format!("cannot read it: {error}")));
                    continue;
                }
            };
            if self.files.len() >= FILES_MAX {
                let what = format!("a strategy has at most {FILES_MAX} files");
                return self.mistakes.push(mistake(dir, what));
            }
            let kind = entry.file_type();
            let tuned = prefix.is_empty() && entry.depth() == 1 && entry.file_name() == TUNED_FILE;
            if kind.is_dir() || !(tuned || has_ending(entry.path())) {
                continue;
            }
            if kind.is_symlink() || !kind.is_file() {
                let what = "is a symbolic link or no plain file; copy the file instead".into();
                self.mistakes.push(mistake(entry.path(), what));
                continue;
            }
            match entry.path().strip_prefix(&root).ok().and_then(Path::to_str) {
                Some(relative) => {
                    self.read(&entry, format!("{prefix}{}", relative.replace('\\', "/")))
                }
                None => self.mistakes.push(mistake(entry.path(), "its name is not UTF-8".into())),
            }
        }
    }

    fn read(&mut self, entry: &DirEntry, path: String) {
        if !prefixed_is_new(&self.files, &path) {
            return;
        }
        let size = entry.metadata().map_or(0, |meta| meta.len());
        if size > FILE_BYTES_MAX {
            return self.oversized(path, size);
        }
        match std::fs::read(entry.path()).map(String::from_utf8) {
            Ok(Ok(source)) => self.file(path, source.into()),
            Ok(Err(_)) => self.mistakes.push(Diagnostic::error(path, "is not UTF-8 text")),
            Err(error) => {
                self.mistakes.push(Diagnostic::error(path, format!("cannot read it: {error}")));
            }
        }
    }

    fn oversized(&mut self, path: String, size: u64) {
        let what = format!("has {size} bytes, a file has at most {FILE_BYTES_MAX}");
        self.mistakes.push(Diagnostic::error(path, what));
    }

    fn file(&mut self, path: String, source: Arc<str>) {
        let size = u64::try_from(source.len()).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(size);
        let name = if path == TUNED_FILE { Some(TUNED_FILE) } else { stem(&path) };
        let Some(name) = name.filter(|_| is_safe(&path)) else {
            let what = "paths consist of letters, digits, _ - . and /, and end in .luau or .lua";
            return self.mistakes.push(Diagnostic::error(path, what));
        };
        if size > FILE_BYTES_MAX {
            return self.oversized(path, size);
        }
        if self.bytes > TOTAL_BYTES_MAX || self.files.len() >= FILES_MAX {
            let what = format!("a strategy has at most {FILES_MAX} files, {TOTAL_BYTES_MAX} bytes");
            return self.mistakes.push(Diagnostic::error(path, what));
        }
        let double = ENDINGS.iter().map(|ending| format!("{name}.{ending}"));
        if let Some(other) = double.into_iter().find(|other| self.files.contains_key(other)) {
            let what = format!("there is {other} too; which one is meant?");
            return self.mistakes.push(Diagnostic::error(path, what));
        }
        self.files.insert(path, source);
    }

    /// A drive keeps either a file or a folder of one name.
    fn folders(&mut self) {
        for path in self.files.keys() {
            let mut above = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
            if let Some(file) = above.find(|folder| self.files.contains_key(*folder)) {
                let what = format!("{file} is a file; it cannot be a folder, too");
                self.mistakes.push(Diagnostic::error(path.clone(), what));
            }
        }
    }

    fn finish(mut self) -> Result<Bundle, LoadError> {
        let tuned = self.files.get(TUNED_FILE).map(Tuned::read).transpose();
        let tuned = tuned.unwrap_or_else(|mistake| {
            self.mistakes.push(*mistake);
            None
        });
        if !self.mistakes.is_empty() {
            return Err(LoadError::new(self.mistakes));
        }
        let mut digest = Sha256::new();
        for (path, source) in &self.files {
            for part in [path.as_bytes(), source.as_bytes()] {
                digest.update((part.len() as u64).to_le_bytes());
                digest.update(part);
            }
        }
        let hash = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Bundle { files: self.files, tuned: Arc::new(tuned.unwrap_or_default()), hash })
    }
}

/// A shared module is left out where the strategy, or an earlier folder, has one of its name.
fn prefixed_is_new(files: &SortedMap<String, Arc<str>>, path: &str) -> bool {
    let in_lib = path.strip_prefix(LIB_FOLDER).is_some_and(|rest| rest.starts_with('/'));
    let name = stem(path).unwrap_or(path);
    !in_lib || !ENDINGS.iter().any(|ending| files.contains_key(&format!("{name}.{ending}")))
}

fn stem(path: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)?.strip_suffix('.'))
}

fn has_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.')
}

fn is_types(entry: &DirEntry) -> bool {
    entry.depth() == 1 && entry.file_type().is_dir() && entry.file_name() == TYPES_FOLDER
}

/// The specs of shared modules are no modules.
fn is_spec_folder(entry: &DirEntry) -> bool {
    entry.depth() == 1 && entry.file_type().is_dir() && entry.file_name() == SPEC_FOLDER
}

fn is_safe(path: &str) -> bool {
    let safe = |part: &str| {
        (1..=NAME_BYTES_MAX).contains(&part.len())
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    path.split('/').count() <= DEPTH_MAX && path.split('/').all(safe)
}
