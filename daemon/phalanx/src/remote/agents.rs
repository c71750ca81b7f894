//! The verbs around agents: who they are, and steering them.

use super::life::{Change, answer, checked};
use super::orders::written;
use super::secrets::password;
use super::steered::{steering_json, steering_text};
use super::teams::turn_json;
use super::{
    Shown, Table, all_teams, eval, look, pilot, repl, resource, run, seat_word, short, team_name,
};
use crate::cli::OutputArgs;
use crate::cli::agent::{AddArgs, AgentArgs, AgentVerb, Carry, ListArgs, OrderArgs, PinArgs};
use crate::cli::agent::{RoleArgs, ShowArgs};
use crate::cli::team::ChangeArgs;
use crate::failure::misused;
use crate::paint::{Ink, Paint};
use anyhow::{Context, Result};
use phalanx_control::client::Link;
use phalanx_proto::v1::steering::Mode;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{
    AddAgentRequest, Agent, AgentSpec, GetTeamRequest, MemoryCarry, PauseAgentRequest,
    PinOrderRequest, ReleaseAgentRequest, RemoveAgentRequest, SeatState, SendOrderRequest,
    SetAgentRoleRequest, Team,
};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Between a team and an agent in a resource name.
const AGENTS: &str = "/agents/";

/// `phalanx agent …`; the exit code of a piece of script.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn agent(verb: AgentVerb) -> Result<ExitCode> {
    match verb {
        AgentVerb::List(args) => list(&args)?,
        AgentVerb::Show(args) => show(&args)?,
        AgentVerb::Eval(args) => return eval::eval(&args),
        AgentVerb::Repl(args) => repl::repl(&args)?,
        AgentVerb::Role(args) => role(&args)?,
        AgentVerb::Pause(args) => pause(&args)?,
        AgentVerb::Pin(args) => pin(&args)?,
        AgentVerb::Pilot(args) => pilot::pilot(&args)?,
        AgentVerb::Order(args) => order(&args)?,
        AgentVerb::Release(args) => release(&args)?,
        AgentVerb::Add(args) => add(&args)?,
        AgentVerb::Remove(args) => remove(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The resource name of an agent as people name it: `A/agentA1`, or the agent alone where only one
/// team has an agent of that name.
pub(super) async fn agent_name(link: &Link, name: &str) -> Result<String> {
    let name = name.strip_prefix("teams/").unwrap_or(name);
    let split = name.split_once(AGENTS).or_else(|| name.split_once('/'));
    if let Some((team, agent)) = split {
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
        [] => Err(misused(format!("no team has an agent {name:?}; say TEAM/AGENT"))),
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

fn list(args: &ListArgs) -> Result<()> {
    look(&args.look, async |link| {
        let team = get(&link, team_name(&link, args.team.as_deref()).await?).await?;
        let agents: Vec<_> = team.agents.iter().map(json).collect();
        let json = json!({ "team": short(&team.name), "agents": agents });
        let troubles = troubles(&team.agents, Paint::stdout());
        Ok(Shown { json, text: format!("{}{troubles}", table(&team.agents).shown()) })
    })
}

/// A line for each agent; what is the matter with one stands in [`troubles`].
pub(super) fn table(agents: &[Agent]) -> Table<8> {
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

/// Why seats are not there and turns fell back: a line for each reason, since one mistake often
/// fails for many agents.
pub(super) fn troubles(agents: &[Agent], paint: Paint) -> String {
    let seats = grouped(agents, |agent| &agent.seat_reason);
    let turns = grouped(agents, |agent| &agent.trouble);
    let line = |what: &str, (reason, who): (&str, Vec<&str>)| {
        let who = match who.as_slice() {
            [first, .., last] => format!("{first} to {last} ({})", who.len()),
            [..] => who.join(", "),
        };
        format!("\n{} {who}: {reason}", paint.ink(Ink::Red, what))
    };
    let seats = seats.into_iter().map(|group| line("SEAT", group));
    seats.chain(turns.into_iter().map(|group| line("TROUBLE", group))).collect()
}

fn grouped(agents: &[Agent], reason: fn(&Agent) -> &String) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for agent in agents.iter().filter(|agent| !reason(agent).is_empty()) {
        match groups.iter_mut().find(|(known, _)| known == reason(agent)) {
            Some((_, who)) => who.push(&agent.name),
            None => groups.push((reason(agent), vec![&agent.name])),
        }
    }
    groups
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

/// An agent for programs.
pub(super) fn json(agent: &Agent) -> Value {
    json!({
        "name": agent.name, "role": agent.role, "seat": seat_word(agent.seat_state()),
        "seat_reason": agent.seat_reason, "summary": agent.summary,
        "last_action": agent.last_action, "last_result": agent.last_result,
        "trouble": agent.trouble, "reason": agent.reason,
        "steering": steering_json(&agent.steering.clone().unwrap_or_default()),
        "last_asked": agent.last_asked.map(turn_json),
    })
}

fn show(args: &ShowArgs) -> Result<()> {
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
fn person(agent: &Agent) -> String {
    agent.resource_name.replacen("teams/", "", 1).replacen(AGENTS, "/", 1)
}

fn role(args: &RoleArgs) -> Result<()> {
    steer(&args.change, &args.agent, async |mut teams, name| {
        let carry = match args.memory {
            Carry::Strict => MemoryCarry::Strict,
            Carry::Loose => MemoryCarry::Loose,
            Carry::Forget => MemoryCarry::Forget,
        };
        let Change { request_id, etag, validate_only } = (&args.change).into();
        let role = args.role.clone();
        let carry = carry.into();
        let request = SetAgentRoleRequest { name, role, carry, request_id, etag, validate_only };
        let answer = answer(teams.set_agent_role(request).await)?;
        Ok((answer.agent, answer.etag))
    })
}

fn pause(args: &AgentArgs) -> Result<()> {
    steer(&args.change, &args.agent, async |mut teams, name| {
        let Change { request_id, etag, validate_only } = (&args.change).into();
        let request = PauseAgentRequest { name, request_id, etag, validate_only };
        let answer = answer(teams.pause_agent(request).await)?;
        Ok((answer.agent, answer.etag))
    })
}

fn pin(args: &PinArgs) -> Result<()> {
    steer(&args.change, &args.agent, async |mut teams, name| {
        let Change { request_id, etag, validate_only } = (&args.change).into();
        let (order, turns) = (written(&args.order), args.turns);
        let request = PinOrderRequest { name, order, turns, request_id, etag, validate_only };
        let answer = answer(teams.pin_order(request).await)?;
        Ok((answer.agent, answer.etag))
    })
}

fn release(args: &AgentArgs) -> Result<()> {
    steer(&args.change, &args.agent, async |mut teams, name| {
        let Change { request_id, etag, validate_only } = (&args.change).into();
        let request = ReleaseAgentRequest { name, request_id, etag, validate_only };
        let answer = answer(teams.release_agent(request).await)?;
        Ok((answer.agent, answer.etag))
    })
}

fn order(args: &OrderArgs) -> Result<()> {
    run(&args.remote, async |link| {
        let request = SendOrderRequest {
            name: agent_name(&link, &args.agent).await?,
            order: written(&args.order),
            request_id: args.request_id.clone(),
            validate_only: args.dry_run,
        };
        let sent = answer(TeamsClient::new(link).send_order(request).await)?;
        tell(&args.remote.print, &sent.agent.unwrap_or_default(), &sent.etag, args.dry_run)
    })
}

fn add(args: &AddArgs) -> Result<()> {
    let change = &args.change;
    let whose = format!("agent {}", args.agent.name);
    let password = password(args.password_file.as_deref(), args.ask_password, &whose)?;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let agent = AgentSpec {
            name: args.agent.name.clone(),
            user: args.user.clone(),
            password,
            role: args.agent.role.clone(),
        };
        let (team, agent) = (resource(&args.team), Some(agent));
        let request = AddAgentRequest { team, agent, request_id, etag, validate_only };
        let added = answer(TeamsClient::new(link).add_agent(request).await)?;
        tell(&change.remote.print, &added.agent.unwrap_or_default(), &added.etag, change.dry_run)
    })
}

fn remove(args: &AgentArgs) -> Result<()> {
    let change = &args.change;
    run(&change.remote, async |link| {
        let Change { request_id, etag, validate_only } = change.into();
        let name = agent_name(&link, &args.agent).await?;
        let request = RemoveAgentRequest { name, request_id, etag, validate_only };
        let removed = answer(TeamsClient::new(link).remove_agent(request).await)?;
        let agent = removed.agent.unwrap_or_default();
        let told = json!({ "removed": agent.name, "etag": removed.etag });
        change.remote.print.tell(&told, || {
            format!("{}agent {} is removed", checked(change.dry_run), person(&agent))
        })
    })
}

/// Changes who decides for an agent, and tells who does then.
fn steer(
    change: &ChangeArgs,
    agent: &str,
    verb: impl AsyncFnOnce(TeamsClient<Link>, String) -> Result<(Option<Agent>, String)>,
) -> Result<()> {
    run(&change.remote, async |link| {
        let name = agent_name(&link, agent).await?;
        let (agent, etag) = verb(TeamsClient::new(link), name).await?;
        tell(&change.remote.print, &agent.unwrap_or_default(), &etag, change.dry_run)
    })
}

/// Tells how an agent stands after a change.
pub(super) fn tell(print: &OutputArgs, agent: &Agent, etag: &str, dry_run: bool) -> Result<()> {
    let mut told = json(agent);
    if let Some(fields) = told.as_object_mut() {
        fields.insert("etag".to_owned(), etag.into());
    }
    print.tell(&told, || {
        let steering = steering_text(&agent.steering.clone().unwrap_or_default());
        format!("{}{}, {}: {steering}", checked(dry_run), person(agent), agent.role)
    })
}
