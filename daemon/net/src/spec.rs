//! From a description to a running team: `build` may fail, `spawn` cannot.

use crate::handle::{HandleParts, TeamHandle};
use crate::lease::Lease;
use crate::mailbox::Mailbox;
use crate::outlet::{JOURNAL_ENTRIES_MAX, JournalStream};
use crate::pulse::Pulse;
use crate::seat_registry::{Lineup, SeatFactory, SeatRegistry, SeatSenders};
use crate::seat_target::SeatTarget;
use crate::supervisor::{
    Health, STUCK_AFTER, Supervisor, THREAD_REQUESTS_MAX, ThreadRequest, begin,
};
use crate::thread::{Outlets, Signals, TeamBlueprint, TeamEnd, ThreadChannels, ThreadRun, run};
use crate::thread_recovery::ThreadRecovery;
use crate::{CheckpointOptions, Endpoint, HandedSeat, Recorder, SeatOptions};
use futures_util::FutureExt;
use phalanx_engine::{Brain, BrainError, JournalEntry, Staged, TeamLink, TeamOptions};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Game, Roster, Seat, SeatId};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tracing::Instrument;

/// A team as configured.
#[derive(Clone, Debug)]
pub struct TeamSpec<G: Game> {
    /// The team's name in the daemon.
    pub name: String,
    /// The game.
    pub game: G,
    /// Its agents.
    pub roster: Roster,
    /// Its connections; seat `i` has the id `i`.
    pub seats: Vec<Seat>,
    /// The referee's address.
    pub endpoint: Endpoint,
    /// The strategy that it begins with.
    pub staged: Staged,
    /// Time limits and other options of the team.
    pub team: TeamOptions,
    /// Limits of the seats.
    pub seat: SeatOptions,
    /// Records the team; `None`: no recording.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// Options of its checkpoints; `None`: there are none.
    pub checkpoints: Option<CheckpointOptions>,
}

/// Why a team cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Roster and seats do not match.
    #[error("team {team}: {reason}")]
    Seats {
        /// The team's name.
        team: String,
        /// What does not match.
        reason: String,
    },
    /// The transport cannot carry the game.
    #[error(
        "team {team}: {game} cannot use {endpoint}: one is a byte stream, the other sends messages"
    )]
    Framing {
        /// The team's name.
        team: String,
        /// The game's name.
        game: &'static str,
        /// The endpoint.
        endpoint: String,
    },
    /// The strategy does not load.
    #[error("team {team}: {why}")]
    Brain {
        /// The team's name.
        team: String,
        /// Why.
        why: BrainError,
    },
    /// The system refuses a thread.
    #[error("team {team}: could not start its thread: {why}")]
    Thread {
        /// The team's name.
        team: String,
        /// Why.
        why: std::io::Error,
    },
}

/// The initial state of the seats.
#[derive(Default)]
struct SeatStart {
    /// They do not dial.
    stopped: bool,
    /// Connections from another process.
    handed: Vec<HandedSeat>,
    /// When a thread that does not respond is replaced; `None`: [`STUCK_AFTER`].
    stuck_after: Option<Duration>,
}

/// A team's first thread, which waits to be started.
struct FirstThread<G: Game, F> {
    blueprint: TeamBlueprint<G, F>,
    thread_run: ThreadRun,
    outlets: oneshot::Sender<(Outlets<G>, ThreadChannels)>,
}

/// A team whose strategy is loaded and whose thread waits. It ends when it is dropped.
pub struct BuiltTeam {
    name: String,
    journal: broadcast::Sender<Arc<JournalEntry>>,
    journal_dropped: Arc<AtomicU64>,
    stuck_after: Option<Duration>,
    start: Box<dyn FnOnce(SeatStart) -> TeamHandle + Send>,
}

impl fmt::Debug for BuiltTeam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltTeam").field("name", &self.name).finish_non_exhaustive()
    }
}

impl BuiltTeam {
    /// The team's name in the daemon.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Follows the journal from its first entry on.
    #[must_use]
    pub fn journal(&self) -> JournalStream {
        JournalStream::new(self.journal.subscribe(), Arc::clone(&self.journal_dropped))
    }

    /// Replaces a thread after this long inside one step, instead of [`STUCK_AFTER`].
    #[must_use]
    pub fn replaced_after(self, stuck_after: Duration) -> Self {
        Self { stuck_after: Some(stuck_after), ..self }
    }

    /// Opens the seats. Must be called inside a tokio runtime: the seats run there.
    #[must_use]
    pub fn spawn(self) -> TeamHandle {
        self.begin(SeatStart::default())
    }

