//! The coordinator: a league's matches go to a queue and come back as results.

use crate::broker::Broker;
use crate::bundles::{BundleBytes, upload};
use crate::lease::{Holder, Lease, host};
use crate::link::{Say, connect};
use crate::open::{Effect, Next, OpenMatches};
use crate::publish::{Retry, publish};
use crate::results::ResultReader;
use crate::watch::Watcher;
use crate::wire::{MatchItem, QueuedItem, RunSubjects, fingerprint, version};
use crate::{QueueAddress, QueueError};
use phalanx_league::{Fixture, MatchOutcome, PlayError, PlayMatch};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How often a waiting thread looks whether the league was stopped.
const LOOK: Duration = Duration::from_millis(250);
/// Pause before an item that was refused or given back is queued again: the attempt's number times
/// this, up to the longest.
const AGAIN: (Duration, Duration) = (Duration::from_millis(300), Duration::from_secs(10));
/// Answers that a waiting thread has not read: it has at most two.
const ANSWERS_MAX: usize = 4;
/// How long the end of a run may take.
const END_MAX: Duration = Duration::from_secs(10);

/// A run whose matches are played by workers: a league, or a search for better values.
#[derive(Clone)]
pub struct QueueRun {
    /// The run's name on the server, see [`run_id`].
    pub run: String,
    /// The program's version.
    pub version: String,
    /// The game's name.
    pub game: String,
    /// What matches are set up with.
    pub setup: BTreeMap<String, String>,
    /// The bundles of the plan's players, in its order.
    pub bundles: Vec<BundleBytes>,
    /// How long the run goes on while workers only refuse its matches.
    pub refused_max: Duration,
    /// The run's folder, in which the coordinator notes which workers play.
    pub folder: Option<PathBuf>,
}

/// The name of a run on the server: two runs with the same plan have the same. Leave out of the plan
/// what does not change its matches, such as the folders of players.
#[must_use]
pub fn run_id(plan: &impl Serialize) -> String {
    fingerprint(plan)
}

/// Plays matches by putting them on a queue.
pub struct QueuedMatches {
    run: String,
    version: String,
    game: String,
    setup: BTreeMap<String, String>,
    bundles: Mutex<Vec<BundleBytes>>,
    core: Arc<Core>,
    /// Dropped last: it carries the tasks.
    runtime: Runtime,
}

/// What the league's threads and the coordinator's tasks share.
pub(crate) struct Core {
    pub(crate) broker: Broker,
    pub(crate) subjects: RunSubjects,
    pub(crate) session: String,
    pub(crate) say: Say,
    /// Where the workers are noted.
    pub(crate) folder: Option<PathBuf>,
    open: Mutex<OpenMatches>,
    /// Why the run cannot go on.
    fatal: Mutex<Option<QueueError>>,
    /// Whether the run ends: no request is tried again.
    pub(crate) ended: AtomicBool,
}

impl Core {
    pub(crate) fn open(&self) -> MutexGuard<'_, OpenMatches> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says and deletes what follows from a message.
    pub(crate) async fn carry_out(&self, Effect { say, delete }: Effect) {
        if let Some(text) = say {
            (self.say)(&text);
        }
        if let Some(sequence) = delete {
            // A worker that has it already plays it in vain.
            drop(self.broker.matches.delete_message(sequence).await);
        }
    }

