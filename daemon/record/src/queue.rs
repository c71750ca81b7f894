//! The one queue between a team that plays and the disk: bounded, and never waited for.
//!
//! Whoever puts something in wakes nobody: the one who writes comes by himself from time to time, so
//! that a turn pays for no change of threads. Only a queue that fills up calls him.

use crate::channel::{Channel, Worth};
use crate::weight::weigh;
use phalanx_net::{Appetite, Taped};
use phalanx_proto::v1::GapCause;
use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Bounds of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Most entries that wait.
    pub entries_max: usize,
    /// Most bytes that wait, roughly.
    pub bytes_max: usize,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self { entries_max: 16_384, bytes_max: 32 << 20 }
    }
}

/// From this share of its bounds on a queue refuses what is nice to look at: 1 of 2.
const SHOWN_SHARE: (usize, usize) = (1, 2);
/// From this share on it refuses all but what decisions are computed from: 3 of 4.
const TOLD_SHARE: (usize, usize) = (3, 4);

/// The one who writes comes so often when nobody calls.
const ROUND_EVERY: Duration = Duration::from_millis(50);
/// Each time that so many entries, or bytes, went in since the last call, he is called: one of so
/// many parts of the bounds.
const CALL_PART: usize = 8;

/// What comes out of a queue.
#[derive(Debug)]
pub(crate) enum Item {
    Taped(Instant, Taped),
    /// Here something was refused.
    Gap(Losses),
    /// Nobody puts anything in any more, and nothing is left.
    Over,
    /// Nothing came for so long.
    Idle,
}

/// What was refused or lost, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Losses {
    pub(crate) cause: GapCause,
    pub(crate) from: Instant,
    pub(crate) to: Instant,
    pub(crate) counts: BTreeMap<Channel, u64>,
}

impl Losses {
    pub(crate) fn new(cause: GapCause, at: Instant) -> Self {
        Self { cause, from: at, to: at, counts: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, channel: Channel, at: Instant) {
        (self.from, self.to) = (self.from.min(at), self.to.max(at));
        *self.counts.entry(channel).or_default() += 1;
    }
}

/// Its weight, what it is, and what was refused before it.
type Sent = (usize, (Instant, Taped), Option<Losses>);

/// The side of those who put something in.
#[derive(Debug)]
pub(crate) struct Queue {
    limits: QueueLimits,
    sender: SyncSender<Sent>,
    level: Arc<Level>,
}

/// How full it is, and what it refused.
#[derive(Debug, Default)]
pub(crate) struct Level {
    entries: AtomicUsize,
    bytes: AtomicUsize,
    closed: AtomicBool,
    /// Something was refused of which no gap tells yet.
    missing: AtomicBool,
    refused: Mutex<Option<Losses>>,
    /// All that was ever refused.
    lost: AtomicU64,
    /// Who writes, once he is there.
    writer: OnceLock<Thread>,
}

/// The side of the one who writes.
#[derive(Debug)]
pub(crate) struct Outlet {
    receiver: Receiver<Sent>,
    level: Arc<Level>,
    /// What came together with a gap.
    next: Option<(Instant, Taped)>,
}

pub(crate) fn queue(limits: QueueLimits) -> (Queue, Outlet) {
    let (sender, receiver) = sync_channel(limits.entries_max.max(1));
    let level = Arc::new(Level::default());
    let outlet = Outlet { receiver, level: Arc::clone(&level), next: None };
    (Queue { limits, sender, level }, outlet)
}

impl Queue {
    /// Takes it, or counts that it could not. Waits for nobody.
    pub(crate) fn put(&self, at: Instant, what: Taped) {
        let channel = Channel::of(&what);
        let weight = weigh(&what);
        if self.level.closed.load(Ordering::Acquire) || self.is_too_full(channel.worth(), weight) {
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

    /// So much more reaches the next part of its bounds.
    fn calls(&self, (level, more): (usize, usize), max: usize) -> bool {
        let step = (max / CALL_PART).max(1);
        level / step != level.saturating_add(more) / step
    }

    pub(crate) fn appetite(&self) -> Appetite {
        if self.reaches(SHOWN_SHARE, 0) { Appetite::Needed } else { Appetite::Everything }
    }

    /// Bytes that wait, roughly.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.level.bytes.load(Ordering::Acquire) as u64
    }

    /// How much was refused so far.
    pub(crate) fn lost(&self) -> u64 {
        self.level.lost.load(Ordering::Acquire)
    }

    /// Takes nothing any more.
    pub(crate) fn close(&self) {
        self.level.closed.store(true, Ordering::Release);
        self.level.call();
    }

    fn is_too_full(&self, worth: Worth, weight: usize) -> bool {
        match worth {
            Worth::Shown => self.reaches(SHOWN_SHARE, weight),
            Worth::Told => self.reaches(TOLD_SHARE, weight),
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

impl Level {
    fn refuse(&self, channel: Channel, at: Instant) {
        let mut refused = self.refused();
        let losses = refused.get_or_insert_with(|| Losses::new(GapCause::TooFast, at));
        losses.add(channel, at);
        drop(refused);
        self.lost.fetch_add(1, Ordering::AcqRel);
        self.missing.store(true, Ordering::Release);
    }

    fn take_refused(&self) -> Option<Losses> {
        self.missing.store(false, Ordering::Release);
        self.refused().take()
    }

    fn put_back(&self, losses: Option<Losses>) {
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

    fn refused(&self) -> MutexGuard<'_, Option<Losses>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn took(&self, weight: usize) {
        self.entries.fetch_sub(1, Ordering::AcqRel);
        self.bytes.fetch_sub(weight, Ordering::AcqRel);
    }
}

impl Outlet {
    /// The next thing; waits for it so long at most. Always of the same thread.
    pub(crate) fn take(&mut self, patience: Duration) -> Item {
        if let Some((at, what)) = self.next.take() {
            return Item::Taped(at, what);
        }
        // Before the first look: what comes after it can call.
        self.level.writer.get_or_init(thread::current);
        let mut left = patience;
        loop {
            let closed = self.level.closed.load(Ordering::Acquire);
            match self.receiver.try_recv() {
                Ok((weight, taped, gap)) => {
                    self.level.took(weight);
                    let Some(gap) = gap else { return Item::Taped(taped.0, taped.1) };
                    self.next = Some(taped);
                    return Item::Gap(gap);
                }
                Err(TryRecvError::Disconnected) => return self.rest(),
                Err(TryRecvError::Empty) if closed => return self.rest(),
                Err(TryRecvError::Empty) if left.is_zero() => return Item::Idle,
                Err(TryRecvError::Empty) => {
                    let waits = left.min(ROUND_EVERY);
                    thread::park_timeout(waits);
                    left -= waits;
                }
            }
        }
    }

    /// From here on nothing is put in any more; what waits still comes out.
    pub(crate) fn close(&self) {
        self.level.closed.store(true, Ordering::Release);
    }

    /// The last gap, then the end.
    fn rest(&self) -> Item {
        mem::take(&mut *self.level.refused()).map_or(Item::Over, Item::Gap)
    }
}
