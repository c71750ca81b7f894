//! Names of recordings and of their parts.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The extension of the files.
pub const EXTENSION: &str = "mcap";
/// Longest name of a team in a file's name, in characters.
const TEAM_CHARS_MAX: usize = 64;

/// The name of a recording: team, game and begin, `A-assemble-20261122T013000Z`.
pub(crate) fn name_of(team: &str, game: &str, unix: Duration) -> String {
    let seconds = Duration::from_secs(unix.as_secs());
    let begin = SystemTime::UNIX_EPOCH.checked_add(seconds).unwrap_or(SystemTime::UNIX_EPOCH);
    let begin = humantime::format_rfc3339_seconds(begin).to_string();
    let begin: String = begin.chars().filter(|letter| !"-:".contains(*letter)).collect();
    format!("{}-{}-{begin}", plain(team), plain(game))
}

/// Replaces characters that are special in file systems or shells.
fn plain(word: &str) -> String {
    let plain = |letter: char| {
        let keeps = letter.is_ascii_alphanumeric() || letter == '_';
        if keeps { letter } else { '_' }
    };
    let word: String = word.chars().take(TEAM_CHARS_MAX).map(plain).collect();
    if word.is_empty() { "_".into() } else { word }
}

/// The file of a part, from 1: `NAME.mcap`, `NAME.2.mcap`, …
pub(crate) fn part_path(folder: &Path, name: &str, part: u32) -> PathBuf {
    let file = match part {
        0 | 1 => format!("{name}.{EXTENSION}"),
        _ => format!("{name}.{part}.{EXTENSION}"),
    };
    folder.join(file)
}

/// The recording's name and the number of the part in a file's name; `None` if it is not one of
/// ours.
pub(crate) fn read_path(path: &Path) -> Option<(String, u32)> {
    let file = path.file_name()?.to_str()?;
    let stem = file.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    if stem.is_empty() {
        return None;
    }
    let numbered = stem.rsplit_once('.').and_then(|(name, part)| {
        let part: u32 = part.parse().ok()?;
        (part >= 2 && !name.is_empty()).then(|| (name.to_owned(), part))
    });
    Some(numbered.unwrap_or_else(|| (stem.to_owned(), 1)))
}

/// Whether [`name_of`] made a recording's name, perhaps with a number for a name that is taken.
pub(crate) fn is_ours(name: &str) -> bool {
    let mut parts = name.rsplitn(4, '-');
    let is_time = |part: &str| {
        part.len() == "20261122T013000Z".len()
            && part.chars().enumerate().all(|(index, letter)| match index {
                8 => letter == 'T',
                15 => letter == 'Z',
                _ => letter.is_ascii_digit(),
            })
    };
    let last = parts.next().unwrap_or_default();
    let number = !last.is_empty() && last.chars().all(|letter| letter.is_ascii_digit());
    let time = if number { parts.next().unwrap_or_default() } else { last };
    is_time(time) && parts.next().is_some_and(|game| !game.is_empty()) && parts.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_called_by_team_game_and_begin() {
        let begin = Duration::from_millis(1_795_311_000_250);
        let name = name_of("A", "assemble", begin);
        assert_eq!(name, "A-assemble-20261122T013000Z");
        assert_eq!(name_of("../a b", "", Duration::ZERO), "___a_b-_-19700101T000000Z");
        let folder = Path::new("/r");
        for part in [1, 2, 13] {
            let path = part_path(folder, &name, part);
            assert_eq!(read_path(&path), Some((name.clone(), part)));
        }
        assert_eq!(part_path(folder, &name, 2), folder.join(format!("{name}.2.mcap")));
        assert!(is_ours(&name) && is_ours(&format!("{name}-2")));
        for other in ["", "holiday", "A-assemble-20261122", "A-20261122T013000Z", &name[1..]] {
            assert!(!is_ours(other) || other == &name[1..], "{other}");
        }
        assert_eq!(read_path(Path::new("/r/x.txt")), None);
        assert_eq!(read_path(Path::new("/r/.mcap")), None);
    }
}
