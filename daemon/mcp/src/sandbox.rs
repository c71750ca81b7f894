//! Files below one folder, and nowhere else.
//!
//! Each part of a path is opened from the folder before it, without following symbolic links. So a
//! link cannot lead out of the folder, even if another program makes it at the same moment.

use anyhow::{Context, Result, bail};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

/// Most parts of a path.
const DEPTH_MAX: usize = 16;
/// Longest path, in bytes.
const PATH_BYTES_MAX: usize = 1_024;
/// The end of a file's name until it is complete.
const UNFINISHED: &str = ".phalanx-mcp";
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const CREATE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A folder below which files may be written.
#[derive(Debug)]
pub(crate) struct Sandbox {
    root: PathBuf,
    folder: OwnedFd,
}

/// Whether a file that exists is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    Replace,
    Refuse,
}

impl Sandbox {
    /// # Errors
    /// When it is no folder, or cannot be opened.
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        let named = || format!("--allow-write {}", dir.display());
        let root = dir.canonicalize().with_context(named)?;
        let folder = openat(CWD, &root, FOLDER, Mode::empty()).with_context(named)?;
        Ok(Self { root, folder })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a path leads to a place below the folder, as far as its text says.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn inside(&self, path: &Path) -> Result<PathBuf> {
        let root = self.root.display();
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let shown = path.display();
        if path.as_os_str().len() > PATH_BYTES_MAX || below.components().count() > DEPTH_MAX {
            bail!("the path is longer than {PATH_BYTES_MAX} bytes or {DEPTH_MAX} folders");
        }
        if !below.components().all(|part| matches!(part, Component::Normal(_))) {
            bail!("{shown} leads out of {root}; name a file below that folder, without `..`");
        }
        if below.as_os_str().is_empty() {
            bail!("{shown} names no file below {root}");
        }
        Ok(below.to_owned())
    }

    /// Writes a file as a whole, with the folders above it; returns its path.
    ///
    /// # Errors
    /// When the path leads out of the folder or through a symbolic link, or the file cannot be
    /// written.
    pub(crate) fn write(
        &self,
        path: &Path,
        bytes: &mut dyn Read,
        existing: Existing,
    ) -> Result<PathBuf> {
        let below = self.inside(path)?;
        let whole = self.root.join(&below);
        let shown = whole.display();
        let name = below.file_name().with_context(|| format!("{shown} names no file"))?;
        let folder = self.folder_of(below.parent().unwrap_or(Path::new("")))?;
        match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) if existing == Existing::Refuse => bail!("{shown} exists already"),
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile => {
                bail!("{shown} is a symbolic link or no file, and is left as it is");
            }
            Ok(_) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
        }
        let mut beside = name.to_owned();
        beside.push(UNFINISHED);
        let written = put(&folder, &beside, bytes).and_then(|()| {
            renameat(&folder, &beside, &folder, name)?;
            Ok(())
        });
        if written.is_err() {
            // The error of writing says more.
            unlinkat(&folder, &beside, AtFlags::empty()).unwrap_or_default();
        }
        written.with_context(|| format!("cannot write {shown}"))?;
        Ok(whole)
    }

    /// Whether a folder, or anything else, is there already.
    ///
    /// # Errors
    /// As [`Sandbox::write`].
    pub(crate) fn is_taken(&self, path: &Path) -> Result<bool> {
        Ok(self.root.join(self.inside(path)?).symlink_metadata().is_ok())
    }

    /// A folder, which is made if necessary.
    fn folder_of(&self, below: &Path) -> Result<OwnedFd> {
        let mut folder = self.folder.try_clone().context("cannot open the folder again")?;
        let mut so_far = self.root.clone();
        for part in below {
            so_far.push(part);
            let shown = so_far.display();
            let opened = match openat(&folder, part, FOLDER, Mode::empty()) {
                Err(Errno::NOENT) => {
                    mkdirat(&folder, part, Mode::from_raw_mode(0o777))
                        .with_context(|| format!("cannot make {shown}"))?;
                    openat(&folder, part, FOLDER, Mode::empty())
                }
                opened => opened,
            };
            folder = match opened {
                Err(Errno::LOOP | Errno::NOTDIR) => {
                    bail!("{shown} is a symbolic link or no folder; write below a real folder")
                }
                opened => opened.with_context(|| format!("cannot open {shown}"))?,
            };
        }
        Ok(folder)
    }
}

/// Writes a new file in a folder.
fn put(folder: &OwnedFd, name: &OsStr, bytes: &mut dyn Read) -> Result<()> {
    // One that a killed server left behind.
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let mut file = File::from(openat(folder, name, CREATE, Mode::from_raw_mode(0o666))?);
    std::io::copy(bytes, &mut file)?;
    file.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn write(sandbox: &Sandbox, path: &str) -> Result<PathBuf> {
        sandbox.write(Path::new(path), &mut &b"text"[..], Existing::Replace)
    }

    #[test]
    fn a_file_below_the_folder_is_written_with_its_folders_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let sandbox = Sandbox::open(dir.path()).unwrap();
        let path = write(&sandbox, "mine/lib/a.luau").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        write(&sandbox, path.to_str().unwrap()).unwrap();
        let again = sandbox.write(&path, &mut &b"other"[..], Existing::Refuse).unwrap_err();
        assert!(again.to_string().contains("exists already"), "{again}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        let names = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(names, 1, "nothing is left beside it");
    }

    #[test]
    fn a_path_out_of_the_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        let sandbox = Sandbox::open(&inside).unwrap();
        for path in ["../a.luau", "mine/../../a.luau", "/a.luau", "", ".", "/", "mine/.."] {
            assert!(write(&sandbox, path).is_err(), "{path:?}");
        }
        assert!(write(&sandbox, &"x/".repeat(17)).is_err());
        assert!(write(&sandbox, &"x".repeat(2_000)).is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn symbolic_links_are_refused_wherever_they_are_in_a_path() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("inside"), dir.path().join("outside"));
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("a.luau"), "kept").unwrap();
        symlink(&outside, inside.join("folder")).unwrap();
        symlink(outside.join("a.luau"), inside.join("file.luau")).unwrap();
        symlink(outside.join("missing"), inside.join("dangling.luau")).unwrap();
        let sandbox = Sandbox::open(&inside).unwrap();
        for path in ["folder/a.luau", "folder/new/a.luau", "file.luau", "dangling.luau"] {
            let error = write(&sandbox, path).unwrap_err().to_string();
            assert!(error.contains("symbolic link"), "{path}: {error}");
        }
        assert_eq!(std::fs::read_to_string(outside.join("a.luau")).unwrap(), "kept");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = Sandbox::open(Path::new("/no/such/folder")).unwrap_err();
        assert!(format!("{error:#}").contains("--allow-write /no/such/folder"), "{error:#}");
    }
}
