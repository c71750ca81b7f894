//! The command line of the verbs around agents.

use super::team::{AgentWord, ChangeArgs};
use super::{Look, Remote};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `phalanx agent`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
AGENT is a team and an agent, A/agentA1; the agent alone where no other team has one of that name.")]
pub enum AgentVerb {
    /// One line for each agent of a team.
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// One agent: where it stands, who decides for it, what it did.
    Show(ShowArgs),
    /// Run an expression or statements as an agent, in a copy of all that it sees.
    Eval(EvalArgs),
    /// The same, interactively.
    Repl(ReplArgs),
    /// Let another role decide for an agent from its next turn on.
    Role(RoleArgs),
    /// Pause an agent: it does nothing until it is released.
    Pause(AgentArgs),
    /// Pin an order to an agent: it does this in each of its next turns.
    Pin(PinArgs),
    /// Steer an agent by hand, turn by turn, until you leave.
    Pilot(PilotArgs),
    /// Give one order to an agent that you pilot.
    Order(OrderArgs),
    /// Hand an agent back to its script, however it is steered.
    Release(AgentArgs),
    /// Add an agent to a team that plays.
    Add(AddArgs),
    /// Take an agent out of a team that plays; what it remembers is gone.
    Remove(AgentArgs),
}

/// `phalanx agent list`.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub look: Look,
}

/// `phalanx agent show`.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// Where and how.
    #[command(flatten)]
    pub look: Look,
}

/// A verb that changes one agent.
#[derive(Args, Clone, Debug)]
pub struct AgentArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// Where and how.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// What becomes of an agent's memory under another role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Carry {
    /// It goes through the role's `migrate`; where that fails the role is refused.
    Strict,
    /// It goes through the role's `migrate`; where that fails the agent begins anew.
    Loose,
    /// The agent begins with an empty memory.
    Forget,
}

/// `phalanx agent role`.
#[derive(Args, Clone, Debug)]
pub struct RoleArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// The new role: a file of the strategy that plays.
    pub role: String,
    /// What becomes of its memory where the new role declares another version of it.
    #[arg(long, value_enum, default_value_t = Carry::Strict)]
    pub memory: Carry,
    /// Where and how.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// `phalanx agent pin`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx agent pin A/agentA1 'move(n)' --turns 5")]
pub struct PinArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// What to do, as tables show actions: 'move(n)', skip, 'clear(1, 2)'.
    pub order: String,
    /// For so many turns.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub turns: u32,
    /// Where and how.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// `phalanx agent pilot`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A line is an order: move(n), skip, or n for move(n) where the game has directions; on a terminal
the arrow keys move at once. What the agent does is shown as it happens. :quit, ctrl-d and ctrl-c
hand the agent back to its script. Lines from a pipe are given one a turn.")]
pub struct PilotArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// So many turns without an order hand it back to its script [default: 10].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub lease: u32,
    /// Only take it over: orders come by `phalanx agent order`.
    #[arg(long)]
    pub take: bool,
    /// Where and how.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// `phalanx agent order`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx agent pilot A/agentA1 --take && phalanx agent order A/agentA1 'move(n)'")]
pub struct OrderArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// What to do, as tables show actions: 'move(n)', skip, 'clear(1, 2)'.
    pub order: String,
    /// Only check whether it could be done.
    #[arg(long)]
    pub dry_run: bool,
    /// The same id again is answered as the first time and not done twice.
    #[arg(long, value_name = "ID", default_value = "", hide = true)]
    pub request_id: String,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx agent add`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx agent add A agentA16:scout --password-file a.secret")]
pub struct AddArgs {
    /// The team's name.
    pub team: String,
    /// The agent's name at the referee, and its role where it is another than the team's.
    #[arg(value_name = "NAME[:ROLE]")]
    pub agent: AgentWord,
    /// Its account at the referee [default: its name].
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub user: String,
    /// File with the password of its account; `-` is standard input [default: the team's].
    #[arg(long, value_name = "FILE", conflicts_with = "ask_password")]
    pub password_file: Option<PathBuf>,
    /// Ask for the password of its account.
    #[arg(long)]
    pub ask_password: bool,
    /// Where and how.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// `phalanx agent eval`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx agent eval [OPTIONS] [TEAM] AGENT CODE",
    after_help = "\
Examples:
  phalanx agent eval A agentA1 'world.here()'
  phalanx agent eval A agentA1 'me.memory.plan = nil' --live

TEAM may be left out when the daemon has one team. Exit code: 1 when the script failed."
)]
pub struct EvalArgs {
    /// Team, agent and code.
    #[arg(num_args = 2..=3, required = true, value_name = "WORD", allow_negative_numbers = true)]
    pub words: Vec<String>,
    /// Run it in the living VM, between turns: it may change memory and board.
    #[arg(long)]
    pub live: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx agent repl`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "phalanx agent repl [OPTIONS] [TEAM] AGENT")]
pub struct ReplArgs {
    /// Team and agent.
    #[arg(num_args = 1..=2, required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// Run everything in the living VM, between turns: it may change memory and board.
    #[arg(long)]
    pub live: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}