    /// The same for a team that played in another process: each of these connections is the first
    /// one of its seat, unless the address has changed.
    #[must_use]
    pub fn spawn_on(self, handed: Vec<HandedSeat>) -> TeamHandle {
        self.begin(SeatStart { handed, ..SeatStart::default() })
    }

    /// The same for a team that waits until it is [started](TeamHandle::start): its seats do not
    /// dial.
    #[must_use]
    pub fn spawn_stopped(self) -> TeamHandle {
        self.begin(SeatStart { stopped: true, ..SeatStart::default() })
    }

    fn begin(self, start: SeatStart) -> TeamHandle {
        (self.start)(SeatStart { stuck_after: self.stuck_after, ..start })
    }
}

impl<G: Game> TeamSpec<G> {
    /// Checks the description, starts the team's thread and loads the strategy there. `make_brain`
    /// is called on that thread with the generation to play: once, and again after each panic. Each
    /// replacement of the thread calls a copy of it.
    ///
    /// # Errors
    /// When seats and roster do not match, or the brain does not start.
    pub async fn build<B, F>(self, make_brain: F) -> Result<BuiltTeam, BuildError>
    where
        B: Brain + 'static,
        F: FnMut(TeamLink, &Staged) -> Result<B, BrainError> + Clone + Send + 'static,
    {
        let mut make_brain = make_brain;
        self.build_boxed(move |link: TeamLink, staged: &Staged| {
            Ok(Box::new(make_brain(link, staged)?) as Box<dyn Brain>)
        })
        .await
    }

    async fn build_boxed<F>(self, make_brain: F) -> Result<BuiltTeam, BuildError>
    where
        F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError> + Clone + Send + 'static,
    {
        let name = self.name.clone();
        let seat_of = seat_of(&self.roster, &self.seats)
            .map_err(|reason| BuildError::Seats { team: name.clone(), reason })?;
        let declared = self.game.declaration();
        if declared.framing != self.endpoint.framing() {
            let endpoint = self.endpoint.to_string();
            return Err(BuildError::Framing { team: name, game: declared.name, endpoint });
        }
        let Some(first) = self.seats.first().cloned() else {
            let reason = "it has no seats".to_owned();
            return Err(BuildError::Seats { team: name, reason });
        };
        let roster = Arc::new(self.roster.clone());
        let lineup = Lineup { roster: Arc::clone(&roster), seats: seat_of.clone() };
        let blueprint = TeamBlueprint {
            name: name.clone(),
            game: self.game.clone(),
            roster: Arc::clone(&roster),
            seat_of,
            options: self.team,
            staged: self.staged.clone(),
            recorder: self.recorder.clone(),
            checkpoints: self.checkpoints.clone(),
            make_brain,
        };
        let (built, answer) = oneshot::channel();
        let (outlets, start) = oneshot::channel();
        let (thread_run, health) =
            (ThreadRun::new(self.recorder.clone()), Arc::<Health>::default());
        let first_thread =
            FirstThread { blueprint: blueprint.clone(), thread_run: thread_run.clone(), outlets };
        let body = move |runtime: &_| run(blueprint, thread_run, built, start, runtime);
        let lease = Arc::clone(&first_thread.thread_run.lease);
        begin(&name, (&lease, &health), body)
            .map_err(|why| BuildError::Thread { team: name.clone(), why })?;
        match answer.await {
            Ok(Ok(())) => {}
            Ok(Err(why)) => return Err(BuildError::Brain { team: name, why }),
            Err(_) => {
                let why = std::io::Error::other("the thread ended at its start");
                return Err(BuildError::Thread { team: name, why });
            }
        }
        let journal = broadcast::Sender::new(JOURNAL_ENTRIES_MAX);
        let journal_dropped = Arc::default();
        let journal_ends = (journal.clone(), Arc::clone(&journal_dropped));
        let start = Box::new(move |how| {
            self.open(how, (first, lineup), first_thread, health, journal_ends)
        });
        Ok(BuiltTeam { name, journal, journal_dropped, stuck_after: None, start })
    }

