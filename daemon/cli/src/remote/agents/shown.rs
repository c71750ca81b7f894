//! Agents as text and as JSON, and the verbs that only show them.

use super::super::life::{answer, checked, only_checked};
use super::super::steered::{steering_json, steering_text};
use super::super::troubles::troubles;
use super::super::values::turn_json;
use super::super::{Shown, Table, all_teams, look, resource, seat_word, short, team_name};
use crate::args::{Look, OutputArgs};
use crate::failure::misused;
use crate::paint::{Ink, Paint};
use anyhow::{Context, Result};
use clap::Args;
use phalanx_control::client::Link;
use phalanx_proto::v1::steering::Mode;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{Agent, GetTeamRequest, SeatState, Team};
use serde_json::{Value, json};

/// Separates team and agent in a resource name.
const AGENTS: &str = "/agents/";

/// Team and agent of `A/agentA1` or of a resource name; `None` without a team.
pub(in crate::remote) fn split(name: &str) -> Option<(&str, &str)> {
    let name = short(name);
    name.split_once(AGENTS).or_else(|| name.split_once('/'))
}

/// The resource name of an agent that was typed as `A/agentA1`, or as the agent alone if only one
/// team has an agent of that name.
pub(in crate::remote) async fn agent_name(link: &Link, name: &str) -> Result<String> {
    let name = short(name);
    if let Some((team, agent)) = split(name) {
        return Ok(format!("{}{AGENTS}{agent}", resource(team)));
    }
    let teams = all_teams(link.clone()).await?;
    if let [only] = teams.as_slice() {
        return Ok(format!("{}{AGENTS}{name}", only.name));
    }
    let mut found = Vec::new();
    for team in teams {
        let team = get(link, team.name).await?;
        if team.agents.iter().any(|agent| agent.name == name) {
            found.push(team.name);
        }
    }
    match found.as_slice() {
        [team] => Ok(format!("{team}{AGENTS}{name}")),
        [] => Err(misused(format!("no team has an agent {name:?}; write TEAM/AGENT"))),
        [..] => {
            let each: Vec<_> = found.iter().map(|team| format!("{}/{name}", short(team))).collect();
            Err(misused(format!("which {name}? There are {}", each.join(", "))))
        }
    }
}

async fn get(link: &Link, name: String) -> Result<Team> {
    let mut teams = TeamsClient::new(link.clone());
    let team = answer(teams.get_team(GetTeamRequest { name }).await)?.team;
    team.context("the daemon's answer has no team")
}

/// `phalanx agent list`.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    #[command(flatten)]
    pub look: Look,
}

pub(super) fn list(args: &ListArgs) -> Result<()> {
    look(&args.look, async |link| {
        let team = get(&link, team_name(&link, args.team.as_deref()).await?).await?;
        let agents: Vec<_> = team.agents.iter().map(json).collect();
        let json = json!({ "team": short(&team.name), "agents": agents });
        let troubles = troubles(&team.agents, Paint::stdout());
        Ok(Shown { json, text: format!("{}{troubles}", table(&team.agents).shown()) })
    })
}

/// A line for each agent; [`troubles`] lists their problems.
pub(in crate::remote) fn table(agents: &[Agent]) -> Table<8> {
    let mut table =
        Table::new(&["AGENT", "ROLE", "STEERED", "SEAT", "WHERE", "ACTION", "RESULT", "WHY"]);
    for agent in agents {
        table.row([
            agent.name.clone(),
            agent.role.clone(),
            steering_word(agent),
            seat_word(agent.seat_state()),
            agent.summary.clone(),
            agent.last_action.clone(),
            agent.last_result.clone(),
            agent.reason.clone(),
        ]);
        table.ink(2, Ink::Yellow);
        if agent.seat_state() != SeatState::Seated {
            table.ink(3, Ink::Red);
        }
    }
    table.spare(7)
}

/// Who decides for an agent, in a word; empty: its script.
fn steering_word(agent: &Agent) -> String {
    match agent.steering.as_ref().and_then(|steering| steering.mode.as_ref()) {
        None | Some(Mode::Script(_)) => String::new(),
        Some(Mode::Paused(_)) => "paused".to_owned(),
        Some(Mode::Pinned(pinned)) => format!("pinned {}", pinned.turns_left),
        Some(Mode::Piloted(_)) => "piloted".to_owned(),
    }
}

pub(in crate::remote) fn json(agent: &Agent) -> Value {
    json!({
        "name": agent.name, "role": agent.role, "seat": seat_word(agent.seat_state()),
        "seat_reason": agent.seat_reason, "summary": agent.summary,
        "last_action": agent.last_action, "last_result": agent.last_result,
        "trouble": agent.trouble, "reason": agent.reason,
        "steering": steering_json(&agent.steering.clone().unwrap_or_default()),
        "last_asked": agent.last_asked.map(turn_json),
    })
}

/// `phalanx agent show`.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    #[command(flatten)]
    pub look: Look,
}

pub(super) fn show(args: &ShowArgs) -> Result<()> {
    look(&args.look, async |link| {
        let name = agent_name(&link, &args.agent).await?;
        let (team, wanted) = name.split_once(AGENTS).unwrap_or_default();
        let team = get(&link, team.to_owned()).await?;
        let found = team.agents.iter().find(|agent| agent.name == wanted);
        let agent = found.ok_or_else(|| {
            let names: Vec<_> = team.agents.iter().map(|agent| agent.name.as_str()).collect();
            misused(format!("there is no agent {wanted:?}; there are {}", names.join(", ")))
        })?;
        Ok(Shown { json: json(agent), text: page(agent) })
    })
}

fn page(agent: &Agent) -> String {
    let seat = match agent.seat_reason.as_str() {
        "" => seat_word(agent.seat_state()),
        reason => format!("{}: {reason}", seat_word(agent.seat_state())),
    };
    let asked = agent.last_asked.map(|turn| format!("{}:{}", turn.round, turn.step));
    let lines = [
        ("role", agent.role.clone()),
        ("decides", steering_text(&agent.steering.clone().unwrap_or_default())),
        ("seat", seat),
        ("asked", asked.unwrap_or_default()),
        ("where", agent.summary.clone()),
        ("action", agent.last_action.clone()),
        ("why", agent.reason.clone()),
        ("result", agent.last_result.clone()),
        ("trouble", agent.trouble.clone()),
    ];
    let known = lines.iter().filter(|(_, text)| !text.is_empty());
    let lines: Vec<_> = known.map(|(what, text)| format!("{what:<8} {text}")).collect();
    format!("{}\n{}", person(agent), lines.join("\n"))
}

/// `A/agentA1`.
pub(super) fn person(agent: &Agent) -> String {
    agent.resource_name.replacen("teams/", "", 1).replacen(AGENTS, "/", 1)
}

/// Prints an agent's state after a change.
pub(in crate::remote) fn tell(
    print: &OutputArgs,
    agent: &Agent,
    etag: &str,
    dry_run: bool,
) -> Result<()> {
    let mut output = json(agent);
    if let Some(fields) = output.as_object_mut() {
        fields.insert("etag".to_owned(), etag.into());
    }
    let output = only_checked(output, dry_run);
    print.tell(&output, || {
        let steering = steering_text(&agent.steering.clone().unwrap_or_default());
        format!("{}{}, {}: {steering}", checked(dry_run), person(agent), agent.role)
    })
}
