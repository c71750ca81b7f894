//! Commands as calls of the control API, with the requests that a client sends.

use crate::cast::order;
use phalanx_control::client::{Link, entry_name};
use phalanx_convert::{steering, team as teams, value};
use phalanx_engine::{
    AddAgent, BoardWrite, Command, LeaveReferee, ProfileScripts, RunScript, SetParam, SetRole,
    Steer, SteerAgent,
};
use phalanx_proto::v1;
use phalanx_proto::v1::boards_client::BoardsClient;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::worlds_client::WorldsClient;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tonic::Status;
use tonic::metadata::MetadataValue;

/// Who calls, in request metadata.
const USER_KEY: &str = "x-phalanx-user";

/// A call, ready to be sent.
pub(crate) type Sending = Pin<Box<dyn Future<Output = Result<(), Status>> + Send>>;

/// Who calls, whom, and how.
pub(crate) struct Caller<'a> {
    pub(crate) link: &'a Link,
    pub(crate) user: &'a str,
    pub(crate) game: &'a str,
    pub(crate) team: &'a str,
    pub(crate) agent: &'a str,
    /// The longest time that the caller waits.
    pub(crate) deadline: Option<Duration>,
    /// How often the call is sent.
    pub(crate) times: usize,
}

macro_rules! calls {
    ($caller:expr, $client:ident.$method:ident, $request:expr) => {{
        let request = $request;
        let send = |_| -> Sending {
            let (link, sealed) = ($caller.link.clone(), $caller.seal(request.clone()));
            Box::pin(async move { $client::new(link).$method(sealed).await.map(drop) })
        };
        (stringify!($method), (0..$caller.times).map(send).collect())
    }};
}

