//! What operators do with single agents.

use super::{NAME_BYTES_MAX, Steered, TeamsService, plain, spec};
use crate::changes::{Call, check_etag};
use crate::convert::{self, steering::carry_from, team::AGENTS};
use crate::error::{Reason, refuse, refuse_field};
use crate::{ServedTeam, refusal};
use phalanx_engine::{
    AGENT_NAME_CHARS_MAX, CommandError, LEASE_TURNS, LEASE_TURNS_MAX, PIN_TURNS_MAX, SetRole,
    Steer, SteerAgent, read_order,
};
use phalanx_game::{AgentId, Said};
use phalanx_proto::{Change, v1};
use phalanx_settings::AgentRequest;
use prost::Message;
use tonic::Status;

/// Longest name of a role, in bytes.
const ROLE_BYTES_MAX: usize = 256;

/// A request about one agent.
pub(super) trait AgentChange: Change {
    /// What it is answered with.
    type Answer: Message + Default + 'static;

    /// The agent's resource name.
    fn name(&self) -> &str;

    /// The answer, with the agent as it is then and the team's etag.
    fn answer(agent: Option<v1::Agent>, etag: String) -> Self::Answer;
}

macro_rules! about_agents {
    ($($request:ident => $answer:ident)*) => {
        $(impl AgentChange for v1::$request {
            type Answer = v1::$answer;

            fn name(&self) -> &str {
                &self.name
            }

            fn answer(agent: Option<v1::Agent>, etag: String) -> v1::$answer {
                v1::$answer { agent, etag }
            }
        })*
    };
}

about_agents! {
    SetAgentRoleRequest => SetAgentRoleResponse
    PauseAgentRequest => PauseAgentResponse
    PinOrderRequest => PinOrderResponse
    PilotAgentRequest => PilotAgentResponse
    SendOrderRequest => SendOrderResponse
    ReleaseAgentRequest => ReleaseAgentResponse
    RemoveAgentRequest => RemoveAgentResponse
}

impl TeamsService {
    /// The team of an agent's resource name, and the agent's own name.
    fn crew<'a>(&self, name: &'a str) -> Result<(Steered, &'a str), Status> {
        let (team, agent) = parts(name)?;
        Ok((self.steered("name", team)?, agent))
    }

    /// Pauses, pins, pilots, orders or hands back.
    pub(super) async fn steer<Q: AgentChange>(
        &self,
        call: &Call,
        request: Q,
        steer: Steer,
    ) -> Result<Q::Answer, Status> {
        let (steered, agent) = self.crew(request.name())?;
        let (agent, by, asked) = (agent.to_owned(), call.who.clone(), request.clone());
        let work = async move {
            // A pilot's order does not wait for a team that is on its way.
            let hurry = matches!(steer, Steer::Order { .. });
            let _alone = if hurry { None } else { Some(steered.queue.lock().await) };
            let id = agent_of(steered.team.as_ref(), &agent)?;
            check_etag(steered.team.as_ref(), asked.etag())?;
            if let Some(order) = order_of(&steer) {
                steered.team.check_order(order)?;
            }
            if asked.validate_only() {
                check_pilot(steered.team.as_ref(), id, &steer, &by)?;
            } else {
                steered.team.call(SteerAgent { agent: id, steer }, by).await?;
            }
            Ok(shown::<Q>(steered.team.as_ref(), id))
        };
        self.changes.make(call, &request, work).await
    }

    pub(super) async fn set_role(
        &self,
        call: &Call,
        request: v1::SetAgentRoleRequest,
    ) -> Result<v1::SetAgentRoleResponse, Status> {
        let (steered, agent) = self.crew(&request.name)?;
        if request.role.is_empty() || request.role.len() > ROLE_BYTES_MAX {
            let expected = format!("the name of a role, 1 to {ROLE_BYTES_MAX} bytes");
            return Err(refuse_field(Reason::NameMalformed, "role", &expected));
        }
        let (agent, by, asked) = (agent.to_owned(), call.who.clone(), request.clone());
        let work = async move {
            let _alone = steered.queue.lock().await;
            let id = agent_of(steered.team.as_ref(), &agent)?;
            check_etag(steered.team.as_ref(), &asked.etag)?;
            let (carry, role) = (carry_from(asked.carry()), asked.role.clone());
            if asked.validate_only {
                check_role(steered.team.as_ref(), &role).await?;
            } else {
                steered.team.call(SetRole { agent: id, role, carry }, by).await?;
            }
            Ok(shown::<v1::SetAgentRoleRequest>(steered.team.as_ref(), id))
        };
        self.changes.make(call, &request, work).await
    }

    pub(super) async fn add(
        &self,
        call: &Call,
        request: v1::AddAgentRequest,
    ) -> Result<v1::AddAgentResponse, Status> {
        let steered = self.steered("team", &request.team)?;
        let draft = spec::agent(request.agent.clone().unwrap_or_default());
        let (by, asked) = (call.who.clone(), request.clone());
        let work = async move {
            let _alone = steered.queue.lock().await;
            steered.check(&asked)?;
            steered.team.check_members()?;
            if asked.validate_only {
                check_newcomer(steered.team.as_ref(), &draft).await?;
                let etag = convert::team::etag(steered.team.as_ref());
                let agent = spec::as_it_would_begin(steered.team.name(), &draft);
                return Ok(v1::AddAgentResponse { agent: Some(agent), etag });
            }
            let id = steered.team.add_agent(draft, by).await?;
            let agent = convert::team::agent(steered.team.as_ref(), id);
            Ok(v1::AddAgentResponse { agent, etag: convert::team::etag(steered.team.as_ref()) })
        };
        self.changes.make(call, &request, work).await
    }

    pub(super) async fn remove(
        &self,
        call: &Call,
        request: v1::RemoveAgentRequest,
    ) -> Result<v1::RemoveAgentResponse, Status> {
        let (steered, agent) = self.crew(&request.name)?;
        let (agent, by, asked) = (agent.to_owned(), call.who.clone(), request.clone());
        let work = async move {
            let _alone = steered.queue.lock().await;
            let id = agent_of(steered.team.as_ref(), &agent)?;
            check_etag(steered.team.as_ref(), &asked.etag)?;
            let last = convert::team::agent(steered.team.as_ref(), id);
            steered.team.check_members()?;
            if asked.validate_only {
                check_last(steered.team.as_ref(), &agent)?;
            } else {
                let removed = steered.team.handle.remove_agent(id, by).await;
                removed.map_err(refusal::command)?;
            }
            let etag = convert::team::etag(steered.team.as_ref());
            Ok(v1::RemoveAgentResponse { agent: last, etag })
        };
        self.changes.make(call, &request, work).await
    }
}

