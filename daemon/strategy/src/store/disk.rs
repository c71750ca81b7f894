//! A team's history in the state folder. Everything is written beside its place, flushed and then
//! renamed, so that no half of anything is ever read.
//!
//! ```text
//! strategies/TEAM/now.json                   what decides, what decided before, the pin
//! strategies/TEAM/3/generation.json
//! strategies/TEAM/3/files/worker.luau …
//! strategies/TEAM/set-aside-3                what could not be read: for people to look at
//! ```

use super::{HistoryMarker, StoredGeneration, StoredHistory, wire};
use phalanx_game::sorted::SortedMap;
use phalanx_lua::Bundle;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Rights of folders that we make: the owner's alone.
const FOLDER_MODE: u32 = 0o700;
/// The folder of all histories.
const STRATEGIES: &str = "strategies";
/// What decides.
const MARKER: &str = "now.json";
/// One generation's record.
const RECORD: &str = "generation.json";
/// One generation's files.
const FILES: &str = "files";
/// What is being written or removed; leftovers of it are swept at the next start.
const UNDERWAY: &str = ".underway-";
/// What could not be read.
const ASIDE: &str = "set-aside-";
/// Largest record that is read, in bytes.
const RECORD_BYTES_MAX: u64 = 64 << 10;
/// Longest name of a team's folder, in bytes.
const NAME_BYTES_MAX: usize = 120;

/// The folder of one team.
#[derive(Debug)]
pub(super) struct HistoryDisk {
    team: String,
    folder: PathBuf,
    written: Mutex<WrittenFiles>,
    /// Held while this lives: two daemons would mix up one history.
    _lock: File,
}

/// What the folder holds.
#[derive(Debug, Default)]
struct WrittenFiles {
    /// By number, how each was taken back.
    generations: SortedMap<u32, String>,
    marker: Option<HistoryMarker>,
}

