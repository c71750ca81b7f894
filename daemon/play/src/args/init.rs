//! The command line of `phalanx init`.

use clap::Args;
use phalanx_cli::args::games;
use std::path::PathBuf;

/// `phalanx init`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx init                                     asks for everything, in the current folder
  phalanx init room --game mars --yes              the defaults for Mars, in the folder room
  phalanx init room --game assemble --server room.example:12300 --team A --prefix agentA \\
      --agents 15 --password-file agents.secret

It writes phalanx.toml, a strategy that plays at once, and a file with the password that only you
can read. It never replaces a file.")]
pub struct InitArgs {
    /// The folder for the files.
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// The game [default: the one that --strategy is for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// The referee's address, host:port; `bridge` if the referee starts the agents itself
    /// [default: the game's usual port on this machine].
    #[arg(long, value_name = "HOST:PORT")]
    pub server: Option<String>,
    /// The team's name at the referee [default: A].
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
    /// How the names of the accounts begin; a number follows [default: as in the game's sample].
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,
    /// How many agents the team has [default: as in the game's sample].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub agents: Option<u16>,
    /// A file that holds the accounts' password [default: one that is made].
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// The strategy's folder; one that is not empty is used as it is [default: strategy in DIR].
    #[arg(long, value_name = "FOLDER")]
    pub strategy: Option<PathBuf>,
    /// Ask nothing: take the default for everything that no flag names.
    #[arg(long, short = 'y')]
    pub yes: bool,
}