impl Caller<'_> {
    fn seal<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        if let Ok(user) = MetadataValue::try_from(self.user) {
            request.metadata_mut().insert(USER_KEY, user);
        }
        if let Some(deadline) = self.deadline {
            request.set_timeout(deadline);
        }
        request
    }

    fn agent_name(&self) -> String {
        format!("{}/agents/{}", teams::resource_name(self.team), self.agent)
    }

    /// The method that gives this command, and its calls; `None`: no method does.
    pub(crate) fn give(&self, command: &Command) -> Option<(&'static str, Vec<Sending>)> {
        let (team, request_id) = (teams::resource_name(self.team), self.user.to_owned());
        let agent = self.agent.to_owned();
        Some(match command {
            Command::SteerAgent(SteerAgent { steer, .. }) => return self.steer(steer),
            Command::SetRole(SetRole { role, carry, .. }) => {
                let (role, carry) = (role.clone(), steering::carry(*carry).into());
                let name = self.agent_name();
                let rest = Default::default();
                let request = v1::SetAgentRoleRequest { name, role, carry, request_id, ..rest };
                calls!(self, TeamsClient.set_agent_role, request)
            }
            Command::SetParam(SetParam { name, value, .. }) => {
                let (name, value) = (name.clone(), value.as_ref().map(value::to_api));
                let request = v1::SetParamRequest { team, name, scope: None, value, request_id };
                calls!(self, StrategiesClient.set_param, request)
            }
            Command::BoardWrite(BoardWrite { key, value, .. }) => {
                let (name, value) = (entry_name(self.team, key), Some(value::to_api(value)));
                let rest = Default::default();
                let request = v1::SetEntryRequest { name, value, request_id, ..rest };
                calls!(self, BoardsClient.set_entry, request)
            }
            Command::BoardRead(_) => {
                let request = v1::ListEntriesRequest { parent: team, ..Default::default() };
                calls!(self, BoardsClient.list_entries, request)
            }
            Command::DrawWorld(_) => {
                let request = v1::GetWorldRequest { team, ..Default::default() };
                calls!(self, WorldsClient.get_world, request)
            }
            Command::RunScript(RunScript { code, .. }) => {
                let (code, session, live) = (code.clone(), String::new(), true);
                let request =
                    v1::EvalScriptRequest { team, agent, code, live, session, request_id };
                calls!(self, StrategiesClient.eval_script, request)
            }
            Command::ProfileScripts(ProfileScripts { turns }) => {
                let request = v1::ProfileStrategyRequest { team, turns: *turns };
                calls!(self, StrategiesClient.profile_strategy, request)
            }
            Command::LeaveReferee(_)
            | Command::ReturnToReferee(_)
            | Command::RemoveAgent(_)
            | Command::AddAgent(_) => return self.travel(command),
            Command::InstallStrategy(_)
            | Command::RefuseStrategy(_)
            | Command::RetuneTeam(_)
            | Command::CopyView(_)
            | Command::Plain(_) => return None,
        })
    }

    /// A team stops, starts or moves, or an agent comes or goes.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are given elsewhere")]
    fn travel(&self, command: &Command) -> Option<(&'static str, Vec<Sending>)> {
        let (team, request_id) = (teams::resource_name(self.team), self.user.to_owned());
        Some(match command {
            Command::LeaveReferee(LeaveReferee { to: None, .. }) => {
                let request = v1::StopTeamRequest { name: team, request_id, ..Default::default() };
                calls!(self, TeamsClient.stop_team, request)
            }
            Command::LeaveReferee(LeaveReferee { to: Some(server), keep }) => {
                let (server, keep_world, keep_memory) = (server.clone(), keep.world, keep.memory);
                let rest = Default::default();
                let request = v1::MoveTeamRequest {
                    name: team,
                    server,
                    keep_world,
                    keep_memory,
                    request_id,
                    ..rest
                };
                calls!(self, TeamsClient.move_team, request)
            }
            Command::ReturnToReferee(_) => {
                let request = v1::StartTeamRequest { name: team, request_id, ..Default::default() };
                calls!(self, TeamsClient.start_team, request)
            }
            Command::RemoveAgent(_) => {
                let name = self.agent_name();
                let request = v1::RemoveAgentRequest { name, request_id, ..Default::default() };
                calls!(self, TeamsClient.remove_agent, request)
            }
            Command::AddAgent(AddAgent { name, role }) => {
                let (name, role) = (name.clone(), role.clone());
                let agent = Some(v1::AgentSpec { name, role, ..Default::default() });
                let request = v1::AddAgentRequest { team, agent, request_id, ..Default::default() };
                calls!(self, TeamsClient.add_agent, request)
            }
            _ => return None,
        })
    }

    fn steer(&self, steer: &Steer) -> Option<(&'static str, Vec<Sending>)> {
        let (name, request_id) = (self.agent_name(), self.user.to_owned());
        Some(match steer {
            Steer::Pause => {
                let request = v1::PauseAgentRequest { name, request_id, ..Default::default() };
                calls!(self, TeamsClient.pause_agent, request)
            }
            Steer::Pin { turns, .. } => {
                let (order, turns, rest) =
                    (order(self.game).to_owned(), *turns, Default::default());
                let request = v1::PinOrderRequest { name, order, turns, request_id, ..rest };
                calls!(self, TeamsClient.pin_order, request)
            }
            Steer::Pilot { lease } => {
                let (lease_turns, rest) = (*lease, Default::default());
                let request = v1::PilotAgentRequest { name, lease_turns, request_id, ..rest };
                calls!(self, TeamsClient.pilot_agent, request)
            }
            Steer::Release => {
                let request = v1::ReleaseAgentRequest { name, request_id, ..Default::default() };
                calls!(self, TeamsClient.release_agent, request)
            }
            Steer::Order { .. } => return None,
        })
    }

    /// A method that only looks, and its call.
    pub(crate) fn look(&self, seed: u64) -> (&'static str, Vec<Sending>) {
        let name = teams::resource_name(self.team);
        match seed % 4 {
            0 => calls!(self, TeamsClient.get_team, v1::GetTeamRequest { name }),
            1 => calls!(self, TeamsClient.list_teams, v1::ListTeamsRequest::default()),
            2 => {
                let name = format!("{name}/strategy");
                calls!(self, StrategiesClient.get_strategy, v1::GetStrategyRequest { name })
            }
            _ => {
                let name = self.agent_name();
                let request = v1::ExplainDecisionRequest { name, ..Default::default() };
                calls!(self, MatchesClient.explain_decision, request)
            }
        }
    }
}
