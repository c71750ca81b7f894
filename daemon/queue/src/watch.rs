//! What the coordinator does beside the league's threads: it reads the notes of workers, asks workers
//! whether they are there, renews the lease, and looks for lost items.

use crate::QueueError;
use crate::coordinator::Core;
use crate::lease::{Lease, RENEWAL};
use crate::refusals::Stuck;
use crate::wire::{WorkerNote, coordinator_subject, worker_subject};
use crate::workers::{RecentWorkers, write};
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::stream::RawMessageErrorKind;
use async_nats::{Client, Request, RequestErrorKind, Subscriber};
use futures_util::StreamExt;
use futures_util::stream;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// How often the coordinator looks whether its run ends.
const LOOK: Duration = Duration::from_millis(200);
/// How often the workers are noted in the run's folder, if they changed.
const NOTE: Duration = Duration::from_secs(2);
/// How often workers are asked whether they are there.
const ROLL_CALL: Duration = Duration::from_secs(3);
/// How long a worker has to answer.
const ANSWER_MAX: Duration = Duration::from_secs(2);
/// Calls that a worker misses before it counts as gone.
const MISSES_MAX: u32 = 2;
/// Time after a restart of the server in which workers may still be on their way back.
const RETURN: Duration = Duration::from_secs(8);
/// How often items that no known worker has are looked for on the server.
const SEARCH: Duration = Duration::from_secs(10);
/// Requests to the server at once.
const AT_ONCE: usize = 32;
/// The coordinator's own task.
pub(crate) struct Watcher {
    core: Arc<Core>,
    client: Client,
    lease: Lease,
    notes: Subscriber,
    calls: Subscriber,
    /// Calls in a row that workers missed.
    missed: BTreeMap<String, u32>,
    /// When the server was last away.
    away: Instant,
    /// Items that were not found in the last search, by number and place in the stream.
    absent: BTreeSet<(u64, u64)>,
    recent: RecentWorkers,
}

impl Watcher {
    pub(crate) async fn new(
        core: Arc<Core>,
        client: Client,
        lease: Lease,
    ) -> Result<Self, QueueError> {
        let listen = async |subject: String| {
            let subscribed = client.subscribe(subject).await;
            subscribed.map_err(|why| QueueError::server("cannot listen", why))
        };
        let notes = listen(core.subjects.notes()).await?;
        let calls = listen(coordinator_subject(&core.session)).await?;
        let (missed, absent) = (BTreeMap::new(), BTreeSet::new());
        let (away, recent) = (Instant::now(), RecentWorkers::default());
        Ok(Self { core, client, lease, notes, calls, missed, away, absent, recent })
    }

    /// Works until the run ends.
    pub(crate) async fn run(mut self) {
        let timer = |every| {
            let mut timer = interval(every);
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
            timer
        };
        let (mut look, mut roll, mut renew, mut search, mut note) =
            (timer(LOOK), timer(ROLL_CALL), timer(RENEWAL), timer(SEARCH), timer(NOTE));
        loop {
            tokio::select! {
                Some(note) = self.notes.next() => {
                    if let Ok(note) = serde_json::from_slice::<WorkerNote>(&note.payload) {
                        self.core.open().note(note);
                    }
                }
                Some(call) = self.calls.next() => self.answer(call).await,
                _ = look.tick() => {
                    if self.client.connection_state() != async_nats::connection::State::Connected {
                        self.away = Instant::now();
                    }
                    if self.core.ended.load(Ordering::Relaxed) {
                        break;
                    }
                    self.look_for_refusals();
                }
                _ = roll.tick() => self.call_roll().await,
                _ = renew.tick() => {
                    if let Err(why) = self.lease.renew().await {
                        self.core.fail(why);
                    }
                }
                _ = search.tick() => self.search().await,
                _ = note.tick() => self.note_workers().await,
            }
        }
        self.lease.release().await;
    }

    async fn note_workers(&mut self) {
        let Some(folder) = &self.core.folder else { return };
        let counts = self.core.open().workers.all();
        if let Some(workers) = self.recent.look(&counts, Instant::now()) {
            write(folder, &workers).await;
        }
    }

    /// Warns while every worker refuses, and ends the run when that lasts.
    fn look_for_refusals(&self) {
        let stuck = self.core.open().stuck(Instant::now());
        match stuck {
            Some(Stuck::Warn(text)) => (self.core.say)(&text),
            Some(Stuck::End(text)) => self.core.fail(QueueError::Refused(text)),
            None => {}
        }
    }

    async fn answer(&self, call: async_nats::Message) {
        if let Some(reply) = call.reply {
            drop(self.client.publish(reply, "here".into()).await);
        }
    }

    /// Asks the workers that have matches whether they are there.
    async fn call_roll(&mut self) {
        if self.away.elapsed() < RETURN {
            return;
        }
        let holders = self.core.open().holders();
        self.missed.retain(|worker, _| holders.contains(worker));
        let client = &self.client;
        let asked = stream::iter(holders).map(|worker| async move {
            let request = Request::new().timeout(Some(ANSWER_MAX));
            let answer = client.send_request(worker_subject(&worker), request).await;
            let gone = answer.is_err_and(|why| why.kind() == RequestErrorKind::NoResponders);
            (worker, gone)
        });
        let answers: Vec<_> = asked.buffer_unordered(AT_ONCE).collect().await;
        for (worker, gone) in answers {
            if !gone {
                self.missed.remove(&worker);
                continue;
            }
            let missed = self.missed.entry(worker.clone()).or_default();
            *missed += 1;
            if *missed >= MISSES_MAX {
                self.missed.remove(&worker);
                let effects = self.core.open().died(&worker);
                for effect in effects {
                    self.core.carry_out(effect).await;
                }
            }
        }
    }

    /// Looks for items that no worker has. One that is missing twice is lost, for example since the
    /// server was set up anew.
    async fn search(&mut self) {
        if self.away.elapsed() < RETURN {
            return;
        }
        let unheld = self.core.open().unheld();
        let matches = &self.core.broker.matches;
        let looked = stream::iter(unheld).map(|(number, sequence)| async move {
            let found = matches.get_raw_message(sequence).await;
            let absent = found.is_err_and(|why| match why.kind() {
                RawMessageErrorKind::NoMessageFound => true,
                RawMessageErrorKind::JetStream(error) => {
                    error.error_code() == ErrorCode::STREAM_NOT_FOUND
                }
                RawMessageErrorKind::InvalidSubject | RawMessageErrorKind::Other => false,
            });
            absent.then_some((number, sequence))
        });
        let absent: BTreeSet<_> =
            looked.buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await;
        let lost: Vec<_> = absent.intersection(&self.absent).copied().collect();
        if !lost.is_empty() {
            let text = format!("the server lost {} matches; they are queued again", lost.len());
            (self.core.say)(&text);
        }
        for (number, sequence) in lost {
            self.core.open().lost(number, sequence);
        }
        self.absent = absent;
    }
}
