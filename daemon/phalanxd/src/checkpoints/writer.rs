//! Writes the checkpoints of all teams on its own thread. Only the newest checkpoint of a team
//! matters: if the disk is slow, those in between are skipped, and no team waits.

use super::Checkpoints;
use super::folder::{Folder, Slot};
use phalanx_engine::Freezer;
use phalanx_game::sorted::SortedMap;
use phalanx_metrics::{CheckpointMetrics, Metrics};
use phalanx_net::{CheckpointSink, Freeze};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tracing::{info, warn};

/// The thread that writes checkpoints. It ends when this is dropped.
#[derive(Debug)]
pub struct Writer {
    queue: Arc<WriterQueue>,
    ended: Receiver<()>,
}

/// The teams leave their checkpoints here for the thread.
#[derive(Debug, Default)]
struct WriterQueue {
    pending: Mutex<PendingJobs>,
    wake: Condvar,
    /// Why the last checkpoint of a team was not written, by team.
    troubles: Mutex<SortedMap<String, String>>,
}

#[derive(Debug, Default)]
struct PendingJobs {
    teams: SortedMap<String, Job>,
    closed: bool,
}

/// Work for one team: first what happens to the existing files, then a new checkpoint.
#[derive(Debug, Default)]
struct Job {
    files: Option<FileChange>,
    put: Option<Box<dyn Freeze>>,
}

/// What happens to a team's files.
#[derive(Clone, Copy, Debug)]
enum FileChange {
    SetAside,
    Remove,
}

impl WriterQueue {
    fn pending(&self) -> MutexGuard<'_, PendingJobs> {
        // Each change is one step: the state is consistent even if a holder panicked.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, team: &str, change: impl FnOnce(&mut Job)) {
        change(self.pending().teams.entry(team.to_owned()).or_default());
        self.wake.notify_one();
    }

    /// Takes all waiting work; `None` when there is none and no more will come.
    fn take(&self) -> Option<SortedMap<String, Job>> {
        let mut pending = self.pending();
        while pending.teams.is_empty() && !pending.closed {
            pending = self.wake.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
        let jobs = std::mem::take(&mut pending.teams);
        (!jobs.is_empty()).then_some(jobs)
    }

    fn troubles(&self) -> MutexGuard<'_, SortedMap<String, String>> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.pending().closed = true;
        self.wake.notify_one();
    }
}

impl Writer {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system cannot create a thread.
    pub fn start(checkpoints: Checkpoints, metrics: Arc<Metrics>) -> io::Result<Self> {
        let queue = Arc::new(WriterQueue::default());
        let (end, ended) = channel();
        let work =
            Work { queue: Arc::clone(&queue), checkpoints, metrics, teams: SortedMap::new() };
        std::thread::Builder::new().name("checkpoints".to_owned()).spawn(move || {
            work.run();
            // The receiver may be gone.
            end.send(()).ok();
        })?;
        Ok(Self { queue, ended })
    }

    /// The sink that takes a team's checkpoints.
    #[must_use]
    pub fn sink(&self, team: &str) -> Arc<dyn CheckpointSink> {
        Arc::new(TeamSink { team: team.to_owned(), queue: Arc::clone(&self.queue) })
    }

    /// Writes the waiting checkpoints, as far as that is possible within `grace`.
    pub fn finish(self, grace: Duration) {
        self.queue.close();
        if self.ended.recv_timeout(grace).is_err() {
            warn!("the last checkpoints were not written: the disk is too slow");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.close();
    }
}

#[derive(Debug)]
struct TeamSink {
    team: String,
    queue: Arc<WriterQueue>,
}

impl CheckpointSink for TeamSink {
    fn put(&self, checkpoint: Box<dyn Freeze>) {
        // Dropping the replaced checkpoint may take a while, so it happens after the lock is
        // released.
        let mut before = None;
        self.queue.leave(&self.team, |job| before = job.put.replace(checkpoint));
    }

