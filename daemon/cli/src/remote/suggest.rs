//! What a shell may complete with the data of a running daemon: quickly, or not at all.

use super::{all_teams, link, resource, short, strategy};
use crate::args::Remote;
use phalanx_control::client::Link;
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{Agent, GetTeamRequest, Team};
use std::sync::mpsc;
use std::time::Duration;

/// Somebody waits at a prompt: a daemon that takes longer gives no suggestions.
const PATIENCE: Duration = Duration::from_millis(150);

/// What is to be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Names of teams.
    Teams,
    /// Agents as TEAM/AGENT.
    Agents,
    /// Roles that agents have.
    Roles,
    /// Generations of this team's strategy, or of the only team's.
    Generations(Option<String>),
}

/// A word, and what it means.
pub type Suggestion = (String, String);

/// Suggestions from the daemon; none where no daemon answers in time, or it refuses.
#[must_use]
pub fn suggestions(remote: &Remote, subject: Subject) -> Vec<Suggestion> {
    let (sender, found) = mpsc::channel();
    let remote = remote.clone();
    // A thread of its own: looking up a host's name cannot be broken off.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        let asked = runtime.block_on(async {
            let link = link::open(&remote).await.ok()?;
            ask(link, subject).await
        });
        sender.send(asked).unwrap_or_default();
    });
    found.recv_timeout(PATIENCE).ok().flatten().unwrap_or_default()
}

async fn ask(link: Link, subject: Subject) -> Option<Vec<Suggestion>> {
    let teams = all_teams(link.clone()).await.ok()?;
    Some(match subject {
        Subject::Teams => teams.iter().map(team).collect(),
        Subject::Agents => {
            let agents = all_agents(link, &teams).await;
            let name = |(team, agent): &(String, Agent)| {
                (format!("{team}/{}", agent.name), agent.role.clone())
            };
            agents.iter().map(name).collect()
        }
        Subject::Roles => {
            let mut roles: SortedMap<String, usize> = SortedMap::new();
            for (_, agent) in all_agents(link, &teams).await {
                *roles.entry(agent.role).or_default() += 1;
            }
            roles.into_iter().map(|(role, count)| (role, format!("{count} agents"))).collect()
        }
        Subject::Generations(team) => {
            let only = || teams.first().filter(|_| teams.len() == 1).map(|team| team.name.clone());
            let team = team.as_deref().map(resource).or_else(only)?;
            let all = strategy::generations(link, &team).await.ok()?;
            let about = |it: &phalanx_proto::v1::Generation| {
                let state = if it.active { "active, " } else { "" };
                (it.number.to_string(), format!("{state}from {}", it.origin))
            };
            all.iter().map(about).collect()
        }
    })
}

fn team(team: &Team) -> Suggestion {
    (short(&team.name).to_owned(), format!("{}, {} agents", team.game, team.agent_count))
}

/// The agents of all teams, with the name of each one's team.
async fn all_agents(link: Link, teams: &[Team]) -> Vec<(String, Agent)> {
    let mut client = TeamsClient::new(link);
    let mut all = Vec::new();
    for team in teams {
        let asked = client.get_team(GetTeamRequest { name: team.name.clone() }).await;
        let agents = asked.ok().and_then(|answer| answer.into_inner().team);
        let agents = agents.map(|team| team.agents).unwrap_or_default();
        all.extend(agents.into_iter().map(|agent| (short(&team.name).to_owned(), agent)));
    }
    all
}
