//! A worker: fetches items, has them played, publishes the results.

use crate::broker::{ACK_WAIT, items};
use crate::bundles::{BundleBytes, BundleCache, FetchError, fetch};
use crate::error::in_words;
use crate::lease::host;
use crate::link::{Say, connect};
use crate::publish::{Retry, publish};
use crate::wire::{
    BUNDLES, ItemVersion, MatchItem, NoteEvent, QueuedItem, ResultMessage, RunSubjects,
    WorkerAnswer, WorkerNote, item_of_subject, version, worker_subject,
};
use crate::{QueueAddress, QueueError};
use async_nats::Client;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Context, Message};
use futures_util::StreamExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at, sleep};

/// How long the server keeps a request for an item. After a restart of the server a worker asks
/// again when this time is over.
const WAIT: Duration = Duration::from_secs(5);
/// How often a worker that plays says so: several times before the server gives up on it.
const PROGRESS: Duration = Duration::from_secs(ACK_WAIT.as_secs() / 4);
/// Pause after an item that this worker cannot play: others may.
const REFUSED: Duration = Duration::from_secs(3);
/// Pause while the server has no queue, or does not answer.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a note may take to leave this process.
const NOTE_MAX: Duration = Duration::from_secs(1);
/// How often a worker says how much it has played.
const REPORT: Duration = Duration::from_mins(1);

/// How the game's side of a worker ended an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemEnd {
    /// The players' scores, in the order of the item.
    Scores(Vec<i64>),
    /// The match failed, as it would in one process.
    Failed(String),
    /// The match ended the process that played it, or used too much time or memory.
    Died(String),
    /// A bundle is not what its hash says.
    BadBundle(String),
}

/// Plays items one after the other. A worker has one for each match at once.
pub trait PlayItem: Send + 'static {
    /// Plays an item to its end; may be dropped before. `bundles` are those of the item, in its
    /// order.
    fn play(
        &mut self,
        item: &MatchItem,
        bundles: &[BundleBytes],
    ) -> impl Future<Output = ItemEnd> + Send;
}

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The program's version.
    pub version: String,
    /// Matches at once, at least 1.
    pub threads: usize,
}

/// What a worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerTotals {
    /// Items with a result.
    pub played: u64,
    /// Items that it refused.
    pub refused: u64,
}

/// Plays items until `stop` becomes true; items that it plays then go back to the queue.
///
/// # Errors
/// When no server answers at the beginning, or it refuses.
pub async fn run_worker<P: PlayItem>(
    address: &QueueAddress,
    options: WorkerOptions,
    player: impl Fn() -> P,
    mut stop: watch::Receiver<bool>,
    say: impl Fn(&str) + Send + Sync + 'static,
) -> Result<WorkerTotals, QueueError> {
    let say: Say = Arc::new(say);
    let client = connect(address, "phalanx worker", "_INBOX.worker", &say).await?;
    let unique = client.new_inbox().rsplit('.').next().unwrap_or_default().to_owned();
    let name = host().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let id = format!("{name}-{}-{unique}", std::process::id());
    let mut calls = client
        .subscribe(worker_subject(&id))
        .await
        .map_err(|why| QueueError::server("cannot listen", why))?;
    let worker = Arc::new(Worker {
        jetstream: async_nats::jetstream::new(client.clone()),
        client: client.clone(),
        id,
        version: version(&options.version),
        cache: Mutex::default(),
        said: Mutex::default(),
        played: AtomicU64::new(0),
        refused: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
        say,
    });
    let mut slots = JoinSet::new();
    for _ in 0..options.threads.max(1) {
        slots.spawn(Arc::clone(&worker).work(player(), stop.clone()));
    }
    let mut report = interval(REPORT);
    let mut reported = WorkerTotals::default();
    loop {
        tokio::select! {
            Some(call) = calls.next() => {
                if let Some(reply) = call.reply {
                    // A caller that gets no answer calls again.
                    drop(client.publish(reply, "here".into()).await);
                }
            }
            _ = report.tick() => {
                let totals = worker.totals();
                if totals != reported {
                    let WorkerTotals { played, refused } = totals;
                    (worker.say)(&format!("{played} matches played, {refused} refused"));
                    reported = totals;
                }
            }
            () = stopping(&mut stop) => break,
        }
    }
    worker.stopped.store(true, Ordering::Relaxed);
    while slots.join_next().await.is_some() {}
    // What was published last has to leave this process.
    drop(client.flush().await);
    Ok(worker.totals())
}

/// Waits until the worker is to stop.
async fn stopping(stop: &mut watch::Receiver<bool>) {
    // A sender that is gone cannot ask any more, and nobody would end the worker.
    drop(stop.wait_for(|stop| *stop).await);
}

