//! The state folder: one daemon at a time; a second one gets an error that names the first.
//!
//! The lock is the system's own (`flock`): it ends with the process in any case, so a stale lock
//! cannot block a start. The contents of the lock file are only for people.

use anyhow::{Context, Result, bail};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tracing::warn;

/// The lock in the state folder.
const LOCK: &str = "phalanxd.lock";
/// Longest text that is read from a lock, in bytes.
const TEXT_BYTES_MAX: u64 = 16 << 10;
/// The name of the daemon's processes.
const DAEMON: &str = "phalanxd";
/// Mode of a state folder that we create: tokens and histories are for the daemon's user only.
const FOLDER_MODE: u32 = 0o700;

/// A state folder that this process holds until the value is dropped.
#[derive(Debug)]
pub struct StateFolder {
    _lock: File,
}

/// The process that holds a state folder.
#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    /// The machine's name, since folders may be shared.
    host: String,
    /// When it took the folder, right after its start; RFC 3339.
    since: String,
    /// The settings file that it was started with.
    settings: PathBuf,
}

impl Holder {
    fn ourselves(settings: &Path) -> Self {
        Self {
            pid: std::process::id(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            since: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            settings: std::path::absolute(settings).unwrap_or_else(|_| settings.to_owned()),
        }
    }

    /// The holder as text; `now` is the wall clock.
    fn describe(&self, now: SystemTime) -> String {
        let Self { pid, host, since, settings } = self;
        let begun = humantime::parse_rfc3339(since).ok();
        let age = begun.and_then(|begun| now.duration_since(begun).ok());
        let age = age.map(|age| Duration::from_secs(age.as_secs()));
        let ago = age.map(|age| format!(" ({} ago)", humantime::format_duration(age)));
        let ago = ago.unwrap_or_default();
        format!("process {pid} on {host}, started {since}{ago} with {}", settings.display())
    }
}

/// Locks the state folder for this process, and creates it if necessary. `settings` is the file
/// that the daemon was started with; a second daemon prints it.
///
/// # Errors
/// When another daemon holds it (the error names that one); when it cannot be created or written.
pub fn claim(folder: &Path, settings: &Path) -> Result<StateFolder> {
    let shown = folder.display();
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder).with_context(|| {
        format!("cannot create state_dir {shown}; create it, or set another folder")
    })?;
    let mut lock = open(&folder.join(LOCK)).with_context(|| {
        format!("cannot write to state_dir {shown}; give the daemon's user access to it")
    })?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = holder(lock).map_or_else(
                |_| "an unknown process".to_owned(),
                |holder| holder.describe(SystemTime::now()),
            );
            bail!(
                "state_dir {shown} belongs to another phalanxd: {holder}; stop that one, or give \
                 this one a state_dir of its own"
            );
        }
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("cannot lock state_dir {shown}"));
        }
    }
    // Only the lock matters: a full disk must not prevent the start.
    if let Err(error) = sign(&mut lock, &Holder::ourselves(settings)) {
        warn!(state_dir = %shown, %error, "cannot write to the state folder; what should survive \
            the daemon may be lost");
    }
    Ok(StateFolder { _lock: lock })
}

/// The daemon that plays with a state folder now, as far as that is visible without touching its
/// lock; `None` if there is none.
#[must_use]
pub fn holder_of(folder: &Path) -> Option<String> {
    let found = holder(File::open(folder.join(LOCK)).ok()?).ok()?;
    // The file outlives its daemon, so check that the process still exists.
    let name = std::fs::read_to_string(format!("/proc/{}/comm", found.pid)).ok()?;
    (name.trim_end() == DAEMON).then(|| found.describe(SystemTime::now()))
}

fn open(path: &Path) -> io::Result<File> {
    // A link could lead to a user's file, which the daemon would overwrite.
    let flags = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).custom_flags(flags);
    options.open(path)
}

fn holder(lock: File) -> io::Result<Holder> {
    let mut text = String::new();
    lock.take(TEXT_BYTES_MAX).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

fn sign(lock: &mut File, holder: &Holder) -> io::Result<()> {
    let text = serde_json::to_string(holder)?;
    lock.set_len(0)?;
    lock.rewind()?;
    writeln!(lock, "{text}")?;
    lock.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_comes_second_is_told_who_has_the_folder() {
        let dir = tempfile::tempdir().expect("a folder");
        let state = dir.path().join("a/b");
        let first = claim(&state, Path::new("/etc/phalanx/first.toml")).expect("it is free");
        let said = claim(&state, Path::new("x")).expect_err("it is taken").to_string();
        let me = format!("process {} on ", std::process::id());
        assert!(said.contains(&me) && said.contains("/etc/phalanx/first.toml"), "{said}");
        drop(first);
        claim(&state, Path::new("x")).expect("the lock went with its holder");
    }

    #[test]
    fn a_lock_that_says_nothing_is_still_a_lock() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(LOCK);
        std::fs::write(&path, [0xff; 20_000]).expect("written");
        let lock = File::open(&path).expect("opens");
        lock.lock().expect("locks");
        let said = claim(dir.path(), Path::new("x")).expect_err("it is taken").to_string();
        assert!(said.contains("an unknown process"), "{said}");
    }

    #[test]
    fn a_link_is_not_written_through() {
        let dir = tempfile::tempdir().expect("a folder");
        let mine = dir.path().join("mine");
        std::fs::write(&mine, "mine").expect("written");
        std::os::unix::fs::symlink(&mine, dir.path().join(LOCK)).expect("linked");
        claim(dir.path(), Path::new("x")).expect_err("a link is no lock");
        assert_eq!(std::fs::read_to_string(&mine).expect("reads"), "mine");
    }

    #[test]
    fn an_age_is_told_in_words() {
        let begun = SystemTime::UNIX_EPOCH;
        let holder = Holder {
            pid: 7,
            host: "h".to_owned(),
            since: humantime::format_rfc3339_seconds(begun).to_string(),
            settings: "/x.toml".into(),
        };
        let said = holder.describe(begun + Duration::from_secs(192));
        let expected = "process 7 on h, started 1970-01-01T00:00:00Z (3m 12s ago) with /x.toml";
        assert_eq!(said, expected);
    }
}
