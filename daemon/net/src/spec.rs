//! From a description to a running team: `build` may fail, `spawn` cannot.

use crate::course::Course;
use crate::handle::{Lineup, Parts, TeamHandle};
use crate::options::INBOX_EVENTS_MAX;
use crate::outlet::{JOURNAL_ENTRIES_MAX, JournalStream};
use crate::places::{Places, Ways, Workshop};
use crate::pulse::Pulse;
use crate::thread::{Outlets, Recipe, Signals, run};
use crate::{CheckpointOptions, Endpoint, HandedSeat, Meter, Recorder, SeatOptions};
use phalanx_engine::{Brain, BrainError, Input, JournalEntry, Staged, TeamLink, TeamOptions};
use phalanx_game::{AgentId, Game, Roster, Seat, SeatId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

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
    /// Where the referee is.
    pub endpoint: Endpoint,
    /// The strategy that it begins with.
    pub staged: Staged,
    /// How the team deals with time.
    pub team: TeamOptions,
    /// How the seats deal with their connections.
    pub seat: SeatOptions,
    /// Where it is recorded what happens; `None`: nowhere.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// How its checkpoints are kept; `None`: there are none.
    pub checkpoints: Option<CheckpointOptions>,
}

/// Why a team cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Roster and seats do not fit together.
    #[error("team {team}: {reason}")]
    Seats {
        /// The team's name.
        team: String,
        /// What does not fit.
        reason: String,
    },
    /// The transport cannot carry the game.
    #[error("team {team}: {game} does not go over {endpoint}: a stream of bytes is not messages")]
    Framing {
        /// The team's name.
        team: String,
        /// The game's name.
        game: &'static str,
        /// The endpoint.
        endpoint: String,
    },
    /// The strategy does not load.
    #[error("team {team}: {source}")]
    Brain {
        /// The team's name.
        team: String,
        /// Why.
        source: BrainError,
    },
    /// The system gives no thread.
    #[error("team {team}: no thread for it: {source}")]
    Thread {
        /// The team's name.
        team: String,
        /// Why.
        source: std::io::Error,
    },
}

/// How the seats begin.
#[derive(Default)]
struct Start {
    /// They stay away.
    stopped: bool,
    /// Connections that another process had.
    handed: Vec<HandedSeat>,
}

/// A team whose strategy is loaded and whose thread waits. Dropped, it ends.
pub struct BuiltTeam {
    name: String,
    journal: broadcast::Sender<Arc<JournalEntry>>,
    journal_dropped: Arc<AtomicU64>,
    start: Box<dyn FnOnce(Start) -> TeamHandle + Send>,
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

    /// Opens the seats. Must be called inside a tokio runtime: the seats run there.
    #[must_use]
    pub fn spawn(self) -> TeamHandle {
        (self.start)(Start::default())
    }

    /// The same for a team that played in another process: each of these is the first connection of
    /// its seat, unless it leads elsewhere.
    #[must_use]
    pub fn spawn_on(self, handed: Vec<HandedSeat>) -> TeamHandle {
        (self.start)(Start { handed, ..Start::default() })
    }

    /// The same for a team that waits until it is [started](TeamHandle::start): its seats stay away.
    #[must_use]
    pub fn spawn_stopped(self) -> TeamHandle {
        (self.start)(Start { stopped: true, ..Start::default() })
    }
}

