//! Fetches a team and its world, for pictures.

use super::{run, team_name};
use crate::args::Remote;
use crate::failure::refused;
use anyhow::{Context, Result};
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::worlds_client::WorldsClient;
use phalanx_proto::v1::{GetTeamRequest, GetWorldRequest, Team, World};

/// Fetches a running team and its world.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn seen(remote: &Remote, team: Option<&str>) -> Result<(World, Team)> {
    run(remote, async |channel| {
        let name = team_name(&channel, team).await?;
        let request = GetWorldRequest { team: name.clone(), layers: Vec::new() };
        let answer = WorldsClient::new(channel.clone()).get_world(request).await;
        let world = answer.map_err(|status| refused(&status))?.into_inner().world;
        let world = world.context("the daemon's answer has no world")?;
        let answer = TeamsClient::new(channel).get_team(GetTeamRequest { name }).await;
        let team = answer.map_err(|status| refused(&status))?.into_inner().team;
        let team = team.context("the daemon's answer has no team")?;
        Ok((world, team))
    })
}
