//! Adding and removing agents of a running team: first the team agrees, then the seat is opened or
//! closed.

use crate::{AgentSpec, TeamHandle};
use phalanx_engine::{AddAgent, CommandError, Enrolled, RemoveAgent};
use phalanx_game::AgentId;
use secrecy::SecretString;

impl TeamHandle {
    /// Adds an agent to the running team and opens its seat at the team's referee. Returns the
    /// agent's id; an agent that was removed before gets its old id. It plays as soon as the
    /// referee lets it, which may be after this returns. The seat of a stopped team waits until the
    /// team is started.
    ///
    /// # Errors
    /// When the team is busy or has ended, the name is taken or malformed, there is no such role, or
    /// the team is full, leaving, or of a game whose teams do not change.
    pub async fn add_agent(&self, agent: AgentSpec, by: String) -> Result<AgentId, CommandError> {
        let team = self.clone();
        alone(async move { team.take_on(&agent, by).await }).await
    }

    /// Removes an agent from the running team. Returns after its seat has answered open turns,
    /// logged out and closed. The team keeps what it learned from the agent.
    ///
    /// # Errors
    /// When there is no such agent, it is the last one, or the team is busy, leaving, has ended, or
    /// is of a game whose teams do not change.
    pub async fn remove_agent(&self, agent: AgentId, by: String) -> Result<(), CommandError> {
        let team = self.clone();
        alone(async move { team.let_go(agent, by).await }).await
    }

    /// The agent logs in with this password from its next connection on; an agent that is not
    /// connected tries it at once.
    pub fn set_password(&self, agent: AgentId, password: SecretString) {
        let seat = self.lineup().borrow().seats.get(agent.index()).copied();
        if let Some(seat) = seat {
            self.registry().set_password(seat, password);
        }
    }

    async fn take_on(&self, spec: &AgentSpec, by: String) -> Result<AgentId, CommandError> {
        let _alone = self.travelling().lock().await;
        let (name, role) = (spec.name.clone(), spec.role.clone());
        let Enrolled { agent, seat } = self.call(AddAgent { name, role }, by).await?;
        self.registry().add((agent, seat), spec);
        if self.has_stopped() {
            // The last of the other seats ended meanwhile, and the team with it.
            self.registry().remove(seat).await;
            return Err(CommandError::Ended);
        }
        Ok(agent)
    }

    async fn let_go(&self, agent: AgentId, by: String) -> Result<(), CommandError> {
        let _alone = self.travelling().lock().await;
        let seat = self.lineup().borrow().seats.get(agent.index()).copied();
        self.call(RemoveAgent { agent }, by).await?;
        if let Some(seat) = seat {
            self.registry().remove(seat).await;
        }
        Ok(())
    }
}

/// On a task of its own, so that an agent gets its seat even if the caller leaves.
async fn alone<T: Send + 'static>(
    work: impl Future<Output = Result<T, CommandError>> + Send + 'static,
) -> Result<T, CommandError> {
    tokio::spawn(work).await.unwrap_or(Err(CommandError::Ended))
}
