//! The command line of the verbs around teams.

use super::{Look, Remote, duration, games};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// `phalanx team`.
#[derive(Debug, Subcommand)]
pub enum TeamVerb {
    /// One line for each team.
    #[command(visible_alias = "ls")]
    List(Look),
    /// One team: its turn, its score, its alerts and each of its agents.
    Show(ShowArgs),
    /// Make a team that plays until it is deleted or the daemon ends.
    Create(Box<CreateArgs>),
    /// Let a stopped team dial its referee again.
    Start(StartArgs),
    /// Hang up and stay away; the team keeps what it knows.
    Stop(NamedArgs),
    /// Make a team anew from its last checkpoint, even when its thread does not respond.
    ///
    /// The seats stay connected and answer meanwhile. A script that did not return is not called
    /// again; scripts that were suspended before are.
    Restart(NamedArgs),
    /// End a team for good: it answers open turns, says goodbye and ends.
    Drain(DrainArgs),
    /// Take a team out of the daemon with all that it knows; its name is free then.
    Delete(DeleteArgs),
    /// Send a team to another address of its game's referee.
    Move(MoveArgs),
}

/// What all verbs that change something take.
#[derive(Args, Clone, Debug)]
pub struct ChangeArgs {
    /// Only while the team is still as it was with this etag; `team show` in JSON has it.
    #[arg(long, value_name = "ETAG", default_value = "", hide_default_value = true)]
    pub etag: String,
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

/// `phalanx team show`.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// The team's name [default: the only team].
    pub name: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub look: Look,
}

/// A verb that changes one team.
#[derive(Args, Clone, Debug)]
pub struct NamedArgs {
    /// The team's name.
    pub name: String,
    /// Where and how.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// Waiting until a team plays.
#[derive(Args, Clone, Copy, Debug)]
pub struct WaitArgs {
    /// Wait until all seats are seated, at most 60s or so long as told; exit code 1 after that.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true,
        default_missing_value = "60s", value_parser = duration, conflicts_with = "dry_run")]
    pub wait: Option<Duration>,
}