    fn refused(&self, _reason: &str) {
        // The team's journal has the reason.
        self.queue
            .leave(&self.team, |job| *job = Job { files: Some(FileChange::SetAside), put: None });
    }

    fn forget(&self) {
        self.queue
            .leave(&self.team, |job| *job = Job { files: Some(FileChange::Remove), put: None });
    }

    fn trouble(&self) -> Option<String> {
        self.queue.troubles().get(&self.team).cloned()
    }
}

/// State of the thread.
struct Work {
    queue: Arc<WriterQueue>,
    checkpoints: Checkpoints,
    metrics: Arc<Metrics>,
    teams: SortedMap<String, Team>,
}

struct Team {
    folder: Folder,
    freezer: Freezer,
    metrics: CheckpointMetrics,
    queue: Arc<WriterQueue>,
}

impl Work {
    fn run(mut self) {
        while let Some(jobs) = self.queue.take() {
            for (name, job) in jobs {
                let (folder, metrics) = (&self.checkpoints.folder, &self.metrics);
                let team = self.teams.entry(name).or_insert_with_key(|name| Team {
                    folder: Folder::of(folder, name),
                    freezer: Freezer::default(),
                    metrics: CheckpointMetrics::new(Arc::clone(metrics), name),
                    queue: Arc::clone(&self.queue),
                });
                team.work(job, self.checkpoints.sync_every);
            }
        }
    }
}

impl Team {
    fn work(&mut self, Job { files, put }: Job, sync_every: u32) {
        match files {
            Some(FileChange::SetAside) => self.set_aside(),
            Some(FileChange::Remove) => {
                // A team without checkpoints needs none to be written.
                self.queue.troubles().remove(self.folder.team());
                if let Err(error) = self.folder.clear() {
                    self.warn(&error, "cannot remove the checkpoints of a match that is over");
                }
            }
            None => {}
        }
        let Some(checkpoint) = put else { return };
        let begun = Instant::now();
        let freezer = &mut self.freezer;
        // A world that cannot be saved must not stop the thread for all teams.
        let bytes = catch_unwind(AssertUnwindSafe(|| checkpoint.freeze(freezer)));
        let bytes = bytes.map_err(|_| io::Error::other("saving the world panicked"));
        let written = bytes.and_then(|bytes| {
            self.folder.write(&bytes, sync_every)?;
            Ok(bytes.len())
        });
        match &written {
            Ok(bytes) => self.metrics.written(checkpoint.cost(), begun.elapsed(), *bytes),
            Err(_) => self.metrics.failed(),
        }
        self.tell(written);
    }

    fn set_aside(&self) {
        for slot in [Slot::Newest, Slot::Before] {
            match self.folder.set_aside(slot) {
                Ok(aside) => {
                    let (team, aside) = (self.folder.team(), aside.display());
                    warn!(team, %aside, "set aside a checkpoint of another match");
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    self.warn(&error, "cannot set aside a checkpoint of another match");
                }
            }
        }
    }

    fn warn(&self, error: &io::Error, what: &str) {
        let (team, file) = (self.folder.team(), self.folder.path(Slot::Newest));
        warn!(team, file = %file.display(), %error, "{what}");
    }

    /// Logs once that writing fails, and once that it works again, and keeps why it fails.
    fn tell(&self, written: io::Result<usize>) {
        let (team, file) = (self.folder.team(), self.folder.path(Slot::Newest));
        let file = file.display();
        let trouble = written.as_ref().err().map(|error| format!("{file}: {error}"));
        let before = match trouble {
            Some(trouble) => self.queue.troubles().insert(team.to_owned(), trouble),
            None => self.queue.troubles().remove(team),
        };
        match (written, before) {
            (Ok(_), Some(_)) => info!(team, %file, "checkpoints are written again"),
            (Err(error), None) => self.warn(
                &error,
                "cannot write a checkpoint; the team plays on, the one before is kept",
            ),
            (Ok(_), None) | (Err(_), Some(_)) => {}
        }
    }
}
