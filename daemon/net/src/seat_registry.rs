//! The seats of a running team: opened at its start and for added agents, closed for removed
//! agents. Turns do not pass through here: the team's thread has a channel to each seat.

use crate::handed::HandedSeat;
use crate::mailbox::Mailbox;
use crate::meter::AnswerMeter;
use crate::seat::{Act, SeatChannels, SeatLink, SeatStatus, seat_name, seat_on_target};
use crate::seat_target::SeatTarget;
use crate::{Recorder, SeatOptions};
use futures_util::FutureExt;
use phalanx_engine::SeatState;
use phalanx_game::{AgentId, Game, Roster, Seat, SeatId};
use secrecy::{ExposeSecret, SecretString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The channels from a team's thread to its seats, by the seats' ids.
pub(crate) type SeatSenders<G> = Vec<mpsc::Sender<Act<G>>>;

/// The agents of a team and their seats. It changes when agents are added and removed.
#[derive(Clone, Debug)]
pub struct Lineup {
    /// The agents, in the order in which they decide.
    pub roster: Arc<Roster>,
    /// The seat of each, by roster index.
    pub seats: Vec<SeatId>,
}

/// An agent to add to a running team.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// Its name in the team, and at the referee.
    pub name: String,
    /// The role that decides for it.
    pub role: String,
    /// Its account at the referee; `None`: the agent's name.
    pub user: Option<String>,
    /// The account's password; empty if it has none.
    pub password: SecretString,
}

/// Opens seats, without the game's types.
pub(crate) trait Opener: Send + Sync {
    fn open(&self, seat: Seat, leave: CancellationToken, tasks: &TaskTracker) -> SeatEntry;
}

/// What the seats of a team share.
pub(crate) struct SeatFactory<G: Game> {
    pub(crate) game: G,
    pub(crate) target: watch::Receiver<SeatTarget>,
    pub(crate) options: SeatOptions,
    pub(crate) inbox: Mailbox<G>,
    pub(crate) meter: Arc<AnswerMeter>,
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    pub(crate) senders: watch::Sender<SeatSenders<G>>,
    /// Connections that another process handed over.
    pub(crate) handed: Mutex<Vec<HandedSeat>>,
    pub(crate) span: tracing::Span,
}

impl<G: Game> Opener for SeatFactory<G> {
    fn open(&self, seat: Seat, leave: CancellationToken, tasks: &TaskTracker) -> SeatEntry {
        let (id, name) = (seat.id, seat_name(&seat));
        let (game, target, inbox) = (self.game.clone(), self.target.clone(), self.inbox.clone());
        let (left, observers) = (leave.clone(), (Arc::clone(&self.meter), self.recorder.clone()));
        let handed = self.handed(&name, &target.borrow());
        let password = watch::Sender::default();
        let changed = password.subscribe();
        let link = SeatChannels { target, password: changed, inbox, leave: left, handed };
        let open = || seat_on_target(game, seat, self.options, link, observers);
        let SeatLink { actions, status, task } = self.span.in_scope(open);
        self.senders.send_modify(|senders| match senders.get_mut(id.index()) {
            Some(way) => *way = actions,
            None => senders.push(actions),
        });
        let abort = task.abort_handle();
        // Seats catch their own panics, and the drain reports aborted ones.
        tasks.spawn(task.map(drop).boxed());
        SeatEntry::new(name, (status, password), abort, leave)
    }
}

impl<G: Game> SeatFactory<G> {
    /// Takes the handed-over connection of a seat, if there is one for its address.
    fn handed(&self, name: &str, target: &SeatTarget) -> Option<HandedSeat> {
        let mut handed = self.handed.lock().unwrap_or_else(PoisonError::into_inner);
        let place = handed.iter().position(|handed| handed.seat == name)?;
        let handed = handed.swap_remove(place);
        let is_here = !target.stopped && handed.server == target.endpoint.to_string();
        is_here.then_some(handed)
    }
}

