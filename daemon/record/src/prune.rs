//! Frees space: which recordings are deleted.

use crate::disk::is_written;
use crate::names::{is_ours, read_path};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What a folder of recordings may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// The size of all recordings together; `None`: any size.
    pub bytes: Option<u64>,
    /// The time since the last write; `None`: any age.
    pub age: Option<Duration>,
}

/// A deleted recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrunedRecording {
    /// Its name.
    pub name: String,
    /// Its files, all parts.
    pub files: Vec<PathBuf>,
    /// Their bytes.
    pub bytes: u64,
    /// The time since its last write.
    pub age: Duration,
    /// Why a file could not be deleted; `None`: all files are deleted, or would be.
    pub trouble: Option<String>,
}

#[derive(Debug, Default)]
struct FoundRecording {
    files: Vec<PathBuf>,
    bytes: u64,
    written: Option<SystemTime>,
    busy: bool,
}

/// Deletes the oldest recordings until the rest is within the policy, but never one that is being
/// written, and never a file that does not have a recording's name. A recording is deleted with all
/// its parts. With `dry_run` it only returns what it would delete.
///
/// # Errors
/// When the folder cannot be read.
pub fn prune(
    folder: &Path,
    policy: RetentionPolicy,
    now: SystemTime,
    dry_run: bool,
) -> io::Result<Vec<PrunedRecording>> {
    let found = find(folder)?;
    let mut bytes: u64 = found.values().map(|found| found.bytes).sum();
    let mut oldest: Vec<_> = found.into_iter().filter(|(_, found)| !found.busy).collect();
    oldest.sort_by(|(name, found), (other_name, other)| {
        (found.written, name).cmp(&(other.written, other_name))
    });
    let mut pruned = Vec::new();
    for (name, found) in oldest {
        let written = found.written.unwrap_or(SystemTime::UNIX_EPOCH);
        let age = now.duration_since(written).unwrap_or_default();
        let too_old = policy.age.is_some_and(|max| age > max);
        let too_much = policy.bytes.is_some_and(|max| bytes > max);
        if !too_old && !too_much {
            continue;
        }
        let mut gone =
            PrunedRecording { name, files: found.files, bytes: found.bytes, age, trouble: None };
        if !dry_run {
            gone.remove();
        }
        if gone.trouble.is_none() {
            bytes = bytes.saturating_sub(gone.bytes);
        }
        pruned.push(gone);
    }
    Ok(pruned)
}

fn find(folder: &Path) -> io::Result<BTreeMap<String, FoundRecording>> {
    let mut recordings: BTreeMap<String, FoundRecording> = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let Some((name, _)) = read_path(&path).filter(|(name, _)| is_ours(name)) else { continue };
        // Links may lead out of the folder.
        let Ok(data) = entry.metadata() else { continue };
        if !data.is_file() {
            continue;
        }
        let found = recordings.entry(name).or_default();
        found.busy |= is_written(&path);
        found.bytes += data.len();
        found.written = found.written.max(data.modified().ok());
        found.files.push(path);
    }
    for found in recordings.values_mut() {
        found.files.sort();
    }
    Ok(recordings)
}

impl PrunedRecording {
    fn remove(&mut self) {
        for file in &self.files {
            if let Err(error) = std::fs::remove_file(file) {
                self.trouble = Some(format!("{}: {error}", file.display()));
            }
        }
    }
}
