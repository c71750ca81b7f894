//! What operators ask of a running team. Each call waits for its answer; dropped, it only stops
//! waiting: what it asked for may still happen.

use crate::mailbox::Mailbox;
use crate::supervisor::{Command, stuck};
use crate::tickets::Tickets;
use crate::{OperatorError, TeamHandle};
use phalanx_engine::{
    Answer, BoardItem, BoardPage, BoardRead, BoardWrite, BoardWriteError, BrainError, Carry,
    Drawing, Fault, Input, Keep, ParamError, Profile, Ran, Scope, Staged, Steer, SteerError,
    Steering, StrategyOrigin, TeamOptions, Ticket, View,
};
use phalanx_game::{AgentId, Game, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// An operator whose change is not answered waits no longer for a thread that does not respond.
const HURRY_AFTER: Duration = Duration::from_secs(1);

/// The way into a team's inbox, without its types.
pub(crate) trait Port: Send + Sync {
    fn send(&self, wish: Wish) -> Result<(), OperatorError>;

    /// Inputs that were dropped before the team took them.
    fn dropped(&self) -> u64;
}

/// The inputs that no game has a part in.
#[derive(Debug)]
pub(crate) enum Wish {
    SetRole { ticket: Ticket, agent: AgentId, role: String, carry: Carry, by: String },
    Steer { ticket: Ticket, agent: AgentId, steer: Steer, by: String },
    AddAgent { ticket: Ticket, name: String, role: String, by: String },
    RemoveAgent { ticket: Ticket, agent: AgentId, by: String },
    Leave { ticket: Ticket, to: Option<String>, keep: Keep, by: String },
    Return { ticket: Ticket, to: String, by: String },
    Install { ticket: Ticket, staged: Staged, pinned: bool },
    Refused { origin: StrategyOrigin, faults: Vec<Fault> },
    Retune { ticket: Ticket, options: TeamOptions, by: String },
    SetParam { ticket: Ticket, name: String, scope: Scope, value: Option<Value>, by: String },
    Look { ticket: Ticket },
    Draw { ticket: Ticket },
    ReadBoard { ticket: Ticket, read: BoardRead },
    WriteBoard { ticket: Ticket, write: BoardWrite },
    Run { ticket: Ticket, agent: AgentId, code: String, by: String },
    Profile { ticket: Ticket, turns: u32 },
}

impl Wish {
    /// An operator waits for it, and it changes something or is needed for that. What only looks
    /// waits until the thread is replaced anyway.
    fn is_urgent(&self) -> bool {
        match self {
            Self::SetRole { .. }
            | Self::Steer { .. }
            | Self::AddAgent { .. }
            | Self::RemoveAgent { .. }
            | Self::Leave { .. }
            | Self::Return { .. }
            | Self::Install { .. }
            | Self::Retune { .. }
            | Self::SetParam { .. }
            | Self::Look { .. }
            | Self::WriteBoard { .. } => true,
            Self::Refused { .. }
            | Self::Draw { .. }
            | Self::ReadBoard { .. }
            | Self::Run { .. }
            | Self::Profile { .. } => false,
        }
    }
}

impl<G: Game> From<Wish> for Input<G> {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::SetRole { ticket, agent, role, carry, by } => {
                Self::SetRole { ticket, agent, role, carry, by }
            }
            Wish::Steer { ticket, agent, steer, by } => Self::Steer { ticket, agent, steer, by },
            Wish::AddAgent { ticket, name, role, by } => Self::AddAgent { ticket, name, role, by },
            Wish::RemoveAgent { ticket, agent, by } => Self::RemoveAgent { ticket, agent, by },
            Wish::Leave { ticket, to, keep, by } => Self::Leave { ticket, to, keep, by },
            Wish::Return { ticket, to, by } => Self::Return { ticket, to, by },
            Wish::Install { ticket, staged, pinned } => Self::Install { ticket, staged, pinned },
            Wish::Refused { origin, faults } => Self::StrategyRefused { origin, faults },
            Wish::Retune { ticket, options, by } => Self::Retune { ticket, options, by },
            Wish::SetParam { ticket, name, scope, value, by } => {
                Self::SetParam { ticket, name, scope, value, by }
            }
            Wish::Look { ticket } => Self::Look { ticket },
            Wish::Draw { ticket } => Self::Draw { ticket },
            Wish::ReadBoard { ticket, read } => Self::ReadBoard { ticket, read },
            Wish::WriteBoard { ticket, write } => Self::WriteBoard { ticket, write },
            Wish::Run { ticket, agent, code, by } => Self::Run { ticket, agent, code, by },
            Wish::Profile { ticket, turns } => Self::Profile { ticket, turns },
        }
    }
}

