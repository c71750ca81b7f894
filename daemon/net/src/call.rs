//! How a command reaches a running team, and its answer the caller. A call that is dropped only stops
//! waiting: the team may still handle the command.

use crate::TeamHandle;
use crate::supervisor::{ThreadRequest, stuck};
use crate::tickets::OWN_TICKET;
use phalanx_engine::{CommandError, CommandRequest, TeamCommand};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// An operator whose change is not answered waits no longer for a thread that does not respond.
const HURRY_AFTER: Duration = Duration::from_secs(1);

impl TeamHandle {
    /// Asks the team for something, and waits for the answer. `by` is the caller, for the journal;
    /// empty where the command changes nothing. A team that has ended still shows its world and its
    /// board as they were.
    ///
    /// Agents and connections also have seats. So use [`add_agent`](Self::add_agent),
    /// [`remove_agent`](Self::remove_agent), [`stop`](Self::stop), [`start`](Self::start) and
    /// [`move_to`](Self::move_to) for the commands about them.
    ///
    /// # Errors
    /// When the team refuses, is busy or has ended, or its thread does not respond and cannot be
    /// replaced. Nothing has changed then.
    pub async fn call<C: TeamCommand>(
        &self,
        command: C,
        by: impl Into<String>,
    ) -> Result<C::Reply, CommandError> {
        let command = command.into();
        if let Some(reply) = self.tickets().final_reply(&command) {
            return C::answer(Ok(reply));
        }
        let claim = self.tickets().claim()?;
        let request = CommandRequest::new(claim.ticket(), by, command);
        let urgent = request.command.is_urgent();
        self.port().send(request)?;
        let answer = tokio::select! {
            biased;
            answer = claim.answer() => answer,
            error = self.replace_while_stuck(), if urgent => Err(error),
        };
        C::answer(answer)
    }

    /// Sends a command that the team does not answer.
    ///
    /// # Errors
    /// When the team's inbox is full, or the team has ended.
    pub fn post(
        &self,
        command: impl TeamCommand<Reply = Infallible>,
        by: impl Into<String>,
    ) -> Result<(), CommandError> {
        self.port().send(CommandRequest::new(OWN_TICKET, by, command))
    }

    /// Restores the team from its last checkpoint, with all of its scripts: a thread that does not
    /// respond is replaced. Its seats answer meanwhile.
    ///
    /// # Errors
    /// When the team has ended, too many requests wait, or its thread does not respond and cannot be
    /// replaced.
    pub async fn restart(&self, by: String) -> Result<(), CommandError> {
        self.ask_supervisor(|done| ThreadRequest::Restart { by, done }).await
    }

    /// Has the team's thread replaced as soon as it does not respond, as often as it takes. Returns
    /// when it cannot be.
    async fn replace_while_stuck(&self) -> CommandError {
        let mut lease = self.lease();
        loop {
            let at = stuck(&mut lease, HURRY_AFTER).await;
            let replaced = self.ask_supervisor(|done| ThreadRequest::Replace { at, done }).await;
            if let Err(error) = replaced {
                return error;
            }
        }
    }

    async fn ask_supervisor(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<(), CommandError>>) -> ThreadRequest,
    ) -> Result<(), CommandError> {
        let (done, answer) = oneshot::channel();
        self.thread_requests().try_send(request(done)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => CommandError::busy(),
            mpsc::error::TrySendError::Closed(_) => CommandError::Ended,
        })?;
        answer.await.unwrap_or(Err(CommandError::Ended))
    }
}
