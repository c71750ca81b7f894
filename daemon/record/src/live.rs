//! A team's events as messages for live viewers.
//!
//! ```text
//!  seats, team's thread ──see──► who wants this channel? ──► queue ──► thread ──► Audience
//!                                │ no client: nothing is copied
//! ```

use crate::RecordingInfo;
use crate::channel::Channel;
use crate::encode::Encoder;
use crate::queue::{Outlet, QueueItem, QueueLimits, QueueLosses, RecordQueue, queue};
use crate::recording::give_way;
use bytes::Bytes;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_net::{Appetite, Recorder, Taped};
use prost::Message;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest single wait of the thread.
const PATIENCE: Duration = Duration::from_secs(60);

/// A message of a channel, the same as in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveMessage {
    /// The channel.
    pub channel: Channel,
    /// The time, by the same clock as in a recording: nanoseconds after the Unix epoch.
    pub log_time: u64,
    /// The message, in the form of [`Channel::schema`].
    pub data: Bytes,
}

/// Live viewers. Called on a thread that the team does not wait for.
pub trait Audience: fmt::Debug + Send + Sync + 'static {
    /// The team has new channels.
    fn opened(&self, channels: &[Channel]);

    /// A message of a channel that had a viewer when it was made.
    fn show(&self, message: &LiveMessage);

    /// This thread is too slow, so this many entries were left out.
    fn missed(&self, entries: u64);

    /// The team has ended.
    fn over(&self);
}

/// What viewers see of a team while it plays. Channels without a viewer are neither copied nor
/// serialised, except for the entries that created the team.
pub struct LiveFeed {
    queue: RecordQueue,
    shared: Arc<LiveShared>,
}

#[derive(Debug)]
struct LiveShared {
    info: RecordingInfo,
    /// The kinds of channels that have viewers, one bit each, to check without a lock.
    kinds: AtomicU32,
    known: Mutex<LiveState>,
}

/// The state that the feed's thread and the subscribers share.
#[derive(Debug)]
struct LiveState {
    encoder: Encoder,
    wanted: SortedSet<Channel>,
    /// The entries that created the team and its seats, for viewers that come later.
    kept: SortedMap<Channel, (Instant, Taped)>,
}

impl LiveShared {
    fn known(&self) -> MutexGuard<'_, LiveState> {
        // Each change is one step, so the state is intact even after a panic of a holder.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log_time(&self, known: &LiveState, at: Instant) -> u64 {
        known.encoder.log_time(self.info.begun.unix_ms, at)
    }

    fn message(&self, known: &LiveState, (at, what): (Instant, &Taped)) -> LiveMessage {
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
    /// Shows a team to this audience; at most this much waits for the feed's thread.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn begin(
        info: RecordingInfo,
        limits: QueueLimits,
        audience: Arc<dyn Audience>,
    ) -> io::Result<Arc<Self>> {
        let (queue, outlet) = queue(limits);
        let encoder = Encoder::new(&info.team, &info.game, &info.server, info.begun.instant);
        let known = LiveState { encoder, wanted: SortedSet::new(), kept: SortedMap::new() };
        let known = Mutex::new(known);
        let shared = Arc::new(LiveShared { info, kinds: AtomicU32::new(0), known });
        let stage = LiveStage { shared: Arc::clone(&shared), outlet, audience };
        thread::Builder::new().name("live feed".into()).spawn(move || stage.run())?;
        Ok(Arc::new(Self { queue, shared }))
    }

    /// Sets the wanted channels. Returns the kept entries of `fresh`, the channels that just got a
    /// viewer: the description, the begin of the team, its seats.
    pub fn want(&self, wanted: SortedSet<Channel>, fresh: &[Channel]) -> Vec<LiveMessage> {
        let kinds = wanted.iter().fold(0, |kinds, channel| kinds | kind(*channel));
        let mut known = self.shared.known();
        known.wanted = wanted;
        self.shared.kinds.store(kinds, Ordering::Release);
        fresh.iter().filter_map(|channel| self.kept(&known, *channel)).collect()
    }

    fn kept(&self, known: &LiveState, channel: Channel) -> Option<LiveMessage> {
        if channel == Channel::Recording {
            let info = &self.shared.info;
            let log_time = self.shared.log_time(known, info.begun.instant);
            return Some(LiveMessage {
                channel,
                log_time,
                data: info.to_message().encode_to_vec().into(),
            });
        }
        let (at, what) = known.kept.get(&channel)?;
        Some(self.shared.message(known, (*at, what)))
    }

    /// Takes a copy if a viewer wants it or if it created the team. Never waits.
    pub fn see(&self, at: Instant, what: &Taped) {
        if self.needs(what) {
            self.queue.put(at, what.clone());
        }
    }

    fn needs(&self, what: &Taped) -> bool {
        let made = matches!(what, Taped::Began(_) | Taped::SeatOpened(_) | Taped::Ended);
        // It has the agents that joined later; copying it only copies a reference.
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

/// The bit of a kind of channel: each of the team's, and each that all seats have.
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

/// Makes messages on its own thread.
struct LiveStage {
    shared: Arc<LiveShared>,
    outlet: Outlet,
    audience: Arc<dyn Audience>,
}

impl LiveStage {
    fn run(mut self) {
        give_way();
        let team: Vec<_> = Channel::of_every_team().collect();
        self.audience.opened(&team);
        loop {
            match self.outlet.take(PATIENCE) {
                QueueItem::Taped(at, what) => self.taped(at, what),
                QueueItem::Gap(losses) => self.gap(&losses),
                QueueItem::Idle => {}
                QueueItem::Over => break,
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

    fn gap(&self, losses: &QueueLosses) {
        self.audience.missed(losses.all());
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
