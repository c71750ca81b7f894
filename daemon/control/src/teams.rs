//! The service `Teams`.

use crate::error::{Reason, refuse, refuse_field};
use crate::page::Page;
use crate::{TeamDirectory, TeamView, convert};
use phalanx_proto::v1;
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Longest resource name that is looked up, in bytes.
const NAME_BYTES_MAX: usize = 512;

/// Reads the directory.
pub(crate) struct TeamsService {
    pub(crate) directory: Arc<dyn TeamDirectory>,
}

#[tonic::async_trait]
impl v1::teams_server::Teams for TeamsService {
    async fn list_teams(
        &self,
        request: Request<v1::ListTeamsRequest>,
    ) -> Result<Response<v1::ListTeamsResponse>, Status> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let mut teams = self.directory.teams();
        teams.sort_by(|a, b| a.name().cmp(b.name()));
        let (teams, next_page_token) = page.cut(teams, |team| team.name());
        let teams = teams.iter().map(|team| convert::team(team.as_ref(), false)).collect();
        Ok(Response::new(v1::ListTeamsResponse { teams, next_page_token }))
    }

    async fn get_team(
        &self,
        request: Request<v1::GetTeamRequest>,
    ) -> Result<Response<v1::GetTeamResponse>, Status> {
        let team = find(self.directory.as_ref(), "name", &request.into_inner().name)?;
        let team = Some(convert::team(team.as_ref(), true));
        Ok(Response::new(v1::GetTeamResponse { team }))
    }
}

/// The team of a resource name in this field of a request.
pub(crate) fn find(
    directory: &dyn TeamDirectory,
    field: &str,
    name: &str,
) -> Result<Arc<dyn TeamView>, Status> {
    let plain = |team: &&str| !team.is_empty() && !team.contains(['/', '\0']);
    let team = name.strip_prefix(convert::TEAMS).filter(plain);
    let team = team.filter(|_| name.len() <= NAME_BYTES_MAX).ok_or_else(|| {
        refuse_field(Reason::NameMalformed, field, "a resource name such as teams/A")
    })?;
    directory.team(team).ok_or_else(|| {
        let mut names: Vec<_> =
            directory.teams().iter().map(|team| team.name().to_owned()).collect();
        names.sort();
        let message = format!("there is no team {team:?}; there are: {}", names.join(", "));
        refuse(Reason::TeamNotFound, message, [("name", name.to_owned())])
    })
}
