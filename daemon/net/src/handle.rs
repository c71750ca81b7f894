//! A running team, as everybody else holds it: no types of a game, no locks, bounded queues.

use crate::clock::now;
use crate::course::Course;
use crate::handed::{HandedSeat, Shelf};
use crate::lease::Lease;
use crate::mailbox::Mailbox;
use crate::operator::Port;
use crate::outlet::JournalStream;
use crate::places::Places;
use crate::pulse::Pulse;
use crate::supervisor::{ABANDONED_MAX, Command, Health};
use crate::thread::Signals;
use crate::tickets::Tickets;
use crate::{Meter, ThreadHealth, Timings};
use phalanx_engine::{JournalEntry, SeatState, Snapshot};
use phalanx_game::{AgentId, Framing, Game, Roster, SeatId};
use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{Mutex, broadcast, mpsc, watch};

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

/// The agents of a team and where they sit. It changes when agents are added and removed.
#[derive(Clone, Debug)]
pub struct Lineup {
    /// The agents, in the order in which they decide.
    pub roster: Arc<Roster>,
    /// The seat of each, by roster index.
    pub seats: Vec<SeatId>,
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

impl std::fmt::Display for TeamEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MatchOver => f.write_str("the match is over"),
            Self::Drained => f.write_str("drained"),
            Self::Crashed { reason } => write!(f, "given up: {reason}"),
        }
    }
}

/// Why an operator's wish was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// There is no agent of that id.
    #[error("the team has no such agent")]
    NoSuchAgent,
    /// Too many requests wait, or the team lost this one in a restart.
    #[error("the team is busy; try again")]
    Busy,
    /// The team's thread does not respond and cannot be replaced.
    #[error(
        "the team's thread does not respond, and {ABANDONED_MAX} abandoned ones still run: it is not \
         replaced, its seats answer by themselves; restart the daemon"
    )]
    Stuck,
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

/// A team for somebody who only looks now and then: it does not keep it alive.
#[derive(Clone)]
pub struct WeakTeamHandle {
    inner: Weak<Inner>,
}

impl WeakTeamHandle {
    /// The team, while somebody else holds it.
    #[must_use]
    pub fn upgrade(&self) -> Option<TeamHandle> {
        self.inner.upgrade().map(|inner| TeamHandle { inner })
    }
}

impl fmt::Debug for WeakTeamHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WeakTeamHandle").field(&self.upgrade()).finish()
    }
}

/// What the spawner knows.
pub(crate) struct Parts {
    pub(crate) name: String,
    pub(crate) game: &'static str,
    pub(crate) framing: Framing,
    pub(crate) course: watch::Sender<Course>,
    pub(crate) lineup: watch::Receiver<Lineup>,
    pub(crate) places: Places,
    pub(crate) snapshot: watch::Receiver<Arc<Snapshot>>,
    pub(crate) journal: broadcast::WeakSender<Arc<JournalEntry>>,
    pub(crate) journal_dropped: Arc<AtomicU64>,
    pub(crate) ended: watch::Receiver<Option<TeamEnd>>,
    pub(crate) restarts: Arc<AtomicU32>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) signals: Signals,
    pub(crate) tickets: Arc<Tickets>,
    pub(crate) pulse: Pulse,
    /// Of the thread that acts for the team now.
    pub(crate) lease: watch::Receiver<Arc<Lease>>,
    /// To whoever watches that thread.
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) health: Arc<Health>,
}

