//! The state folder: one daemon at a time, and whoever comes second is told who has it.
//!
//! The lock is the system's own (`flock`): it goes with the process, however that ends, so a lock
//! that nobody holds is never in the way. What stands in the file is only for people.

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
/// What the daemon's processes are called.
const DAEMON: &str = "phalanxd";
/// Rights of a state folder that we make: tokens and histories are the daemon's own.
const FOLDER_MODE: u32 = 0o700;

/// A state folder that is ours as long as this lives.
#[derive(Debug)]
pub struct StateFolder {
    _lock: File,
}

/// Who has a state folder.
#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    /// The machine, since folders may be shared.
    host: String,
    /// When it took the folder, right after its start; RFC 3339.
    since: String,
    /// The settings that it was started with.
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

    /// As people read it; `now` is the wall clock.
    fn told(&self, now: SystemTime) -> String {
        let Self { pid, host, since, settings } = self;
        let begun = humantime::parse_rfc3339(since).ok();
        let age = begun.and_then(|begun| now.duration_since(begun).ok());
        let age = age.map(|age| Duration::from_secs(age.as_secs()));
        let ago = age.map(|age| format!(" ({} ago)", humantime::format_duration(age)));
        let ago = ago.unwrap_or_default();
        format!("process {pid} on {host}, started {since}{ago} with {}", settings.display())
    }
}

/// Takes the state folder for this process; it is made where it is missing. `settings` is the file
/// that the daemon was started with, for whoever comes second.
///
/// # Errors
/// When another daemon has it, and which one; when it cannot be made or written.
pub fn claim(folder: &Path, settings: &Path) -> Result<StateFolder> {
    let shown = folder.display();
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder).with_context(|| {
        format!("state_dir {shown} cannot be made; make it, or name another folder")
    })?;
    let mut lock = open(&folder.join(LOCK)).with_context(|| {
        format!("state_dir {shown} cannot be written; give the daemon's user rights to it")
    })?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = holder(lock).map_or_else(
                |_| "a process that has not said who it is".to_owned(),
                |holder| holder.told(SystemTime::now()),
            );
            bail!(
                "state_dir {shown} belongs to another phalanxd: {holder}; stop that one, or give \
                 this one a state_dir of its own"
            );
        }
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("state_dir {shown} cannot be locked"));
        }
    }
    // What counts is the lock: a full disk keeps nobody from playing.
    if let Err(error) = sign(&mut lock, &Holder::ourselves(settings)) {
        warn!(state_dir = %shown, %error, "cannot write to the state folder; what should survive \
            the daemon may be lost");
    }
    Ok(StateFolder { _lock: lock })
}

/// Who plays with a state folder now, as far as can be told without touching its lock; `None` when
/// nobody does.
#[must_use]
pub fn holder_of(folder: &Path) -> Option<String> {
    let found = holder(File::open(folder.join(LOCK)).ok()?).ok()?;
    // The file outlives its daemon: what counts is whether that process is still one.
    let name = std::fs::read_to_string(format!("/proc/{}/comm", found.pid)).ok()?;
    (name.trim_end() == DAEMON).then(|| found.told(SystemTime::now()))
}

fn open(path: &Path) -> io::Result<File> {
    // A link could lead to a file that is somebody's, and what stands here is written over.
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
        assert!(said.contains("has not said who it is"), "{said}");
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
        let said = holder.told(begun + Duration::from_secs(192));
        let expected = "process 7 on h, started 1970-01-01T00:00:00Z (3m 12s ago) with /x.toml";
        assert_eq!(said, expected);
    }
}