fn shown<Q: AgentChange>(team: &ServedTeam, agent: AgentId) -> Q::Answer {
    Q::answer(convert::team::agent(team, agent), convert::team::etag(team))
}

/// The team's resource name and the agent's own name in the field `name` of a request.
pub(crate) fn parts(name: &str) -> Result<(&str, &str), Status> {
    let malformed = || {
        let expected =
            "a resource name such as teams/A/agents/agentA1 (A/agentA1 on the command line)";
        refuse_field(Reason::NameMalformed, "name", expected)
    };
    let fits = Some(name).filter(|name| name.len() <= NAME_BYTES_MAX);
    let (team, agent) = fits.and_then(|name| name.split_once(AGENTS)).ok_or_else(malformed)?;
    if plain(agent) { Ok((team, agent)) } else { Err(malformed()) }
}

fn agent_of(team: &ServedTeam, name: &str) -> Result<AgentId, Status> {
    let roster = team.handle.roster();
    roster.find(name).filter(|agent| roster.is_present(*agent)).ok_or_else(|| {
        let message = format!("team {:?} has no agent {name:?}", team.name());
        refuse(Reason::AgentNotFound, message, [("agent", name.to_owned())])
    })
}

/// Whether the strategy that plays has such a role, as far as its files tell.
async fn check_role(team: &ServedTeam, role: &str) -> Result<(), Status> {
    let Some(keeper) = team.keeper.clone() else { return Ok(()) };
    let number = keeper.status().active.generation.number;
    let Ok((_, bundle)) = keeper.generation(number).await else { return Ok(()) };
    if bundle.root_names().any(|known| known == role) {
        return Ok(());
    }
    let known: Vec<_> = bundle.root_names().collect();
    let message = format!("there is no role {role:?}; there are {}", known.join(", "));
    Err(refuse(Reason::RoleNotFound, message, [("role", role.to_owned())]))
}

/// Whether an agent could be added, as far as can be known before.
async fn check_newcomer(team: &ServedTeam, draft: &AgentRequest) -> Result<(), Status> {
    let length = (1..=AGENT_NAME_CHARS_MAX).contains(&draft.name.chars().count());
    if !length || draft.name.contains(|letter: char| letter.is_control() || letter == '/') {
        let name = draft.name.chars().take(AGENT_NAME_CHARS_MAX).collect();
        return Err(refusal::command(CommandError::Name { name }));
    }
    if agent_of(team, &draft.name).is_ok() {
        return Err(refusal::command(CommandError::NameTaken { name: draft.name.clone() }));
    }
    if draft.role.is_empty() { Ok(()) } else { check_role(team, &draft.role).await }
}

fn check_last(team: &ServedTeam, agent: &str) -> Result<(), Status> {
    if team.handle.roster().present().count() > 1 {
        return Ok(());
    }
    Err(refusal::command(CommandError::LastAgent { name: agent.to_owned() }))
}

/// Whether this caller may order the agent, as of the team's last turn.
fn check_pilot(team: &ServedTeam, id: AgentId, steer: &Steer, by: &str) -> Result<(), Status> {
    let Steer::Order { .. } = steer else { return Ok(()) };
    let snapshot = team.handle.snapshot();
    let Some(agent) = snapshot.agents.get(id.index()) else { return Ok(()) };
    agent.steering.lease_of(&agent.name, by).map(drop).map_err(refusal::command)
}

fn order_of(steer: &Steer) -> Option<&Said> {
    match steer {
        Steer::Pin { order, .. } | Steer::Order { order } => Some(order),
        Steer::Pause | Steer::Pilot { .. } | Steer::Release => None,
    }
}

/// What to do, as it was written.
pub(super) fn order(text: &str) -> Result<Said, Status> {
    read_order(text).map_err(|error| refusal::command(error.into()))
}

pub(super) fn pin(request: &v1::PinOrderRequest) -> Result<Steer, Status> {
    let turns = turns("turns", request.turns, PIN_TURNS_MAX)?;
    Ok(Steer::Pin { order: order(&request.order)?, turns })
}

pub(super) fn pilot(request: &v1::PilotAgentRequest) -> Result<Steer, Status> {
    let lease = if request.lease_turns == 0 { LEASE_TURNS } else { request.lease_turns };
    Ok(Steer::Pilot { lease: turns("lease_turns", lease, LEASE_TURNS_MAX)? })
}

fn turns(field: &str, turns: u32, max: u32) -> Result<u32, Status> {
    if (1..=max).contains(&turns) {
        return Ok(turns);
    }
    Err(refuse_field(Reason::TurnsMalformed, field, &format!("a number from 1 to {max}")))
}
