//! A running team, as everybody else holds it: no types of a game, no locks, bounded queues.

use crate::clock::now;
use crate::course::Course;
use crate::operator::Port;
use crate::outlet::JournalStream;
use crate::thread::Signals;
use crate::tickets::Tickets;
use crate::{Meter, Timings};
use phalanx_engine::{Input, JournalEntry, SeatState, Snapshot};
use phalanx_game::{Framing, Game, Roster};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, broadcast, mpsc, watch};
use tokio::task::{AbortHandle, JoinHandle};

/// What a seat is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatStatus {
    /// Its connection.
    pub state: SeatState,
    /// Connections opened so far; all but the first are reconnects.
    pub connections: u64,
    /// The smoothed round trip to the referee, once measured.
    pub round_trip: Option<Duration>,
}

/// Why a team ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamEnd {
    /// The referee said goodbye to every seat.
    MatchOver,
    /// It was asked to.
    Drained,
    /// It panicked too often.
    Crashed {
        /// The last panic.
        reason: String,
    },
}

/// Why an operator's wish was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// There is no agent of that id.
    #[error("the team has no such agent")]
    NoSuchAgent,
    /// The team's inbox is full, too many requests wait, or it lost this one in a restart.
    #[error("the team is busy; try again")]
    Busy,
    /// The team has ended.
    #[error("the team has ended")]
    Ended,
}

/// How a drain went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainReport {
    /// Who had not finished when the grace was over, and was cut off.
    pub stragglers: Vec<String>,
}

/// A running team. Clones share it; when the last one is dropped the team leaves by itself.
#[derive(Clone)]
pub struct TeamHandle {
    inner: Arc<Inner>,
}

/// What the spawner knows.
pub(crate) struct Parts {
    pub(crate) name: String,
    pub(crate) game: &'static str,
    pub(crate) framing: Framing,
    pub(crate) course: watch::Sender<Course>,
    pub(crate) roster: Arc<Roster>,
    pub(crate) seats: Vec<String>,
    pub(crate) snapshot: watch::Receiver<Arc<Snapshot>>,
    pub(crate) journal: broadcast::WeakSender<Arc<JournalEntry>>,
    pub(crate) ended: watch::Receiver<Option<TeamEnd>>,
    pub(crate) restarts: Arc<AtomicU32>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) signals: Signals,
    pub(crate) tickets: Arc<Tickets>,
}

struct Inner {
    parts: Parts,
    port: Box<dyn Port>,
    statuses: Vec<watch::Receiver<SeatStatus>>,
    seats: Vec<AbortHandle>,
    journal_dropped: Arc<AtomicU64>,
    /// Held by whoever sends the team away, until it is there.
    travelling: Mutex<()>,
}

impl fmt::Debug for TeamHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { name, game, .. } = &self.inner.parts;
        f.debug_struct("TeamHandle").field("name", name).field("game", game).finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.parts.signals.leave.cancel();
    }
}

impl TeamHandle {
    pub(crate) fn new<G: Game>(
        parts: Parts,
        inbox: mpsc::Sender<Input<G>>,
        statuses: Vec<watch::Receiver<SeatStatus>>,
        tasks: Vec<JoinHandle<()>>,
    ) -> Self {
        let seats = tasks.iter().map(JoinHandle::abort_handle).collect();
        let stop = parts.signals.stop.clone();
        tokio::spawn(async move {
            for task in tasks {
                // Seats catch their own panics; an aborted one was named by the drain.
                drop(task.await);
            }
            stop.cancel();
        });
        let (port, journal_dropped) = (Box::new(inbox), Arc::default());
        let travelling = Mutex::default();
        let inner = Inner { parts, port, statuses, seats, journal_dropped, travelling };
        Self { inner: Arc::new(inner) }
    }

