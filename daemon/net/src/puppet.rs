//! A team that a test plays: a [`TeamHandle`] whose commands, snapshots, journal and seats come from
//! the test instead of a thread and a referee.

use crate::handle::HandleParts;
use crate::lease::Lease;
use crate::mailbox::Port;
use crate::outlet::JOURNAL_ENTRIES_MAX;
use crate::seat::{SeatStatus, seat_name};
use crate::seat_registry::{Lineup, Opener, SeatEntry, SeatRegistry};
use crate::seat_target::SeatTarget;
use crate::supervisor::{THREAD_REQUESTS_MAX, ThreadRequest};
use crate::thread::{Signals, TeamEnd};
use crate::tickets::Tickets;
use crate::{Endpoint, TeamHandle};
use futures_util::future::BoxFuture;
use phalanx_engine::{Answer, CommandError, CommandRequest, JournalEntry, SeatState, Snapshot};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Api, Declaration, Framing, MarginLimits, Roster, Seat, SeatId};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What a test answers to a command.
pub type PuppetAnswer = BoxFuture<'static, Answer>;
type Answering = Arc<dyn Fn(CommandRequest) -> PuppetAnswer + Send + Sync>;

/// The team's side of its handle.
#[derive(Debug)]
pub struct Puppet {
    /// What the team publishes.
    pub snapshot: watch::Sender<Arc<Snapshot>>,
    /// Who asked for a restart, in order.
    pub restarts: Arc<Mutex<Vec<String>>>,
    fake_seats: FakeSeats,
    tickets: Arc<Tickets>,
    journal: Mutex<Option<broadcast::Sender<Arc<JournalEntry>>>>,
    ended: watch::Sender<Option<TeamEnd>>,
}

/// How a puppet begins.
pub struct PuppetOptions {
    /// Its agents, one a seat; the team is named like the roster.
    pub roster: Roster,
    /// What its game declares of itself.
    pub declared: &'static Declaration,
    /// Where its referee is.
    pub endpoint: Endpoint,
    /// Journal entries that are kept for slow readers.
    pub journal_max: usize,
    /// Handles commands.
    pub answer: Answering,
}

impl fmt::Debug for PuppetOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PuppetOptions").field("roster", &self.roster).finish_non_exhaustive()
    }
}

impl PuppetOptions {
    /// A team of a game without actions, at a referee that is not dialled.
    pub fn new(
        roster: Roster,
        answer: impl Fn(CommandRequest) -> PuppetAnswer + Send + Sync + 'static,
    ) -> Self {
        static TOY: Declaration = Declaration {
            name: "toy",
            framing: Framing::Stream,
            api: Api { actions: &[], percept: &[], queries: &[] },
            keys: &[],
            layers: &[],
            fixed: None,
        };
        Self {
            roster,
            declared: &TOY,
            endpoint: Endpoint::tcp("127.0.0.1", 12_300),
            journal_max: JOURNAL_ENTRIES_MAX,
            answer: Arc::new(answer),
        }
    }
}

impl Puppet {
    /// The team and its handle. Must be called inside a tokio runtime.
    #[must_use]
    pub fn start(options: PuppetOptions) -> (Arc<Self>, TeamHandle) {
        let PuppetOptions { roster, declared, endpoint, journal_max, answer } = options;
        let (journal, signals) = (broadcast::Sender::new(journal_max), Signals::default());
        let (thread_requests, requests) = mpsc::channel(THREAD_REQUESTS_MAX);
        let restarts = Arc::<Mutex<Vec<String>>>::default();
        tokio::spawn(restart(requests, Arc::clone(&restarts)));
        let tickets = Arc::<Tickets>::default();
        let open: Vec<_> = roster.ids().map(|agent| seat(&roster, agent)).collect();
        let puppet = Arc::new(Self {
            snapshot: watch::Sender::default(),
            restarts,
            fake_seats: FakeSeats::default(),
            tickets: Arc::clone(&tickets),
            journal: Mutex::new(Some(journal.clone())),
            ended: watch::Sender::new(None),
        });
        let seats: Vec<_> = open.iter().map(|seat| seat.id).collect();
        let (fake_seats, first) = (puppet.fake_seats.clone(), seat(&roster, AgentId(0)));
        let target = watch::Sender::new(SeatTarget { endpoint, stopped: false, connections: None });
        let name = roster.team.clone();
        let parts = HandleParts {
            registry: SeatRegistry::open(fake_seats, first, open, signals.leave.clone()),
            lineup: watch::Sender::new(Lineup { roster: Arc::new(roster), seats }).subscribe(),
            snapshot: puppet.snapshot.subscribe(),
            journal: journal.downgrade(),
            journal_dropped: Arc::default(),
            ended: puppet.ended.subscribe(),
            restarts: Arc::default(),
            meter: Arc::default(),
            signals: signals.clone(),
            tickets: Arc::clone(&tickets),
            pulse: crate::Pulse::default(),
            lease: watch::Sender::new(Arc::<Lease>::default()).subscribe(),
            health: Arc::default(),
            recorder: None,
            checkpoints: None,
            name,
            declared,
            target,
            thread_requests,
        };
        tokio::spawn(drain(Arc::clone(&puppet), signals));
        (puppet, TeamHandle::with_port(parts, Box::new(FakePort { answer, tickets }), ()))
    }