struct Inner {
    parts: Parts,
    port: Box<dyn Port>,
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

struct CloseOnDrop<G: Game>(Mailbox<G>);

impl<G: Game> Drop for CloseOnDrop<G> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl TeamHandle {
    pub(crate) fn new<G: Game>(parts: Parts, inbox: Mailbox<G>) -> Self {
        let (stop, seats_ended) = (parts.signals.stop.clone(), parts.places.ended());
        let closing = CloseOnDrop(inbox.clone());
        tokio::spawn(async move {
            // A runtime that ends drops this task: then the thread must not wait for ever.
            let _closing = closing;
            seats_ended.await;
            stop.cancel();
        });
        let (port, travelling) = (Box::new(inbox), Mutex::default());
        let inner = Inner { parts, port, travelling };
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

    /// The agents as they are now, in the order in which they decide. Those that were removed are
    /// marked.
    #[must_use]
    pub fn roster(&self) -> Arc<Roster> {
        Arc::clone(&self.inner.parts.lineup.borrow().roster)
    }

    /// Follows who is of the team and where they sit.
    #[must_use]
    pub fn lineup(&self) -> watch::Receiver<Lineup> {
        self.inner.parts.lineup.clone()
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
        let dropped = Arc::clone(&self.inner.parts.journal_dropped);
        Some(JournalStream::new(sender.subscribe(), dropped))
    }

    /// Journal entries that slow readers missed, over all of them.
    #[must_use]
    pub fn journal_dropped(&self) -> u64 {
        self.inner.parts.journal_dropped.load(Ordering::Relaxed)
    }

    /// The name and the status of each seat, in order; seats of agents that were removed are left
    /// out.
    #[must_use]
    pub fn seats(&self) -> Vec<(String, SeatStatus)> {
        self.places().statuses()
    }

    /// Follows one seat; that of an agent that was removed says that it is closed.
    #[must_use]
    pub fn seat(&self, id: SeatId) -> Option<watch::Receiver<SeatStatus>> {
        self.places().status(id)
    }

    /// Follows the seat on which an agent sits.
    #[must_use]
    pub fn seat_of(&self, agent: AgentId) -> Option<watch::Receiver<SeatStatus>> {
        let seat = self.inner.parts.lineup.borrow().seats.get(agent.index()).copied();
        self.seat(seat?)
    }

    /// A handle that does not keep the team alive.
    #[must_use]
    pub fn downgrade(&self) -> WeakTeamHandle {
        WeakTeamHandle { inner: Arc::downgrade(&self.inner) }
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

    /// What seats reported and the team never heard of: newer news had made it useless before the
    /// team's thread took it.
    #[must_use]
    pub fn inbox_dropped(&self) -> u64 {
        self.inner.port.dropped()
    }

    pub(crate) fn places(&self) -> &Places {
        &self.inner.parts.places
    }

    /// Every seat has ended, or the team was cut off.
    pub(crate) fn has_stopped(&self) -> bool {
        self.inner.parts.signals.stop.is_cancelled()
    }

    /// Whether the team's thread still moves; it keeps no team alive.
    #[must_use]
    pub fn pulse(&self) -> &Pulse {
        &self.inner.parts.pulse
    }

    /// How the team's thread does.
    #[must_use]
    pub fn thread(&self) -> ThreadHealth {
        self.inner.parts.health.look()
    }

    pub(crate) fn lease(&self) -> watch::Receiver<Arc<Lease>> {
        self.inner.parts.lease.clone()
    }

    pub(crate) fn commands(&self) -> &mpsc::Sender<Command> {
        &self.inner.parts.commands
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

    /// Why the team has ended; `None` while it has not.
    #[must_use]
    pub fn end(&self) -> Option<TeamEnd> {
        self.inner.parts.ended.borrow().clone()
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
        self.leave(grace, None).await
    }

    /// Ends the team for a successor in another process: open turns are answered, and what can go
    /// over is not closed but given away. Seats that cannot, say goodbye.
    pub async fn hand_over(&self, grace: Duration) -> (DrainReport, Vec<HandedSeat>) {
        let shelf = Shelf::default();
        let report = self.leave(grace, Some(&shelf)).await;
        (report, shelf.take())
    }

    async fn leave(&self, grace: Duration, shelf: Option<&Shelf>) -> DrainReport {
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
        if let Some(shelf) = shelf {
            self.course().send_modify(|course| course.shelf = Some(shelf.clone()));
        }
        leave.cancel();
        let seats_done = tokio::time::timeout_at(end.into(), stop.cancelled()).await.is_ok();
        let thread_done = self.ended_by(end).await;
        let mut stragglers = Vec::new();
        if !seats_done {
            stragglers = self.places().abort();
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
