//! Who was turned away: calls are counted by caller, reason and minute, in a file of their own.
//!
//! Anyone who reaches a listener can cause denials, as many as the network carries. So they are kept
//! apart from the audit log, where they would push out what matters, and a minute of them takes a
//! bounded number of lines however many there are.

use crate::lines::{LineFile, LineFileLimits};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lines of a minute; the calls of further callers are counted together in one more.
pub const LINES_MAX: usize = 64;
/// Lines that wait for the disk: two full minutes.
const OVER_MAX: usize = 2 * (LINES_MAX + 1);
/// Name of the line that counts all further callers.
pub const OTHERS: &str = "(others)";
/// How much is kept: at 64 lines of 200 bytes a minute this is two hours and a half.
const BOUND: LineFileLimits = LineFileLimits { file_bytes: 1 << 20, old_files: 1 };
/// What is counted together, in milliseconds.
const MINUTE_MS: u64 = 60_000;

/// A call that was turned away.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Denial {
    /// Who: what is proven of the caller, or `?`.
    pub who: String,
    /// From where, without a port: callers have another port for each connection.
    pub from: String,
    /// Why: `TOKEN_MISSING`.
    pub reason: String,
}

/// The calls of a caller that were turned away in a minute for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DenialLine {
    /// When the first one came, in milliseconds since the Unix epoch.
    pub time_ms: u64,
    /// When the last one came.
    pub last_ms: u64,
    /// Who; [`OTHERS`] for all callers beyond the bound.
    pub who: String,
    /// From where.
    pub from: String,
    /// The method of the first one: `Teams/StopTeam`.
    pub what: String,
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
}

/// Counts denials, and writes what was counted.
#[derive(Debug, Default)]
pub struct Denials {
    file: Option<LineFile>,
    counted: Mutex<DenialCounts>,
}

#[derive(Debug, Default)]
struct DenialCounts {
    /// The minute that is counted, in minutes since the Unix epoch.
    minute: u64,
    lines: BTreeMap<Denial, DenialLine>,
    others: Option<DenialLine>,
    /// Lines of minutes that are over and not written yet, at most [`OVER_MAX`]: older ones are lost.
    over: Vec<DenialLine>,
}

