//! The command line of the verbs that show and create teams, and what all verbs that change something
//! share. Those that steer a team have theirs next to what they do.

use super::{Look, Remote, duration, games};
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Arguments of a request that has its effect once, or not at all.
#[derive(Args, Clone, Debug)]
pub struct OnceArgs {
    /// Only check whether the change is possible.
    #[arg(long)]
    pub dry_run: bool,
    /// A request with an id that was used before gets the first answer and has no further effect.
    #[arg(long, value_name = "ID", default_value = "", hide = true)]
    pub request_id: String,
}

/// Arguments of a verb that changes something.
#[derive(Args, Clone, Debug)]
pub struct ChangeArgs {
    /// Change the team only if its etag is still this one; `team show --output json` prints it.
    #[arg(long, value_name = "ETAG", default_value = "", hide_default_value = true)]
    pub etag: String,
    #[command(flatten)]
    pub once: OnceArgs,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx team show`.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// The team's name [default: the only team].
    pub name: Option<String>,
    #[command(flatten)]
    pub look: Look,
}

/// Waiting until a team plays.
#[derive(Args, Clone, Copy, Debug)]
pub struct WaitArgs {
    /// Wait until all seats have logged in, at most 60s or TIME; exit code 1 after that.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true,
        default_missing_value = "60s", value_parser = duration, conflicts_with = "dry_run")]
    pub wait: Option<Duration>,
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

The file has a section [[teams]] like the daemon's settings. The strategy's folder is on the
daemon's machine. Passwords come from files or from a prompt, never from the command line.")]
pub struct CreateArgs {
    /// The team's name in the daemon and at the referee; with --file, the team of that name in the
    /// file.
    #[arg(required_unless_present = "file")]
    pub name: Option<String>,
    /// Create the team from this TOML file; if it has several teams, NAME selects one.
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["game", "server", "strategy",
        "agent", "agents", "role", "password_file", "ask_password", "seed", "deadline", "option"])]
    pub file: Option<PathBuf>,
    /// The game that it plays.
    #[arg(long, value_parser = games(), required_unless_present = "file")]
    pub game: Option<&'static str>,
    /// The referee, host:port; or `bridge` for a referee that starts the agents itself.
    #[arg(long, value_name = "ADDRESS", required_unless_present = "file")]
    pub server: Option<String>,
    /// The strategy's folder, on the daemon's machine.
    #[arg(long, value_name = "DIR", required_unless_present = "file")]
    pub strategy: Option<PathBuf>,
    /// An agent; add its role if it differs from --role; may be repeated.
    #[arg(long, value_name = "NAME[:ROLE]", required_unless_present_any = ["agents", "file"])]
    pub agent: Vec<AgentWord>,
    /// Agents with numbered names: agentA:15 means agentA1 to agentA15.
    #[arg(long, value_name = "PREFIX:COUNT", conflicts_with = "agent")]
    pub agents: Option<PatternWord>,
    /// The role of agents that name none of their own.
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// File with the password of the agents' accounts; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "ask_password")]
    pub password_file: Option<PathBuf>,
    /// Ask for the password of the agents' accounts at a prompt.
    #[arg(long)]
    pub ask_password: bool,
    /// Seed of all random numbers in the team's scripts.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Length of a turn, for example 2s, if the referee sends no deadline.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub deadline: Option<Duration>,
    /// An option of the game; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub option: Vec<OptionWord>,
    /// Do not connect yet; use `phalanx team start` later.
    #[arg(long, conflicts_with = "wait")]
    pub stopped: bool,
    #[command(flatten)]
    pub once: OnceArgs,
    #[command(flatten)]
    pub wait: WaitArgs,
    #[command(flatten)]
    pub remote: Remote,
}

/// `NAME` or `NAME:ROLE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentWord {
    pub name: String,
    /// Its role; empty: the team's default.
    pub role: String,
}

impl FromStr for AgentWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, role) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err("expected NAME or NAME:ROLE, for example a1:scout".to_owned());
        }
        Ok(Self { name: name.to_owned(), role: role.to_owned() })
    }
}

/// `PREFIX:COUNT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternWord {
    /// The name without its number.
    pub prefix: String,
    /// Number of agents.
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
            Some(_) | None => Err("expected PREFIX:COUNT, for example agentA:15".to_owned()),
        }
    }
}

/// `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionWord {
    pub key: String,
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
