//! The command lines of `phalanx chaos`.

use clap::{Args, Subcommand};
use phalanx_cli::args::OutputArgs;
use std::path::PathBuf;

/// `phalanx chaos`.
#[derive(Debug, Subcommand)]
pub enum ChaosVerb {
    /// Play matches under faults from seeds, and check after each event that every turn is answered.
    Run(ChaosRunArgs),
    /// Play one scenario file.
    Play(ChaosPlayArgs),
}

/// `phalanx chaos run`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx chaos run --game assemble --seeds 100           seeds 1 to 100
  phalanx chaos run --game all --seeds 1000 --from 5000   other seeds, all five games
  phalanx chaos run --seeds 1000 --save found             keeps each failing seed as a short file
  phalanx chaos run --game assemble --faults contest-wifi the network of a contest
  phalanx chaos play found/mars-17.toml                   plays it again

Each seed gives a match and its faults: delayed, split, merged, repeated, cut and wrong messages,
connections that stall, are reset or are silent in one direction, a killed process, a thread that
does not respond, hostile scripts, reloads, and random commands of operators. Equal seeds give equal
matches. A seed that breaks a promise is shrunk: faults and steps are left out as long as the same
promise stays broken.

Exit codes: 0 every promise was kept; 1 one was broken; 64 wrong command line; 130 interrupted, after
the report so far.")]
pub struct ChaosRunArgs {
    /// The game, or `all`.
    #[arg(long, value_name = "GAME", default_value = "all", value_parser = chaos_games())]
    pub game: String,
    /// How many seeds each game gets, 1 to 1000000000.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub seeds: u64,
    /// The first seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub from: u64,
    /// Steps of each match, 1 to 100000 [default: 20 for assemble and mars, 40 for bomberland, 60
    /// for colosseum and asimulator].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub steps: Option<u32>,
    /// Matches at the same time [default: one per core, one core is left to others].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub threads: Option<u16>,
    /// The faults of every match, instead of other ones for each seed: a file, or `contest-wifi`.
    /// The report then shows how many turns had no answer.
    #[arg(long, value_name = "FILE|NAME")]
    pub faults: Option<String>,
    /// Write each failing seed as a short scenario file into this folder.
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub print: OutputArgs,
}

/// `phalanx chaos play`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A scenario is a TOML file:

  version = 1
  game = \"assemble\"
  steps = 20
  seed = 7

  [[fault]]
  step = 5
  agent = 3
  kind = \"delay\"
  ms = 1500

Exit codes: 0 every promise was kept; 1 one was broken; 64 the file has mistakes.")]
pub struct ChaosPlayArgs {
    /// The scenario file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub print: OutputArgs,
}

fn chaos_games() -> clap::builder::PossibleValuesParser {
    let all = phalanx_games::GAMES.iter().copied().chain(["all"]);
    clap::builder::PossibleValuesParser::new(all)
}
