//! A number for the sources that decide how a match goes, for programs whose version numbers are the
//! same. It needs no git; `build.rs` computes it, so this file uses the standard library only.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files and folders that matches depend on, relative to the top. Strategies are not among them:
/// they travel with their matches.
pub(crate) const PLAYING: [&str; 10] = [
    "Cargo.lock",
    "plugins",
    "daemon/engine/src",
    "daemon/games/src",
    "daemon/league/src",
    "daemon/lua/src",
    "daemon/net/src",
    "daemon/phalanxd/src",
    "daemon/queue/src",
    "daemon/trial/src",
];
/// Endings of the files that are compiled.
const ENDINGS: [&str; 4] = ["rs", "luau", "toml", "lock"];
/// Folders that no program contains.
const LEFT_OUT: [&str; 4] = ["tests", "benches", "examples", "target"];

/// The number of the sources below a folder: their paths and bytes, wherever the folder is.
pub(crate) fn hash(root: &Path) -> io::Result<u64> {
    let mut files = Vec::new();
    for path in PLAYING {
        collect(root, Path::new(path), &mut files)?;
    }
    files.sort();
    let mut hash = Fnv::default();
    for file in files {
        let bytes = fs::read(root.join(&file))?;
        hash.add(file.to_string_lossy().as_bytes());
        hash.add(&bytes);
    }
    Ok(hash.0)
}

fn collect(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let whole = root.join(path);
    if !whole.is_dir() {
        if path.extension().is_some_and(|it| ENDINGS.iter().any(|ending| it == *ending)) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    for entry in fs::read_dir(whole)? {
        let name = entry?.file_name();
        if !LEFT_OUT.iter().any(|left_out| name == *left_out) {
            collect(root, &path.join(name), files)?;
        }
    }
    Ok(())
}

/// FNV-1a with 64 bits: enough to tell builds apart; nothing here is secret.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds a piece with its length, so that pieces cannot run into each other.
    fn add(&mut self, bytes: &[u8]) {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(name: &str, text: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for folder in PLAYING.iter().filter(|path| **path != "Cargo.lock") {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("Cargo.lock"), "version = 4\n").unwrap();
        fs::create_dir_all(dir.path().join("plugins/mars/src")).unwrap();
        fs::write(dir.path().join("plugins/mars/src").join(name), text).unwrap();
        dir
    }

    #[test]
    fn the_same_sources_have_the_same_number_in_any_folder() {
        let (one, two) = (tree("a.rs", "fn a() {}"), tree("a.rs", "fn a() {}"));
        assert_eq!(hash(one.path()).unwrap(), hash(two.path()).unwrap());
    }

    #[test]
    fn a_changed_a_renamed_and_a_new_file_change_the_number() {
        let before = hash(tree("a.rs", "fn a() {}").path()).unwrap();
        assert_ne!(hash(tree("a.rs", "fn a() { }").path()).unwrap(), before);
        assert_ne!(hash(tree("b.rs", "fn a() {}").path()).unwrap(), before);
        let more = tree("a.rs", "fn a() {}");
        fs::write(more.path().join("daemon/lua/src/new.luau"), "").unwrap();
        assert_ne!(hash(more.path()).unwrap(), before);
    }

    #[test]
    fn tests_and_documents_do_not_change_the_number() {
        let dir = tree("a.rs", "fn a() {}");
        let before = hash(dir.path()).unwrap();
        fs::create_dir_all(dir.path().join("plugins/mars/tests")).unwrap();
        fs::write(dir.path().join("plugins/mars/tests/t.rs"), "").unwrap();
        fs::write(dir.path().join("plugins/README.md"), "").unwrap();
        assert_eq!(hash(dir.path()).unwrap(), before);
    }

    #[test]
    fn this_program_has_the_number_of_these_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(format!("{:016x}", hash(&root).unwrap()), env!("PHALANX_SOURCES"));
    }
}
