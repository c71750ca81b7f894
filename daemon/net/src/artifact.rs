//! Files that an arena writes: below one folder, whatever their names are.

use phalanx_game::Artifact;
use phalanx_game::sorted::SortedMap;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

/// Permissions of new folders: only the owner.
const FOLDER_MODE: u32 = 0o700;
/// Longest path of an artifact, in bytes.
const PATH_BYTES_MAX: usize = 512;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The path is invalid, or leads out of the folder.
    #[error("{path:?} is not a relative path of plain names")]
    Path {
        /// The path as the arena gave it.
        path: String,
    },
    /// The system refuses.
    #[error("{path}: {why}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        why: std::io::Error,
    },
}

/// Writes the files of one arena below a folder. An arena may replace its own files, but never a
/// file that was there before: then its file has a number in its name.
pub(crate) struct ArtifactWriter {
    folder: PathBuf,
    /// The file for each path that the arena wrote.
    own: SortedMap<String, PathBuf>,
}

impl ArtifactWriter {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, own: SortedMap::new() }
    }

    /// Writes an artifact: first under a temporary name, then renamed, so that a reader never sees
    /// half a file. Blocks; call it where that is allowed.
    pub(crate) fn write(&mut self, artifact: &Artifact) -> Result<(), ArtifactError> {
        let place = self.place(&artifact.path)?;
        let io = |why| ArtifactError::Io { path: place.display().to_string(), why };
        if let Some(parent) = place.parent() {
            DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(parent).map_err(io)?;
        }
        let mut beside = place.clone().into_os_string();
        beside.push(format!(".{}.part", std::process::id()));
        std::fs::write(&beside, &artifact.bytes).map_err(io)?;
        std::fs::rename(&beside, &place).map_err(io)?;
        self.own.insert(artifact.path.clone(), place);
        Ok(())
    }

    fn place(&self, path: &str) -> Result<PathBuf, ArtifactError> {
        if let Some(own) = self.own.get(path) {
            return Ok(own.clone());
        }
        let plain = place(&self.folder, path)?;
        let mut number = 1;
        loop {
            let place = numbered(&plain, number);
            // A link to a missing file is in the way as well.
            if place.symlink_metadata().is_err() {
                return Ok(place);
            }
            if number == 1 {
                let file = place.display();
                tracing::warn!(%file, "kept: it is of an earlier match; the new file gets a number");
            }
            number += 1;
        }
    }
}

/// `results.json` and 2 are `results-2.json`.
fn numbered(place: &Path, number: u32) -> PathBuf {
    let Some(stem) = place.file_stem().filter(|_| number > 1) else { return place.to_owned() };
    let mut name = stem.to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = place.extension() {
        name.push(".");
        name.push(extension);
    }
    place.with_file_name(name)
}

fn place(folder: &Path, path: &str) -> Result<PathBuf, ArtifactError> {
    let refused = || ArtifactError::Path { path: path.chars().take(PATH_BYTES_MAX).collect() };
    let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let strange = path.contains(['\0', '\\', ':']) || path.len() > PATH_BYTES_MAX;
    if path.is_empty() || path.ends_with('/') || !plain || strange {
        return Err(refused());
    }
    Ok(folder.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_relative_paths_are_written() {
        let folder = Path::new("/replays");
        for good in ["a.json", "sim1/0.json", "a/b/c", "..x/y"] {
            assert_eq!(place(folder, good).unwrap(), folder.join(good), "{good}");
        }
        let long = "x".repeat(PATH_BYTES_MAX + 1);
        let bad =
            ["", "/etc/passwd", "../up", "a/../../b", "a/", "./a", "a\0b", "c:\\x", "a\\b", &long];
        for path in bad {
            assert!(place(folder, path).is_err(), "{path:?}");
        }
    }

    fn write(writer: &mut ArtifactWriter, path: &str, bytes: &str) -> Result<(), ArtifactError> {
        writer.write(&Artifact { path: path.to_owned(), bytes: bytes.as_bytes().to_vec() })
    }

    #[test]
    fn a_later_artifact_replaces_the_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = ArtifactWriter::new(folder.path().to_owned());
        for bytes in ["one", "two"] {
            write(&mut writer, "sim/0.json", bytes).unwrap();
        }
        assert_eq!(std::fs::read(folder.path().join("sim/0.json")).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path().join("sim")).unwrap().count(), 1);
    }

    #[test]
    fn files_of_an_earlier_arena_are_kept_and_the_new_ones_get_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
        for run in ["first", "second", "third"] {
            let mut writer = ArtifactWriter::new(folder.path().to_owned());
            for file in ["sim/1.jsonl", "log", &format!("{run}.json")] {
                write(&mut writer, file, "too early").unwrap();
                write(&mut writer, file, run).unwrap();
            }
        }
        for (file, run) in [
            ("sim/1.jsonl", "first"),
            ("sim/1-2.jsonl", "second"),
            ("sim/1-3.jsonl", "third"),
            ("log", "first"),
            ("log-2", "second"),
            ("log-3", "third"),
            // Results name such a file: its name is its own, and stays.
            ("second.json", "second"),
        ] {
            assert_eq!(read(file), run, "{file}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_with_the_path() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sim"), "a file").unwrap();
        let mut writer = ArtifactWriter::new(folder.path().to_owned());
        let error = write(&mut writer, "sim/0.json", "");
        assert!(error.unwrap_err().to_string().contains("sim/0.json"));
    }
}
