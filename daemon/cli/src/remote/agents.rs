//! The verbs around agents: the command line of each, and what it does.

pub(super) mod shown;

use super::eval::{self, EvalArgs};
use super::life::{Change, answer, checked, only_checked};
use super::pilot::{self, PilotArgs};
use super::repl::{self, ReplArgs};
use super::secrets::password;
use super::{resource, run};
use crate::args::Remote;
use crate::args::team::{AgentWord, ChangeArgs, OnceArgs};
use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use phalanx_control::client::Link;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{
    AddAgentRequest, Agent, AgentSpec, MemoryCarry, PauseAgentRequest, PinOrderRequest,
    ReleaseAgentRequest, RemoveAgentRequest, SendOrderRequest, SetAgentRoleRequest,
};
use serde_json::json;
use shown::{ListArgs, ShowArgs, agent_name, person, tell};
use std::path::PathBuf;
use std::process::ExitCode;

/// `phalanx agent`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
AGENT is TEAM/AGENT, for example A/agentA1. AGENT alone is enough while no other team has an agent
of that name.")]
pub enum AgentVerb {
    /// List the agents of a team, one line each.
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show one agent: its position, who decides for it, its last action.
    Show(ShowArgs),
    /// Run an expression or statements as an agent, in a copy of all that it sees.
    Eval(EvalArgs),
    /// Run expressions or statements as an agent, interactively.
    Repl(ReplArgs),
    /// Give an agent another role, from its next turn on.
    Role(RoleArgs),
    /// Pause an agent: it does nothing until you release it.
    Pause(AgentArgs),
    /// Pin an order to an agent: it repeats the order in each of its next turns.
    Pin(PinArgs),
    /// Steer an agent by hand, turn by turn, until you quit.
    Pilot(PilotArgs),
    /// Give one order to an agent that you pilot.
    Order(OrderArgs),
    /// Hand an agent back to its script, whether it was paused, pinned or piloted.
    Release(AgentArgs),
    /// Add an agent to a running team.
    Add(AddArgs),
    /// Remove an agent from a running team, and delete its memory.
    Remove(AgentArgs),
}

/// `phalanx agent …`; the exit code of a piece of script.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn agent(verb: AgentVerb) -> Result<ExitCode> {
    match verb {
        AgentVerb::List(args) => shown::list(&args)?,
        AgentVerb::Show(args) => shown::show(&args)?,
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

/// Arguments of a verb that changes one agent.
#[derive(Args, Clone, Debug)]
pub struct AgentArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// What happens to an agent's memory when its role changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Carry {
    /// Pass the memory to the role's `migrate`; if that fails, refuse the role.
    Strict,
    /// Pass the memory to the role's `migrate`; if that fails, begin with an empty memory.
    Loose,
    /// Begin with an empty memory.
    Forget,
}

/// `phalanx agent role`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx agent role A/agentA1 scout --memory loose")]
pub struct RoleArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// The new role: the name of a role file in the current strategy, without its extension.
    pub role: String,
    /// What happens to the agent's memory when the new role declares another memory version.
    #[arg(long, value_enum, default_value_t = Carry::Strict)]
    pub memory: Carry,
    #[command(flatten)]
    pub change: ChangeArgs,
}

fn role(args: &RoleArgs) -> Result<()> {
    steer(&args.change, &args.agent, async |mut teams, name, change| {
        let carry = match args.memory {
            Carry::Strict => MemoryCarry::Strict,
            Carry::Loose => MemoryCarry::Loose,
            Carry::Forget => MemoryCarry::Forget,
        };
        let Change { request_id, etag, validate_only } = change;
        let role = args.role.clone();
        let carry = carry.into();
        let request = SetAgentRoleRequest { name, role, carry, request_id, etag, validate_only };
        let answer = answer(teams.set_agent_role(request).await)?;
        Ok((answer.agent, answer.etag))
    })
}

