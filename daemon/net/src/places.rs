//! The seats of a running team: opened at its start and for agents that come, closed for agents
//! that go. Nothing here is on the path of a turn: the team's thread holds the ways to its seats.

use crate::course::Course;
use crate::handed::HandedSeat;
use crate::handle::SeatStatus;
use crate::mailbox::Mailbox;
use crate::meter::Meter;
use crate::seat::{Act, Links, SeatLink, seat_name, seat_on_course};
use crate::{Recorder, SeatOptions};
use phalanx_engine::SeatState;
use phalanx_game::{AgentId, Game, Seat, SeatId};
use secrecy::{ExposeSecret, SecretString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The ways from a team's thread to its seats, by the seats' ids.
pub(crate) type Ways<G> = Vec<mpsc::Sender<Act<G>>>;

/// An agent that is to come to a running team.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// Its name in the team, and at the referee.
    pub name: String,
    /// The role that decides for it.
    pub role: String,
    /// Its account at the referee; `None`: called as the agent is.
    pub user: Option<String>,
    /// The account's password; empty where there is none.
    pub password: SecretString,
}

/// Opens seats, without the game's types.
trait Opener: Send + Sync {
    fn open(&self, seat: Seat, leave: CancellationToken, tasks: &TaskTracker) -> Place;
}

/// What the seats of a team have in common.
pub(crate) struct Workshop<G: Game> {
    pub(crate) game: G,
    pub(crate) course: watch::Receiver<Course>,
    pub(crate) options: SeatOptions,
    pub(crate) inbox: Mailbox<G>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    pub(crate) ways: watch::Sender<Ways<G>>,
    /// Connections that another process had.
    pub(crate) handed: Mutex<Vec<HandedSeat>>,
    pub(crate) span: tracing::Span,
}

impl<G: Game> Opener for Workshop<G> {
    fn open(&self, seat: Seat, leave: CancellationToken, tasks: &TaskTracker) -> Place {
        let (id, name) = (seat.id, seat_name(&seat));
        let (game, course, inbox) = (self.game.clone(), self.course.clone(), self.inbox.clone());
        let (left, witnesses) = (leave.clone(), (Arc::clone(&self.meter), self.recorder.clone()));
        let handed = self.handed(&name, &course.borrow());
        let link = Links { course, inbox, leave: left, handed };
        let open = || seat_on_course(game, seat, self.options, link, witnesses);
        let SeatLink { actions, status, task } = self.span.in_scope(open);
        self.ways.send_modify(|ways| match ways.get_mut(id.index()) {
            Some(way) => *way = actions,
            None => ways.push(actions),
        });
        let abort = task.abort_handle();
        tasks.spawn(async move {
            // Seats catch their own panics; an aborted one was named by the drain.
            drop(task.await);
        });
        Place { name, status, abort, leave, removed: false }
    }
}

impl<G: Game> Workshop<G> {
    /// The connection that is there for a seat already, once.
    fn handed(&self, name: &str, course: &Course) -> Option<HandedSeat> {
        let mut handed = self.handed.lock().unwrap_or_else(PoisonError::into_inner);
        let place = handed.iter().position(|handed| handed.seat == name)?;
        let handed = handed.swap_remove(place);
        let is_here = !course.stopped && handed.server == course.endpoint.to_string();
        is_here.then_some(handed)
    }
}

/// One seat, as the team's handle holds it.
struct Place {
    name: String,
    status: watch::Receiver<SeatStatus>,
    abort: AbortHandle,
    leave: CancellationToken,
    /// Its agent was removed.
    removed: bool,
}

/// All seats of a team, by id.
pub(crate) struct Places {
    table: Mutex<Vec<Place>>,
    opener: Box<dyn Opener>,
    tasks: TaskTracker,
    /// Turns and margins of a new seat are those of the first one.
    first: Seat,
    /// To all seats: say goodbye.
    leave: CancellationToken,
}

impl Places {
    /// Opens the seats that a team begins with. Must be called inside a tokio runtime.
    pub(crate) fn open<G: Game>(
        workshop: Workshop<G>,
        first: Seat,
        seats: Vec<Seat>,
        leave: CancellationToken,
    ) -> Self {
        let tasks = TaskTracker::new();
        let open = |seat| workshop.open(seat, leave.child_token(), &tasks);
        let table = Mutex::new(seats.into_iter().map(open).collect());
        // Seats may still come: the end is when none is left.
        tasks.close();
        Self { table, opener: Box::new(workshop), tasks, first, leave }
    }

    /// Resolves once every seat has ended.
    pub(crate) fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let tasks = self.tasks.clone();
        async move { tasks.wait().await }
    }

    /// Opens the seat of an agent that came, or came back.
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

    /// Lets a seat answer what is open, say goodbye and end; resolves when it has.
    pub(crate) async fn remove(&self, id: SeatId) {
        let status = self.table().get_mut(id.index()).map(|place| {
            place.removed = true;
            place.leave.cancel();
            place.status.clone()
        });
        let Some(mut status) = status else { return };
        // The sender is gone when the task is: then its last events have reached the team too.
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

    /// Cuts off whoever has not ended; their names.
    pub(crate) fn abort(&self) -> Vec<String> {
        let table = self.table();
        let left = table.iter().filter(|place| place.status.borrow().state != SeatState::Closed);
        let cut = |place: &Place| {
            place.abort.abort();
            place.name.clone()
        };
        left.map(cut).collect()
    }

    fn table(&self) -> MutexGuard<'_, Vec<Place>> {
        // Each change is one step: a table is whole even when its holder panicked.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
