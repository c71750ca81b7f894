//! The command line of `phalanx doctor`.

use super::OutputArgs;
use clap::Args;
use std::path::PathBuf;

/// `phalanx doctor`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx doctor --config /etc/phalanx/phalanxd.toml
  phalanx doctor --config team.toml --load-seconds 60    a tighter forecast
  phalanx doctor --config team.toml --output json        for programs

Run it on the machine that will play, as the user that phalanxd runs as, while nothing is at stake.
Exit code: 0 when nothing will fail, 1 when something will, 64 when the settings have mistakes.")]
pub struct DoctorArgs {
    /// The daemon's configuration.
    #[arg(long, value_name = "FILE", env = "PHALANX_CONFIG")]
    pub config: PathBuf,
    /// Try each agent's login even where that disturbs a match: in games in which a login begins
    /// something, and while a daemon plays with these settings.
    #[arg(long)]
    pub login: bool,
    /// How long each team plays against an arena of our own, with the largest team that its game
    /// knows; 0: not at all.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=3600))]
    pub load_seconds: u32,
    /// How.
    #[command(flatten)]
    pub print: OutputArgs,
}