impl HistoryDisk {
    pub(super) fn open(state: &Path, team: &str) -> io::Result<Self> {
        let folder = state.join(STRATEGIES).join(safe_name(team));
        make_folder(&folder)?;
        let lock = folder.join("lock");
        // An existing file is not truncated, since it might be a link.
        let lock = File::options().create(true).write(true).truncate(false).open(lock)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => io::Error::other("another daemon writes it"),
            TryLockError::Error(error) => error,
        })?;
        Ok(Self { team: team.into(), folder, written: Mutex::default(), _lock: lock })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Everything that can be read whole; the rest is set aside and named.
    pub(super) fn load(&self) -> io::Result<(StoredHistory, Vec<String>)> {
        let mut saved = StoredHistory::default();
        let mut troubles = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with(UNDERWAY) {
                remove(&self.folder.join(&name))?;
            }
            let aside = name.strip_prefix(ASIDE).and_then(|number| number.parse().ok());
            saved.marker.last = saved.marker.last.max(aside.unwrap_or_default());
            let Ok(number) = name.parse::<u32>() else { continue };
            saved.marker.last = saved.marker.last.max(number);
            match self.read(number) {
                Ok(entry) => drop(saved.entries.insert(number, entry)),
                Err(trouble) => troubles.push(self.set_aside(&name, &trouble)),
            }
        }
        self.load_marker(&mut saved, &mut troubles);
        let mut written = self.written();
        let taken =
            |(number, entry): (&u32, &StoredGeneration)| (*number, entry.taken_back.clone());
        written.generations = saved.entries.iter().map(taken).collect();
        Ok((saved, troubles))
    }

    fn load_marker(&self, saved: &mut StoredHistory, troubles: &mut Vec<String>) {
        let text = match text(&self.folder.join(MARKER)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return troubles.push(self.set_aside(MARKER, &error.to_string())),
        };
        match wire::marker(&self.team, &text) {
            Ok(mut marker) => {
                marker.last = marker.last.max(saved.marker.last);
                saved.marker = marker;
            }
            Err(trouble) => troubles.push(self.set_aside(MARKER, &trouble)),
        }
    }

    fn read(&self, number: u32) -> Result<StoredGeneration, String> {
        let folder = self.folder.join(number.to_string());
        let record = text(&folder.join(RECORD)).map_err(|error| format!("{RECORD}: {error}"))?;
        let (generation, taken_back) =
            wire::entry(&self.team, &record).map_err(|trouble| format!("{RECORD}: {trouble}"))?;
        if generation.number != number {
            return Err(format!("{RECORD}: it is of generation {}", generation.number));
        }
        let bundle = Bundle::read(&folder.join(FILES), &[]).map_err(|error| error.to_string())?;
        if bundle.hash() != generation.hash {
            return Err(format!("its files have the hash {}, not its own", bundle.hash()));
        }
        Ok(StoredGeneration { generation, taken_back, bundle: Arc::new(bundle) })
    }

    fn set_aside(&self, name: &str, trouble: &str) -> String {
        let aside = self.folder.join(format!("{ASIDE}{name}"));
        let moved = remove(&aside).and_then(|()| fs::rename(self.folder.join(name), &aside));
        match moved {
            Ok(()) => format!("{trouble}; it is now {}", aside.display()),
            Err(error) => format!("{trouble}; and it cannot be set aside: {error}"),
        }
    }

    /// Makes the folder hold what is kept.
    pub(super) fn write(&self, saved: &StoredHistory) -> io::Result<()> {
        let mut written = self.written();
        for (number, entry) in &saved.entries {
            match written.generations.get(number) {
                None => self.write_generation(*number, entry)?,
                Some(taken_back) if *taken_back != entry.taken_back => {
                    let folder = self.folder.join(number.to_string());
                    replace(&folder.join(RECORD), &wire::entry_text(&self.team, entry)?)?;
                }
                Some(_) => continue,
            }
            written.generations.insert(*number, entry.taken_back.clone());
        }
        // Before anything is removed that it names.
        if written.marker.as_ref() != Some(&saved.marker) {
            let text = wire::marker_text(&self.team, &saved.marker)?;
            replace(&self.folder.join(MARKER), &text)?;
            written.marker = Some(saved.marker.clone());
        }
        let is_gone = |number: &&u32| !saved.entries.contains_key(number);
        for number in written.generations.keys().filter(is_gone).copied().collect::<Vec<_>>() {
            let underway = self.folder.join(format!("{UNDERWAY}{number}"));
            fs::rename(self.folder.join(number.to_string()), &underway)?;
            written.generations.remove(&number);
            remove(&underway)?;
        }
        Ok(())
    }

    fn write_generation(&self, number: u32, entry: &StoredGeneration) -> io::Result<()> {
        let underway = self.folder.join(format!("{UNDERWAY}{number}"));
        remove(&underway)?;
        let files = underway.join(FILES);
        make_folder(&files)?;
        for (path, source) in entry.bundle.files() {
            let path = files.join(path);
            if let Some(parent) = path.parent() {
                make_folder(parent)?;
            }
            flushed(&path, source)?;
        }
        flushed(&underway.join(RECORD), &wire::entry_text(&self.team, entry)?)?;
        File::open(&underway)?.sync_all()?;
        fs::rename(&underway, self.folder.join(number.to_string()))?;
        File::open(&self.folder)?.sync_all()
    }

    fn written(&self) -> std::sync::MutexGuard<'_, WrittenFiles> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A team's name as a folder's: different names give different folders, whatever they hold. Capital
/// letters are spelled out too, since some drives do not tell them from small ones.
#[must_use]
pub fn safe_name(team: &str) -> String {
    // No name is the folder of all the others.
    let mut name = if team.is_empty() { "%".to_owned() } else { String::new() };
    for byte in team.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    if name.len() > NAME_BYTES_MAX {
        let hash = team.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        name.truncate(NAME_BYTES_MAX);
        name.push_str(&format!("%%{hash:016x}"));
    }
    name
}

fn text(path: &Path) -> io::Result<String> {
    let size = fs::metadata(path)?.len();
    if size > RECORD_BYTES_MAX {
        return Err(io::Error::other(format!("{size} bytes, at most {RECORD_BYTES_MAX}")));
    }
    fs::read_to_string(path)
}

fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
}

fn flushed(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let underway = path.with_file_name(format!("{UNDERWAY}{name}"));
    // What a daemon left that was killed, or a link that somebody put there.
    remove(&underway)?;
    flushed(&underway, text)?;
    fs::rename(&underway, path)?;
    path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

/// Removes a file or a folder, if there is one.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| {
        let is_gone = error.kind() == io::ErrorKind::NotFound;
        if is_gone { Ok(()) } else { Err(error) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_teams_never_share_a_folder() {
        let long = "x".repeat(500);
        let longer = "x".repeat(501);
        let teams = ["a/b", "a-b", "a_b", "A", "a", "..", ".", "a%2fb", "ä", &long, &longer, ""];
        let names: phalanx_game::sorted::SortedSet<_> =
            teams.iter().map(|team| safe_name(team)).collect();
        assert_eq!(names.len(), teams.len(), "{names:?}");
        assert!(
            names
                .iter()
                .all(|name| { !name.is_empty() && !name.contains(['/', '.']) && name.len() < 200 })
        );
    }
}
