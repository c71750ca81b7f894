//! The verbs that ask a running daemon.

mod events;
mod table;

use crate::cli::{OutputFormat, Remote};
use anyhow::{Context, Result, anyhow, bail};
use phalanx_control::client::{Address, connect, connect_first, explain};
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{
    GetTeamRequest, ListTeamsRequest, MatchEvent, SeatState, Team, TeamState, WatchMatchRequest,
};
use phalanx_settings::{Environment, socket_candidates};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use table::Table;
use tonic::transport::Channel;

/// Where the packaged daemon listens, tried last.
const SYSTEM_SOCKET: &str = "/run/phalanx/control.sock";

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
        let team = answer.map_err(|status| anyhow!(explain(&status)))?.into_inner().team;
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
        let mut table =
            Table::new(&["AGENT", "ROLE", "SEAT", "WHERE", "ACTION", "RESULT BEFORE", "TROUBLE"]);
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
                agent.last_result.clone(),
                agent.trouble.clone(),
            ]);
        }
        print(&table.text())
    })
}

/// `phalanx match watch`.
///
/// # Errors
/// When no daemon answers, there is no such team, or the stream breaks.
pub fn watch(name: Option<&str>, decisions: bool, remote: &Remote) -> Result<()> {
    run(async {
        let channel = channel(remote).await?;
        let team = match name {
            Some(name) => resource(name),
            None => only_team(&all_teams(channel.clone()).await?)?,
        };
        let json = json_wanted(remote);
        let mut client = MatchesClient::new(channel);
        let mut cursor = String::new();
        loop {
            let request =
                WatchMatchRequest { team: team.clone(), cursor: cursor.clone(), decisions };
            let answer = client.watch_match(request).await;
            let mut stream = answer.map_err(|status| anyhow!(explain(&status)))?.into_inner();
            loop {
                match stream.message().await {
                    Ok(Some(answer)) => {
                        let Some(event) = answer.event else { continue };
                        cursor.clone_from(&event.cursor);
                        if !print_event(&event, json)? {
                            return Ok(());
                        }
                    }
                    Ok(None) => return Ok(()),
                    // We were too slow: go on where the daemon can still serve us.
                    Err(status) if status.code() == tonic::Code::ResourceExhausted => break,
                    Err(status) => bail!(explain(&status)),
                }
            }
        }
    })
}

/// Prints an event; false when nobody reads any more.
fn print_event(event: &MatchEvent, json: bool) -> Result<bool> {
    let line = if json { events::json(event).to_string() } else { events::text(event) };
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("cannot print"),
    }
}

fn run(verb: impl Future<Output = Result<()>>) -> Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        tokio::select! {
            done = verb => done,
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    })
}

async fn channel(remote: &Remote) -> Result<Channel> {
    if let Some(text) = &remote.control {
        let address: Address = text.parse()?;
        return Ok(connect(&address).await?);
    }
    let environment: Environment = std::env::vars_os().collect();
    let mut places = socket_candidates(&environment);
    places.push(PathBuf::from(SYSTEM_SOCKET));
    let (_, channel) = connect_first(&places)
        .await
        .context("start phalanxd, or say where it is with --control or PHALANX_CONTROL")?;
    Ok(channel)
}

async fn all_teams(channel: Channel) -> Result<Vec<Team>> {
    let mut client = TeamsClient::new(channel);
    let (mut teams, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListTeamsRequest { page_size: 0, page_token };
        let answer = client.list_teams(request).await;
        let page = answer.map_err(|status| anyhow!(explain(&status)))?.into_inner();
        teams.extend(page.teams);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(teams);
        }
    }
}

fn only_team(teams: &[Team]) -> Result<String> {
    match teams {
        [team] => Ok(team.name.clone()),
        [] => bail!("the daemon has no team"),
        [_, ..] => {
            let names: Vec<_> = teams.iter().map(|team| short(&team.name)).collect();
            bail!("which team? There are {}", names.join(", "))
        }
    }
}

fn json_wanted(remote: &Remote) -> bool {
    match remote.output {
        OutputFormat::Json => true,
        OutputFormat::Table => false,
        OutputFormat::Auto => !std::io::stdout().is_terminal(),
    }
}

fn print(text: &str) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{}", text.trim_end()) {
        // `| head` has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("cannot print"),
    }
}

fn resource(name: &str) -> String {
    format!("teams/{}", short(name))
}

fn short(name: &str) -> &str {
    name.strip_prefix("teams/").unwrap_or(name)
}

fn turn(team: &Team) -> String {
    team.turn.map_or_else(|| "-".into(), |turn| format!("{}:{}", turn.round, turn.step))
}

fn score(team: &Team) -> String {
    team.score.map_or_else(|| "-".into(), |score| score.to_string())
}

/// `TEAM_STATE_PLAYING` → `playing`.
fn word(name: &'static str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase()
}

fn state_word(state: TeamState) -> String {
    word(state.as_str_name(), "TEAM_STATE_")
}

fn seat_word(state: SeatState) -> String {
    word(state.as_str_name(), "SEAT_STATE_")
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
                "trouble": agent.trouble,
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
