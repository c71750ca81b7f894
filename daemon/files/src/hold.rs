//! Files that one process holds, and others read.

use std::fs::{File, TryLockError};
use std::io;
use std::time::Duration;

/// How often a process tries to hold a file, and the pause between two attempts: a reader that asks
/// whether it is held keeps it for a moment.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// Holds a file until it is closed; `false` if another process holds it. Blocks.
///
/// # Errors
/// When the system refuses.
#[expect(clippy::disallowed_methods, reason = "its callers write files, which blocks longer")]
pub fn hold(file: &File) -> io::Result<bool> {
    for attempt in 1..=ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Whether another process holds a file.
#[must_use]
pub fn is_held(file: &File) -> bool {
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => true,
        Ok(()) => {
            // It is closed soon, which has the same effect.
            file.unlock().unwrap_or_default();
            false
        }
        Err(TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_a_file_and_readers_see_that() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results");
        let one = File::create(&path).unwrap();
        let other = File::open(&path).unwrap();
        assert!(!is_held(&other));
        assert!(hold(&one).unwrap());
        assert!(is_held(&other));
        assert!(!hold(&File::open(&path).unwrap()).unwrap());
        drop(one);
        assert!(!is_held(&other));
        assert!(hold(&File::open(&path).unwrap()).unwrap());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a reader that is slow")]
    fn a_reader_that_asks_keeps_nobody_from_holding() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results");
        drop(File::create(&path).unwrap());
        let asked = File::open(&path).unwrap();
        asked.lock_shared().unwrap();
        let reader = std::thread::spawn(move || {
            std::thread::sleep(PAUSE);
            drop(asked);
        });
        assert!(hold(&File::open(&path).unwrap()).unwrap());
        reader.join().unwrap();
    }
}