    /// The team's name in the daemon.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.parts.name
    }

    /// The game's name.
    #[must_use]
    pub fn game(&self) -> &'static str {
        self.inner.parts.game
    }

    /// The agents, in the order in which they decide.
    #[must_use]
    pub fn roster(&self) -> &Arc<Roster> {
        &self.inner.parts.roster
    }

    /// What the team published last.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.inner.parts.snapshot.borrow())
    }

    /// Follows what the team publishes; slow readers see only the newest.
    #[must_use]
    pub fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.inner.parts.snapshot.clone()
    }

    /// Follows the journal from now on; `None` once the team has ended.
    #[must_use]
    pub fn journal(&self) -> Option<JournalStream> {
        let sender = self.inner.parts.journal.upgrade()?;
        Some(JournalStream::new(sender.subscribe(), Arc::clone(&self.inner.journal_dropped)))
    }

    /// Journal entries that slow readers missed, over all of them.
    #[must_use]
    pub fn journal_dropped(&self) -> u64 {
        self.inner.journal_dropped.load(Ordering::Relaxed)
    }

    /// The name and the status of each seat, in order.
    #[must_use]
    pub fn seats(&self) -> Vec<(String, SeatStatus)> {
        let names = self.inner.parts.seats.iter().cloned();
        names.zip(self.inner.statuses.iter().map(|status| status.borrow().clone())).collect()
    }

    /// Follows one seat.
    #[must_use]
    pub fn seat(&self, index: usize) -> Option<watch::Receiver<SeatStatus>> {
        self.inner.statuses.get(index).cloned()
    }

    /// How fast answers left.
    #[must_use]
    pub fn timings(&self) -> Timings {
        self.inner.parts.meter.timings()
    }

    /// The measured answer times themselves.
    #[must_use]
    pub fn meter(&self) -> &Arc<Meter> {
        &self.inner.parts.meter
    }

    /// How often the team's thread was restarted after a panic.
    #[must_use]
    pub fn restarts(&self) -> u32 {
        self.inner.parts.restarts.load(Ordering::Relaxed)
    }

    pub(crate) fn port(&self) -> &dyn Port {
        &*self.inner.port
    }

    pub(crate) fn framing(&self) -> Framing {
        self.inner.parts.framing
    }

    pub(crate) fn course(&self) -> &watch::Sender<Course> {
        &self.inner.parts.course
    }

    pub(crate) fn travelling(&self) -> &Mutex<()> {
        &self.inner.travelling
    }

    pub(crate) fn tickets(&self) -> &Arc<Tickets> {
        &self.inner.parts.tickets
    }

    /// Waits until the team has ended and tells why.
    pub async fn ended(&self) -> TeamEnd {
        let mut ended = self.inner.parts.ended.clone();
        let crashed = || TeamEnd::Crashed { reason: "the team's thread is gone".into() };
        match ended.wait_for(Option::is_some).await {
            Ok(end) => end.clone().unwrap_or_else(crashed),
            Err(_) => crashed(),
        }
    }

    /// Ends the team politely: open turns are answered, goodbyes said, everything flushed. Who is
    /// not done after `grace` is cut off and named.
    pub async fn drain(&self, grace: Duration) -> DrainReport {
        let Signals { drain, drained, leave, stop } = &self.inner.parts.signals;
        let end = now() + grace;
        let decided = end - grace / 4;
        drain.cancel();
        let ended = self.ended();
        tokio::pin!(ended);
        tokio::select! {
            biased;
            () = drained.cancelled() => {}
            _ = &mut ended => {}
            // A stuck team: the seats answer by themselves.
            () = tokio::time::sleep_until(decided.into()) => {}
        }
        leave.cancel();
        let seats_done = tokio::time::timeout_at(end.into(), stop.cancelled()).await.is_ok();
        let thread_done = self.ended_by(end).await;
        let mut stragglers = Vec::new();
        if !seats_done {
            for ((name, status), task) in self.seats().into_iter().zip(&self.inner.seats) {
                if status.state != SeatState::Closed {
                    stragglers.push(name);
                    task.abort();
                }
            }
        }
        if !thread_done {
            stragglers.push("the team's thread".into());
        }
        stop.cancel();
        DrainReport { stragglers }
    }

    async fn ended_by(&self, end: std::time::Instant) -> bool {
        tokio::time::timeout_at(end.into(), self.ended()).await.is_ok()
    }
}
