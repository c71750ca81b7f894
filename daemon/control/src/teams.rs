//! The service `Teams`.

pub(crate) mod agents;
mod life;
mod make;
mod spec;

use crate::changes::{Call, Changes, check_etag};
use crate::error::{Reason, RpcResult, listed, refuse, refuse_field};
use crate::follow::Followers;
use crate::gate::Subject;
use crate::page::Page;
use crate::{ServedTeam, TeamDirectory, convert};
use convert::team::TEAMS;
use phalanx_engine::{Keep, Steer};
use phalanx_proto::{Change, v1};
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Longest resource name that is looked up, in bytes.
const NAME_BYTES_MAX: usize = 512;

/// Reads the directory, and changes it.
pub(crate) struct TeamsService {
    pub(crate) directory: Arc<dyn TeamDirectory>,
    pub(crate) changes: Changes,
    pub(crate) followers: Arc<Followers>,
}

/// A team, and the queue in which its changes wait.
#[derive(Clone)]
pub(crate) struct Steered {
    team: Arc<ServedTeam>,
    queue: Arc<tokio::sync::Mutex<()>>,
}

#[tonic::async_trait]
impl v1::teams_server::Teams for TeamsService {
    async fn list_teams(
        &self,
        request: Request<v1::ListTeamsRequest>,
    ) -> RpcResult<v1::ListTeamsResponse> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let mut teams = self.directory.teams();
        teams.sort_by(|a, b| a.name().cmp(b.name()));
        let (teams, next_page_token) = page.cut(teams, |team| team.name());
        let teams = teams.iter().map(|team| convert::team::team(team.as_ref(), false)).collect();
        Ok(Response::new(v1::ListTeamsResponse { teams, next_page_token }))
    }

    async fn get_team(
        &self,
        request: Request<v1::GetTeamRequest>,
    ) -> RpcResult<v1::GetTeamResponse> {
        let team = find(self.directory.as_ref(), "name", &request.into_inner().name)?;
        let team = Some(convert::team::team(team.as_ref(), true));
        Ok(Response::new(v1::GetTeamResponse { team }))
    }

    async fn create_team(
        &self,
        request: Request<v1::CreateTeamRequest>,
    ) -> RpcResult<v1::CreateTeamResponse> {
        let name = request.get_ref().team.as_ref().map_or("", |team| team.name.as_str());
        let call = Call::open(&request, &convert::team::resource_name(name));
        self.create(&call, request.into_inner()).await.map(Response::new)
    }

    async fn start_team(
        &self,
        request: Request<v1::StartTeamRequest>,
    ) -> RpcResult<v1::StartTeamResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        self.start(&call, request.into_inner()).await.map(Response::new)
    }

    async fn stop_team(
        &self,
        request: Request<v1::StopTeamRequest>,
    ) -> RpcResult<v1::StopTeamResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        self.stop(&call, request.into_inner()).await.map(Response::new)
    }

    async fn restart_team(
        &self,
        request: Request<v1::RestartTeamRequest>,
    ) -> RpcResult<v1::RestartTeamResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        self.restart(&call, request.into_inner()).await.map(Response::new)
    }

    async fn drain_team(
        &self,
        request: Request<v1::DrainTeamRequest>,
    ) -> RpcResult<v1::DrainTeamResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        self.drain(&call, request.into_inner()).await.map(Response::new)
    }

    async fn delete_team(
        &self,
        request: Request<v1::DeleteTeamRequest>,
    ) -> RpcResult<v1::DeleteTeamResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        self.delete(&call, request.into_inner()).await.map(Response::new)
    }

    async fn move_team(
        &self,
        request: Request<v1::MoveTeamRequest>,
    ) -> RpcResult<v1::MoveTeamResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        Subject::note_target(&request, &request.get_ref().server);
        let request = request.into_inner();
        let keep = Keep { world: request.keep_world, memory: request.keep_memory };
        self.send(&call, request, keep).await.map(Response::new)
    }

    async fn add_agent(
        &self,
        request: Request<v1::AddAgentRequest>,
    ) -> RpcResult<v1::AddAgentResponse> {
        let call = Call::open(&request, &request.get_ref().team);
        self.add(&call, request.into_inner()).await.map(Response::new)
    }

    async fn remove_agent(
        &self,
        request: Request<v1::RemoveAgentRequest>,
    ) -> RpcResult<v1::RemoveAgentResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        self.remove(&call, request.into_inner()).await.map(Response::new)
    }

    async fn set_agent_role(
        &self,
        request: Request<v1::SetAgentRoleRequest>,
    ) -> RpcResult<v1::SetAgentRoleResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        self.set_role(&call, request.into_inner()).await.map(Response::new)
    }

    async fn pause_agent(
        &self,
        request: Request<v1::PauseAgentRequest>,
    ) -> RpcResult<v1::PauseAgentResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        self.steer(&call, request, Steer::Pause).await.map(Response::new)
    }

    async fn pin_order(
        &self,
        request: Request<v1::PinOrderRequest>,
    ) -> RpcResult<v1::PinOrderResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let steer = agents::pin(&request)?;
        self.steer(&call, request, steer).await.map(Response::new)
    }

    async fn pilot_agent(
        &self,
        request: Request<v1::PilotAgentRequest>,
    ) -> RpcResult<v1::PilotAgentResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let steer = agents::pilot(&request)?;
        self.steer(&call, request, steer).await.map(Response::new)
    }

    async fn send_order(
        &self,
        request: Request<v1::SendOrderRequest>,
    ) -> RpcResult<v1::SendOrderResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let steer = Steer::Order { order: agents::order(&request.order)? };
        self.steer(&call, request, steer).await.map(Response::new)
    }

    async fn release_agent(
        &self,
        request: Request<v1::ReleaseAgentRequest>,
    ) -> RpcResult<v1::ReleaseAgentResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        self.steer(&call, request, Steer::Release).await.map(Response::new)
    }
}

impl TeamsService {
    /// The team of a resource name.
    fn steered(&self, field: &str, name: &str) -> Result<Steered, Status> {
        let team = find(self.directory.as_ref(), field, name)?;
        let queue = self.changes.queue(team.name());
        Ok(Steered { team, queue })
    }
}

impl Steered {
    /// Whether it is as the caller knows it. Changes wait for each other meanwhile: what is found
    /// holds until the change is made.
    fn check(&self, request: &impl Change) -> Result<(), Status> {
        check_etag(self.team.as_ref(), request.etag())
    }

    fn shown(&self) -> Option<v1::Team> {
        Some(convert::team::team(self.team.as_ref(), true))
    }
}

/// The team of a resource name in this field of a request.
pub(crate) fn find(
    directory: &dyn TeamDirectory,
    field: &str,
    name: &str,
) -> Result<Arc<ServedTeam>, Status> {
    let team = name.strip_prefix(TEAMS).filter(|team| plain(team));
    let team = team.filter(|_| name.len() <= NAME_BYTES_MAX).ok_or_else(|| {
        refuse_field(Reason::NameMalformed, field, "a resource name such as teams/A")
    })?;
    directory.team(team).ok_or_else(|| {
        let there = listed(directory.teams().iter().map(|team| team.name().to_owned()));
        let message = format!("there is no team {team:?}; there are: {there}");
        refuse(Reason::TeamNotFound, message, [("name", name.to_owned())])
    })
}

/// Whether this can be a part of a resource name.
fn plain(segment: &str) -> bool {
    !segment.is_empty() && !segment.contains(['/', '\0'])
}