impl<G: Game> Port for Mailbox<G> {
    fn send(&self, wish: Wish) -> Result<(), OperatorError> {
        self.ask(wish.into())
    }

    fn dropped(&self) -> u64 {
        self.dropped()
    }
}

impl TeamHandle {
    /// Changes an agent's role from the next turn on, and tells the role before. `carry` says what
    /// becomes of its memory where the new role declares another version of it: it goes through
    /// `migrate` or the change is refused, it goes through or begins anew, or it begins anew in any
    /// case.
    ///
    /// # Errors
    /// When there is no such agent, the team is busy or has ended. The inner error says why the
    /// role is as it was.
    pub async fn set_role(
        &self,
        agent: AgentId,
        role: String,
        carry: Carry,
        by: String,
    ) -> Result<Result<String, SteerError>, OperatorError> {
        self.check(agent)?;
        let wish = |ticket| Wish::SetRole { ticket, agent, role, carry, by };
        let Answer::Role(result) = self.ask(wish).await? else { return Err(OperatorError::Busy) };
        Ok(result)
    }

    /// Pauses an agent, pins an order to it, pilots it, or hands it back; tells how it is steered
    /// from then on. Orders are read by [`read_order`](phalanx_engine::read_order).
    ///
    /// # Errors
    /// When there is no such agent, the team is busy or has ended. The inner error says why nothing
    /// has changed.
    pub async fn steer(
        &self,
        agent: AgentId,
        steer: Steer,
        by: String,
    ) -> Result<Result<Steering, SteerError>, OperatorError> {
        self.check(agent)?;
        let wish = |ticket| Wish::Steer { ticket, agent, steer, by };
        let answer = self.ask(wish).await?;
        let Answer::Steered(result) = answer else { return Err(OperatorError::Busy) };
        Ok(result)
    }

    /// Lets another generation decide, at the next moment at which it costs no turn its time. A
    /// pinned one is never taken back by itself.
    ///
    /// # Errors
    /// When the team is busy or has ended. The inner error says why the old generation plays on.
    pub async fn install(
        &self,
        staged: Staged,
        pinned: bool,
    ) -> Result<Result<(), BrainError>, OperatorError> {
        let answer = self.ask(|ticket| Wish::Install { ticket, staged, pinned }).await?;
        let Answer::Installed(result) = answer else { return Err(OperatorError::Busy) };
        Ok(result)
    }

    /// Changes how the team deals with time and when somebody should look at it, from the next turn
    /// on; the seed stays.
    ///
    /// # Errors
    /// When the team is busy or has ended. The inner error says why nothing has changed.
    pub async fn retune(
        &self,
        options: TeamOptions,
        by: String,
    ) -> Result<Result<(), SteerError>, OperatorError> {
        let answer = self.ask(|ticket| Wish::Retune { ticket, options, by }).await?;
        let Answer::Retuned(result) = answer else { return Err(OperatorError::Busy) };
        Ok(result)
    }

    /// Tells in the journal that a strategy did not pass its trial.
    ///
    /// # Errors
    /// When the inbox is full, or the team has ended.
    pub fn refused(&self, origin: StrategyOrigin, faults: Vec<Fault>) -> Result<(), OperatorError> {
        self.port().send(Wish::Refused { origin, faults })
    }

    /// A copy of all that scripts can see.
    ///
    /// # Errors
    /// When the team is busy or has ended.
    pub async fn view(&self) -> Result<View, OperatorError> {
        let answer = self.ask(|ticket| Wish::Look { ticket }).await?;
        let Answer::View(view) = answer else { return Err(OperatorError::Busy) };
        Ok(*view)
    }

    /// Draws the world as it is, between turns.
    ///
    /// # Errors
    /// When the team is busy or has ended.
    pub async fn draw(&self) -> Result<Drawing, OperatorError> {
        let answer = self.ask(|ticket| Wish::Draw { ticket }).await?;
        let Answer::Drawn(drawing) = answer else { return Err(OperatorError::Busy) };
        Ok(*drawing)
    }