    pub(crate) fn fail(&self, why: QueueError) {
        self.fatal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.ended.store(true, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for QueuedMatches {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("QueuedMatches").field("run", &self.run).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for QueueRun {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("QueueRun").field("run", &self.run).finish_non_exhaustive()
    }
}

impl QueuedMatches {
    /// Connects, takes the lease of the run, and uploads its bundles. `say` gets lines for the
    /// person who watches.
    ///
    /// # Errors
    /// When no server answers or it refuses; when another process coordinates the same run; when a
    /// bundle is too large.
    pub fn open(
        address: &QueueAddress,
        run: QueueRun,
        stop: &AtomicBool,
        say: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, QueueError> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|why| QueueError::server("cannot start threads", why))?;
        let say: Say = Arc::new(say);
        let core = runtime.block_on(Core::begin(address, &run, stop, say))?;
        let QueueRun { run, version, game, setup, bundles, .. } = run;
        Ok(Self { run, version, game, setup, bundles: Mutex::new(bundles), core, runtime })
    }

    /// Ends the run: takes what is left of it off the queue and lets others coordinate it. `over`:
    /// everything was played, so that results that come late are of no use.
    ///
    /// # Errors
    /// Why the run could not go on.
    pub fn end(self, over: bool) -> Result<(), QueueError> {
        let Self { core, runtime, .. } = self;
        core.ended.store(true, Ordering::Relaxed);
        let end = async {
            // What fails here lapses on the server later.
            drop(core.broker.clear(&core.subjects).await);
            if over {
                core.broker.forget(&core.subjects).await;
            }
        };
        runtime.block_on(async { drop(tokio::time::timeout(END_MAX, end).await) });
        let fatal = core.fatal.lock().unwrap_or_else(PoisonError::into_inner).take();
        let doubles = core.open().doubles;
        if doubles > 0 {
            (core.say)(&format!("{doubles} results came twice and were counted once"));
        }
        let folder = core.folder.clone();
        // The watcher releases the lease when it sees the end.
        drop(core);
        runtime.shutdown_timeout(END_MAX);
        if let Some(folder) = folder {
            crate::workers::remove(&folder);
        }
        fatal.map_or(Ok(()), Err)
    }

    fn bundles(&self) -> MutexGuard<'_, Vec<BundleBytes>> {
        self.bundles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the bundle of another player, whose place is behind the others.
    ///
    /// # Errors
    /// When it is too large, or the run ends before the server has it.
    pub fn add(&self, bundle: BundleBytes) -> Result<(), QueueError> {
        let retry = Retry { stop: &self.core.ended, say: &self.core.say };
        let (store, one) = (&self.core.broker.bundles, std::slice::from_ref(&bundle));
        self.runtime.block_on(upload(store, one, &retry))?;
        self.bundles().push(bundle);
        Ok(())
    }

    fn item(&self, fixture: &Fixture) -> Option<MatchItem> {
        MatchItem::new(&self.game, &self.setup, &self.bundles(), fixture)
    }

    /// Puts an item on the queue.
    fn queue(&self, number: u64, attempt: u32, item: &MatchItem) -> Result<(), QueueError> {
        let core = &self.core;
        let queued = QueuedItem {
            version: version(&self.version),
            session: core.session.clone(),
            attempt,
            item: item.clone(),
        };
        // Numbers and texts always have a form in JSON.
        let payload = serde_json::to_vec(&queued).unwrap_or_default();
        let id = format!("{}.{number}.{attempt}", core.session);
        let retry = Retry { stop: &core.ended, say: &core.say };
        let subject = core.subjects.item(number);
        let what = "cannot queue a match";
        let sent = publish(&core.broker.jetstream, what, &subject, &id, &payload, &retry);
        let sent = self.runtime.block_on(sent)?;
        core.open().queued(number, attempt, sent.sequence);
        Ok(())
    }

    fn upload_again(&self) -> Result<(), QueueError> {
        let retry = Retry { stop: &self.core.ended, say: &self.core.say };
        let store = &self.core.broker.bundles;
        let bundles = self.bundles().clone();
        self.runtime.block_on(upload(store, &bundles, &retry))
    }

    /// Waits until the match has a result; `None` when it was given up.
    fn outcome(
        &self,
        number: u64,
        item: &MatchItem,
        answers: &Receiver<Next>,
        stop: &AtomicBool,
    ) -> Option<MatchOutcome> {
        self.queue(number, 0, item).ok()?;
        loop {
            let stopped =
                || stop.load(Ordering::Relaxed) || self.core.ended.load(Ordering::Relaxed);
            match answers.recv_timeout(LOOK) {
                Ok(Next::Over(outcome)) => return Some(outcome),
                Ok(Next::Again { attempt, bundles }) => {
                    if bundles {
                        self.upload_again().ok()?;
                    }
                    let (step, longest) = AGAIN;
                    let pause = step.saturating_mul(attempt).min(longest);
                    self.runtime.block_on(async { tokio::time::sleep(pause).await });
                    if stopped() {
                        return None;
                    }
                    self.queue(number, attempt, item).ok()?;
                }
                Err(RecvTimeoutError::Timeout) if stopped() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

impl PlayMatch for QueuedMatches {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let number = fixture.number;
        let Some(item) = self.item(fixture) else {
            return Err(PlayError::Failed("a player that is not there".to_owned()));
        };
        let (waiting, answers) = sync_channel(ANSWERS_MAX);
        let early = self.core.open().ask(number, item.fingerprint(), item.players.len(), waiting);
        let outcome = early.or_else(|| self.outcome(number, &item, &answers, stop));
        self.core.open().leave(number);
        match outcome {
            Some(MatchOutcome::Scores(scores)) => Ok(scores),
            Some(MatchOutcome::Failed(reason)) => Err(PlayError::Failed(reason)),
            None => Err(PlayError::Stopped),
        }
    }
}

impl Core {
    async fn begin(
        address: &QueueAddress,
        run: &QueueRun,
        stop: &AtomicBool,
        say: Say,
    ) -> Result<Arc<Self>, QueueError> {
        let name = format!("phalanx coordinator of {}", run.run);
        let client = connect(address, &name, "_INBOX.coordinator", &say).await?;
        let jetstream = async_nats::jetstream::new(client.clone());
        let broker = Broker::open(jetstream).await?;
        let session = client.new_inbox().rsplit('.').next().unwrap_or_default().to_owned();
        let process = std::process::id();
        let holder = Holder { session: session.clone(), host: host(), process };
        let subjects = RunSubjects(run.run.clone());
        let lease = Lease::take(&broker, &client, &run.run, holder).await?;
        let core = Arc::new(Self {
            broker,
            subjects,
            session,
            say,
            folder: run.folder.clone(),
            open: Mutex::new(OpenMatches::new(version(&run.version), run.refused_max)),
            fatal: Mutex::new(None),
            ended: AtomicBool::new(false),
        });
        let reader = ResultReader::new(Arc::clone(&core)).await?;
        let watcher = Watcher::new(Arc::clone(&core), client, lease).await?;
        // What an earlier coordinator left on the queue, under another session.
        core.broker.clear(&core.subjects).await?;
        let retry = Retry { stop, say: &core.say };
        upload(&core.broker.bundles, &run.bundles, &retry).await?;
        tokio::spawn(reader.run());
        tokio::spawn(watcher.run());
        Ok(core)
    }
}