/// `phalanx team start`.
#[derive(Args, Clone, Debug)]
pub struct StartArgs {
    /// Which team.
    #[command(flatten)]
    pub team: NamedArgs,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// `phalanx team drain`.
#[derive(Args, Clone, Debug)]
pub struct DrainArgs {
    /// Which team.
    #[command(flatten)]
    pub team: NamedArgs,
    /// Longest time for the goodbyes; who is not done then is cut off [default: the daemon's
    /// `limits.drain_max`].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub grace: Option<Duration>,
}

/// `phalanx team delete`.
#[derive(Args, Clone, Debug)]
pub struct DeleteArgs {
    /// Which team.
    #[command(flatten)]
    pub team: NamedArgs,
    /// Also while it plays: it is drained first.
    #[arg(long)]
    pub force: bool,
}

/// `phalanx team move`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx team move A backup:12300                                    the same match goes on there
  phalanx team move A finals:12300 --forget-world --forget-memory     another match begins there")]
pub struct MoveArgs {
    /// The team's name.
    pub name: String,
    /// The referee's new address, host:port. The agents' passwords are sent there: operators may name
    /// the address in the team's settings and those in control.move_hosts, admins any.
    pub address: String,
    /// Begin a new round in an empty world, with an empty board.
    #[arg(long)]
    pub forget_world: bool,
    /// The agents begin with empty memories.
    #[arg(long)]
    pub forget_memory: bool,
    /// Where and how.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// `phalanx team create`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx team create A --game assemble --server localhost:12300 --strategy scripts/assemble \\
      --agents agentA:15 --password-file a.secret --wait
  phalanx team create A --game mars --server localhost:12300 --strategy scripts/mars \\
      --agent a1:explorer --agent a2:sentinel --ask-password
  phalanx team create --file team.toml

The file has a section [[teams]] as the daemon's settings have. The strategy's folder is on the
daemon's machine. Passwords come from files or from a prompt, never from the command line.")]
pub struct CreateArgs {
    /// Its name in the daemon and at the referee; with --file, which of the file's teams.
    #[arg(required_unless_present = "file")]
    pub name: Option<String>,
    /// A file with one team, or several of which NAME is one.
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["game", "server", "strategy",
        "agent", "agents", "role", "password_file", "ask_password", "seed", "deadline", "option"])]
    pub file: Option<PathBuf>,
    /// Which game it plays.
    #[arg(long, value_parser = games(), required_unless_present = "file")]
    pub game: Option<&'static str>,
    /// The referee, host:port; or `bridge` where the referee starts our agents itself.
    #[arg(long, value_name = "ADDRESS", required_unless_present = "file")]
    pub server: Option<String>,
    /// The folder of its strategy, on the daemon's machine.
    #[arg(long, value_name = "DIR", required_unless_present = "file")]
    pub strategy: Option<PathBuf>,
    /// An agent, and its role where it is another than the team's; may be repeated.
    #[arg(long, value_name = "NAME[:ROLE]", required_unless_present_any = ["agents", "file"])]
    pub agent: Vec<AgentWord>,
    /// Agents whose names only differ in a number: agentA:15 are agentA1 to agentA15.
    #[arg(long, value_name = "PREFIX:COUNT", conflicts_with = "agent")]
    pub agents: Option<PatternWord>,
    /// The role of agents that have none of their own.
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// File with the password of the agents' accounts; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "ask_password")]
    pub password_file: Option<PathBuf>,
    /// Ask for the password of the agents' accounts.
    #[arg(long)]
    pub ask_password: bool,
    /// Seed of all randomness in its scripts.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Length of a turn where the referee does not tell a deadline.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub deadline: Option<Duration>,
    /// What only its game knows; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub option: Vec<OptionWord>,
    /// Do not connect yet: `phalanx team start` lets it.
    #[arg(long, conflicts_with = "wait")]
    pub stopped: bool,
    /// Only check whether it could be made; its strategy is tried.
    #[arg(long)]
    pub dry_run: bool,
    /// The same id again is answered as the first time and not done twice.
    #[arg(long, value_name = "ID", default_value = "", hide = true)]
    pub request_id: String,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `NAME` or `NAME:ROLE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentWord {
    /// The agent's name.
    pub name: String,
    /// Its role; empty: the team's.
    pub role: String,
}

impl FromStr for AgentWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, role) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err("expected a name, or a name and a role: a1:scout".to_owned());
        }
        Ok(Self { name: name.to_owned(), role: role.to_owned() })
    }
}

/// `PREFIX:COUNT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternWord {
    /// What stands before the number.
    pub prefix: String,
    /// How many.
    pub count: u32,
}

impl FromStr for PatternWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let split = text.rsplit_once(':').map(|(prefix, count)| (prefix, count.parse()));
        match split {
            Some((prefix, Ok(count))) if !prefix.is_empty() => {
                Ok(Self { prefix: prefix.to_owned(), count })
            }
            Some(_) | None => Err("expected a prefix and how many: agentA:15".to_owned()),
        }
    }
}

/// `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionWord {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

impl FromStr for OptionWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
        Ok(Self { key: key.to_owned(), value: value.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart_or_refused() {
        let agent: AgentWord = "a1:scout".parse().unwrap();
        assert_eq!((agent.name.as_str(), agent.role.as_str()), ("a1", "scout"));
        assert_eq!("a1".parse::<AgentWord>().unwrap().role, "");
        assert!(":scout".parse::<AgentWord>().is_err());
        let pattern: PatternWord = "agentA:15".parse().unwrap();
        assert_eq!((pattern.prefix.as_str(), pattern.count), ("agentA", 15));
        for wrong in ["agentA", "agentA:", ":15", "agentA:-1"] {
            assert!(wrong.parse::<PatternWord>().is_err(), "{wrong}");
        }
        assert_eq!("a=b=c".parse::<OptionWord>().unwrap().value, "b=c");
    }
}
