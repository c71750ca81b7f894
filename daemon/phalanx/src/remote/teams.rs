//! The verbs that look at teams.

use super::table::Table;
use super::{
    all_teams, channel, json_wanted, print, refused, resource, run, seat_word, short, word,
};
use crate::cli::Remote;
use anyhow::{Context, Result};
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{GetTeamRequest, Team, TeamState};
use serde_json::{Value, json};

/// `phalanx team list`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn list(remote: &Remote) -> Result<()> {
    run(async {
        let teams = all_teams(channel(remote).await?).await?;
        if json_wanted(remote) {
            let teams: Vec<_> = teams.iter().map(team_json).collect();
            return print(&serde_json::to_string(&json!({ "teams": teams }))?);
        }
        let mut table = Table::new(&[
            "TEAM", "GAME", "STATE", "TURN", "SCORE", "SEATED", "DECIDED", "FALLBACK", "LATE",
        ]);
        for team in &teams {
            let counters = team.counters.unwrap_or_default();
            table.row([
                short(&team.name).to_owned(),
                team.game.clone(),
                state_word(team.state()).to_owned(),
                turn(team),
                score(team),
                format!("{}/{}", team.seated_count, team.agent_count),
                counters.decided.to_string(),
                counters.fallback.to_string(),
                counters.late.to_string(),
            ]);
        }
        print(&table.text())
    })
}

/// `phalanx team show NAME`.
///
/// # Errors
/// When no daemon answers, or there is no such team.
pub fn show(name: &str, remote: &Remote) -> Result<()> {
    run(async {
        let request = GetTeamRequest { name: resource(name) };
        let answer = TeamsClient::new(channel(remote).await?).get_team(request).await;
        let team = answer.map_err(refused)?.into_inner().team;
        let team = team.context("the daemon's answer has no team")?;
        if json_wanted(remote) {
            return print(&serde_json::to_string(&team_json(&team))?);
        }
        let counters = team.counters.unwrap_or_default();
        print(&format!(
            "team {}: {} at {}, {}\nturn {}, score {}, rounds before: {:?}, generation {}\n\
             asked {}, decided {}, fallback {}, late {}, script errors {}, malformed {}\n",
            short(&team.name),
            team.game,
            team.server,
            state_word(team.state()),
            turn(&team),
            score(&team),
            team.round_scores,
            team.generation,
            counters.asked,
            counters.decided,
            counters.fallback,
            counters.late,
            counters.script_errors,
            counters.malformed,
        ))?;
        let mut table = Table::new(&[
            "AGENT",
            "ROLE",
            "SEAT",
            "WHERE",
            "ACTION",
            "WHY",
            "RESULT BEFORE",
            "TROUBLE",
        ]);
        for agent in &team.agents {
            let seat = match agent.seat_reason.as_str() {
                "" => seat_word(agent.seat_state()).to_owned(),
                reason => format!("{}: {reason}", seat_word(agent.seat_state())),
            };
            table.row([
                agent.name.clone(),
                agent.role.clone(),
                seat,
                agent.summary.clone(),
                agent.last_action.clone(),
                agent.reason.clone(),
                agent.last_result.clone(),
                agent.trouble.clone(),
            ]);
        }
        print(&table.text())
    })
}

fn turn(team: &Team) -> String {
    team.turn.map_or_else(|| "-".into(), |turn| format!("{}:{}", turn.round, turn.step))
}

fn score(team: &Team) -> String {
    team.score.map_or_else(|| "-".into(), |score| score.to_string())
}

fn state_word(state: TeamState) -> String {
    word(state.as_str_name(), "TEAM_STATE_")
}

fn team_json(team: &Team) -> Value {
    let counters = team.counters.unwrap_or_default();
    let agents: Vec<_> = team
        .agents
        .iter()
        .map(|agent| {
            json!({
                "name": agent.name, "role": agent.role, "seat": seat_word(agent.seat_state()),
                "seat_reason": agent.seat_reason, "summary": agent.summary,
                "last_action": agent.last_action, "last_result": agent.last_result,
                "trouble": agent.trouble, "reason": agent.reason,
            })
        })
        .collect();
    json!({
        "name": short(&team.name), "game": team.game, "server": team.server,
        "state": state_word(team.state()),
        "turn": team.turn.map(|turn| json!({ "round": turn.round, "step": turn.step })),
        "score": team.score, "round_scores": team.round_scores, "generation": team.generation,
        "agent_count": team.agent_count, "seated_count": team.seated_count,
        "counters": {
            "asked": counters.asked, "decided": counters.decided, "fallback": counters.fallback,
            "late": counters.late, "script_errors": counters.script_errors,
            "malformed": counters.malformed,
        },
        "agents": agents,
    })
}
