//! From a description to a running team: `build` may fail, `spawn` cannot.

use crate::course::Course;
use crate::handle::{Parts, TeamHandle};
use crate::options::INBOX_EVENTS_MAX;
use crate::outlet::JOURNAL_ENTRIES_MAX;
use crate::seat::{SeatLink, seat_name, seat_on_course};
use crate::thread::{Outlets, Recipe, Signals, run};
use crate::{Endpoint, Meter, SeatOptions};
use phalanx_engine::{Brain, BrainError, Input, Staged, TeamLink, TeamOptions};
use phalanx_game::{AgentId, Game, Roster, Seat, SeatId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
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

/// A team whose strategy is loaded and whose thread waits. Dropped, it ends.
pub struct BuiltTeam {
    name: String,
    start: Box<dyn FnOnce() -> TeamHandle + Send>,
}

impl fmt::Debug for BuiltTeam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltTeam").field("name", &self.name).finish_non_exhaustive()
    }
}

impl BuiltTeam {
    /// Opens the seats. Must be called inside a tokio runtime: the seats run there.
    #[must_use]
    pub fn spawn(self) -> TeamHandle {
        (self.start)()
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
        let roster = Arc::new(self.roster.clone());
        let recipe = Recipe {
            game: self.game.clone(),
            roster: Arc::clone(&roster),
            seat_of,
            options: self.team,
            staged: self.staged.clone(),
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
                let span = tracing::info_span!("team", name);
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
        let start = Box::new(move || self.open(roster, sender, outlets));
        Ok(BuiltTeam { name, start })
    }

    fn open(
        self,
        roster: Arc<Roster>,
        inbox: mpsc::Sender<Input<G>>,
        thread: oneshot::Sender<Outlets<G>>,
    ) -> TeamHandle {
        let (signals, meter) = (Signals::default(), Arc::new(Meter::default()));
        let names: Vec<_> = self.seats.iter().map(seat_name).collect();
        let span = tracing::info_span!("team", name = self.name);
        let course = watch::Sender::new(Course { endpoint: self.endpoint, stopped: false });
        let mut links = Vec::new();
        for seat in self.seats {
            let (game, course, inbox) = (self.game.clone(), course.subscribe(), inbox.clone());
            let (meter, leave) = (Arc::clone(&meter), signals.leave.clone());
            let open = || seat_on_course(game, seat, course, self.seat, inbox, meter, leave);
            links.push(span.in_scope(open));
        }
        let snapshot = watch::Sender::default();
        let journal = broadcast::Sender::new(JOURNAL_ENTRIES_MAX);
        let ended = watch::Sender::new(None);
        let (restarts, tickets) = (Arc::default(), Arc::default());
        let parts = Parts {
            name: self.name,
            game: G::NAME,
            framing: G::FRAMING,
            course,
            roster,
            seats: names,
            snapshot: snapshot.subscribe(),
            journal: journal.downgrade(),
            ended: ended.subscribe(),
            restarts: Arc::clone(&restarts),
            meter,
            signals: signals.clone(),
            tickets: Arc::clone(&tickets),
        };
        let (mut seats, mut statuses, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
        for SeatLink { actions, status, task } in links {
            seats.push(actions);
            statuses.push(status);
            tasks.push(task);
        }
        let outlets = Outlets { seats, snapshot, journal, ended, restarts, signals, tickets };
        // The thread waits for this since `build`; if it died, the seats answer by themselves.
        drop(thread.send(outlets));
        TeamHandle::new(parts, inbox, statuses, tasks)
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
