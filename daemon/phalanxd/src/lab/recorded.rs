//! The recordings of a ladder's matches, which `phalanx ladder history --record` puts into the
//! ladder's folder: `recordings/match-117/A-….mcap`.

use super::names;
use phalanx_ladder::FollowedLadder;
use phalanx_record::EXTENSION;
use std::path::{Path, PathBuf};

/// The folder with recordings in that of a ladder.
const RECORDINGS: &str = "recordings";
/// Recordings of ladders that are listed.
const RECORDINGS_MAX: usize = 500;
/// What is between the ladder and the number in an id.
const MATCH: &str = ".match-";

/// A recording of a match of a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LadderRecording {
    ladder: String,
    number: u64,
    /// The file's name without its ending.
    stem: String,
}

impl LadderRecording {
    /// The recording with this id; `None` if the id is none of such a recording.
    pub(crate) fn of_id(id: &str) -> Option<Self> {
        let (ladder, rest) = id.rsplit_once(MATCH)?;
        let (number, stem) = rest.split_once('.')?;
        let found =
            Self { ladder: ladder.to_owned(), number: number.parse().ok()?, stem: stem.to_owned() };
        (found.is_plain() && found.id() == id).then_some(found)
    }

    /// Its id among all recordings of the daemon.
    pub(crate) fn id(&self) -> String {
        format!("{}{MATCH}{}.{}", self.ladder, self.number, self.stem)
    }

    /// Its file below the folder of the lab.
    pub(crate) fn path(&self, lab: &Path) -> PathBuf {
        let folder = folder_of(&lab.join(&self.ladder), self.number);
        folder.join(format!("{}.{EXTENSION}", self.stem))
    }

    /// Whether its parts are names, of which ids are made.
    fn is_plain(&self) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let name =
            |name: &str| !name.is_empty() && !name.starts_with('.') && name.chars().all(plain);
        name(&self.ladder) && name(&self.stem)
    }
}

/// The recordings of all ladders in the folder of the lab, up to a number.
pub(crate) fn all_recordings(lab: &Path) -> Vec<LadderRecording> {
    let ladders = names(lab).into_iter().filter(|name| FollowedLadder::is_at(&lab.join(name)));
    let of_ladder = |ladder: String| {
        let folder = lab.join(&ladder);
        let matches = recorded_matches(&folder).into_iter();
        matches.flat_map(move |number| ladder_recordings(&folder, &ladder, number))
    };
    ladders.flat_map(of_ladder).take(RECORDINGS_MAX).collect()
}

/// The recordings of a match. Ladders whose folder's name has other characters than ids have none.
pub(super) fn ladder_recordings(folder: &Path, ladder: &str, number: u64) -> Vec<LadderRecording> {
    let files = std::fs::read_dir(folder_of(folder, number)).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    let recordings = paths.filter(|path| path.extension().is_some_and(|end| end == EXTENSION));
    let one = |path: PathBuf| {
        let (ladder, stem) = (ladder.to_owned(), path.file_stem()?.to_str()?.to_owned());
        Some(LadderRecording { ladder, number, stem }).filter(LadderRecording::is_plain)
    };
    let mut all: Vec<_> = recordings.filter_map(one).collect();
    all.sort_by(|a, b| a.stem.cmp(&b.stem));
    all
}

/// The matches of a ladder that have recordings.
fn recorded_matches(folder: &Path) -> Vec<u64> {
    let entries = std::fs::read_dir(folder.join(RECORDINGS)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let numbers = names.filter_map(|name| name.strip_prefix("match-")?.parse().ok());
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

fn folder_of(ladder: &Path, number: u64) -> PathBuf {
    ladder.join(RECORDINGS).join(format!("match-{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_leads_to_its_file_and_to_no_other() {
        let id = "club.match-117.A-assemble-20261122T013000Z";
        let found = LadderRecording::of_id(id).unwrap();
        assert_eq!(found.id(), id);
        let path = found.path(Path::new("/lab"));
        let file = "/lab/club/recordings/match-117/A-assemble-20261122T013000Z.mcap";
        assert_eq!(path, Path::new(file));
        for other in [
            "A-assemble-20261122T013000Z",
            "club.match-x.A",
            "club.match-+7.A",
            "club.match-007.A",
            "club.match-7.",
            "..match-7.A",
            "a/b.match-7.A",
            "club.match-7.../A",
        ] {
            assert_eq!(LadderRecording::of_id(other), None, "{other}");
        }
    }

    #[test]
    fn recordings_are_found_in_the_folder_of_their_match() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("club/recordings/match-3");
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["B-x.mcap", "A-x.mcap", "notes.txt"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let club = dir.path().join("club");
        assert_eq!(recorded_matches(&club), [3]);
        let found = ladder_recordings(&club, "club", 3);
        let ids: Vec<_> = found.iter().map(LadderRecording::id).collect();
        assert_eq!(ids, ["club.match-3.A-x", "club.match-3.B-x"]);
        assert_eq!(found[0].path(dir.path()), folder.join("A-x.mcap"));
        assert_eq!(ladder_recordings(&club, "a club", 3), []);
    }
}
