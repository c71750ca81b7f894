//! The handle of a running team: no types of a game, no locks, bounded queues.

use crate::checkpoint::CheckpointSink;
use crate::clock::now;
use crate::handed::{HandedConnections, HandedSeat};
use crate::lease::Lease;
use crate::mailbox::{Mailbox, Port};
use crate::outlet::JournalStream;
use crate::pulse::Pulse;
use crate::seat::SeatStatus;
use crate::seat_registry::{Lineup, SeatRegistry};
use crate::seat_target::SeatTarget;
use crate::supervisor::{Health, ThreadRequest};
use crate::tape::Recorder;
use crate::thread::{Signals, TeamEnd};
use crate::tickets::Tickets;
use crate::{AnswerMeter, ThreadHealth, Timings};
use futures_util::FutureExt;
use phalanx_engine::{JournalEntry, SeatState, Snapshot};
use phalanx_game::{AgentId, Api, Declaration, Framing, Game, KeyDoc, Roster, SeatId};
use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{Mutex, broadcast, mpsc, watch};

/// The result of a drain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainReport {
    /// The seats that had not finished when the grace was over, and were cut off.
    pub stragglers: Vec<String>,
}

/// A running team. Clones share it; when the last one is dropped, the team leaves.
#[derive(Clone)]
pub struct TeamHandle {
    inner: Arc<HandleInner>,
}

/// A handle that does not keep the team alive.
#[derive(Clone)]
pub struct WeakTeamHandle {
    inner: Weak<HandleInner>,
}

impl WeakTeamHandle {
    /// The team, if there is still another handle.
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

/// The parts of a spawned team.
pub(crate) struct HandleParts {
    pub(crate) name: String,
    /// What the game declares of itself.
    pub(crate) declared: &'static Declaration,
    pub(crate) target: watch::Sender<SeatTarget>,
    pub(crate) lineup: watch::Receiver<Lineup>,
    pub(crate) registry: SeatRegistry,
    pub(crate) snapshot: watch::Receiver<Arc<Snapshot>>,
    pub(crate) journal: broadcast::WeakSender<Arc<JournalEntry>>,
    pub(crate) journal_dropped: Arc<AtomicU64>,
    pub(crate) ended: watch::Receiver<Option<TeamEnd>>,
    pub(crate) restarts: Arc<AtomicU32>,
    pub(crate) meter: Arc<AnswerMeter>,
    pub(crate) signals: Signals,
    pub(crate) tickets: Arc<Tickets>,
    pub(crate) pulse: Pulse,
    /// The lease of the thread that acts for the team now.
    pub(crate) lease: watch::Receiver<Arc<Lease>>,
    /// Commands to the task that watches the thread.
    pub(crate) thread_requests: mpsc::Sender<ThreadRequest>,
    pub(crate) health: Arc<Health>,
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    /// Only the team itself keeps it: a team that has ended needs no checkpoints.
    pub(crate) checkpoints: Option<Weak<dyn CheckpointSink>>,
}

struct HandleInner {
    parts: HandleParts,
    port: Box<dyn Port>,
    /// Held while the team moves to another address.
    travelling: Mutex<()>,
}

impl fmt::Debug for TeamHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HandleParts { name, declared, .. } = &self.inner.parts;
        f.debug_struct("TeamHandle")
            .field("name", name)
            .field("game", &declared.name)
            .finish_non_exhaustive()
    }
}

impl Drop for HandleInner {
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
    pub(crate) fn new<G: Game>(parts: HandleParts, inbox: Mailbox<G>) -> Self {
        let closing = CloseOnDrop(inbox.clone());
        Self::with_port(parts, Box::new(inbox), closing)
    }

    /// `closing` is dropped once all seats have ended.
    pub(crate) fn with_port(
        parts: HandleParts,
        port: Box<dyn Port>,
        closing: impl Send + 'static,
    ) -> Self {
        let (stop, seats_ended) = (parts.signals.stop.clone(), parts.registry.ended());
        let ending = async move {
            // If the runtime ends, it drops this task, and then the thread must not wait for ever.
            let _closing = closing;
            seats_ended.await;
            stop.cancel();
        };
        tokio::spawn(ending.boxed());
        let inner = HandleInner { parts, port, travelling: Mutex::default() };
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
        self.inner.parts.declared.name
    }