fn pause(args: &AgentArgs) -> Result<()> {
    steer(&args.change, &args.agent, async |mut teams, name, change| {
        let Change { request_id, etag, validate_only } = change;
        let request = PauseAgentRequest { name, request_id, etag, validate_only };
        let answer = answer(teams.pause_agent(request).await)?;
        Ok((answer.agent, answer.etag))
    })
}

/// `phalanx agent pin`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx agent pin A/agentA1 'move(n)' --turns 5")]
pub struct PinArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// The action, as tables show it: 'move(n)', skip, 'clear(1, 2)'.
    pub order: String,
    /// Number of turns.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub turns: u32,
    #[command(flatten)]
    pub change: ChangeArgs,
}

fn pin(args: &PinArgs) -> Result<()> {
    steer(&args.change, &args.agent, async |mut teams, name, change| {
        let Change { request_id, etag, validate_only } = change;
        let (order, turns) = (args.order.clone(), args.turns);
        let request = PinOrderRequest { name, order, turns, request_id, etag, validate_only };
        let answer = answer(teams.pin_order(request).await)?;
        Ok((answer.agent, answer.etag))
    })
}

fn release(args: &AgentArgs) -> Result<()> {
    steer(&args.change, &args.agent, async |mut teams, name, change| {
        let Change { request_id, etag, validate_only } = change;
        let request = ReleaseAgentRequest { name, request_id, etag, validate_only };
        let answer = answer(teams.release_agent(request).await)?;
        Ok((answer.agent, answer.etag))
    })
}

/// `phalanx agent order`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx agent pilot A/agentA1 --take && phalanx agent order A/agentA1 'move(n)'")]
pub struct OrderArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// The action, as tables show it: 'move(n)', skip, 'clear(1, 2)'.
    pub order: String,
    #[command(flatten)]
    pub once: OnceArgs,
    #[command(flatten)]
    pub remote: Remote,
}

fn order(args: &OrderArgs) -> Result<()> {
    run(&args.remote, async |link| {
        let request = SendOrderRequest {
            name: agent_name(&link, &args.agent).await?,
            order: args.order.clone(),
            request_id: args.once.request_id.clone(),
            validate_only: args.once.dry_run,
        };
        let sent = answer(TeamsClient::new(link).send_order(request).await)?;
        tell(&args.remote.print, &sent.agent.unwrap_or_default(), &sent.etag, args.once.dry_run)
    })
}

/// `phalanx agent add`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx agent add A agentA16:scout --password-file a.secret")]
pub struct AddArgs {
    /// The team's name.
    pub team: String,
    /// The agent's name at the referee; add its role if it differs from the team's default.
    #[arg(value_name = "NAME[:ROLE]")]
    pub agent: AgentWord,
    /// Its account at the referee [default: its name].
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub user: String,
    /// File with the password of its account; `-` is standard input [default: the team's].
    #[arg(long, value_name = "FILE", conflicts_with = "ask_password")]
    pub password_file: Option<PathBuf>,
    /// Ask for the password of its account at a prompt.
    #[arg(long)]
    pub ask_password: bool,
    #[command(flatten)]
    pub change: ChangeArgs,
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
        tell(
            &change.remote.print,
            &added.agent.unwrap_or_default(),
            &added.etag,
            change.once.dry_run,
        )
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
        let output = json!({ "removed": agent.name, "etag": removed.etag });
        let output = only_checked(output, change.once.dry_run);
        change.remote.print.tell(&output, || {
            format!("{}agent {} is removed", checked(change.once.dry_run), person(&agent))
        })
    })
}

/// Changes who decides for an agent, and prints the new state.
fn steer(
    change: &ChangeArgs,
    agent: &str,
    verb: impl AsyncFnOnce(TeamsClient<Link>, String, Change) -> Result<(Option<Agent>, String)>,
) -> Result<()> {
    run(&change.remote, async |link| {
        let name = agent_name(&link, agent).await?;
        let (agent, etag) = verb(TeamsClient::new(link), name, change.into()).await?;
        tell(&change.remote.print, &agent.unwrap_or_default(), &etag, change.once.dry_run)
    })
}
