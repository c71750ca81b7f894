//! Teams and agents that are to be made, as they came. Passwords leave plain text here.

use crate::convert::steering;
use crate::convert::team::{AGENTS, TEAMS};
use crate::convert::time_asked;
use phalanx_engine::Steering;
use phalanx_proto::v1;
use phalanx_settings::{AgentRequest, AgentsRequest, TeamRequest};
use secrecy::SecretString;

/// The team of a request; what is wrong with it is found where it is made.
pub(super) fn team(spec: v1::TeamSpec) -> TeamRequest {
    let agents = match spec.pattern {
        Some(v1::AgentPattern { prefix, count, first }) if spec.agents.is_empty() => {
            AgentsRequest::Pattern { prefix, count, first }
        }
        Some(_) | None => AgentsRequest::List(spec.agents.into_iter().map(agent).collect()),
    };
    let options = spec.options.into_iter().map(|(key, text)| (key, SecretString::from(text)));
    TeamRequest {
        name: spec.name,
        game: spec.game,
        server: spec.server,
        strategy: spec.strategy,
        agents,
        role: spec.role,
        password: password(spec.password),
        seed: spec.seed,
        // What is no time is shorter than any that is allowed.
        deadline: spec.deadline.map(|time| time_asked(time).unwrap_or_default()),
        options: options.collect(),
    }
}

/// The agent of a request.
pub(super) fn agent(spec: v1::AgentSpec) -> AgentRequest {
    let v1::AgentSpec { name, user, password: own, role } = spec;
    AgentRequest { name, user, password: password(own), role }
}

fn password(text: String) -> Option<SecretString> {
    (!text.is_empty()).then(|| SecretString::from(text))
}

/// An agent that nothing is known of yet.
pub(super) fn as_it_would_begin(team: &str, agent: &AgentRequest) -> v1::Agent {
    fresh(team, agent.name.clone(), agent.role.clone())
}

/// An agent that nothing is known of yet, by its name and role.
pub(super) fn fresh(team: &str, name: String, role: String) -> v1::Agent {
    v1::Agent {
        resource_name: format!("{TEAMS}{team}{AGENTS}{name}"),
        name,
        role,
        seat_state: v1::SeatState::Idle.into(),
        steering: Some(steering::steering(&Steering::Script)),
        ..v1::Agent::default()
    }
}
