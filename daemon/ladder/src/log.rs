//! Where a ladder is kept: a folder, or a bucket of a NATS server.

use crate::entry::SUBMISSION_BYTES_MAX;
use crate::error::LadderError;
use crate::folder::FolderLog;
use phalanx_queue::{BundleBytes, LogBucket, QueueAddress, process_name};
use std::path::PathBuf;

/// Where a ladder is.
#[derive(Clone, Debug)]
pub enum LadderPlace {
    Folder(PathBuf),
    /// A bucket of a NATS server.
    Bucket {
        server: QueueAddress,
        name: String,
    },
}

/// The log of a ladder, with the strategies that play. Several processes may append to it.
#[derive(Debug)]
pub struct LadderLog(LogStore);

#[derive(Debug)]
enum LogStore {
    Folder(FolderLog),
    Bucket(Box<LogBucket>),
}

impl LadderLog {
    /// Finds a ladder; nothing is made before the first entry, except on a server.
    ///
    /// # Errors
    /// When no server answers, or it refuses.
    pub fn open(place: &LadderPlace) -> Result<Self, LadderError> {
        Ok(Self(match place {
            LadderPlace::Folder(folder) => LogStore::Folder(FolderLog::new(folder)),
            LadderPlace::Bucket { server, name } => {
                LogStore::Bucket(Box::new(LogBucket::open(server, name)?))
            }
        }))
    }

    /// The place, for people.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.0 {
            LogStore::Folder(folder) => folder.path().display().to_string(),
            LogStore::Bucket(bucket) => bucket.name().to_owned(),
        }
    }

    /// The entries that came since the last call.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(&mut self) -> Result<Vec<String>, LadderError> {
        match &mut self.0 {
            LogStore::Folder(folder) => folder.read(),
            LogStore::Bucket(bucket) => Ok(bucket.read()?),
        }
    }

    /// Appends an entry, unless another process appended one that was not read; then `false`.
    ///
    /// # Errors
    /// When the system or the server refuses, or another process plays the matches now.
    pub fn append(&mut self, line: &str) -> Result<bool, LadderError> {
        match &mut self.0 {
            LogStore::Folder(folder) => folder.append(line),
            LogStore::Bucket(bucket) => Ok(bucket.append(line)?),
        }
    }

    /// Keeps other processes from playing until this value is dropped.
    ///
    /// # Errors
    /// When another process plays.
    pub fn lead(&mut self) -> Result<(), LadderError> {
        match &mut self.0 {
            LogStore::Folder(folder) => folder.lead(&process_name()),
            LogStore::Bucket(bucket) => Ok(bucket.lead()?),
        }
    }

    /// Keeps a strategy.
    ///
    /// # Errors
    /// When the system or the server refuses, or it is too large.
    pub fn keep(&self, bundle: &BundleBytes) -> Result<(), LadderError> {
        let BundleBytes { hash, bytes } = bundle;
        if bytes.len() > SUBMISSION_BYTES_MAX {
            return Err(LadderError::Refused(format!(
                "the strategy has {} bytes; a ladder takes at most {SUBMISSION_BYTES_MAX}",
                bytes.len()
            )));
        }
        match &self.0 {
            LogStore::Folder(folder) => folder.keep(hash, bytes),
            LogStore::Bucket(bucket) => Ok(bucket.keep(bundle)?),
        }
    }

    /// A strategy. Whether the bytes have that hash is for the caller to find out.
    ///
    /// # Errors
    /// When it is not there or cannot be read.
    pub fn fetch(&self, hash: &str) -> Result<BundleBytes, LadderError> {
        let bytes = match &self.0 {
            LogStore::Folder(folder) => folder.fetch(hash, SUBMISSION_BYTES_MAX)?,
            LogStore::Bucket(bucket) => bucket.fetch(hash)?,
        };
        Ok(BundleBytes { hash: hash.to_owned(), bytes: bytes.into() })
    }
}
