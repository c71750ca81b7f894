//! Where a running team is to be: at which address, or nowhere for now.

use crate::handed::Shelf;
use crate::handle::{OperatorError, SeatStatus};
use crate::operator::Wish;
use crate::{Endpoint, TeamHandle};
use phalanx_engine::{Answer, Keep, SeatState, SteerError};

/// What every seat of a team follows.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub(crate) endpoint: Endpoint,
    /// The seats hang up and stay away.
    pub(crate) stopped: bool,
    /// Whoever leaves puts its connection there; `None`: it says goodbye.
    pub(crate) shelf: Option<Shelf>,
}

/// Why a team does not go where it should. It is where it was before.
#[derive(Debug, thiserror::Error)]
pub enum CourseError {
    /// The transport cannot carry the game.
    #[error("{game} does not go over {endpoint}: a stream of bytes is not messages")]
    Framing {
        /// The game's name.
        game: &'static str,
        /// The address.
        endpoint: String,
    },
    /// The team says no.
    #[error("{0}")]
    Refused(#[from] SteerError),
    /// The team cannot be asked.
    #[error("{0}")]
    Team(#[from] OperatorError),
}

/// Where to, and what for.
struct Trip {
    /// `None`: stay away.
    to: Option<Endpoint>,
    keep: Keep,
    by: String,
}

impl TeamHandle {
    /// Where the team plays, or would if it were not stopped.
    #[must_use]
    pub fn endpoint(&self) -> Endpoint {
        self.course().borrow().endpoint.clone()
    }

    /// It was stopped and not started again.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.course().borrow().stopped
    }

    /// Stops the team: open turns are answered, the seats say goodbye and stay away. It keeps what
    /// it knows and does not end. Returns when every seat has hung up; that it is stopped already
    /// is no error.
    ///
    /// # Errors
    /// When the team is busy, leaving or has ended; then it plays on.
    pub async fn stop(&self, by: String) -> Result<(), CourseError> {
        self.travel(Trip { to: None, keep: Keep::ALL, by }).await
    }

    /// Lets a stopped team dial again; that it plays already is no error.
    ///
    /// # Errors
    /// When the team is busy or has ended.
    pub async fn start(&self, by: String) -> Result<(), CourseError> {
        let _alone = self.travelling().lock().await;
        if !self.is_stopped() {
            return Ok(());
        }
        let to = self.endpoint().to_string();
        let answer = self.ask(|ticket| Wish::Return { ticket, to, by }).await?;
        course_answer(answer)?;
        self.course().send_modify(|course| course.stopped = false);
        Ok(())
    }

    /// Moves the team to another address: the seats answer what is open, say goodbye and dial
    /// there. Returns when the last one has hung up and what is not kept is forgotten. A stopped
    /// team stays stopped: it will start there.
    ///
    /// # Errors
    /// When the transport does not fit the game, the team is busy, leaving or has ended. Then it
    /// plays on where it was.
    pub async fn move_to(
        &self,
        endpoint: Endpoint,
        keep: Keep,
        by: String,
    ) -> Result<(), CourseError> {
        if endpoint.framing() != self.framing() {
            let endpoint = endpoint.to_string();
            return Err(CourseError::Framing { game: self.game(), endpoint });
        }
        self.travel(Trip { to: Some(endpoint), keep, by }).await
    }

    /// On a task of its own: a caller that goes away must not leave the team on its way.
    async fn travel(&self, trip: Trip) -> Result<(), CourseError> {
        let team = self.clone();
        let made = tokio::spawn(async move { team.make(trip).await });
        made.await.unwrap_or(Err(CourseError::Team(OperatorError::Ended)))
    }

    async fn make(&self, Trip { to, keep, by }: Trip) -> Result<(), CourseError> {
        let _alone = self.travelling().lock().await;
        let before = self.course().borrow().clone();
        if before.stopped && to.is_none() {
            return Ok(());
        }
        self.course().send_modify(|course| course.stopped = true);
        let told = to.as_ref().map(ToString::to_string);
        let wish = |ticket| Wish::Leave { ticket, to: told, keep, by };
        let left = match self.ask(wish).await {
            // Nobody is left to hear that they have hung up: the seats did it by themselves.
            Err(OperatorError::Stuck) if to.is_none() => {
                self.hung_up().await;
                Ok(())
            }
            answer => answer.map_err(CourseError::from).and_then(course_answer),
        };
        let stopped = to.is_none() || before.stopped;
        let next = match (&left, to) {
            (Ok(()), Some(endpoint)) => Course { endpoint, stopped, ..before },
            (Ok(()), None) => Course { stopped, ..before },
            (Err(_), _) => before,
        };
        self.course().send_replace(next);
        left
    }
}

impl TeamHandle {
    /// Waits until every seat has hung up.
    async fn hung_up(&self) {
        let seats = self.lineup().borrow().seats.clone();
        for seat in seats {
            let Some(mut status) = self.seat(seat) else { continue };
            let away = |status: &SeatStatus| {
                matches!(status.state, SeatState::Stopped | SeatState::Closed)
            };
            drop(status.wait_for(away).await);
        }
    }
}

fn course_answer(answer: Answer) -> Result<(), CourseError> {
    let Answer::Course(result) = answer else { return Err(OperatorError::Busy.into()) };
    result.map_err(CourseError::Refused)
}
