//! The command line of `phalanx arena`.

use super::{ArenaGame, Look, Remote, duration, games};
use crate::wire::Start;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// `phalanx arena`.
#[derive(Debug, Subcommand)]
#[command(subcommand_help_heading = "Referees")]
pub enum ArenaVerb {
    /// A referee in this process.
    #[command(flatten)]
    Here(ArenaGame),
    /// Those of a daemon.
    #[command(flatten)]
    There(Box<RemoteArenaVerb>),
}

/// What can be done with the arenas of a daemon.
#[derive(Debug, Subcommand)]
pub enum RemoteArenaVerb {
    /// Start a referee inside a running daemon, and print where it listens.
    #[command(after_help = "\
Examples:
  phalanx arena start assemble --steps 100 --seed 7
  phalanx arena start assemble --config server.json --begin complete --listen 127.0.0.1:12300
  phalanx arena watch")]
    Start(StartArgs),
    /// One line for each referee of a running daemon, ended ones included.
    List(Look),
    /// One referee: how the match stands, who may log in.
    Show(ShowArgs),
    /// Say "begin" to a referee that waits for it.
    Begin(NameArgs),
    /// End a referee now.
    Stop(NameArgs),
    /// Follow what happens at a referee until it has ended: steps, scores, clients.
    Watch(NameArgs),
}

/// `phalanx arena start`.
#[derive(Args, Clone, Debug)]
pub struct StartArgs {
    /// Which game.
    #[arg(value_parser = games())]
    pub game: &'static str,
    /// What to call it [default: the game's name with a number].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// A flavour of the game, as in `phalanx demo` [default: the first one]. Its teams are A and B,
    /// their accounts are shown.
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub variant: Option<String>,
    /// Seed of a flavour's map and of its referee's dice.
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "config")]
    pub seed: u64,
    /// How many steps a flavour has [default: the game's own number].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    #[arg(conflicts_with = "config")]
    pub steps: Option<u32>,
    /// How many worlds a flavour has, in asimulator.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    #[arg(conflicts_with = "config")]
    pub worlds: Option<u32>,
    /// Server and match configuration in the organisers' format: it is read here, with the files
    /// that it includes, and sent.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Address to listen on, with an IP address; port 0 takes a free one [default: 127.0.0.1 with
    /// the file's port, or a free one]. Only admins may let other machines in.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// When to begin: as the file says (`key` is `phalanx arena begin`), at once, or as soon as
    /// every account is logged in [default: file with --config, else complete].
    #[arg(long, value_enum)]
    pub begin: Option<Start>,
    /// Shortest time for a step [default: as in `phalanx demo`].
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub pace: Option<Duration>,
    /// Keep replays and results in a folder of the daemon's state folder.
    #[arg(long)]
    pub keep_files: bool,
    /// Only check what would be started.
    #[arg(long)]
    pub check: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// A verb about one referee.
#[derive(Args, Clone, Debug)]
pub struct NameArgs {
    /// Its name [default: the only one that runs].
    pub name: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx arena show`.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// Its name [default: the only one that runs].
    pub name: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub look: Look,
}
