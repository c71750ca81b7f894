//! Agents that come to a running team, and leave it: first the team agrees, then the seat is
//! opened or closed.

use crate::handle::OperatorError;
use crate::operator::Wish;
use crate::{AgentSpec, TeamHandle};
use phalanx_engine::{Answer, Enrolled, SteerError};
use phalanx_game::AgentId;

impl TeamHandle {
    /// Adds an agent to the running team and opens its seat, at the team's referee; its id. One
    /// that was removed before comes back under its old id. It plays as soon as the referee lets
    /// it: this returns before. The seat of a stopped team waits until the team is started.
    ///
    /// # Errors
    /// When the team is busy or has ended. The inner error says why the team is as it was: the name
    /// is taken or malformed, there is no such role, the team is full, leaving, or of a game whose
    /// teams do not change.
    pub async fn add_agent(
        &self,
        agent: AgentSpec,
        by: String,
    ) -> Result<Result<AgentId, SteerError>, OperatorError> {
        let team = self.clone();
        alone(async move { team.take_on(&agent, by).await }).await
    }

    /// Removes an agent from the running team: its seat answers what is open, says goodbye and
    /// closes; then this returns. The team keeps what it learned from it.
    ///
    /// # Errors
    /// When there is no such agent, the team is busy or has ended. The inner error says why the
    /// agent is still of the team: it is the last one, or the team is leaving or of a game whose
    /// teams do not change.
    pub async fn remove_agent(
        &self,
        agent: AgentId,
        by: String,
    ) -> Result<Result<(), SteerError>, OperatorError> {
        self.check(agent)?;
        let team = self.clone();
        alone(async move { team.let_go(agent, by).await }).await
    }

    async fn take_on(
        &self,
        spec: &AgentSpec,
        by: String,
    ) -> Result<Result<AgentId, SteerError>, OperatorError> {
        let _alone = self.travelling().lock().await;
        let (name, role) = (spec.name.clone(), spec.role.clone());
        let answer = self.ask(|ticket| Wish::AddAgent { ticket, name, role, by }).await?;
        let Answer::Enrolled(result) = answer else { return Err(OperatorError::Busy) };
        let Enrolled { agent, seat } = match result {
            Ok(enrolled) => enrolled,
            Err(error) => return Ok(Err(error)),
        };
        self.places().add((agent, seat), spec);
        if self.has_stopped() {
            // The last of the other seats ended meanwhile, and the team with it.
            self.places().remove(seat).await;
            return Err(OperatorError::Ended);
        }
        Ok(Ok(agent))
    }

    async fn let_go(
        &self,
        agent: AgentId,
        by: String,
    ) -> Result<Result<(), SteerError>, OperatorError> {
        let _alone = self.travelling().lock().await;
        let seat = self.lineup().borrow().seats.get(agent.index()).copied();
        let answer = self.ask(|ticket| Wish::RemoveAgent { ticket, agent, by }).await?;
        let Answer::Removed(result) = answer else { return Err(OperatorError::Busy) };
        if let (Ok(()), Some(seat)) = (&result, seat) {
            self.places().remove(seat).await;
        }
        Ok(result)
    }
}

/// On a task of its own: a caller that goes away must not leave an agent without its seat.
async fn alone<T: Send + 'static>(
    work: impl Future<Output = Result<T, OperatorError>> + Send + 'static,
) -> Result<T, OperatorError> {
    tokio::spawn(work).await.unwrap_or(Err(OperatorError::Ended))
}
