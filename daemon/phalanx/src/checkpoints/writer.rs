//! Writes the checkpoints of all teams, on a thread of its own. Of each team the newest alone
//! matters: a slow disk skips those between, and nobody waits for it.

use super::Checkpoints;
use super::folder::{Folder, Slot};
use phalanx_engine::Freezer;
use phalanx_metrics::{CheckpointMetrics, Metrics};
use phalanx_net::{CheckpointSink, Freeze};
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tracing::{info, warn};

/// The thread that writes checkpoints. It ends with this.
#[derive(Debug)]
pub struct Writer {
    desk: Arc<Desk>,
    ended: Receiver<()>,
}

/// Where teams leave what is to be written.
#[derive(Debug, Default)]
struct Desk {
    pile: Mutex<Pile>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Pile {
    teams: BTreeMap<String, Job>,
    closed: bool,
}

/// What is to be done for a team: first what becomes of the files that are there, then a new one.
#[derive(Debug, Default)]
struct Job {
    fate: Option<Fate>,
    put: Option<Box<dyn Freeze>>,
}

/// What becomes of a team's files.
#[derive(Clone, Copy, Debug)]
enum Fate {
    SetAside,
    Remove,
}

impl Desk {
    fn pile(&self) -> MutexGuard<'_, Pile> {
        // Each change is one step: a pile is whole even when its holder panicked.
        self.pile.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, team: &str, change: impl FnOnce(&mut Job)) {
        change(self.pile().teams.entry(team.to_owned()).or_default());
        self.wake.notify_one();
    }

    /// Everything that waits; `None` once there is nothing and nothing will come.
    fn take(&self) -> Option<BTreeMap<String, Job>> {
        let mut pile = self.pile();
        while pile.teams.is_empty() && !pile.closed {
            pile = self.wake.wait(pile).unwrap_or_else(PoisonError::into_inner);
        }
        let jobs = std::mem::take(&mut pile.teams);
        (!jobs.is_empty()).then_some(jobs)
    }

    fn close(&self) {
        self.pile().closed = true;
        self.wake.notify_one();
    }
}

impl Writer {
    /// Begins to write.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(checkpoints: Checkpoints, metrics: Arc<Metrics>) -> io::Result<Self> {
        let desk = Arc::new(Desk::default());
        let (told, ended) = channel();
        let work = Work { desk: Arc::clone(&desk), checkpoints, metrics, teams: BTreeMap::new() };
        std::thread::Builder::new().name("checkpoints".to_owned()).spawn(move || {
            work.run();
            // Nobody may wait for it.
            told.send(()).ok();
        })?;
        Ok(Self { desk, ended })
    }

    /// Takes the checkpoints of a team.
    #[must_use]
    pub fn sink(&self, team: &str) -> Arc<dyn CheckpointSink> {
        Arc::new(TeamSink { team: team.to_owned(), desk: Arc::clone(&self.desk) })
    }

    /// Writes what is left, as far as that is possible within `grace`.
    pub fn finish(self, grace: Duration) {
        self.desk.close();
        if self.ended.recv_timeout(grace).is_err() {
            warn!("the last checkpoints are not written: the disk is too slow");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.desk.close();
    }
}

#[derive(Debug)]
struct TeamSink {
    team: String,
    desk: Arc<Desk>,
}

impl CheckpointSink for TeamSink {
    fn put(&self, checkpoint: Box<dyn Freeze>) {
        // What it replaces may take its time to be dropped: not while everybody waits.
        let mut before = None;
        self.desk.leave(&self.team, |job| before = job.put.replace(checkpoint));
    }

    fn refused(&self, _reason: &str) {
        // The team's journal tells why.
        self.desk.leave(&self.team, |job| *job = Job { fate: Some(Fate::SetAside), put: None });
    }

    fn forget(&self) {
        self.desk.leave(&self.team, |job| *job = Job { fate: Some(Fate::Remove), put: None });
    }
}

/// The thread's own.
struct Work {
    desk: Arc<Desk>,
    checkpoints: Checkpoints,
    metrics: Arc<Metrics>,
    teams: BTreeMap<String, Team>,
}

struct Team {
    folder: Folder,
    freezer: Freezer,
    metrics: CheckpointMetrics,
    /// It was told that nothing can be written.
    is_failing: bool,
}

impl Work {
    fn run(mut self) {
        while let Some(jobs) = self.desk.take() {
            for (name, job) in jobs {
                let (folder, metrics) = (&self.checkpoints.folder, &self.metrics);
                let team = self.teams.entry(name).or_insert_with_key(|name| Team {
                    folder: Folder::of(folder, name),
                    freezer: Freezer::default(),
                    metrics: CheckpointMetrics::new(Arc::clone(metrics), name),
                    is_failing: false,
                });
                team.work(job, self.checkpoints.sync_every);
            }
        }
    }
}

impl Team {
    fn work(&mut self, Job { fate, put }: Job, sync_every: u32) {
        match fate {
            Some(Fate::SetAside) => self.set_aside(),
            Some(Fate::Remove) => {
                let cleared = self.folder.clear();
                self.tell(cleared);
            }
            None => {}
        }
        let Some(checkpoint) = put else { return };
        let begun = Instant::now();
        let freezer = &mut self.freezer;
        // A world that cannot be saved is no reason to stop for all the others.
        let bytes = catch_unwind(AssertUnwindSafe(|| checkpoint.freeze(freezer)));
        let bytes = bytes.map_err(|_| io::Error::other("the world cannot be saved"));
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

    fn set_aside(&mut self) {
        for slot in [Slot::Newest, Slot::Before] {
            match self.folder.set_aside(slot) {
                Ok(aside) => {
                    let (team, aside) = (self.folder.team(), aside.display());
                    warn!(team, %aside, "a checkpoint of another match is set aside");
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.tell::<()>(Err(error)),
            }
        }
    }

    /// Tells once that nothing can be written, and once that it can again.
    fn tell<T>(&mut self, written: io::Result<T>) {
        let (team, file) = (self.folder.team(), self.folder.path(Slot::Newest));
        let file = file.display();
        match (written, self.is_failing) {
            (Ok(_), true) => {
                info!(team, %file, "checkpoints are written again");
                self.is_failing = false;
            }
            (Err(error), false) => {
                warn!(team, %file, %error, "cannot write a checkpoint; the team plays on, the one \
                    before is kept");
                self.is_failing = true;
            }
            (Ok(_), false) | (Err(_), true) => {}
        }
    }
}