impl Denials {
    /// Goes on with the file of that path.
    ///
    /// # Errors
    /// When it cannot be opened for writing.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: Some(LineFile::open(path, BOUND)?), counted: Mutex::default() })
    }

    /// Counts a call of this method that was turned away; true for the first of its kind in this
    /// minute, unless there are too many kinds. Never blocks for the disk.
    pub fn count(&self, denial: Denial, what: &str, now_ms: u64) -> bool {
        let mut counted = self.lock();
        counted.turn(now_ms);
        let full = counted.lines.len() >= LINES_MAX;
        let DenialCounts { lines, others, .. } = &mut *counted;
        if let Some(line) = lines.get_mut(&denial) {
            line.add(now_ms);
            return false;
        }
        if full {
            let new = || DenialLine {
                time_ms: now_ms,
                last_ms: now_ms,
                who: OTHERS.to_owned(),
                from: String::new(),
                what: String::new(),
                reason: String::new(),
                count: 0,
            };
            others.get_or_insert_with(new).add(now_ms);
            return false;
        }
        let Denial { who, from, reason } = denial.clone();
        let (what, time_ms, last_ms) = (what.to_owned(), now_ms, now_ms);
        let line = DenialLine { time_ms, last_ms, who, from, what, reason, count: 1 };
        lines.insert(denial, line);
        true
    }

    /// Writes the minutes that are over. Blocks for a write.
    ///
    /// # Errors
    /// When the disk does not take it: these lines are lost.
    pub fn write(&self, now_ms: u64) -> io::Result<()> {
        let over = {
            let mut counted = self.lock();
            counted.turn(now_ms);
            std::mem::take(&mut counted.over)
        };
        self.file.as_ref().map_or(Ok(()), |file| file.write(&over))
    }

    /// Writes all that was counted, also of this minute. Blocks for a write.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn finish(&self) -> io::Result<()> {
        self.write(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, DenialCounts> {
        // Each count is one step: the lines are whole even when their holder panicked.
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DenialCounts {
    /// Begins another minute when the old one is over. A caller that read the clock just before the
    /// minute ended counts in the new one.
    fn turn(&mut self, now_ms: u64) {
        let minute = now_ms / MINUTE_MS;
        if minute == self.minute || minute.checked_add(1) == Some(self.minute) {
            return;
        }
        self.minute = minute;
        let lines = std::mem::take(&mut self.lines);
        let ended: Vec<_> = lines.into_values().chain(self.others.take()).collect();
        if self.over.len() + ended.len() > OVER_MAX {
            self.over.clear();
        }
        self.over.extend(ended);
    }
}

impl DenialLine {
    fn add(&mut self, now_ms: u64) {
        self.count = self.count.saturating_add(1);
        self.last_ms = now_ms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denial(who: &str) -> Denial {
        let (from, reason) = ("127.0.0.1".to_owned(), "TOKEN_MISSING".to_owned());
        Denial { who: who.to_owned(), from, reason }
    }

    fn lines(path: &Path) -> Vec<DenialLine> {
        let text = std::fs::read_to_string(path).expect("reads");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn a_flood_of_one_caller_is_a_line_a_minute() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state/denied.jsonl");
        let denials = Denials::open(&path).expect("opens");
        for call in 0..10_000 {
            assert_eq!(denials.count(denial("?"), "Teams/StopTeam", call * 5), call == 0);
        }
        denials.write(59_999).expect("writes");
        assert_eq!(lines(&path), [], "the minute is not over");
        assert!(denials.count(denial("?"), "Teams/StopTeam", 60_000));
        denials.write(61_000).expect("writes");
        let all = lines(&path);
        let counts: Vec<_> =
            all.iter().map(|line| (line.count, line.time_ms, line.last_ms)).collect();
        assert_eq!(counts, [(10_000, 0, 49_995)]);
        denials.finish().expect("writes");
        denials.finish().expect("writes");
        assert_eq!(lines(&path).iter().map(|line| line.count).collect::<Vec<_>>(), [10_000, 1]);
    }

    #[test]
    fn nothing_is_lost_where_a_minute_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("denied.jsonl");
        let denials = Denials::open(&path).expect("opens");
        // Two threads read the clock on either side of the end of a minute.
        for now_ms in [59_998, 59_999, 60_000, 59_999, 60_001, 59_999] {
            denials.count(denial("?"), "Teams/StopTeam", now_ms);
        }
        denials.finish().expect("writes");
        assert_eq!(lines(&path).iter().map(|line| line.count).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn a_flood_of_callers_takes_no_more_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("denied.jsonl");
        let denials = Denials::open(&path).expect("opens");
        for caller in 0..10_000 {
            denials.count(denial(&caller.to_string()), "Teams/StopTeam", 0);
        }
        denials.finish().expect("writes");
        let all = lines(&path);
        assert_eq!(all.len(), LINES_MAX + 1);
        assert_eq!(all.iter().map(|line| line.count).sum::<u64>(), 10_000);
        assert_eq!(all.last().map(|line| line.who.as_str()), Some(OTHERS));
    }

    #[test]
    fn the_file_has_a_bound() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("denied.jsonl");
        let denials = Denials::open(&path).expect("opens");
        for minute in 0..300 {
            for caller in 0..=LINES_MAX {
                denials.count(denial(&caller.to_string()), "Teams/StopTeam", minute * MINUTE_MS);
            }
            denials.write((minute + 1) * MINUTE_MS).expect("writes");
        }
        let sizes = std::fs::read_dir(folder.path())
            .expect("lists")
            .map(|entry| entry.and_then(|entry| entry.metadata()).expect("a file").len());
        let bytes: u64 = sizes.sum();
        assert!((1 << 20..(2 << 20) + (64 << 10)).contains(&bytes), "{bytes}");
    }
}
