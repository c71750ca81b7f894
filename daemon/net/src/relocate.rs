//! Stops a running team, starts it again, and moves it to another address, by the target that its
//! seats follow.

use crate::seat::SeatStatus;
use crate::seat_target::SeatTarget;
use crate::{Endpoint, TeamHandle};
use phalanx_engine::{CommandError, Keep, LeaveReferee, ReturnToReferee, SeatState};
use phalanx_game::Framing;

/// A requested change of the target.
struct TargetChange {
    /// `None`: stop.
    to: Option<Endpoint>,
    keep: Keep,
    by: String,
}

impl TeamHandle {
    /// The address at which the team plays, or will play once it is started again.
    #[must_use]
    pub fn endpoint(&self) -> Endpoint {
        self.target().borrow().endpoint.clone()
    }

    /// The address of a referee in the transport of the team's game.
    #[must_use]
    pub fn endpoint_at(&self, host: &str, port: u16) -> Endpoint {
        match self.framing() {
            Framing::Stream => Endpoint::tcp(host, port),
            Framing::Message => Endpoint::web_socket(host, port),
        }
    }

    /// Whether the team was stopped and not started again.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.target().borrow().stopped
    }

    /// Stops the team: the seats answer open turns, log out and do not dial again. The team keeps
    /// its state and does not end. Returns when every seat has hung up. Stopping a stopped team
    /// is no error.
    ///
    /// # Errors
    /// When the team is busy, leaving or has ended; then it plays on.
    pub async fn stop(&self, by: String) -> Result<(), CommandError> {
        self.travel(TargetChange { to: None, keep: Keep::ALL, by }).await
    }

    /// Lets a stopped team dial again. Starting a running team is no error.
    ///
    /// # Errors
    /// When the team is busy or has ended.
    pub async fn start(&self, by: String) -> Result<(), CommandError> {
        let _alone = self.travelling().lock().await;
        if !self.is_stopped() {
            return Ok(());
        }
        let to = self.endpoint().to_string();
        self.call(ReturnToReferee { to }, by).await?;
        self.target().send_modify(|target| target.stopped = false);
        Ok(())
    }

    /// Moves the team to another address: the seats answer open turns, log out and dial there.
    /// Returns when the last one has hung up and everything outside of `keep` is cleared. A stopped
    /// team stays stopped and will start there.
    ///
    /// # Errors
    /// When the transport does not fit the game, or the team is busy, leaving or has ended. Then it
    /// keeps its address.
    pub async fn move_to(
        &self,
        endpoint: Endpoint,
        keep: Keep,
        by: String,
    ) -> Result<(), CommandError> {
        if endpoint.framing() != self.framing() {
            let game = self.game();
            let why = "a stream of bytes is not messages";
            let text = format!("{game} does not go over {endpoint}: {why}");
            return Err(CommandError::Server(text));
        }
        self.travel(TargetChange { to: Some(endpoint), keep, by }).await
    }

    /// On a task of its own: a caller that goes away must not leave the team on its way.
    async fn travel(&self, change: TargetChange) -> Result<(), CommandError> {
        let team = self.clone();
        let made = tokio::spawn(async move { team.make(change).await });
        made.await.unwrap_or(Err(CommandError::Ended))
    }

    async fn make(&self, TargetChange { to, keep, by }: TargetChange) -> Result<(), CommandError> {
        let _alone = self.travelling().lock().await;
        let before = self.target().borrow().clone();
        if before.stopped && to.is_none() {
            return Ok(());
        }
        self.target().send_modify(|target| target.stopped = true);
        let leave = LeaveReferee { to: to.as_ref().map(ToString::to_string), keep };
        let left = match self.call(leave, by).await {
            // No thread handles that they have hung up: the seats did it by themselves.
            Err(CommandError::Stuck { .. }) if to.is_none() => {
                self.hung_up().await;
                Ok(())
            }
            left => left,
        };
        let stopped = to.is_none() || before.stopped;
        let next = match (&left, to) {
            (Ok(()), Some(endpoint)) => SeatTarget { endpoint, stopped, ..before },
            (Ok(()), None) => SeatTarget { stopped, ..before },
            (Err(_), _) => before,
        };
        self.target().send_replace(next);
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
