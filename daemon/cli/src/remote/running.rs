//! The seats of a team that a daemon plays now, for `phalanx doctor`.

use super::resource;
use super::troubles::seat_groups;
use crate::failure::refused;
use anyhow::{Context, Result};
use phalanx_control::client::{Address, connect};
use phalanx_proto::v1::GetTeamRequest;
use phalanx_proto::v1::teams_client::TeamsClient;
use std::path::Path;
use std::time::Duration;

/// How long the daemon may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// The seats of a running team that are not connected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatsAway {
    /// A line for each reason: `agentA1 to agentA15 (15): connection refused`.
    pub lines: Vec<String>,
    /// The referee refuses the login of some.
    pub refused: bool,
}

/// Asks the daemon behind a control socket which seats of a team are not connected.
///
/// # Errors
/// When no daemon answers, or it has no such team.
pub async fn seats_away(socket: &Path, team: &str) -> Result<SeatsAway> {
    let asked = async {
        let link = connect(&Address::Unix(socket.to_owned())).await?;
        let request = GetTeamRequest { name: resource(team) };
        let answer = TeamsClient::new(link).get_team(request).await;
        let team = answer.map_err(|status| refused(&status))?.into_inner().team;
        team.context("the daemon's answer has no team")
    };
    let answered = tokio::time::timeout(ANSWER_MAX, asked).await;
    let team = answered.context("the daemon does not answer")??;
    let groups = seat_groups(&team.agents);
    Ok(SeatsAway {
        lines: groups.iter().map(|group| group.text()).collect(),
        refused: groups.iter().any(|group| group.refused),
    })
}
