//! The command line of the verbs that look at what a team knows: `board`, `world`.

use super::{Look, Remote};
use clap::{Args, Subcommand};

/// `phalanx board`.
#[derive(Debug, Subcommand)]
pub enum BoardVerb {
    /// List what is on a team's board.
    List(ListArgs),
    /// Print the value under a key.
    Get(KeyArgs),
    /// Write a value; scripts see it from the next turn on.
    Set(SetArgs),
    /// Delete a value.
    Delete(DeleteArgs),
    /// Follow a board: first what is on it, then each change, until ctrl-c.
    Watch(WatchArgs),
}

/// `phalanx board list`.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Only keys that begin with this.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub prefix: String,
    /// Where and how.
    #[command(flatten)]
    pub look: Look,
}

/// `phalanx board get`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "phalanx board get [OPTIONS] [TEAM] KEY")]
pub struct KeyArgs {
    /// Team and key.
    #[arg(num_args = 1..=2, required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// How a board is changed.
#[derive(Args, Clone, Debug)]
pub struct ChangeArgs {
    /// Only if nobody wrote it since: the `etag` that `board get --output json` told.
    #[arg(long, value_name = "ETAG", default_value = "", hide_default_value = true)]
    pub etag: String,
    /// Only check whether the daemon would do it.
    #[arg(long)]
    pub check_only: bool,
}

/// `phalanx board set`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx board set [OPTIONS] [TEAM] KEY VALUE",
    after_help = "\
Examples:
  phalanx board set A goal '{\"x\": 12, \"y\": -3}'     a table
  phalanx board set A mode defend --turns 50         a text, for fifty turns
  phalanx board set A limit 3                        a number

What is no JSON is a text."
)]
pub struct SetArgs {
    /// Team, key and value.
    #[arg(num_args = 2..=3, required = true, value_name = "WORD", allow_negative_numbers = true)]
    pub words: Vec<String>,
    /// For so many turns, the present one included [default: for ever].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub turns: Option<u64>,
    /// On which terms.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx board delete`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "phalanx board delete [OPTIONS] [TEAM] KEY")]
pub struct DeleteArgs {
    /// Team and key.
    #[arg(num_args = 1..=2, required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// On which terms.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx board watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Only keys that begin with this.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub prefix: String,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx world`.
#[derive(Debug, Subcommand)]
pub enum WorldVerb {
    /// Draw what a team believes of its world, as a map with its legend.
    Show(WorldArgs),
}

/// `phalanx world show`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx world show A --watch=1s                  again and again
  phalanx world show A --layer danger              another layer than the ground
  phalanx world show A --output json | jq .parts   everything, for programs")]
pub struct WorldArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Draw this layer; may be repeated [default: the first one].
    #[arg(long = "layer", value_name = "NAME")]
    pub layers: Vec<String>,
    /// Where and how.
    #[command(flatten)]
    pub look: Look,
}