    /// Copies a piece of the board, between turns.
    ///
    /// # Errors
    /// When the team is busy or has ended.
    pub async fn read_board(&self, read: BoardRead) -> Result<BoardPage, OperatorError> {
        let answer = self.ask(|ticket| Wish::ReadBoard { ticket, read }).await?;
        let Answer::Board(page) = answer else { return Err(OperatorError::Busy) };
        Ok(*page)
    }

    /// Writes to the board; scripts see it from the next turn on. Tells what is under the key then.
    ///
    /// # Errors
    /// When the team is busy or has ended. The inner error says why nothing was written.
    pub async fn write_board(
        &self,
        write: BoardWrite,
    ) -> Result<Result<Option<BoardItem>, BoardWriteError>, OperatorError> {
        let answer = self.ask(|ticket| Wish::WriteBoard { ticket, write }).await?;
        let Answer::Written(result) = answer else { return Err(OperatorError::Busy) };
        Ok(result)
    }

    /// Runs a piece of script in the living VM, between turns.
    ///
    /// # Errors
    /// When there is no such agent, the team is busy or has ended. The inner error is the script's.
    pub async fn run(
        &self,
        agent: AgentId,
        code: String,
        by: String,
    ) -> Result<Result<Ran, BrainError>, OperatorError> {
        self.check(agent)?;
        let answer = self.ask(|ticket| Wish::Run { ticket, agent, code, by }).await?;
        let Answer::Ran(result) = answer else { return Err(OperatorError::Busy) };
        Ok(result)
    }

    /// Measures the scripts over so many turns; answers earlier when the match is over.
    ///
    /// # Errors
    /// When the team is busy or has ended.
    pub async fn profile(&self, turns: u32) -> Result<Profile, OperatorError> {
        let answer = self.ask(|ticket| Wish::Profile { ticket, turns }).await?;
        let Answer::Profile(profile) = answer else { return Err(OperatorError::Busy) };
        Ok(*profile)
    }

    /// Sets a parameter from the next turn on, or takes it back with `None`. Tells the value before
    /// in that scope.
    ///
    /// # Errors
    /// When the team is busy or has ended. The inner error says what does not fit.
    pub async fn set_param(
        &self,
        name: String,
        scope: Scope,
        value: Option<Value>,
        by: String,
    ) -> Result<Result<Option<Value>, ParamError>, OperatorError> {
        let wish = |ticket| Wish::SetParam { ticket, name, scope, value, by };
        let Answer::Param(result) = self.ask(wish).await? else { return Err(OperatorError::Busy) };
        Ok(result)
    }

    /// Makes the team anew from its last checkpoint, all of its scripts included: a thread that does
    /// not respond is replaced. Its seats answer meanwhile.
    ///
    /// # Errors
    /// When the team has ended, too many requests wait, or its thread does not respond and cannot be
    /// replaced.
    pub async fn restart(&self, by: String) -> Result<(), OperatorError> {
        self.command(|done| Command::Restart { by, done }).await
    }

    pub(crate) async fn ask(
        &self,
        wish: impl FnOnce(Ticket) -> Wish,
    ) -> Result<Answer, OperatorError> {
        let tickets: &Arc<Tickets> = self.tickets();
        let claim = tickets.claim()?;
        let wish = wish(claim.ticket());
        let urgent = wish.is_urgent();
        self.port().send(wish)?;
        tokio::select! {
            biased;
            answer = claim.answer() => answer,
            error = self.hurry(), if urgent => Err(error),
        }
    }

    /// Has the team's thread replaced as soon as it does not respond, as often as it takes. Returns
    /// when it cannot be.
    async fn hurry(&self) -> OperatorError {
        let mut lease = self.lease();
        loop {
            let at = stuck(&mut lease, HURRY_AFTER).await;
            if let Err(error) = self.command(|done| Command::Replace { at, done }).await {
                return error;
            }
        }
    }

    async fn command(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<(), OperatorError>>) -> Command,
    ) -> Result<(), OperatorError> {
        let (done, answer) = oneshot::channel();
        self.commands().try_send(command(done)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => OperatorError::Busy,
            mpsc::error::TrySendError::Closed(_) => OperatorError::Ended,
        })?;
        answer.await.unwrap_or(Err(OperatorError::Ended))
    }

    pub(crate) fn check(&self, agent: AgentId) -> Result<(), OperatorError> {
        if self.roster().is_present(agent) { Ok(()) } else { Err(OperatorError::NoSuchAgent) }
    }
}
