//! The command line of the verbs around the strategies of running teams: `strategy`, `param`.

use super::{Look, Remote};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Arguments of a verb that shows one team.
#[derive(Args, Clone, Debug)]
pub struct LookArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    #[command(flatten)]
    pub look: Look,
}

/// Arguments of a verb that changes one team.
#[derive(Args, Clone, Debug)]
pub struct TeamArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy diff`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx strategy diff [OPTIONS] [TEAM] [FROM] [TO]",
    after_help = "\
Examples:
  phalanx strategy diff                    the previous generation against the current one
  phalanx strategy diff A 3                generation 3 of team A against the current one
  phalanx strategy diff A 3 5              generation 3 against 5
  phalanx strategy diff A --folder mine    the current generation against the files in a folder

You can omit TEAM when the daemon has one team; a team whose name is a number is `teams/1`."
)]
pub struct DiffArgs {
    /// The team (optional) and up to two generations.
    #[arg(num_args = 0..=3, value_name = "TEAM|GENERATION")]
    pub words: Vec<String>,
    /// Compare with the files of this folder.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy rollback`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx strategy rollback [OPTIONS] [TEAM] [GENERATION]",
    after_help = "\
Examples:
  phalanx strategy rollback          the previous generation
  phalanx strategy rollback A 3      generation 3 of team A

You can omit TEAM when the daemon has one team; a team whose name is a number is `teams/1`."
)]
pub struct RollbackArgs {
    /// The team and the generation, both optional.
    #[arg(num_args = 0..=2, value_name = "TEAM|GENERATION")]
    pub words: Vec<String>,
    /// Empty the agents' memories.
    #[arg(long)]
    pub reset_memory: bool,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy activate`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx strategy activate [OPTIONS] [TEAM] [DIR]",
    after_help = "\
Examples:
  phalanx strategy activate A            the current files of the team's folder
  phalanx strategy activate A mine       another folder, for team A
  phalanx strategy activate ./mine       the same for the only team
  phalanx strategy activate A --check-only

A single word that contains a `/` or begins with a `.` is a folder, any other one is a team."
)]
pub struct ActivateArgs {
    /// The team and the folder, both optional.
    #[arg(num_args = 0..=2, value_name = "TEAM|DIR")]
    pub words: Vec<String>,
    /// Empty the agents' memories.
    #[arg(long)]
    pub reset_memory: bool,
    /// Only try the strategy.
    #[arg(long, visible_alias = "dry-run")]
    pub check_only: bool,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy profile`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx strategy profile A --turns 50 --folded a.folded    then: inferno-flamegraph < a.folded")]
pub struct ProfileArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Number of turns to measure.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub turns: u32,
    /// Also write the stacks to this file, in the folded format of flame graph tools.
    #[arg(long, value_name = "FILE")]
    pub folded: Option<PathBuf>,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx param`.
#[derive(Debug, Subcommand)]
pub enum ParamVerb {
    /// List the parameters with their accepted values and their current ones.
    List(LookArgs),
    /// Set a parameter from the next turn on.
    Set(SetArgs),
    /// Return a parameter to its default.
    Reset(ResetArgs),
}

/// The part of a team that a parameter is set for.
#[derive(Args, Clone, Debug)]
pub struct PartArgs {
    /// Only for agents of this role.
    #[arg(long, value_name = "ROLE", conflicts_with = "agent")]
    pub role: Option<String>,
    /// Only for this agent.
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
}

/// `phalanx param set`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx param set [OPTIONS] [TEAM] NAME VALUE",
    after_help = "\
Examples:
  phalanx param set A aggressiveness 0.8
  phalanx param set aggressiveness 0.8 --role scout     for the only team's scouts

The most specific value applies: agent, then role, then team."
)]
pub struct SetArgs {
    /// The team (optional), the parameter and the value.
    #[arg(num_args = 2..=3, required = true, value_name = "WORD", allow_negative_numbers = true)]
    pub words: Vec<String>,
    #[command(flatten)]
    pub part: PartArgs,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx param reset`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "phalanx param reset [OPTIONS] [TEAM] NAME")]
pub struct ResetArgs {
    /// The team (optional) and the parameter.
    #[arg(num_args = 1..=2, required = true, value_name = "WORD")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub part: PartArgs,
    #[command(flatten)]
    pub remote: Remote,
}
