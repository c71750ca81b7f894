//! Slots for long answers: how many of one kind are open at once, how many for one caller, and
//! which one ends when another needs its slot.
//!
//! If a client stops reading, its stream stalls: the stream has a message that the connection does
//! not take. A stalled stream ends after a while, or sooner if its slot is needed.

use crate::caller::IdentifiedCaller;
use crate::error::{Reason, refuse};
use crate::slots::ConnectionSlot;
use futures_util::Stream;
use futures_util::task::AtomicWaker;
use phalanx_game::sorted::SortedMap;
use phalanx_metrics::ApiMetrics;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::{Request, Status};

/// Longest time that a stream with something to send may stall.
const STALLED_MAX: Duration = Duration::from_secs(30);
/// A stream that has stalled for this long ends when another one needs its slot.
const STALLED_CROWDED: Duration = Duration::from_secs(1);
/// One caller has at most one part in this many of all slots.
const SHARE: usize = 2;
/// How often the streams are checked within the longest time that they may stall.
const SWEEPS: u32 = 4;
/// The stream does not stall.
const FLOWING: u64 = u64::MAX;

/// How long streams may stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// Longest time that a stream with something to send may stall; after twice that time the
    /// connection ends, too.
    pub stalled: Duration,
    /// A stream that has stalled for this long ends when another one needs its slot.
    pub crowded: Duration,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self { stalled: STALLED_MAX, crowded: STALLED_CROWDED }
    }
}

/// The slots of one kind of streams.
#[derive(Debug)]
pub(crate) struct StreamSlots {
    /// The label in metrics.
    kind: &'static str,
    max: usize,
    limits: StreamLimits,
    metrics: Option<ApiMetrics>,
    table: Mutex<ShareTable>,
}

#[derive(Debug, Default)]
struct ShareTable {
    last: u64,
    /// By number, so the oldest is first.
    open: SortedMap<u64, Arc<ShareEntry>>,
    /// Streams that we ended, but whose clients have not read the end yet.
    ended: SortedMap<u64, (Instant, Arc<ShareEntry>)>,
}

/// The caller of a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamHolder {
    caller: String,
    slot: Option<Arc<ConnectionSlot>>,
    flow: Arc<Flow>,
}

/// Whether the connection takes the bytes of an answer. Counting messages is not enough: several of
/// them wait together until the connection takes any.
#[derive(Debug)]
pub(crate) struct Flow {
    began: Instant,
    /// Since when the connection has taken bytes without asking for more, in milliseconds after the
    /// beginning; or [`FLOWING`].
    stalled: AtomicU64,
}

impl Default for Flow {
    fn default() -> Self {
        Self { began: Instant::now(), stalled: AtomicU64::new(FLOWING) }
    }
}

impl Flow {
    /// The connection asks for bytes.
    pub(crate) fn asked(&self) {
        self.stalled.store(FLOWING, Ordering::Relaxed);
    }

    /// It got some, and will ask again when they are sent.
    pub(crate) fn sent(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(FLOWING - 1);
        self.stalled.store(now, Ordering::Relaxed);
    }

    /// For how long it has not asked for more.
    fn stalled(&self) -> Option<Duration> {
        let since = self.stalled.load(Ordering::Relaxed);
        let since = Duration::from_millis(Some(since).filter(|since| *since != FLOWING)?);
        Some(self.began.elapsed().saturating_sub(since))
    }
}

#[derive(Debug)]
struct ShareEntry {
    holder: StreamHolder,
    ended: watch::Sender<Option<Cause>>,
    waker: AtomicWaker,
}

/// Why a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Stalled(Duration),
    Crowded,
}

/// Holds a slot; dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct SlotLease {
    shares: Arc<StreamSlots>,
    number: u64,
    entry: Arc<ShareEntry>,
}

/// Resolves when we end a stream.
#[derive(Clone, Debug)]
pub(crate) struct Ended(watch::Receiver<Option<Cause>>);

