//! The command line of `phalanx doctor`.

use clap::Args;
use phalanx_cli::args::OutputArgs;
use std::path::PathBuf;

/// `phalanx doctor`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx doctor --config /etc/phalanx/phalanxd.toml
  phalanx doctor --config team.toml --load-seconds 60    a tighter forecast
  phalanx doctor --config team.toml --output json        for programs

Run it on the machine that will play, as the user that runs phalanxd, at a time when no match
matters. Exit code: 0 when no check fails, 1 when a check fails, 64 when the settings have mistakes.")]
pub struct DoctorArgs {
    /// The daemon's configuration file.
    #[arg(long, value_name = "FILE", env = "PHALANX_CONFIG")]
    pub config: PathBuf,
    /// Try each agent's login even if that disturbs a match: in games where a login starts
    /// something, and while a daemon plays with these settings.
    #[arg(long)]
    pub login: bool,
    /// Seconds that each team plays against a local arena, with the largest team that its game
    /// allows; 0 skips the load test.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=3600))]
    pub load_seconds: u32,
    #[command(flatten)]
    pub print: OutputArgs,
}
