//! What operators do with a running team through the control API.

use crate::destinations::Destinations;
use crate::wire::{self, TeamPlan};
use futures_util::FutureExt;
use phalanx_control::{AgentDraft, ControlsError, ControlsFuture, Role, TeamControls};
use phalanx_engine::{Carry, Keep, Steer, SteerError, Steering, check_order};
use phalanx_game::{AgentId, Said};
use phalanx_net::{AgentSpec, CourseError, Endpoint, OperatorError, TeamHandle};
use secrecy::SecretString;
use std::time::Duration;
use tracing::{info, warn};

/// Longest time to resolve the name of a server to which a team is moved.
const RESOLVE_MAX: Duration = Duration::from_secs(5);

/// The operators' side of a team.
#[derive(Debug)]
pub struct Controls {
    /// The team.
    pub team: TeamHandle,
    /// How long it may take to leave where nobody says.
    pub drain_max: Duration,
    /// What agents that come get where nobody says.
    pub newcomers: Newcomers,
    /// Where operators may move it.
    pub destinations: Destinations,
}

/// What agents that come to a running team get where nobody says: what its first agent began with.
#[derive(Clone, Debug)]
pub struct Newcomers {
    role: String,
    password: SecretString,
}

impl Newcomers {
    /// As the plan of a team has it.
    #[must_use]
    pub fn of(plan: &TeamPlan) -> Self {
        let role = plan.roster.agents.first().map(|entry| entry.role.clone());
        let password = plan.seats.first().map(|seat| seat.password.clone());
        Self {
            role: role.unwrap_or_default(),
            password: SecretString::from(password.unwrap_or_default()),
        }
    }
}

fn team(error: OperatorError) -> ControlsError {
    match error {
        OperatorError::Busy => ControlsError::Busy,
        OperatorError::Stuck => ControlsError::Stuck(error.to_string()),
        // The agents are looked up by name; one that went away since is gone with its turn.
        OperatorError::Ended | OperatorError::NoSuchAgent => ControlsError::Ended,
    }
}

fn course(error: CourseError) -> ControlsError {
    match error {
        CourseError::Framing { .. } => ControlsError::Server(error.to_string()),
        CourseError::Refused(error) => ControlsError::Steer(error),
        CourseError::Team(error) => team(error),
    }
}

impl Controls {
    /// The address in the transport of the team's game, if a caller of this role may choose it.
    fn endpoint(&self, server: &str, role: Role) -> Result<Endpoint, ControlsError> {
        let server = phalanx_settings::server(server).map_err(ControlsError::Server)?;
        let (host, port) = server.rsplit_once(':').unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = port.parse().map_err(|_| {
            ControlsError::Server("host:port: a team that plays cannot wait for bridges".to_owned())
        })?;
        if !role.may(Role::Admin) && !self.destinations.allows(host, port) {
            let allowed = self.destinations.shown();
            return Err(ControlsError::ServerNotAllowed { server, allowed });
        }
        Ok(wire::endpoint(self.team.game(), host, port))
    }
}

impl TeamControls for Controls {
    fn is_stopped(&self) -> bool {
        self.team.is_stopped()
    }

    fn start(&self, by: String) -> ControlsFuture<()> {
        let handle = self.team.clone();
        async move { handle.start(by).await.map_err(course) }.boxed()
    }

    fn stop(&self, by: String) -> ControlsFuture<()> {
        let handle = self.team.clone();
        async move { handle.stop(by).await.map_err(course) }.boxed()
    }

    fn restart(&self, by: String) -> ControlsFuture<()> {
        let handle = self.team.clone();
        async move {
            info!(team = handle.name(), by, "the team is restarted");
            handle.restart(by).await.map_err(team)
        }
        .boxed()
    }

    fn check_server(&self, server: &str, role: Role) -> Result<(), ControlsError> {
        self.endpoint(server, role).map(drop)
    }

    fn move_to(&self, server: String, role: Role, keep: Keep, by: String) -> ControlsFuture<()> {
        let (handle, endpoint) = (self.team.clone(), self.endpoint(&server, role));
        async move {
            let endpoint = if role.may(Role::Admin) {
                endpoint?
            } else {
                // What was allowed is dialled, wherever the name leads later.
                let resolved = endpoint?.resolved(RESOLVE_MAX).await;
                resolved.map_err(|error| ControlsError::Server(error.to_string()))?
            };
            handle.move_to(endpoint, keep, by).await.map_err(course)
        }
        .boxed()
    }

    fn drain(&self, grace: Option<Duration>, by: String) -> ControlsFuture<Vec<String>> {
        let (handle, grace) = (self.team.clone(), grace.unwrap_or(self.drain_max));
        async move {
            info!(team = handle.name(), by, "the team is drained");
            let report = handle.drain(grace).await;
            for name in &report.stragglers {
                warn!(team = handle.name(), who = %name, "was cut off: it did not finish in time");
            }
            Ok(report.stragglers)
        }
        .boxed()
    }

    fn set_role(
        &self,
        agent: AgentId,
        role: String,
        carry: Carry,
        by: String,
    ) -> ControlsFuture<()> {
        let handle = self.team.clone();
        async move {
            handle.set_role(agent, role, carry, by).await.map_err(team)??;
            Ok(())
        }
        .boxed()
    }

    fn check_order(&self, order: &Said) -> Result<(), ControlsError> {
        let Some(api) = wire::api(self.team.game()) else { return Ok(()) };
        let checked = check_order(api, &self.team.roster(), order);
        checked.map(drop).map_err(|error| ControlsError::Steer(error.into()))
    }

    fn steer(&self, agent: AgentId, steer: Steer, by: String) -> ControlsFuture<Steering> {
        let handle = self.team.clone();
        async move { Ok(handle.steer(agent, steer, by).await.map_err(team)??) }.boxed()
    }

    fn check_members(&self) -> Result<(), ControlsError> {
        let game = self.team.game();
        match wire::fixed(game) {
            None => Ok(()),
            Some(reason) => Err(SteerError::Fixed { game, reason }.into()),
        }
    }

    fn add_agent(&self, agent: AgentDraft, by: String) -> ControlsFuture<AgentId> {
        let Newcomers { role, password } = &self.newcomers;
        let AgentDraft { name, user, password: own, role: wanted } = agent;
        let spec = AgentSpec {
            name,
            role: if wanted.is_empty() { role.clone() } else { wanted },
            user: Some(user).filter(|user| !user.is_empty()),
            password: own.unwrap_or_else(|| password.clone()),
        };
        let handle = self.team.clone();
        async move { Ok(handle.add_agent(spec, by).await.map_err(team)??) }.boxed()
    }

    fn remove_agent(&self, agent: AgentId, by: String) -> ControlsFuture<()> {
        let handle = self.team.clone();
        async move { Ok(handle.remove_agent(agent, by).await.map_err(team)??) }.boxed()
    }
}