impl StreamHolder {
    pub(crate) fn of<T>(request: &Request<T>) -> Self {
        let extensions = request.extensions();
        let caller = extensions.get::<IdentifiedCaller>().map(|caller| caller.identity.clone());
        let flow = extensions.get().cloned().unwrap_or_default();
        Self { caller: caller.unwrap_or_default(), slot: extensions.get().cloned(), flow }
    }
}

impl StreamSlots {
    pub(crate) fn new(
        kind: &'static str,
        max: usize,
        limits: StreamLimits,
        metrics: Option<ApiMetrics>,
    ) -> Arc<Self> {
        Arc::new(Self { kind, max, limits, metrics, table: Mutex::default() })
    }

    /// Takes a slot, if necessary that of the stream that has stalled for the longest time.
    pub(crate) fn open(self: &Arc<Self>, holder: StreamHolder) -> Result<SlotLease, Status> {
        let mut table = self.table();
        if let Some((number, cause)) = self.room(&table, &holder)? {
            self.end(&mut table, number, cause);
        }
        let entry = Arc::new(ShareEntry {
            holder,
            ended: watch::Sender::new(None),
            waker: AtomicWaker::new(),
        });
        table.last += 1;
        let number = table.last;
        table.open.insert(number, Arc::clone(&entry));
        Ok(SlotLease { shares: Arc::clone(self), number, entry })
    }

    /// The stream to end so that this caller gets a slot; `None` if there is a free one.
    fn room(
        &self,
        table: &ShareTable,
        holder: &StreamHolder,
    ) -> Result<Option<(u64, Cause)>, Status> {
        let share = (self.max / SHARE).max(1);
        let mut counts: SortedMap<&str, usize> = SortedMap::new();
        for entry in table.open.values() {
            *counts.entry(&entry.holder.caller).or_default() += 1;
        }
        let own = counts.get(holder.caller.as_str()).copied().unwrap_or_default();
        let slowest = |of: Option<&str>| {
            let stalls = table.open.iter().filter_map(|(number, entry)| {
                let ours = of.is_none_or(|caller| entry.holder.caller == caller);
                let stalled = entry.holder.flow.stalled().filter(|_| ours)?;
                (stalled >= self.limits.crowded).then_some((stalled, *number))
            });
            stalls.max().map(|(stalled, number)| (number, Cause::Stalled(stalled)))
        };
        if own >= share {
            let message =
                format!("this caller has {own} of these streams open, its share; close some");
            let full = || refuse(Reason::TooManyStreams, message, [("share", share.to_string())]);
            return slowest(Some(&holder.caller)).ok_or_else(full).map(Some);
        }
        if table.open.len() < self.max {
            return Ok(None);
        }
        if let Some(slowest) = slowest(None) {
            return Ok(Some(slowest));
        }
        // All clients read: the caller with the most streams loses its newest one to a caller that
        // would still have fewer.
        let most = counts.iter().max_by_key(|(_, count)| **count);
        let most = most.filter(|(_, count)| **count > own + 1).map(|(caller, _)| *caller);
        let newest = table.open.iter().rev().find(|(_, entry)| most == Some(&*entry.holder.caller));
        let full = || refuse(Reason::TooManyStreams, "too many open streams; close some", []);
        newest.map(|(number, _)| Some((*number, Cause::Crowded))).ok_or_else(full)
    }

    /// Ends a stream: its slot is free at once, and its client learns of it when it reads.
    fn end(&self, table: &mut ShareTable, number: u64, cause: Cause) {
        let Some(entry) = table.open.remove(&number) else { return };
        let word = match cause {
            Cause::Stalled(_) => "stalled",
            Cause::Crowded => "crowded",
        };
        self.metrics.as_ref().inspect(|metrics| metrics.stream_evicted(self.kind, word));
        tracing::debug!(caller = entry.holder.caller, kind = self.kind, word, "a stream is ended");
        entry.ended.send_replace(Some(cause));
        entry.waker.wake();
        table.ended.insert(number, (Instant::now(), entry));
        // The memory of ended streams is bounded, too.
        if table.ended.len() > self.max
            && let Some((_, (_, oldest))) = table.ended.pop_first()
        {
            oldest.hang_up();
        }
    }

