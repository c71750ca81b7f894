//! What happens in a team as messages, for those who look on while it happens.
//!
//! ```text
//!  seats, team's thread ──see──► who wants this channel? ──► queue ──► thread ──► Audience
//!                                │ nobody: nothing is copied
//! ```

use crate::RecordingInfo;
use crate::channel::Channel;
use crate::encode::Encoder;
use crate::queue::{Item, Losses, Outlet, Queue, QueueLimits, queue};
use crate::recording::give_way;
use bytes::Bytes;
use phalanx_net::{Appetite, Recorder, Taped};
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So long the thread waits for something at most, then it waits again.
const PATIENCE: Duration = Duration::from_secs(60);

/// A message of a channel, the same as in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveMessage {
    /// Of which channel.
    pub channel: Channel,
    /// When, by the same clock as in a recording: after the Unix epoch, in nanoseconds.
    pub log_time: u64,
    /// The message, as [`Channel::schema`] has it.
    pub data: Bytes,
}

/// Those who look on. Called on a thread that nothing in the team waits for.
pub trait Audience: fmt::Debug + Send + Sync + 'static {
    /// The team has channels that it did not have before.
    fn opened(&self, channels: &[Channel]);

    /// Somebody wanted the channel when this was made.
    fn show(&self, message: &LiveMessage);

    /// So many entries were left out, since this thread is behind.
    fn missed(&self, entries: u64);

    /// Nothing more will come.
    fn over(&self);
}

/// What is shown of a team while it plays. Nothing is copied or serialised of channels that nobody
/// wants, but for what made the team.
pub struct LiveFeed {
    queue: Queue,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    info: RecordingInfo,
    /// The kinds of channels that somebody wants, a bit each: looked at without a lock.
    kinds: AtomicU32,
    known: Mutex<Known>,
}

/// What the feed's thread and those who subscribe agree about.
#[derive(Debug)]
struct Known {
    encoder: Encoder,
    wanted: BTreeSet<Channel>,
    /// What made the team and its seats: whoever comes later is told.
    kept: BTreeMap<Channel, (Instant, Taped)>,
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        // Each change is one step: it is whole even when its holder panicked.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log_time(&self, known: &Known, at: Instant) -> u64 {
        known.encoder.log_time(self.info.begun.unix_ms, at)
    }

    fn message(&self, known: &Known, (at, what): (Instant, &Taped)) -> LiveMessage {
        LiveMessage {
            channel: Channel::of(what),
            log_time: self.log_time(known, at),
            data: known.encoder.encode(what).into(),
        }
    }
}

impl fmt::Debug for LiveFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveFeed").field("info", &self.shared.info).finish_non_exhaustive()
    }
}

impl LiveFeed {
    /// Shows a team to this audience; of what waits for the feed's thread so much is kept.
    ///
    /// # Errors
    /// When the machine gives no thread.
    pub fn begin(
        info: RecordingInfo,
        limits: QueueLimits,
        audience: Arc<dyn Audience>,
    ) -> io::Result<Arc<Self>> {
        let (queue, outlet) = queue(limits);
        let encoder = Encoder::new(&info.team, &info.game, &info.server, info.begun.instant);
        let known = Known { encoder, wanted: BTreeSet::new(), kept: BTreeMap::new() };
        let known = Mutex::new(known);
        let shared = Arc::new(Shared { info, kinds: AtomicU32::new(0), known });
        let stage = Stage { shared: Arc::clone(&shared), outlet, audience };
        thread::Builder::new().name("live feed".into()).spawn(move || stage.run())?;
        Ok(Arc::new(Self { queue, shared }))
    }

    /// These channels are wanted from here on, and no others. What is kept of `fresh`, those that
    /// somebody begins to look at, comes back: what is recorded, the begin of the team, its seats.
    pub fn want(&self, wanted: BTreeSet<Channel>, fresh: &[Channel]) -> Vec<LiveMessage> {
        let kinds = wanted.iter().fold(0, |kinds, channel| kinds | kind(*channel));
        let mut known = self.shared.known();
        known.wanted = wanted;
        self.shared.kinds.store(kinds, Ordering::Release);
        fresh.iter().filter_map(|channel| self.kept(&known, *channel)).collect()
    }

