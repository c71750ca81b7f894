//! Teams are made.

use super::{TeamsService, spec};
use crate::changes::Call;
use crate::convert::{self, strategy};
use crate::error::{Reason, refuse, refuse_fields, refuse_strategy};
use crate::{MakeError, TeamMaker};
use phalanx_proto::v1;
use std::sync::Arc;
use tonic::Status;

impl TeamsService {
    pub(super) async fn create(
        &self,
        call: &Call,
        request: v1::CreateTeamRequest,
    ) -> Result<v1::CreateTeamResponse, Status> {
        let maker = self.directory.maker().ok_or_else(fixed)?;
        let (by, asked) = (call.who.clone(), request.clone());
        let followers = Arc::clone(&self.followers);
        let work = async move {
            if asked.validate_only {
                return check(maker.as_ref(), asked).await;
            }
            let (stopped, team) = (asked.stopped, spec::team(asked.team.unwrap_or_default()));
            let (team, trialled) = maker.make(team, stopped, by).await.map_err(not_made)?;
            drop(followers.log(&team));
            Ok(v1::CreateTeamResponse {
                team: Some(convert::team::team(team.as_ref(), true)),
                report: Some(strategy::trial_report(&trialled)),
            })
        };
        self.changes.make(call, &request, work).await
    }
}

/// The team as it would begin.
async fn check(
    maker: &dyn TeamMaker,
    request: v1::CreateTeamRequest,
) -> Result<v1::CreateTeamResponse, Status> {
    let stopped = request.stopped;
    let team = spec::team(request.team.unwrap_or_default());
    let (name, game, server) = (team.name.clone(), team.game.clone(), team.server.clone());
    let checked = maker.check(team).await.map_err(not_made)?;
    let agents = checked.agents.iter();
    let agents: Vec<_> =
        agents.map(|(agent, role)| spec::fresh(&name, agent.clone(), role.clone())).collect();
    let team = v1::Team {
        name: convert::team::resource_name(&name),
        game,
        server,
        stopped,
        agent_count: convert::count(agents.len()),
        agents,
        ..v1::Team::default()
    };
    let report = Some(strategy::trial_report(&checked.trialled));
    Ok(v1::CreateTeamResponse { team: Some(team), report })
}

pub(super) fn fixed() -> Status {
    refuse(Reason::TeamsFixed, "the teams of this server neither come nor go", [])
}

pub(super) fn not_made(error: MakeError) -> Status {
    let message = error.to_string();
    match error {
        MakeError::Spec(wrong) => {
            let fields: Vec<_> = wrong
                .into_iter()
                .map(|wrong| (format!("team.{}", wrong.field), wrong.text))
                .collect();
            refuse_fields(Reason::TeamSpec, message, &fields)
        }
        MakeError::Exists(name) => {
            let name = convert::team::resource_name(&name);
            refuse(Reason::TeamExists, message, [("name", name)])
        }
        MakeError::TooMany(_) => refuse(Reason::TooManyTeams, message, []),
        MakeError::Strategy(trialled) => {
            refuse_strategy(message, strategy::trial_report(&trialled))
        }
        MakeError::Build(_) => refuse(Reason::TeamNotBuilt, message, []),
        MakeError::Stopping => refuse(Reason::ShuttingDown, message, []),
    }
}