    /// Ends streams that have stalled for too long, until the server stops.
    pub(crate) async fn sweep(self: Arc<Self>, mut closing: watch::Receiver<bool>) {
        let pause = (self.limits.stalled / SWEEPS).max(Duration::from_millis(1));
        loop {
            tokio::select! {
                () = tokio::time::sleep(pause) => self.sweep_once(),
                _ = closing.wait_for(|closing| *closing) => return,
            }
        }
    }

    fn sweep_once(&self) {
        let mut table = self.table();
        let stalls: Vec<_> = table
            .open
            .iter()
            .filter_map(|(number, entry)| {
                let stalled = entry.holder.flow.stalled()?;
                (stalled >= self.limits.stalled).then_some((*number, Cause::Stalled(stalled)))
            })
            .collect();
        for (number, cause) in stalls {
            self.end(&mut table, number, cause);
        }
        let stalled = self.limits.stalled;
        table.ended.retain(|_, (since, entry)| {
            let waits = since.elapsed() < stalled;
            if !waits {
                entry.hang_up();
            }
            waits
        });
    }

    fn table(&self) -> MutexGuard<'_, ShareTable> {
        // Each change is one step, so the table is intact even after a panic of a holder.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShareEntry {
    /// Closes the connection of a client that does not even read the end of a stream, since its
    /// queued messages cannot be freed otherwise.
    fn hang_up(&self) {
        if let Some(slot) = &self.holder.slot {
            slot.close();
        }
    }
}

impl Cause {
    fn status(self) -> Status {
        match self {
            Self::Stalled(stalled) => {
                let seconds = stalled.as_secs().to_string();
                let message = format!("the client read nothing for {stalled:?}");
                refuse(Reason::ClientTooSlow, message, [("seconds", seconds)])
            }
            Self::Crowded => {
                let message =
                    "too many open streams: another caller, who has fewer, needed the slot";
                refuse(Reason::TooManyStreams, message, [])
            }
        }
    }
}

impl SlotLease {
    /// A signal for a thread that feeds this stream, besides the client.
    pub(crate) fn ended(&self) -> Ended {
        Ended(self.entry.ended.subscribe())
    }

    /// Wraps a stream so that it holds this slot until it is over or we end it.
    pub(crate) fn watch<S>(self, inner: S) -> Leased<S> {
        Leased { inner: Some(inner), lease: self }
    }
}

impl Drop for SlotLease {
    fn drop(&mut self) {
        let mut table = self.shares.table();
        table.open.remove(&self.number);
        table.ended.remove(&self.number);
    }
}

impl Ended {
    pub(crate) async fn wait(&mut self) {
        // An error means that the stream is gone, too.
        drop(self.0.wait_for(Option::is_some).await);
    }
}

/// A stream with a slot.
#[derive(Debug)]
pub(crate) struct Leased<S> {
    /// `None` if it is over.
    inner: Option<S>,
    lease: SlotLease,
}

