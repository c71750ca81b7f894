//! The command line of `phalanx game`.

use clap::{Args, Subcommand};
use phalanx_cli::args::OutputArgs;
use std::path::PathBuf;

/// `phalanx game`.
#[derive(Clone, Debug, Subcommand)]
pub enum GameVerb {
    /// Make the folder of a new game, which plays at once.
    #[command(after_help = "\
Example:
  phalanx game new gold
  phalanx game test gold
  phalanx demo --game ./gold

The folder has a small game with comments: change it into yours. `plugins/README.md` of the
repository is a tutorial.")]
    New {
        /// The game's name: lower-case letters, digits, - and _.
        name: String,
        /// The folder [default: named like the game].
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Check the files of a game: the manifest, the functions of the contract, the first states.
    Check {
        /// The game's folder.
        dir: PathBuf,
        #[command(flatten)]
        print: OutputArgs,
    },
    /// Check a game, play a match on its own referee, and decide the match again.
    Test(GameTestArgs),
    /// Show what a game declares: transport, teams, actions, percepts, queries.
    Show {
        /// A game's name, or the path to its folder.
        #[arg(value_parser = phalanx_cli::args::games())]
        game: &'static str,
    },
    /// List the games that you can name: the native ones and those that are installed.
    List(OutputArgs),
}

/// `phalanx game test`.
#[derive(Args, Clone, Debug)]
pub struct GameTestArgs {
    /// The game's folder.
    pub dir: PathBuf,
    /// Steps of the match [default: as in the manifest].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// Seed of the match.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}