    fn kept(&self, known: &Known, channel: Channel) -> Option<LiveMessage> {
        if channel == Channel::Recording {
            let info = &self.shared.info;
            let log_time = self.shared.log_time(known, info.begun.instant);
            return Some(LiveMessage {
                channel,
                log_time,
                data: info.told().encode_to_vec().into(),
            });
        }
        let (at, what) = known.kept.get(&channel)?;
        Some(self.shared.message(known, (*at, what)))
    }

    /// Takes a copy of it, if somebody wants it or it made the team. Waits for nobody.
    pub fn see(&self, at: Instant, what: &Taped) {
        if self.needs(what) {
            self.queue.put(at, what.clone());
        }
    }

    fn needs(&self, what: &Taped) -> bool {
        let made = matches!(what, Taped::Began(_) | Taped::SeatOpened(_) | Taped::Ended);
        // It tells of agents that came later; a copy is a number.
        let cheap = matches!(what, Taped::Snapshot(_));
        made || cheap || self.wants(kind(Channel::of(what)))
    }

    fn wants(&self, kinds: u32) -> bool {
        self.shared.kinds.load(Ordering::Acquire) & kinds != 0
    }
}

impl Recorder for LiveFeed {
    fn put(&self, at: Instant, what: Taped) {
        if self.needs(&what) {
            self.queue.put(at, what);
        }
    }

    fn appetite(&self) -> Appetite {
        let shown = kind(Channel::Percepts) | kind(Channel::Board) | kind(Channel::World);
        if self.wants(shown) { self.queue.appetite() } else { Appetite::Needed }
    }
}

impl Drop for LiveFeed {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// The bit of a kind of channels: each of the team's, and each that all seats have.
fn kind(channel: Channel) -> u32 {
    1 << match channel {
        Channel::Recording => 0,
        Channel::Life => 1,
        Channel::Steps => 2,
        Channel::Journal => 3,
        Channel::Team => 4,
        Channel::Percepts => 5,
        Channel::Board => 6,
        Channel::World => 7,
        Channel::Gaps => 8,
        Channel::Received(_) => 9,
        Channel::Sent(_) => 10,
        Channel::Seat(_) => 11,
    }
}

/// Makes messages on a thread of its own.
struct Stage {
    shared: Arc<Shared>,
    outlet: Outlet,
    audience: Arc<dyn Audience>,
}

impl Stage {
    fn run(mut self) {
        give_way();
        let team: Vec<_> = Channel::of_every_team().collect();
        self.audience.opened(&team);
        loop {
            match self.outlet.take(PATIENCE) {
                Item::Taped(at, what) => self.taped(at, what),
                Item::Gap(losses) => self.gap(&losses),
                Item::Idle => {}
                Item::Over => break,
            }
        }
        self.audience.over();
    }

    fn taped(&self, at: Instant, what: Taped) {
        let channel = Channel::of(&what);
        if let Taped::SeatOpened(seat) = &what {
            self.audience.opened(&Channel::of_seat(seat.id));
        }
        let over = matches!(what, Taped::Ended);
        let mut known = self.shared.known();
        known.encoder.hear(&what);
        let message =
            known.wanted.contains(&channel).then(|| self.shared.message(&known, (at, &what)));
        if matches!(what, Taped::Began(_) | Taped::SeatOpened(_)) {
            known.kept.insert(channel, (at, what));
        }
        drop(known);
        message.iter().for_each(|message| self.audience.show(message));
        if over {
            self.outlet.close();
        }
    }

    fn gap(&self, losses: &Losses) {
        self.audience.missed(losses.counts.values().sum());
        let known = self.shared.known();
        let log_time = self.shared.log_time(&known, losses.to);
        let message = known.wanted.contains(&Channel::Gaps).then(|| LiveMessage {
            channel: Channel::Gaps,
            log_time,
            data: known.encoder.gap(losses).into(),
        });
        drop(known);
        message.iter().for_each(|message| self.audience.show(message));
    }
}