impl<T, S: Stream<Item = Result<T, Status>> + Unpin> Stream for Leased<S> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let this = &mut *self;
        let entry = &this.lease.entry;
        let Some(inner) = &mut this.inner else { return Poll::Ready(None) };
        entry.waker.register(context.waker());
        if let Some(cause) = *entry.ended.borrow() {
            this.inner = None;
            return Poll::Ready(Some(Err(cause.status())));
        }
        let item = Pin::new(inner).poll_next(context);
        if matches!(item, Poll::Ready(None)) {
            this.inner = None;
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, StreamExt};

    const LIMITS: StreamLimits =
        StreamLimits { stalled: Duration::from_secs(30), crowded: Duration::from_secs(1) };

    type Numbers = Leased<futures_util::stream::Pending<Result<u32, Status>>>;

    fn open(shares: &Arc<StreamSlots>, caller: &str) -> Result<SlotLease, Status> {
        shares.open(StreamHolder { caller: caller.to_owned(), ..StreamHolder::default() })
    }

    /// A stream that waits for events, and whose client reads.
    fn idle(shares: &Arc<StreamSlots>, caller: &str) -> Numbers {
        let mut stream = open(shares, caller).unwrap().watch(futures_util::stream::pending());
        assert!(stream.next().now_or_never().is_none());
        stream
    }

    /// A stream with a message that its client does not take.
    fn stalls(
        shares: &Arc<StreamSlots>,
        caller: &str,
    ) -> impl Stream<Item = Result<u32, Status>> + Unpin {
        let numbers = futures_util::stream::iter((0..9).map(Ok));
        let mut stream = open(shares, caller).unwrap().watch(numbers);
        assert_eq!(stream.next().now_or_never().unwrap().unwrap().unwrap(), 0);
        stream.lease.entry.holder.flow.sent();
        stream
    }

    #[tokio::test(start_paused = true)]
    async fn the_slowest_stream_ends_for_a_newcomer_and_its_client_learns_why() {
        let shares = StreamSlots::new("events", 4, LIMITS, None);
        let mut first = stalls(&shares, "a");
        tokio::time::advance(Duration::from_secs(2)).await;
        let mut second = stalls(&shares, "b");
        let _idle = [idle(&shares, "a"), idle(&shares, "b")];
        tokio::time::advance(Duration::from_secs(2)).await;
        let _new = idle(&shares, "c");
        let status = first.next().await.unwrap().unwrap_err();
        assert_eq!(status.code(), tonic::Code::ResourceExhausted);
        assert!(status.message().contains("read nothing for 4s"), "{status}");
        assert!(first.next().await.is_none());
        assert_eq!(second.next().await.unwrap().unwrap(), 1, "the other one goes on");
    }

    #[tokio::test(start_paused = true)]
    async fn one_caller_has_half_of_the_slots_and_its_own_slowest_stream_ends() {
        let shares = StreamSlots::new("events", 4, LIMITS, None);
        let mut slow = stalls(&shares, "a");
        let _idle = idle(&shares, "a");
        assert!(open(&shares, "a").is_err());
        tokio::time::advance(Duration::from_secs(1)).await;
        let _third = idle(&shares, "a");
        assert!(slow.next().await.unwrap().is_err());
        assert!(open(&shares, "a").is_err());
        let _other = idle(&shares, "b");
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_with_fewer_streams_gets_one_of_those_who_have_the_most() {
        let shares = StreamSlots::new("events", 4, LIMITS, None);
        let mut held = ["a", "a", "b", "b"].map(|caller| idle(&shares, caller));
        let _new = idle(&shares, "c");
        let ended: Vec<_> =
            held.iter_mut().map(|stream| stream.next().now_or_never().is_some()).collect();
        assert_eq!(ended.iter().filter(|ended| **ended).count(), 1, "{ended:?}");
        // Now no caller has two more than a new stream would give this one.
        assert!(open(&shares, "c").is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_stream_ends_by_itself_and_an_idle_one_does_not() {
        let shares = StreamSlots::new("events", 4, LIMITS, None);
        let (mut slow, mut idle) = (stalls(&shares, "a"), idle(&shares, "b"));
        tokio::time::advance(LIMITS.stalled).await;
        shares.sweep_once();
        assert!(slow.next().await.unwrap().is_err());
        assert!(idle.next().now_or_never().is_none());
        drop(slow);
        assert!(shares.table().ended.is_empty() && shares.table().open.len() == 1);
    }
}
