//! The Unix socket's file: created with its final permissions, and replaced if it is stale.

use crate::server::ControlError;
use std::fs::{DirBuilder, File, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Permissions of new folders for the socket.
const FOLDER_MODE: u32 = 0o700;
/// The socket's name in its temporary folder.
const FIRST_NAME: &str = "s";
/// The file with the groups.
const GROUPS: &str = "/etc/group";

/// The Unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketOptions {
    /// Its path; missing folders are created with access for the owner only.
    pub path: PathBuf,
    /// Its permission bits.
    pub mode: u32,
    /// The name of the group that owns it; `None`: the process' own.
    pub group: Option<String>,
}

/// A bound socket; dropping it removes its file.
#[derive(Debug)]
pub(crate) struct BoundSocket {
    pub(crate) listener: UnixListener,
    pub(crate) guard: SocketGuard,
}

/// Removes the socket's file when dropped, unless another process keeps the socket. Holds the lock
/// that keeps a second daemon away.
#[derive(Debug)]
pub struct SocketGuard {
    path: PathBuf,
    /// The guard removes the file.
    is_ours: bool,
    /// `None` if another process bound the socket.
    _lock: Option<File>,
}

impl SocketGuard {
    /// The guard of a socket that another process bound.
    pub(crate) fn of_another(path: PathBuf) -> Self {
        Self { path, is_ours: false, _lock: None }
    }

    /// The path of the socket.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the file, because another process keeps the socket open.
    pub fn leave(&mut self) {
        self.is_ours = false;
    }
}

impl Drop for SocketGuard {
    fn drop(&mut self) {
        if !self.is_ours {
            return;
        }
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "could not remove the socket");
        }
    }
}

pub(crate) fn bind(options: &SocketOptions) -> Result<BoundSocket, ControlError> {
    let path = &options.path;
    let failed = |what: &'static str| {
        move |why: io::Error| ControlError::Socket { path: path.clone(), what, why }
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(folder)
        .map_err(failed("make its folder"))?;
    let lock = lock(path)?;
    refuse_live(path)?;
    // Bound in a private folder and moved to its place, so that it never has the wrong permissions.
    let name = path.file_name().ok_or_else(|| failed("bind")(ErrorKind::InvalidInput.into()))?;
    let hidden = folder.join(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(&hidden)
        .map_err(failed("make a folder beside it"))?;
    let bound = bind_in(&hidden, options, &failed);
    let cleared = std::fs::remove_dir_all(&hidden).map_err(failed("clear the folder beside it"));
    let listener = bound?;
    cleared?;
    Ok(BoundSocket {
        listener,
        guard: SocketGuard { path: path.clone(), is_ours: true, _lock: Some(lock) },
    })
}

fn bind_in<F: FnOnce(io::Error) -> ControlError>(
    hidden: &Path,
    options: &SocketOptions,
    failed: &impl Fn(&'static str) -> F,
) -> Result<UnixListener, ControlError> {
    let place = hidden.join(FIRST_NAME);
    let listener = UnixListener::bind(&place).map_err(failed("bind"))?;
    listener.set_nonblocking(true).map_err(failed("bind"))?;
    if let Some(group) = &options.group {
        let id = group_id(group).map_err(failed("find its group"))?;
        std::os::unix::fs::chown(&place, None, Some(id)).map_err(failed("give it to its group"))?;
    }
    std::fs::set_permissions(&place, Permissions::from_mode(options.mode))
        .map_err(failed("set its mode"))?;
    std::fs::rename(&place, &options.path).map_err(failed("move it in place"))?;
    Ok(listener)
}

/// The path of a Unix socket: the place to which [`bind_unix`](crate::bind_unix) of this or an
/// earlier process moved it; `None` for a socket without a file.
#[must_use]
pub fn place_of(listener: &UnixListener) -> Option<PathBuf> {
    let address = listener.local_addr().ok()?;
    let bound = address.as_pathname()?;
    Some(moved(bound).unwrap_or_else(|| bound.to_owned()))
}

/// `folder/NAME` for the temporary path `folder/.NAME.PID/s` of [`bind`].
fn moved(bound: &Path) -> Option<PathBuf> {
    let hidden = bound.parent().filter(|_| bound.ends_with(FIRST_NAME))?;
    let (name, id) = hidden.file_name()?.to_str()?.strip_prefix('.')?.rsplit_once('.')?;
    let is_ours = !name.is_empty() && id.parse::<u32>().is_ok();
    is_ours.then(|| hidden.with_file_name(name))
}

/// Takes the lock beside the socket; the error names the holder.
fn lock(path: &Path) -> Result<File, ControlError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let failed = |why| ControlError::Socket { path: path.to_owned(), what: "lock", why };
    let options = || {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        options
    };
    let mut file = options().open(PathBuf::from(name)).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            file.read_to_string(&mut holder).map_err(failed)?;
            return Err(ControlError::InUse {
                path: path.to_owned(),
                holder: format!("process {}", holder.trim()),
            });
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}

/// A socket file without a process behind it may be replaced; any other file may not.
fn refuse_live(path: &Path) -> Result<(), ControlError> {
    let about = match std::fs::symlink_metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(why) => {
            return Err(ControlError::Socket { path: path.to_owned(), what: "look at", why });
        }
    };
    if !about.file_type().is_socket() {
        return Err(ControlError::NotASocket { path: path.to_owned() });
    }
    match UnixStream::connect(path) {
        Ok(_) => {
            Err(ControlError::InUse { path: path.to_owned(), holder: "another program".to_owned() })
        }
        Err(_) => Ok(()),
    }
}

fn group_id(name: &str) -> io::Result<u32> {
    let groups = std::fs::read_to_string(GROUPS)?;
    let fields = groups.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let mut ids = fields.filter_map(|fields| match fields.as_slice() {
        [group, _, id, ..] if *group == name => id.parse().ok(),
        _ => None,
    });
    let unknown = || io::Error::new(ErrorKind::NotFound, format!("no group {name:?} in {GROUPS}"));
    ids.next().ok_or_else(unknown)
}

/// The group's name in `/etc/group`, if it has one.
pub(crate) fn group_name(id: u32) -> Option<String> {
    let groups = std::fs::read_to_string(GROUPS).ok()?;
    let id = id.to_string();
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == id).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_where_it_was_moved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("control.sock");
        let options = SocketOptions { path: path.clone(), mode: 0o600, group: None };
        let bound = bind(&options).unwrap();
        assert_eq!(place_of(&bound.listener), Some(path));
        let other = folder.path().join("other.sock");
        let listener = UnixListener::bind(&other).unwrap();
        assert_eq!(place_of(&listener), Some(other));
        assert_eq!(moved(Path::new("/run/.7/s")), None);
    }
}
