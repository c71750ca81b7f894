//! What operators can do with a running team, as this crate must be told.

use futures_util::future::BoxFuture;
use phalanx_access::Role;
use phalanx_engine::{Carry, Keep, Steer, SteerError, Steering};
use phalanx_game::{AgentId, Said};
use secrecy::SecretString;
use std::time::Duration;

/// What comes of an operator's wish. Dropped, it only is not waited for any more.
pub type ControlsFuture<T> = BoxFuture<'static, Result<T, ControlsError>>;

/// The operators' side of a running team. `by` is always who wants it, for the journal.
pub trait TeamControls: Send + Sync + 'static {
    /// The team was stopped and not started again, or is on its way.
    fn is_stopped(&self) -> bool;

    /// Lets a stopped team dial again; that it plays already is no error.
    fn start(&self, by: String) -> ControlsFuture<()>;

    /// The team answers what is open, hangs up and stays away; that it is stopped already is no
    /// error.
    fn stop(&self, by: String) -> ControlsFuture<()>;

    /// Makes the team anew from its last checkpoint; a thread that does not respond is replaced.
    fn restart(&self, by: String) -> ControlsFuture<()>;

    /// Whether a caller of this role may send the team to this address. The agents' passwords are
    /// sent there.
    ///
    /// # Errors
    /// [`ControlsError::Server`], [`ControlsError::ServerNotAllowed`].
    fn check_server(&self, server: &str, role: Role) -> Result<(), ControlsError>;

    /// Sends the team to another address, if a caller of this role may. What was checked is what is
    /// dialled: a name that is checked is resolved once.
    fn move_to(&self, server: String, role: Role, keep: Keep, by: String) -> ControlsFuture<()>;

    /// Ends the team; tells who was cut off. `None`: the time that the settings grant.
    fn drain(&self, grace: Option<Duration>, by: String) -> ControlsFuture<Vec<String>>;

    /// Changes a role from the agent's next turn on.
    fn set_role(
        &self,
        agent: AgentId,
        role: String,
        carry: Carry,
        by: String,
    ) -> ControlsFuture<()>;

    /// Whether this is an action of the game, by its declaration alone.
    ///
    /// # Errors
    /// [`ControlsError::Steer`].
    fn check_order(&self, order: &Said) -> Result<(), ControlsError>;

    /// Steers an agent; tells how it is steered then.
    fn steer(&self, agent: AgentId, steer: Steer, by: String) -> ControlsFuture<Steering>;

    /// Whether agents can come and go while the team plays.
    ///
    /// # Errors
    /// [`SteerError::Fixed`].
    fn check_members(&self) -> Result<(), ControlsError>;

    /// Adds an agent, which connects at once; tells its id.
    fn add_agent(&self, agent: AgentDraft, by: String) -> ControlsFuture<AgentId>;

    /// Removes an agent: it says goodbye and hangs up.
    fn remove_agent(&self, agent: AgentId, by: String) -> ControlsFuture<()>;
}

/// An agent that somebody wants to add, as it came; empty texts are absent ones.
#[derive(Clone, Debug)]
pub struct AgentDraft {
    /// Its name at the referee.
    pub name: String,
    /// Its account; empty: its name.
    pub user: String,
    /// The account's password; `None`: the team's, or that of its first agent.
    pub password: Option<SecretString>,
    /// Its first role; empty: the team's, or that of its first agent.
    pub role: String,
}

/// A field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its path below what was sent: `agents[3].name`.
    pub field: String,
    /// What came and what was expected; never a password.
    pub text: String,
}

/// Why an operator's wish was not followed. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlsError {
    /// The team says no.
    #[error("{0}")]
    Steer(#[from] SteerError),
    /// The team's inbox is full, or too many requests wait.
    #[error("the team is busy; try again")]
    Busy,
    /// The team's thread does not respond and cannot be replaced: what to do.
    #[error("{0}")]
    Stuck(String),
    /// The team has ended.
    #[error("the team has ended")]
    Ended,
    /// The address is none, or none for the team's game.
    #[error("{0}")]
    Server(String),
    /// Only an admin may send the team to this address.
    #[error(
        "an operator may not move this team to {server}: its agents' passwords would be sent \
         there; an admin may move it, or add {server:?} to control.move_hosts in the settings and \
         reload them; allowed now: {allowed}"
    )]
    ServerNotAllowed {
        /// The address.
        server: String,
        /// Where operators may move the team, for people.
        allowed: String,
    },
}

/// All that is wrong in one line.
pub(crate) fn mistakes(wrong: &[Wrong]) -> String {
    let each = wrong.iter().map(|Wrong { field, text }| format!("{field}: {text}"));
    each.collect::<Vec<_>>().join("; ")
}
