//! The command line of the verbs that show and change what a team knows: `board`, `world`.

use super::{Look, Remote};
use clap::{Args, Subcommand};

/// `phalanx board`.
#[derive(Debug, Subcommand)]
pub enum BoardVerb {
    /// List the keys and values on a team's board.
    List(ListArgs),
    /// Print the value of a key.
    Get(KeyArgs),
    /// Write a value; scripts see it from the next turn on.
    Set(SetArgs),
    /// Delete a key.
    Delete(DeleteArgs),
    /// Follow a board until ctrl-c: first its contents, then each change.
    Watch(WatchArgs),
}

/// `phalanx board list`.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// List only keys that begin with this text.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub prefix: String,
    #[command(flatten)]
    pub look: Look,
}

/// `phalanx board get`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "phalanx board get [OPTIONS] [TEAM] KEY")]
pub struct KeyArgs {
    /// The team (optional) and the key.
    #[arg(num_args = 1..=2, required = true, value_name = "WORD")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub remote: Remote,
}

/// Arguments of a verb that changes a board.
#[derive(Args, Clone, Debug)]
pub struct ChangeArgs {
    /// Write only if the value has not changed since you read it: the `etag` that
    /// `board get --output json` printed.
    #[arg(long, value_name = "ETAG", default_value = "", hide_default_value = true)]
    pub etag: String,
    /// Only check whether the daemon would accept the change.
    #[arg(long, visible_alias = "dry-run")]
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

A VALUE that is not JSON is taken as text."
)]
pub struct SetArgs {
    /// The team (optional), the key and the value.
    #[arg(num_args = 2..=3, required = true, value_name = "WORD", allow_negative_numbers = true)]
    pub words: Vec<String>,
    /// Delete the key after this many turns, the current one included [default: keep it].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub turns: Option<u64>,
    #[command(flatten)]
    pub change: ChangeArgs,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx board delete`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "phalanx board delete [OPTIONS] [TEAM] KEY")]
pub struct DeleteArgs {
    /// The team (optional) and the key.
    #[arg(num_args = 1..=2, required = true, value_name = "WORD")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub change: ChangeArgs,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx board watch`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx board watch A --prefix goal")]
pub struct WatchArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Follow only keys that begin with this text.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub prefix: String,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx world`.
#[derive(Debug, Subcommand)]
pub enum WorldVerb {
    /// Draw what a team believes of its world as a map with a legend.
    Show(WorldArgs),
}

/// `phalanx world show`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx world show A --watch=1s                  draw it again every second
  phalanx world show A --layer danger              another layer than the ground
  phalanx world show A --output json | jq .parts   everything, for programs")]
pub struct WorldArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Draw this layer; may be repeated [default: the first one].
    #[arg(long = "layer", value_name = "NAME")]
    pub layers: Vec<String>,
    #[command(flatten)]
    pub look: Look,
}