    /// How many callers wait for an answer.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.tickets.waiting()
    }

    /// All open seats are in this state.
    pub fn seats(&self, state: &SeatState) {
        for seat_entry in self.fake_seats.open().values() {
            seat_entry.send_modify(|status| status.state = state.clone());
        }
    }

    /// Its seats do not leave when they should.
    pub fn refuse_to_leave(&self) {
        self.fake_seats.stubborn.store(true, Ordering::Relaxed);
    }

    /// An entry of the journal.
    pub fn journal(&self, entry: JournalEntry) {
        if let Some(journal) = &*self.open_journal() {
            // A journal may have no readers.
            drop(journal.send(Arc::new(entry)));
        }
    }

    /// The team ends, and its journal with it.
    pub fn end(&self, end: TeamEnd) {
        self.open_journal().take();
        self.ended.send_replace(Some(end));
    }

    /// Its journal ends.
    pub fn end_journal(&self) {
        self.open_journal().take();
    }

    fn open_journal(&self) -> MutexGuard<'_, Option<broadcast::Sender<Arc<JournalEntry>>>> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every command goes to the test.
struct FakePort {
    answer: Answering,
    tickets: Arc<Tickets>,
}

impl Port for FakePort {
    fn send(&self, request: CommandRequest) -> Result<(), CommandError> {
        let (ticket, tickets) = (request.ticket, Arc::clone(&self.tickets));
        let answer = (self.answer)(request);
        tokio::spawn(async move { tickets.answer(ticket, answer.await) });
        Ok(())
    }

    fn dropped(&self) -> u64 {
        0
    }
}

/// Seats without a connection.
#[derive(Clone, Debug, Default)]
struct FakeSeats {
    open: Arc<Mutex<SortedMap<SeatId, watch::Sender<SeatStatus>>>>,
    stubborn: Arc<AtomicBool>,
}

impl FakeSeats {
    fn open(&self) -> MutexGuard<'_, SortedMap<SeatId, watch::Sender<SeatStatus>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opener for FakeSeats {
    fn open(&self, seat: Seat, leave: CancellationToken, tasks: &TaskTracker) -> SeatEntry {
        let (status, shown) = watch::channel(SeatStatus::default());
        Self::open(self).insert(seat.id, status);
        let (fake_seats, left) = (self.clone(), leave.clone());
        let (id, name) = (seat.id, seat_name(&seat));
        let task = tasks.spawn(async move {
            left.cancelled().await;
            if fake_seats.stubborn.load(Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
            let status = Self::open(&fake_seats).remove(&id);
            status.inspect(|status| status.send_modify(|it| it.state = SeatState::Closed));
        });
        SeatEntry::new(name, (shown, watch::Sender::default()), task.abort_handle(), leave)
    }
}

fn seat(roster: &Roster, agent: AgentId) -> Seat {
    Seat {
        id: SeatId(agent.0),
        agents: vec![(agent, roster.name(agent).to_owned())],
        user: roster.name(agent).to_owned(),
        password: String::new(),
        turn_limit: Duration::from_secs(1),
        margin: MarginLimits::default(),
    }
}

/// Grants every restart.
async fn restart(mut requests: mpsc::Receiver<ThreadRequest>, restarts: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = requests.recv().await {
        let done = match request {
            ThreadRequest::Replace { done, .. } => done,
            ThreadRequest::Restart { by, done } => {
                restarts.lock().unwrap_or_else(PoisonError::into_inner).push(by);
                done
            }
        };
        // A caller that went away needs no answer.
        done.send(Ok(())).unwrap_or_default();
    }
}

/// Ends when it is drained, or when its last handle is gone.
async fn drain(puppet: Arc<Puppet>, signals: Signals) {
    tokio::select! {
        () = signals.drain.cancelled() => signals.drained.cancel(),
        () = signals.leave.cancelled() => {}
    }
    signals.leave.cancelled().await;
    if puppet.ended.borrow().is_none() {
        puppet.end(TeamEnd::Drained);
    }
}