    /// What the game offers to scripts.
    #[must_use]
    pub fn api(&self) -> &'static Api {
        &self.inner.parts.declared.api
    }

    /// Keys with which a person drives an agent of the game.
    #[must_use]
    pub fn keys(&self) -> &'static [KeyDoc] {
        self.inner.parts.declared.keys
    }

    /// Why agents of the game cannot join or leave during a match; `None`: they can.
    #[must_use]
    pub fn fixed(&self) -> Option<&'static str> {
        self.inner.parts.declared.fixed
    }

    /// The current agents, in the order in which they decide. Removed ones are marked.
    #[must_use]
    pub fn roster(&self) -> Arc<Roster> {
        Arc::clone(&self.inner.parts.lineup.borrow().roster)
    }

    /// Follows the agents and their seats.
    #[must_use]
    pub fn lineup(&self) -> watch::Receiver<Lineup> {
        self.inner.parts.lineup.clone()
    }

    /// The last published snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.inner.parts.snapshot.borrow())
    }

    /// Follows the snapshots; slow readers see only the newest.
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

    /// The name and the status of each seat, in order, without seats of removed agents.
    #[must_use]
    pub fn seats(&self) -> Vec<(String, SeatStatus)> {
        self.registry().statuses()
    }

    /// Follows one seat; the seat of a removed agent is closed.
    #[must_use]
    pub fn seat(&self, id: SeatId) -> Option<watch::Receiver<SeatStatus>> {
        self.registry().status(id)
    }

    /// Follows the seat of an agent.
    #[must_use]
    pub fn seat_of(&self, agent: AgentId) -> Option<watch::Receiver<SeatStatus>> {
        let seat = self.inner.parts.lineup.borrow().seats.get(agent.index()).copied();
        self.seat(seat?)
    }

    /// What the connection that carries this agent is doing.
    #[must_use]
    pub fn seat_state(&self, agent: AgentId) -> SeatState {
        let seat = self.seat_of(agent);
        seat.map(|status| status.borrow().state.clone()).unwrap_or_default()
    }

    /// A handle that does not keep the team alive.
    #[must_use]
    pub fn downgrade(&self) -> WeakTeamHandle {
        WeakTeamHandle { inner: Arc::downgrade(&self.inner) }
    }

    /// A summary of the answer times.
    #[must_use]
    pub fn timings(&self) -> Timings {
        self.inner.parts.meter.timings()
    }

    /// The measured answer times.
    #[must_use]
    pub fn meter(&self) -> &Arc<AnswerMeter> {
        &self.inner.parts.meter
    }

    /// How often the team's thread was restarted after a panic.
    #[must_use]
    pub fn restarts(&self) -> u32 {
        self.inner.parts.restarts.load(Ordering::Relaxed)
    }

    /// The number of reports of seats that were dropped, because newer ones replaced them before
    /// the team's thread took them.
    #[must_use]
    pub fn inbox_dropped(&self) -> u64 {
        self.inner.port.dropped()
    }

    pub(crate) fn registry(&self) -> &SeatRegistry {
        &self.inner.parts.registry
    }

    /// Whether every seat has ended, or the team was cut off.
    pub(crate) fn has_stopped(&self) -> bool {
        self.inner.parts.signals.stop.is_cancelled()
    }

    /// Whether the team's thread still moves; holding it does not keep the team alive.
    #[must_use]
    pub fn pulse(&self) -> &Pulse {
        &self.inner.parts.pulse
    }

    /// The health of the team's thread.
    #[must_use]
    pub fn thread(&self) -> ThreadHealth {
        self.inner.parts.health.look()
    }

    /// Why the team's recording or its checkpoints cannot be written at the moment; empty while
    /// they can.
    #[must_use]
    pub fn disk_troubles(&self) -> Vec<String> {
        let HandleParts { recorder, checkpoints, .. } = &self.inner.parts;
        let recording = recorder.as_ref().and_then(|recorder| recorder.trouble());
        let recording = recording.map(|why| format!("the recording is not written: {why}"));
        let checkpoint = checkpoints.as_ref().and_then(Weak::upgrade);
        let checkpoint = checkpoint.and_then(|checkpoints| checkpoints.trouble());
        let checkpoint = checkpoint.map(|why| format!("checkpoints are not written: {why}"));
        recording.into_iter().chain(checkpoint).collect()
    }

    pub(crate) fn lease(&self) -> watch::Receiver<Arc<Lease>> {
        self.inner.parts.lease.clone()
    }

    pub(crate) fn thread_requests(&self) -> &mpsc::Sender<ThreadRequest> {
        &self.inner.parts.thread_requests
    }

    pub(crate) fn port(&self) -> &dyn Port {
        &*self.inner.port
    }

    pub(crate) fn framing(&self) -> Framing {
        self.inner.parts.declared.framing
    }

    pub(crate) fn target(&self) -> &watch::Sender<SeatTarget> {
        &self.inner.parts.target
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

    /// Waits until the team has ended. Returns why.
    pub async fn ended(&self) -> TeamEnd {
        let mut ended = self.inner.parts.ended.clone();
        let crashed = || TeamEnd::Crashed { reason: "the team's thread is gone".into() };
        match ended.wait_for(Option::is_some).await {
            Ok(end) => end.clone().unwrap_or_else(crashed),
            Err(_) => crashed(),
        }
    }

    /// Ends the team: it answers open turns, logs out and flushes everything. Seats that are not
    /// done after `grace` are cut off and listed.
    pub async fn drain(&self, grace: Duration) -> DrainReport {
        self.leave(grace, None).await
    }

    /// Ends the team for a successor in another process: it answers open turns, and hands
    /// connections over instead of closing them. Seats that cannot do so log out.
    pub async fn hand_over(&self, grace: Duration) -> (DrainReport, Vec<HandedSeat>) {
        let connections = HandedConnections::default();
        let report = self.leave(grace, Some(&connections)).await;
        (report, connections.take())
    }

    async fn leave(&self, grace: Duration, connections: Option<&HandedConnections>) -> DrainReport {
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
            // The team is stuck, so the seats answer by themselves.
            () = tokio::time::sleep_until(decided.into()) => {}
        }
        if let Some(connections) = connections {
            self.target().send_modify(|target| target.connections = Some(connections.clone()));
        }
        leave.cancel();
        let seats_done = tokio::time::timeout_at(end.into(), stop.cancelled()).await.is_ok();
        let thread_done = self.ended_by(end).await;
        let mut stragglers = Vec::new();
        if !seats_done {
            stragglers = self.registry().abort();
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
