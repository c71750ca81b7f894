//! The queue between a playing team and the disk: bounded, and it never makes the team wait.
//!
//! Adding an entry does not wake the writer, so a turn costs no thread switch: the writer polls the
//! queue from time to time. Only a queue that fills up wakes it.

use crate::channel::{Channel, Worth};
use crate::weight::weigh;
use phalanx_game::sorted::SortedMap;
use phalanx_net::{Appetite, Taped};
use phalanx_proto::v1::GapCause;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Limits of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Most entries in the queue.
    pub entries_max: usize,
    /// Most bytes in the queue, approximately.
    pub bytes_max: usize,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self { entries_max: 16_384, bytes_max: 32 << 20 }
    }
}

/// From this share of its limits on, a queue refuses entries that are only for viewers: 1 of 2.
const SHOWN_SHARE: (usize, usize) = (1, 2);
/// From this share on, it only accepts what replay needs: 3 of 4.
const REPORTED_SHARE: (usize, usize) = (3, 4);

/// How often the writer polls.
const ROUND_EVERY: Duration = Duration::from_millis(50);
/// The writer is woken each time that this fraction of the bounds, in entries or bytes, was added
/// since the last wake-up: one part in this many.
const CALL_PART: usize = 8;

/// The reader's next item.
#[derive(Debug)]
pub(crate) enum QueueItem {
    Taped(Instant, Taped),
    /// Entries were refused here.
    Gap(QueueLosses),
    /// The queue is closed and empty.
    Over,
    /// No entry came for that long.
    Idle,
}

/// Refused or lost entries, and their times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueLosses {
    pub(crate) cause: GapCause,
    pub(crate) from: Instant,
    pub(crate) to: Instant,
    pub(crate) counts: SortedMap<Channel, u64>,
}

impl QueueLosses {
    pub(crate) fn new(cause: GapCause, at: Instant) -> Self {
        Self { cause, from: at, to: at, counts: SortedMap::new() }
    }

    /// The number of entries.
    pub(crate) fn all(&self) -> u64 {
        self.counts.values().sum()
    }

    pub(crate) fn add(&mut self, channel: Channel, at: Instant) {
        (self.from, self.to) = (self.from.min(at), self.to.max(at));
        *self.counts.entry(channel).or_default() += 1;
    }
}

/// The weight, the entry, and the losses before it.
type Sent = (usize, (Instant, Taped), Option<QueueLosses>);

/// The writing end.
#[derive(Debug)]
pub(crate) struct RecordQueue {
    limits: QueueLimits,
    sender: SyncSender<Sent>,
    level: Arc<QueueLevel>,
}

/// How full the queue is, and what it refused.
#[derive(Debug, Default)]
pub(crate) struct QueueLevel {
    entries: AtomicUsize,
    bytes: AtomicUsize,
    closed: AtomicBool,
    /// There are losses that no gap reports yet.
    missing: AtomicBool,
    refused: Mutex<Option<QueueLosses>>,
    /// The number of all refused entries.
    lost: AtomicU64,
    /// The reading thread, once it runs.
    writer: OnceLock<Thread>,
}

/// The reading end.
#[derive(Debug)]
pub(crate) struct Outlet {
    receiver: Receiver<Sent>,
    level: Arc<QueueLevel>,
    /// The entry that followed a gap.
    next: Option<(Instant, Taped)>,
}

pub(crate) fn queue(limits: QueueLimits) -> (RecordQueue, Outlet) {
    let (sender, receiver) = sync_channel(limits.entries_max.max(1));
    let level = Arc::new(QueueLevel::default());
    let outlet = Outlet { receiver, level: Arc::clone(&level), next: None };
    (RecordQueue { limits, sender, level }, outlet)
}

impl RecordQueue {
    /// Adds an entry, or counts that it did not fit. Never waits.
    pub(crate) fn put(&self, at: Instant, what: Taped) {
        let channel = Channel::of(&what);
        let weight = weigh(&what);
        if self.level.closed.load(Ordering::Acquire) {
            // What comes after the recording's end is not missing in it.
            return;
        }
        if self.is_too_full(channel.worth(), weight) {
            return self.level.refuse(channel, at);
        }
        let room = || !self.reaches(SHOWN_SHARE, 0);
        let gap = if self.level.missing.load(Ordering::Acquire) && room() {
            self.level.take_refused()
        } else {
            None
        };
        let entries = self.level.entries.fetch_add(1, Ordering::AcqRel);
        let bytes = self.level.bytes.fetch_add(weight, Ordering::AcqRel);
        let calls = self.calls((entries, 1), self.limits.entries_max)
            || self.calls((bytes, weight), self.limits.bytes_max);
        if let Err(TrySendError::Full((_, _, gap)) | TrySendError::Disconnected((_, _, gap))) =
            self.sender.try_send((weight, (at, what), gap))
        {
            self.level.took(weight);
            self.level.put_back(gap);
            self.level.refuse(channel, at);
        }
        if calls {
            self.level.call();
        }
    }

