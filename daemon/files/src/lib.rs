//! Files that are replaced as a whole: a reader sees the old bytes or the new ones, also after a
//! crash. And files that one process holds, to append to them.
//!
//! The new bytes are written beside the file, forced to the disk, and then renamed. Two processes
//! that replace a file at the same time do not mix their bytes; the last one wins.

mod hold;

pub use hold::{hold, is_held};

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Everyone, less what the umask takes.
    Everyone,
    /// Only the owner.
    Owner,
}

/// Replaces a file, or makes it; its folder must exist.
///
/// # Errors
/// When the system refuses; the old file is then as it was.
pub fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    let mode = match readers {
        Readers::Everyone => 0o666,
        Readers::Owner => 0o600,
    };
    let mut beside = tempfile::Builder::new()
        .prefix(".")
        .suffix(".new")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    beside.write_all(bytes)?;
    beside.as_file().sync_all()?;
    beside.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_made_and_replaced_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plan.json");
        for text in ["one", "two"] {
            replace(&path, text.as_bytes(), Readers::Everyone).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_of_its_owner_becomes_one_that_no_other_reads() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        replace(&path, b"new", Readers::Owner).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_cannot_be_replaced_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("folder");
        fs::create_dir(&path).unwrap();
        assert!(replace(&path, b"new", Readers::Everyone).is_err());
        assert!(replace(&dir.path().join("missing/file"), b"new", Readers::Everyone).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
