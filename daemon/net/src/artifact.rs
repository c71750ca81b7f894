//! Files that an arena writes: below one folder, whatever their names are.

use phalanx_game::Artifact;
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

/// Writes an artifact below `folder`: first under a temporary name, then renamed, so that a reader
/// never sees half a file. Blocks; call it where that is allowed.
pub(crate) fn write(folder: &Path, artifact: &Artifact) -> Result<(), ArtifactError> {
    let place = place(folder, &artifact.path)?;
    let io = |why| ArtifactError::Io { path: place.display().to_string(), why };
    if let Some(parent) = place.parent() {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(parent).map_err(io)?;
    }
    let mut beside = place.clone().into_os_string();
    beside.push(".part");
    std::fs::write(&beside, &artifact.bytes).map_err(io)?;
    std::fs::rename(&beside, &place).map_err(io)
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

    #[test]
    fn a_later_artifact_replaces_the_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        for bytes in [b"one".to_vec(), b"two".to_vec()] {
            write(folder.path(), &Artifact { path: "sim/0.json".into(), bytes }).unwrap();
        }
        assert_eq!(std::fs::read(folder.path().join("sim/0.json")).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path().join("sim")).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_with_the_path() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sim"), "a file").unwrap();
        let error = write(folder.path(), &Artifact { path: "sim/0.json".into(), bytes: vec![] });
        assert!(error.unwrap_err().to_string().contains("sim/0.json"));
    }
}
