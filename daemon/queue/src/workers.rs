//! Which workers play for a run. The coordinator notes it in the run's folder, where programs that
//! show the run find it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// The file with the workers, in the folder of a run.
const WORKERS: &str = "workers.json";
/// How long a worker counts after its last match, and a file after it was written.
const RECENT: Duration = Duration::from_mins(1);
/// How often the file is written at least: often enough to be recent.
const REWRITE: Duration = Duration::from_secs(20);
/// Workers that are counted; results of further ones count all the same.
const WORKERS_MAX: usize = 1_000;
/// Longest name or version that is kept, in characters.
const TEXT_CHARS_MAX: usize = 100;
/// Largest file that is read: the most workers with the longest names.
const FILE_BYTES_MAX: u64 = 2 << 20;

/// A worker that lately played for a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueWorker {
    /// Its name, with that of its machine.
    pub name: String,
    /// Its version of the program.
    pub version: String,
    /// Matches that it played since the run was begun or resumed.
    pub matches: u64,
}

/// The matches of each worker.
#[derive(Debug, Default)]
pub(crate) struct WorkerCounts(BTreeMap<String, QueueWorker>);

impl WorkerCounts {
    /// A worker played a match that counts.
    pub(crate) fn add(&mut self, worker: &str, version: &str) {
        if self.0.len() >= WORKERS_MAX && !self.0.contains_key(worker) {
            return;
        }
        let cut = |text: &str| text.chars().take(TEXT_CHARS_MAX).collect::<String>();
        let new = || QueueWorker { name: cut(worker), version: cut(version), matches: 0 };
        self.0.entry(cut(worker)).or_insert_with(new).matches += 1;
    }

    pub(crate) fn all(&self) -> Vec<QueueWorker> {
        self.0.values().cloned().collect()
    }
}

/// Finds the workers that played lately, and when the file has to be written.
#[derive(Debug, Default)]
pub(crate) struct RecentWorkers {
    /// The matches of each worker, and since when it has had that many.
    seen: BTreeMap<String, (u64, Instant)>,
    written: Option<(Vec<QueueWorker>, Instant)>,
}

impl RecentWorkers {
    /// What has to be written now; `None`: what was written still holds.
    pub(crate) fn look(
        &mut self,
        counts: &[QueueWorker],
        now: Instant,
    ) -> Option<Vec<QueueWorker>> {
        let mut recent = Vec::new();
        for worker in counts {
            let seen = self.seen.entry(worker.name.clone()).or_insert((worker.matches, now));
            if seen.0 != worker.matches {
                *seen = (worker.matches, now);
            }
            if now.duration_since(seen.1) < RECENT {
                recent.push(worker.clone());
            }
        }
        let holds = self.written.as_ref().is_some_and(|(written, then)| {
            *written == recent && now.duration_since(*then) < REWRITE
        });
        if holds {
            return None;
        }
        self.written = Some((recent.clone(), now));
        Some(recent)
    }
}

/// Notes the workers in the folder of a run. What fails is written the next time.
pub(crate) async fn write(folder: &Path, workers: &[QueueWorker]) {
    // Numbers and texts always have a form in JSON.
    let text = serde_json::to_vec(workers).unwrap_or_default();
    let (path, beside) = (folder.join(WORKERS), folder.join(format!("{WORKERS}.new")));
    // Beside its place first: a reader finds it whole.
    if tokio::fs::write(&beside, text).await.is_ok() {
        drop(tokio::fs::rename(&beside, &path).await);
    }
}

/// Forgets the workers of a run that ends.
pub(crate) fn remove(folder: &Path) {
    // A file that stays is not recent for long.
    drop(std::fs::remove_file(folder.join(WORKERS)));
}

/// The workers that played for the run of a folder within the last minute, by name. A file that is
/// missing, old or malformed names none.
#[must_use]
pub fn recent_workers(folder: &Path) -> Vec<QueueWorker> {
    read(folder).unwrap_or_default()
}

fn read(folder: &Path) -> Option<Vec<QueueWorker>> {
    let file = File::open(folder.join(WORKERS)).ok()?;
    let written = file.metadata().ok()?.modified().ok()?;
    // The clocks of two machines that share a folder may differ: a time to come is recent.
    if SystemTime::now().duration_since(written).is_ok_and(|age| age > RECENT) {
        return None;
    }
    let mut text = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut text).ok()?;
    let mut workers: Vec<QueueWorker> = serde_json::from_slice(&text).ok()?;
    workers.truncate(WORKERS_MAX);
    Some(workers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counts: &WorkerCounts) -> Vec<(String, u64)> {
        counts.all().into_iter().map(|one| (one.name, one.matches)).collect()
    }

    #[test]
    fn a_worker_counts_for_a_minute_after_its_last_match() {
        let (mut counts, mut recent, begun) =
            (WorkerCounts::default(), RecentWorkers::default(), Instant::now());
        let at = |seconds| begun + Duration::from_secs(seconds);
        counts.add("a", "1");
        counts.add("b", "1");
        assert_eq!(recent.look(&counts.all(), at(0)).unwrap().len(), 2);
        assert_eq!(recent.look(&counts.all(), at(2)), None, "nothing changed");
        counts.add("b", "1");
        assert_eq!(recent.look(&counts.all(), at(4)).unwrap()[1].matches, 2);
        assert_eq!(recent.look(&counts.all(), at(30)).unwrap().len(), 2, "to be recent");
        let left = recent.look(&counts.all(), at(61)).unwrap();
        assert_eq!(left.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn strange_workers_are_bounded_in_number_and_length() {
        let mut counts = WorkerCounts::default();
        for number in 0..2 * WORKERS_MAX {
            counts.add(&format!("{number:0>500}"), &"v".repeat(500));
        }
        counts.add("one more", "1");
        assert!(counted(&counts).len() <= WORKERS_MAX);
        assert!(counts.all().iter().all(|one| one.name.len() + one.version.len() <= 200));
    }

    #[tokio::test]
    async fn a_folder_names_its_workers_while_the_file_is_fresh_and_whole() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(recent_workers(dir.path()), []);
        let one = QueueWorker { name: "lab1-7".into(), version: "1.0".into(), matches: 3 };
        write(dir.path(), std::slice::from_ref(&one)).await;
        assert_eq!(recent_workers(dir.path()), [one]);
        let path = dir.path().join(WORKERS);
        let old = SystemTime::now() - Duration::from_secs(90);
        File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        assert_eq!(recent_workers(dir.path()), []);
        std::fs::write(&path, "[{\"name\":").unwrap();
        assert_eq!(recent_workers(dir.path()), []);
        remove(dir.path());
        assert!(!path.exists());
    }
}