struct Worker {
    jetstream: Context,
    client: Client,
    id: String,
    version: String,
    cache: Mutex<BundleCache>,
    /// The last trouble, which is said once.
    said: Mutex<String>,
    played: AtomicU64,
    refused: AtomicU64,
    stopped: AtomicBool,
    say: Say,
}

/// An item with its place in a run.
struct HeldItem {
    message: Message,
    subjects: RunSubjects,
    number: u64,
    session: String,
    attempt: u32,
}

/// What becomes of an item.
enum Fate {
    /// This is the result.
    Answer { fingerprint: String, answer: WorkerAnswer },
    /// Another worker gets it, now or after a pause.
    GiveBack(Option<Duration>),
}

impl Worker {
    fn totals(&self) -> WorkerTotals {
        WorkerTotals {
            played: self.played.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }

    /// Says what keeps the worker from working, once until something else does.
    fn trouble(&self, text: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if *said != text {
            text.clone_into(&mut said);
            (self.say)(text);
        }
    }

    /// Plays one item after the other.
    async fn work<P: PlayItem>(self: Arc<Self>, mut player: P, mut stop: watch::Receiver<bool>) {
        let mut consumer: Option<PullConsumer> = None;
        while !*stop.borrow() {
            let fetched = tokio::select! {
                fetched = self.fetch(&mut consumer) => fetched,
                () = stopping(&mut stop) => return,
            };
            let Some(message) = fetched else { continue };
            let pause = self.handle(message, &mut player, &mut stop).await;
            tokio::select! {
                () = sleep(pause) => {}
                () = stopping(&mut stop) => return,
            }
        }
    }

    /// The next item; waits a while where there is none.
    async fn fetch(&self, consumer: &mut Option<PullConsumer>) -> Option<Message> {
        if consumer.is_none() {
            match items(&self.jetstream).await {
                Ok(Some(found)) => *consumer = Some(found),
                Ok(None) => self.trouble("no league has used this server yet; waiting for one"),
                Err(why) => self.trouble(&format!("{why}; waiting")),
            }
        }
        let Some(found) = consumer else {
            sleep(PAUSE).await;
            return None;
        };
        let batch = found.batch().max_messages(1).expires(WAIT).messages().await;
        let next = match batch {
            Ok(mut batch) => batch.next().await.transpose(),
            Err(why) => Err(why.into()),
        };
        match next {
            Ok(message) => message,
            Err(why) => {
                self.trouble(&format!("cannot fetch a match: {}; waiting", in_words(&why)));
                *consumer = None;
                sleep(PAUSE).await;
                None
            }
        }
    }

    /// Plays an item and publishes what became of it. Returns the pause before the next one.
    async fn handle<P: PlayItem>(
        &self,
        message: Message,
        player: &mut P,
        stop: &mut watch::Receiver<bool>,
    ) -> Duration {
        let Some((run, number)) = item_of_subject(&message.subject) else {
            // It cannot be answered.
            drop(message.ack_with(AckKind::Term).await);
            return Duration::ZERO;
        };
        let subjects = RunSubjects(run.to_owned());
        let read = serde_json::from_slice::<ItemVersion>(&message.payload);
        let (session, attempt) =
            read.as_ref().map_or((String::new(), 0), |one| (one.session.clone(), one.attempt));
        let held = HeldItem { message, subjects, number, session, attempt };
        let refuse = |reason: String| Fate::Answer {
            fingerprint: String::new(),
            answer: WorkerAnswer::Refused { reason, bundles: false },
        };
        let fate = match read {
            Err(why) => refuse(format!("refused match {number}: it is malformed: {why}")),
            Ok(read) if read.version != self.version => refuse(format!(
                "refused a match: the worker has version {}, and the league {}; install the same \
                 build on both machines",
                self.version, read.version
            )),
            Ok(_) => match serde_json::from_slice::<QueuedItem>(&held.message.payload) {
                Ok(queued) if queued.item.is_sound() => {
                    self.play(&held, &queued.item, player, stop).await
                }
                Ok(_) => refuse(format!("refused match {number}: its players are malformed")),
                Err(why) => refuse(format!("refused match {number}: it is malformed: {why}")),
            },
        };
        self.finish(held, fate).await
    }

    /// Has an item played, and says meanwhile that it is being played.
    async fn play<P: PlayItem>(
        &self,
        held: &HeldItem,
        item: &MatchItem,
        player: &mut P,
        stop: &mut watch::Receiver<bool>,
    ) -> Fate {
        self.note(held, NoteEvent::Began).await;
        let fingerprint = item.fingerprint();
        let played = async {
            let mut bundles = Vec::with_capacity(item.bundles.len());
            for hash in &item.bundles {
                match self.bundle(hash).await {
                    Ok(bundle) => bundles.push(bundle),
                    Err(FetchError::Away(why)) => {
                        self.trouble(&in_words(&why));
                        return Fate::GiveBack(Some(REFUSED));
                    }
                    Err(FetchError::Missing(reason)) => {
                        let answer = WorkerAnswer::Refused { reason, bundles: true };
                        return Fate::Answer { fingerprint, answer };
                    }
                    Err(FetchError::Oversized(reason)) => {
                        let answer = WorkerAnswer::Refused { reason, bundles: false };
                        return Fate::Answer { fingerprint, answer };
                    }
                }
            }
            let answer = match player.play(item, &bundles).await {
                ItemEnd::Scores(scores) => WorkerAnswer::Scores(scores),
                ItemEnd::Failed(reason) => WorkerAnswer::Failed(reason),
                ItemEnd::Died(reason) => WorkerAnswer::Died(reason),
                ItemEnd::BadBundle(reason) => WorkerAnswer::Refused { reason, bundles: false },
            };
            Fate::Answer { fingerprint, answer }
        };
        tokio::pin!(played);
        // It was received and announced just now.
        let mut progress = interval_at(Instant::now() + PROGRESS, PROGRESS);
        progress.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                fate = &mut played => return fate,
                _ = progress.tick() => {
                    // The next one may arrive.
                    drop(held.message.ack_with(AckKind::Progress).await);
                    // A coordinator that came later does not know of it.
                    self.note(held, NoteEvent::Began).await;
                }
                () = stopping(stop) => return Fate::GiveBack(None),
            }
        }
    }

    /// Publishes the result, and only then takes the item off the queue.
    async fn finish(&self, held: HeldItem, fate: Fate) -> Duration {
        let Fate::Answer { fingerprint, answer } = fate else {
            self.note(&held, NoteEvent::GaveBack).await;
            let pause = match fate {
                Fate::GiveBack(pause) => pause,
                Fate::Answer { .. } => None,
            };
            drop(held.message.ack_with(AckKind::Nak(pause)).await);
            return pause.unwrap_or_default();
        };
        let (kind, pause) = match &answer {
            WorkerAnswer::Refused { reason, .. } => {
                self.trouble(reason);
                // Each worker's own: another one may refuse for another reason.
                (self.id.as_str(), REFUSED)
            }
            WorkerAnswer::Died(_) => (self.id.as_str(), Duration::ZERO),
            WorkerAnswer::Scores(_) | WorkerAnswer::Failed(_) => ("", Duration::ZERO),
        };
        let HeldItem { message, subjects, number, session, attempt } = held;
        let counter = if pause.is_zero() { &self.played } else { &self.refused };
        let (worker, version) = (self.id.clone(), self.version.clone());
        // Results of equal items are copies of each other, and the server keeps one.
        let id = format!("{session}.{number}.{attempt}.{kind}");
        let result = ResultMessage { worker, version, fingerprint, attempt, answer };
        // Numbers and texts always have a form in JSON.
        let payload = serde_json::to_vec(&result).unwrap_or_default();
        let subject = subjects.result(number);
        let retry = Retry { stop: &self.stopped, say: &self.say };
        let what = "cannot publish a result";
        if publish(&self.jetstream, what, &subject, &id, &payload, &retry).await.is_err() {
            // The item stays with the server, which gives it to another worker.
            return Duration::ZERO;
        }
        counter.fetch_add(1, Ordering::Relaxed);
        // If it is lost, another worker plays the match in vain.
        drop(message.ack().await);
        pause
    }

    async fn note(&self, held: &HeldItem, event: NoteEvent) {
        let note = WorkerNote { worker: self.id.clone(), number: held.number, event };
        let payload = serde_json::to_vec(&note).unwrap_or_default();
        // A coordinator that is away does not need it.
        drop(self.client.publish(held.subjects.notes(), payload.into()).await);
        // A match that ends this process at once is known to have begun.
        drop(tokio::time::timeout(NOTE_MAX, self.client.flush()).await);
    }

    async fn bundle(&self, hash: &str) -> Result<BundleBytes, FetchError> {
        let known = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bundle) = known().get(hash) {
            return Ok(bundle);
        }
        let store = self.jetstream.get_object_store(BUNDLES).await;
        let store = store.map_err(|why| FetchError::Away(format!("no strategies: {why}")))?;
        let bundle = fetch(&store, hash).await?;
        known().insert(bundle.clone());
        Ok(bundle)
    }
}
