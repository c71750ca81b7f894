//! A team as the API serves it: its handle, with what the handle does not know.

use crate::destinations::Destinations;
use crate::error::{Reason, refuse};
use crate::refusal;
use phalanx_access::Role;
use phalanx_engine::{CommandError, Keep, TeamCommand, check_order};
use phalanx_game::{AgentId, Said};
use phalanx_net::{AgentSpec, Endpoint, TeamHandle};
use phalanx_settings::AgentRequest;
use phalanx_strategy::KeeperHandle;
use secrecy::SecretString;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;
use tonic::Status;
use tracing::{info, warn};

/// Longest time to resolve the name of a server to which a team is moved.
const RESOLVE_MAX: Duration = Duration::from_secs(5);

/// A running team.
#[derive(Debug)]
pub struct ServedTeam {
    /// The team.
    pub handle: TeamHandle,
    /// The keeper of its strategy; `None`: the strategy cannot be changed.
    pub keeper: Option<KeeperHandle>,
    /// How long a drain may take if the caller sets no limit.
    pub drain_max: Duration,
    /// What agents get that are added without a role or a password.
    pub newcomers: Newcomers,
    /// Where operators may move it.
    pub destinations: Destinations,
    /// Who made it over the API; `None`: it comes from the settings.
    pub creator: Option<String>,
}

/// What agents get that are added without a role or a password: the role that the team's first
/// agent began with, and its password.
#[derive(Debug, Default)]
pub struct Newcomers {
    role: String,
    password: RwLock<SecretString>,
}

impl Newcomers {
    /// For a team whose first agent has these.
    #[must_use]
    pub fn new(role: String, password: SecretString) -> Self {
        Self { role, password: RwLock::new(password) }
    }

    /// The first agent has another password.
    pub fn set_password(&self, password: SecretString) {
        *self.password.write().unwrap_or_else(PoisonError::into_inner) = password;
    }

    fn password(&self) -> SecretString {
        self.password.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ServedTeam {
    pub(crate) fn name(&self) -> &str {
        self.handle.name()
    }

    /// Asks the team for something.
    pub(crate) async fn call<C: TeamCommand>(
        &self,
        command: C,
        by: String,
    ) -> Result<C::Reply, Status> {
        self.handle.call(command, by).await.map_err(refusal::command)
    }

    /// Whether this is an action of the game, by its declaration alone.
    pub(crate) fn check_order(&self, order: &Said) -> Result<(), Status> {
        let checked = check_order(self.handle.api(), &self.handle.roster(), order);
        checked.map(drop).map_err(|error| refusal::command(error.into()))
    }

    /// Whether agents can join and leave while the team plays.
    pub(crate) fn check_members(&self) -> Result<(), Status> {
        let game = self.handle.game();
        let fixed = self.handle.fixed().map(|reason| CommandError::Fixed { game, reason });
        fixed.map_or(Ok(()), |error| Err(refusal::command(error)))
    }

    /// The address in the transport of the team's game, if a caller of this role may choose it: the
    /// agents' passwords are sent there.
    pub(crate) fn destination(&self, server: &str, role: Role) -> Result<Endpoint, Status> {
        let malformed = |text| refusal::command(CommandError::Server(text));
        let server = phalanx_settings::server(server).map_err(|expected| {
            malformed(format!("{server:?} is no address: expected {expected}"))
        })?;
        let (host, port) = server.rsplit_once(':').unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = port.parse().map_err(|_| {
            malformed("expected host:port: a team that plays cannot wait for bridges".to_owned())
        })?;
        if !role.may(Role::Admin) && !self.destinations.allows(host, port) {
            let message = format!(
                "an operator may not move this team to {server}: its agents' passwords would be \
                 sent there; an admin may move it, or add {server:?} to control.move_hosts in the \
                 settings and reload them; allowed now: {}",
                self.destinations.shown()
            );
            return Err(refuse(Reason::ServerNotAllowed, message, [("server", server)]));
        }
        Ok(self.handle.endpoint_at(host, port))
    }

    /// Sends the team to an address that [`destination`](Self::destination) allowed. What was
    /// allowed is dialled: a name that an operator chose is resolved once.
    pub(crate) async fn move_to(
        &self,
        endpoint: Endpoint,
        role: Role,
        keep: Keep,
        by: String,
    ) -> Result<(), Status> {
        let endpoint = if role.may(Role::Admin) {
            endpoint
        } else {
            let resolved = endpoint.resolved(RESOLVE_MAX).await;
            resolved.map_err(|error| refusal::command(CommandError::Server(error.to_string())))?
        };
        self.handle.move_to(endpoint, keep, by).await.map_err(refusal::command)
    }

    /// Adds an agent, which connects at once.
    pub(crate) async fn add_agent(
        &self,
        agent: AgentRequest,
        by: String,
    ) -> Result<AgentId, Status> {
        let AgentRequest { name, user, password: own, role: wanted } = agent;
        let spec = AgentSpec {
            name,
            role: if wanted.is_empty() { self.newcomers.role.clone() } else { wanted },
            user: Some(user).filter(|user| !user.is_empty()),
            password: own.unwrap_or_else(|| self.newcomers.password()),
        };
        self.handle.add_agent(spec, by).await.map_err(refusal::command)
    }

    /// Ends the team. Returns the names of what was cut off.
    pub(crate) async fn drain(&self, grace: Option<Duration>, by: &str) -> Vec<String> {
        info!(team = self.name(), by, "the team is drained");
        let report = self.handle.drain(grace.unwrap_or(self.drain_max)).await;
        for name in &report.stragglers {
            warn!(team = self.name(), who = %name, "was cut off: it did not finish in time");
        }
        report.stragglers
    }
}
