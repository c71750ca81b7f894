//! The command lines of the verbs around the arenas of a daemon.

use super::{Look, Remote, duration, games};
use clap::{Args, Subcommand};
use phalanx_games::Start;
use std::path::PathBuf;
use std::time::Duration;

/// What can be done with the arenas of a daemon.
#[derive(Debug, Subcommand)]
pub enum RemoteArenaVerb {
    /// Start a referee inside a running daemon, and print its address.
    #[command(after_help = "\
Examples:
  phalanx arena start assemble --steps 100 --seed 7
  phalanx arena start assemble --config server.json --begin complete --listen 127.0.0.1:12300
  phalanx arena watch")]
    Start(StartArgs),
    /// List the referees of a running daemon, those that have ended included.
    List(Look),
    /// Show one referee: the state of its match and the accounts that may log in.
    Show(ShowArgs),
    /// Begin the match of a referee that waits for it.
    Begin(NameArgs),
    /// End a referee and its match now.
    Stop(NameArgs),
    /// Follow a referee until it ends: steps, scores, clients.
    Watch(NameArgs),
}

/// `phalanx arena start`.
#[derive(Args, Clone, Debug)]
pub struct StartArgs {
    /// The game.
    #[arg(value_parser = games())]
    pub game: &'static str,
    /// A name for the referee [default: the game's name with a number].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// A variant of the game, as in `phalanx demo` [default: the first one]. Its teams are A and B;
    /// the command prints their accounts.
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub variant: Option<String>,
    /// Seed of a variant's map and of its referee's random numbers.
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "config")]
    pub seed: u64,
    /// Number of steps of a variant, 1 to 1000000 [default: the game's own number].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    #[arg(conflicts_with = "config")]
    pub steps: Option<u32>,
    /// Number of worlds of a variant, in asimulator.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    #[arg(conflicts_with = "config")]
    pub worlds: Option<u32>,
    /// Configuration of server and match in the organisers' format: read on this machine, with the
    /// files that it includes, and sent to the daemon.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// IP address and port to listen on; port 0 takes a free one [default: 127.0.0.1 and the file's
    /// port, or a free one]. Only admins may open an address that other machines can reach.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// When the match begins: `file` follows the file (`launch` in Agents Assemble, `start` in Mars;
    /// `key` there waits for `phalanx arena begin`), `now` begins at once, `complete` begins when
    /// every account is logged in [default: file with --config, else complete].
    #[arg(long, value_enum)]
    pub begin: Option<Start>,
    /// Shortest time for a step, for example 100ms [default: as in `phalanx demo`].
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub pace: Option<Duration>,
    /// Keep replays and results in the daemon's state folder.
    #[arg(long)]
    pub keep_files: bool,
    /// Only check the arguments; start nothing.
    #[arg(long, visible_alias = "dry-run")]
    pub check: bool,
    #[command(flatten)]
    pub remote: Remote,
}

/// Arguments of a verb about one referee.
#[derive(Args, Clone, Debug)]
pub struct NameArgs {
    /// The referee's name [default: the only one that runs].
    pub name: Option<String>,
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx arena show`.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// The referee's name [default: the only one that runs].
    pub name: Option<String>,
    #[command(flatten)]
    pub look: Look,
}