/// One seat, as the registry holds it.
pub(crate) struct SeatEntry {
    name: String,
    status: watch::Receiver<SeatStatus>,
    password: watch::Sender<SecretString>,
    abort: AbortHandle,
    leave: CancellationToken,
    /// Its agent was removed.
    removed: bool,
}

impl SeatEntry {
    pub(crate) fn new(
        name: String,
        (status, password): (watch::Receiver<SeatStatus>, watch::Sender<SecretString>),
        abort: AbortHandle,
        leave: CancellationToken,
    ) -> Self {
        Self { name, status, password, abort, leave, removed: false }
    }
}

/// All seats of a team, by id.
pub(crate) struct SeatRegistry {
    table: Mutex<Vec<SeatEntry>>,
    opener: Box<dyn Opener>,
    tasks: TaskTracker,
    /// New seats get the turns and margins of the first one.
    first: Seat,
    /// Makes all seats log out.
    leave: CancellationToken,
}

impl SeatRegistry {
    /// Opens the seats that a team begins with. Must be called inside a tokio runtime.
    pub(crate) fn open(
        opener: impl Opener + 'static,
        first: Seat,
        seats: Vec<Seat>,
        leave: CancellationToken,
    ) -> Self {
        let tasks = TaskTracker::new();
        let open = |seat| opener.open(seat, leave.child_token(), &tasks);
        let table = Mutex::new(seats.into_iter().map(open).collect());
        // Seats may still be added: it ends when there is none left.
        tasks.close();
        Self { table, opener: Box::new(opener), tasks, first, leave }
    }

    /// Resolves once every seat has ended.
    pub(crate) fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let tasks = self.tasks.clone();
        async move { tasks.wait().await }
    }

    /// Opens the seat of an agent that was added, or added again.
    pub(crate) fn add(&self, (agent, id): (AgentId, SeatId), spec: &AgentSpec) {
        let seat = Seat {
            id,
            agents: vec![(agent, spec.name.clone())],
            user: spec.user.clone().unwrap_or_else(|| spec.name.clone()),
            password: spec.password.expose_secret().to_owned(),
            ..self.first.clone()
        };
        let place = self.opener.open(seat, self.leave.child_token(), &self.tasks);
        let mut table = self.table();
        match table.get_mut(id.index()) {
            Some(known) => *known = place,
            None => table.push(place),
        }
    }

    /// The seat logs in with this password from its next connection on.
    pub(crate) fn set_password(&self, id: SeatId, password: SecretString) {
        if let Some(place) = self.table().get(id.index()) {
            place.password.send_replace(password);
        }
    }

    /// Makes a seat answer open turns, log out and end; resolves when it has ended.
    pub(crate) async fn remove(&self, id: SeatId) {
        let status = self.table().get_mut(id.index()).map(|place| {
            place.removed = true;
            place.leave.cancel();
            place.status.clone()
        });
        let Some(mut status) = status else { return };
        // The sender is dropped with the task: then its last events have reached the team too.
        while status.changed().await.is_ok() {}
    }

    /// The name and the status of each seat whose agent was not removed.
    pub(crate) fn statuses(&self) -> Vec<(String, SeatStatus)> {
        let table = self.table();
        let present = table.iter().filter(|place| !place.removed);
        present.map(|place| (place.name.clone(), place.status.borrow().clone())).collect()
    }

    /// Follows one seat.
    pub(crate) fn status(&self, id: SeatId) -> Option<watch::Receiver<SeatStatus>> {
        self.table().get(id.index()).map(|place| place.status.clone())
    }

    /// Aborts the seats that have not ended; returns their names.
    pub(crate) fn abort(&self) -> Vec<String> {
        let table = self.table();
        let left = table.iter().filter(|place| place.status.borrow().state != SeatState::Closed);
        let cut = |place: &SeatEntry| {
            place.abort.abort();
            place.name.clone()
        };
        left.map(cut).collect()
    }

    fn table(&self) -> MutexGuard<'_, Vec<SeatEntry>> {
        // Each change is one step, so the table is intact even after a panic of a holder.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