    /// Whether this addition reaches the next part of the limits.
    fn calls(&self, (level, more): (usize, usize), max: usize) -> bool {
        let step = (max / CALL_PART).max(1);
        level / step != level.saturating_add(more) / step
    }

    pub(crate) fn appetite(&self) -> Appetite {
        if self.reaches(SHOWN_SHARE, 0) { Appetite::Needed } else { Appetite::Everything }
    }

    /// Bytes in the queue, approximately.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.level.bytes.load(Ordering::Acquire) as u64
    }

    /// The number of refused entries so far.
    pub(crate) fn lost(&self) -> u64 {
        self.level.lost.load(Ordering::Acquire)
    }

    /// Closes the queue for further entries.
    pub(crate) fn close(&self) {
        self.level.closed.store(true, Ordering::Release);
        self.level.call();
    }

    fn is_too_full(&self, worth: Worth, weight: usize) -> bool {
        match worth {
            Worth::Shown => self.reaches(SHOWN_SHARE, weight),
            Worth::Reported => self.reaches(REPORTED_SHARE, weight),
            Worth::Needed => self.reaches((1, 1), weight),
        }
    }

    fn reaches(&self, (part, whole): (usize, usize), more: usize) -> bool {
        let entries = self.level.entries.load(Ordering::Acquire);
        let bytes = self.level.bytes.load(Ordering::Acquire).saturating_add(more);
        let QueueLimits { entries_max, bytes_max } = self.limits;
        entries >= entries_max / whole * part || bytes > bytes_max / whole * part
    }
}

impl QueueLevel {
    fn refuse(&self, channel: Channel, at: Instant) {
        let mut refused = self.refused();
        let losses = refused.get_or_insert_with(|| QueueLosses::new(GapCause::TooFast, at));
        losses.add(channel, at);
        drop(refused);
        self.lost.fetch_add(1, Ordering::AcqRel);
        self.missing.store(true, Ordering::Release);
    }

    fn take_refused(&self) -> Option<QueueLosses> {
        self.missing.store(false, Ordering::Release);
        self.refused().take()
    }

    fn put_back(&self, losses: Option<QueueLosses>) {
        let Some(mut losses) = losses else { return };
        let mut refused = self.refused();
        if let Some(newer) = refused.take() {
            losses.to = losses.to.max(newer.to);
            for (channel, count) in newer.counts {
                *losses.counts.entry(channel).or_default() += count;
            }
        }
        *refused = Some(losses);
        drop(refused);
        self.missing.store(true, Ordering::Release);
    }

    fn call(&self) {
        if let Some(writer) = self.writer.get() {
            writer.unpark();
        }
    }

    fn refused(&self) -> MutexGuard<'_, Option<QueueLosses>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn took(&self, weight: usize) {
        self.entries.fetch_sub(1, Ordering::AcqRel);
        self.bytes.fetch_sub(weight, Ordering::AcqRel);
    }
}

impl Outlet {
    /// The next item; waits for it at most this long. Always call it on the same thread.
    pub(crate) fn take(&mut self, patience: Duration) -> QueueItem {
        if let Some((at, what)) = self.next.take() {
            return QueueItem::Taped(at, what);
        }
        // Before the first check, so that later entries can wake the thread.
        self.level.writer.get_or_init(thread::current);
        let mut left = patience;
        loop {
            let closed = self.level.closed.load(Ordering::Acquire);
            match self.receiver.try_recv() {
                Ok((weight, taped, gap)) => {
                    self.level.took(weight);
                    let Some(gap) = gap else { return QueueItem::Taped(taped.0, taped.1) };
                    self.next = Some(taped);
                    return QueueItem::Gap(gap);
                }
                Err(TryRecvError::Disconnected) => return self.rest(),
                Err(TryRecvError::Empty) if closed => return self.rest(),
                Err(TryRecvError::Empty) if left.is_zero() => return QueueItem::Idle,
                Err(TryRecvError::Empty) => {
                    let waits = left.min(ROUND_EVERY);
                    thread::park_timeout(waits);
                    left -= waits;
                }
            }
        }
    }

    /// Closes the queue; the entries in it can still be read.
    pub(crate) fn close(&self) {
        self.level.closed.store(true, Ordering::Release);
    }

    /// The last gap, then the end.
    fn rest(&self) -> QueueItem {
        mem::take(&mut *self.level.refused()).map_or(QueueItem::Over, QueueItem::Gap)
    }
}