impl<G: Game> TeamSpec<G> {
    /// Checks the description, starts the team's thread and loads the strategy there.
    /// `make_brain` is called on that thread with the generation to play: once, and again after each
    /// panic.
    ///
    /// # Errors
    /// When seats and roster do not fit, or the brain does not start.
    pub async fn build<B, F>(self, make_brain: F) -> Result<BuiltTeam, BuildError>
    where
        B: Brain + 'static,
        F: FnMut(TeamLink, &Staged) -> Result<B, BrainError> + Send + 'static,
    {
        let name = self.name.clone();
        let seat_of = seat_of(&self.roster, &self.seats)
            .map_err(|reason| BuildError::Seats { team: name.clone(), reason })?;
        if G::FRAMING != self.endpoint.framing() {
            let endpoint = self.endpoint.to_string();
            return Err(BuildError::Framing { team: name, game: G::NAME, endpoint });
        }
        let Some(first) = self.seats.first().cloned() else {
            let reason = "it has no seats".to_owned();
            return Err(BuildError::Seats { team: name, reason });
        };
        let roster = Arc::new(self.roster.clone());
        let lineup = Lineup { roster: Arc::clone(&roster), seats: seat_of.clone() };
        let recipe = Recipe {
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
        let thread_error =
            |source: std::io::Error| BuildError::Thread { team: name.clone(), source };
        let (sender, inbox) = mpsc::channel(INBOX_EVENTS_MAX);
        let (built, answer) = oneshot::channel();
        let (outlets, start) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(thread_error)?;
        std::thread::Builder::new()
            // A NUL would be a panic inside the standard library.
            .name(format!("team {name}").replace('\0', "?"))
            .spawn({
                let span = tracing::info_span!("team", team = name);
                move || span.in_scope(|| run::<G, B, F>(recipe, inbox, built, start, &runtime))
            })
            .map_err(thread_error)?;
        match answer.await {
            Ok(Ok(())) => {}
            Ok(Err(source)) => return Err(BuildError::Brain { team: name, source }),
            Err(_) => {
                let source = std::io::Error::other("the thread ended at its start");
                return Err(BuildError::Thread { team: name, source });
            }
        }
        let journal = broadcast::Sender::new(JOURNAL_ENTRIES_MAX);
        let journal_dropped = Arc::default();
        let told = (journal.clone(), Arc::clone(&journal_dropped));
        let start = Box::new(move |how| self.open(how, first, lineup, sender, outlets, told));
        Ok(BuiltTeam { name, journal, journal_dropped, start })
    }

    fn open(
        self,
        start: Start,
        first: Seat,
        lineup: Lineup,
        inbox: mpsc::Sender<Input<G>>,
        thread: oneshot::Sender<Outlets<G>>,
        (journal, journal_dropped): (broadcast::Sender<Arc<JournalEntry>>, Arc<AtomicU64>),
    ) -> TeamHandle {
        let (signals, meter) = (Signals::default(), Arc::new(Meter::default()));
        let course = watch::Sender::new(Course {
            endpoint: self.endpoint,
            stopped: start.stopped,
            shelf: None,
        });
        let ways = watch::Sender::new(Ways::new());
        let (heard, followed) = (ways.subscribe(), course.subscribe());
        let workshop = Workshop {
            game: self.game,
            course: course.subscribe(),
            options: self.seat,
            inbox: inbox.clone(),
            meter: Arc::clone(&meter),
            recorder: self.recorder,
            ways,
            handed: start.handed.into(),
            span: tracing::info_span!("team", team = self.name),
        };
        let snapshot = watch::Sender::default();
        let lineup = watch::Sender::new(lineup);
        let ended = watch::Sender::new(None);
        let (restarts, tickets, pulse) = (Arc::default(), Arc::default(), Pulse::default());
        let beat = pulse.beat();
        let parts = Parts {
            name: self.name,
            game: G::NAME,
            framing: G::FRAMING,
            course,
            lineup: lineup.subscribe(),
            places: Places::open(workshop, first, self.seats, signals.leave.clone()),
            snapshot: snapshot.subscribe(),
            journal: journal.downgrade(),
            journal_dropped,
            ended: ended.subscribe(),
            restarts: Arc::clone(&restarts),
            meter,
            signals: signals.clone(),
            tickets: Arc::clone(&tickets),
            pulse,
        };
        let (ways, course) = (heard, followed);
        let outlets = Outlets {
            ways,
            lineup,
            snapshot,
            journal,
            ended,
            restarts,
            signals,
            tickets,
            beat,
            course,
        };
        // The thread waits for this since `build`; if it died, the seats answer by themselves.
        drop(thread.send(outlets));
        TeamHandle::new(parts, inbox)
    }
}

/// The seat of each agent by roster index, or what does not fit.
pub(crate) fn seat_of(roster: &Roster, seats: &[Seat]) -> Result<Vec<SeatId>, String> {
    let mut of: BTreeMap<AgentId, SeatId> = BTreeMap::new();
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