    fn open<F>(
        self,
        start: SeatStart,
        (first, lineup): (Seat, Lineup),
        first_thread: FirstThread<G, F>,
        health: Arc<Health>,
        (journal, journal_dropped): (broadcast::Sender<Arc<JournalEntry>>, Arc<AtomicU64>),
    ) -> TeamHandle
    where
        F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError> + Clone + Send + 'static,
    {
        let (signals, meter, inbox) = (Signals::default(), Arc::default(), Mailbox::default());
        let target =
            SeatTarget { endpoint: self.endpoint, stopped: start.stopped, connections: None };
        let target = watch::Sender::new(target);
        let senders = watch::Sender::new(SeatSenders::new());
        let (heard, followed) = (senders.subscribe(), target.subscribe());
        let declared = self.game.declaration();
        let factory = SeatFactory {
            game: self.game,
            target: target.subscribe(),
            options: self.seat,
            inbox: inbox.clone(),
            meter: Arc::clone(&meter),
            recorder: self.recorder.clone(),
            senders,
            handed: start.handed.into(),
            span: tracing::info_span!("team", team = self.name),
        };
        let lineup = watch::Sender::new(lineup);
        let (snapshot, ended) = (watch::Sender::default(), watch::Sender::new(None));
        let (restarts, tickets, pulse) = (Arc::default(), Arc::default(), Pulse::default());
        let (thread_requests, requests) = mpsc::channel(THREAD_REQUESTS_MAX);
        let leases = watch::Sender::new(Arc::clone(&first_thread.thread_run.lease));
        let parts = HandleParts {
            name: self.name,
            declared,
            target,
            lineup: lineup.subscribe(),
            registry: SeatRegistry::open(factory, first, self.seats, signals.leave.clone()),
            snapshot: snapshot.subscribe(),
            journal: journal.downgrade(),
            journal_dropped,
            ended: ended.subscribe(),
            restarts: Arc::clone(&restarts),
            meter,
            signals: signals.clone(),
            tickets: Arc::clone(&tickets),
            pulse: pulse.clone(),
            lease: leases.subscribe(),
            thread_requests,
            health: Arc::clone(&health),
            recorder: self.recorder,
            checkpoints: self.checkpoints.and_then(|of| of.sink).map(|sink| Arc::downgrade(&sink)),
        };
        let outlets = Outlets {
            inbox: inbox.clone(),
            thread_recovery: ThreadRecovery::new(self.staged),
            senders: heard,
            lineup,
            snapshot,
            journal: journal.downgrade(),
            restarts,
            team_starts: watch::Sender::new(0),
            signals,
            tickets,
            target: followed,
        };
        let supervisor_parts =
            SupervisorParts { pulse, leases, journal, end: ended, health, requests };
        watch_over(first_thread, outlets, supervisor_parts, start.stuck_after);
        TeamHandle::new(parts, inbox)
    }
}

/// What controls a team's thread, and the state kept for it.
struct SupervisorParts {
    pulse: Pulse,
    leases: watch::Sender<Arc<Lease>>,
    journal: broadcast::Sender<Arc<JournalEntry>>,
    end: watch::Sender<Option<TeamEnd>>,
    health: Arc<Health>,
    requests: mpsc::Receiver<ThreadRequest>,
}

/// Starts the first thread, and watches it and its replacements.
fn watch_over<G, F>(
    FirstThread { blueprint, thread_run, outlets: thread }: FirstThread<G, F>,
    outlets: Outlets<G>,
    SupervisorParts { pulse, leases, journal, end, health, requests }: SupervisorParts,
    stuck_after: Option<Duration>,
) where
    G: Game,
    F: FnMut(TeamLink, &Staged) -> Result<Box<dyn Brain>, BrainError> + Clone + Send + 'static,
{
    let (sender, ended) = oneshot::channel();
    let channels = ThreadChannels { beat: pulse.beat(), ended: sender };
    // The thread waits for this since `build`; if it died, the seats answer by themselves.
    drop(thread.send((outlets.clone(), channels)));
    let span = tracing::info_span!("team", team = blueprint.name);
    let supervisor = Supervisor {
        blueprint,
        outlets,
        pulse,
        thread_run,
        ended,
        leases,
        journal,
        end,
        health,
        requests,
        stuck_after: stuck_after.unwrap_or(STUCK_AFTER),
    };
    tokio::spawn(supervisor.run().instrument(span).boxed());
}

/// The seat of each agent by roster index, or why they do not match.
pub(crate) fn seat_of(roster: &Roster, seats: &[Seat]) -> Result<Vec<SeatId>, String> {
    let mut of: SortedMap<AgentId, SeatId> = SortedMap::new();
    for (index, seat) in seats.iter().enumerate() {
        if seat.id.index() != index {
            return Err(format!("seat {index} has the id {}", seat.id.0));
        }
        for (agent, name) in &seat.agents {
            if agent.index() >= roster.agents.len() {
                return Err(format!("{name}, on seat {index}, is not in the roster"));
            }
            if let Some(other) = of.insert(*agent, seat.id) {
                return Err(format!("{name} sits on seat {} and on seat {index}", other.0));
            }
        }
    }
    let lookup = |agent: AgentId| {
        let missing = || format!("{} has no seat", roster.name(agent));
        of.get(&agent).copied().ok_or_else(missing)
    };
    roster.ids().map(lookup).collect()
}
