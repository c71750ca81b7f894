//! The command lines of `phalanx tune`.

use super::{QueueArgs, TunedArgs};
use clap::{Args, Subcommand, ValueEnum};
use phalanx_cli::args::league::{seeds, sprt};
use phalanx_cli::args::{OutputArgs, games};
use phalanx_league::{Seeds, SprtOptions};
use phalanx_tune::Objective;
use std::path::PathBuf;

/// `phalanx tune`.
#[derive(Debug, Subcommand)]
pub enum TuneVerb {
    /// Search better values for a strategy's parameters by playing, and prove them on fresh seeds.
    Run(Box<TuneRunArgs>),
    /// Print the report of a tune run, also while it runs.
    Show(TuneShowArgs),
}

/// `phalanx tune run`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx tune run mine --seeds 1..40 --budget 2000                 a game for one, asimulator
  phalanx tune run mine --opponent shipped --seeds 1..20            at most 2000 matches
  phalanx tune run mine --opponent shipped ../old --weights 2,1 --params greed,mode
  phalanx tune run mine --opponent me=mine --objective rating       against itself as it is now

How it works: scripts declare parameters with param(name, { default, min, max, step, log, values }),
and `phalanx strategy params DIR` lists them. The search tries values in batches of eight. All
candidates play the same seeds, against the same opponents, on both sides. Half of a batch goes after
each stage of its race, so bad candidates cost few matches. The best candidate then plays against
the values at the start on seeds that the search has not seen, until a sequential test (SPRT)
decides. Only a proven improvement is written into DIR/tuned.toml, whose values replace the defaults
wherever the strategy plays.

Each result is appended to a file in the folder --out; ctrl-c stops the run, and the same command
resumes it. The same command gives the same run on any number of threads.

Exit codes: 0 the run is over, with or without an improvement; 1 it failed; 64 wrong command line;
130 interrupted.")]
pub struct TuneRunArgs {
    /// The strategy: a folder; write NAME=DIR to name it [default: the folder's name].
    #[arg(value_name = "[NAME=]DIR")]
    pub strategy: String,
    /// The game [default: the one that the strategy is for].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// Whom all candidates play against: folders, `shipped` or `idle`; none in games for one.
    #[arg(long = "opponent", value_name = "[NAME=]DIR", num_args = 1..)]
    pub opponents: Vec<String>,
    /// How much each opponent counts, in the order of the opponents [default: all the same].
    #[arg(long, value_name = "W,W", value_delimiter = ',')]
    pub weights: Vec<f64>,
    /// The seeds of the search, both ends included: each candidate that is not dropped earlier
    /// plays all of them.
    #[arg(long, value_name = "A..B", value_parser = seeds, default_value = "1..20")]
    pub seeds: Seeds,
    /// Most matches, the final test included, for which a quarter is kept.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub budget: u64,
    /// Parameters that may vary [default: all with a range].
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    pub params: Vec<String>,
    /// What is to become better: `win`, the share of points; `score`, the mean score; `rating`, the
    /// mean lead in Elo points [default: score in games for one, else win].
    #[arg(long, value_enum)]
    pub objective: Option<ObjectiveWord>,
    /// Play each meeting once per seed instead of once on each side.
    #[arg(long)]
    pub no_swap: bool,
    /// The seeds of the final test [default: those after the search's].
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    pub test_seeds: Option<Seeds>,
    /// What the final test has to show, as in `phalanx league run`; a key that you leave out keeps
    /// its default [default: elo0=0,elo1=50,alpha=0.05,beta=0.05].
    #[arg(long, value_name = "elo0=0,elo1=50,alpha=0.05,beta=0.05", value_parser = sprt,
        default_value = "", hide_default_value = true)]
    pub sprt: SprtOptions,
    /// Seed of the search's own random numbers.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// A variant of the game, as in `phalanx demo` [default: the first one].
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Number of steps of a match [default: the game's own number].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// Number of worlds of a match, in asimulator [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub worlds: Option<u32>,
    #[command(flatten)]
    pub tuned: TunedArgs,
    /// Matches that run at once [default: the number of cores less one]; with --nats, matches that
    /// are on the queue at once [default: 256].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=2048))]
    pub threads: Option<u16>,
    /// Keep results and report in this folder, and continue with the results that it holds
    /// [default: tune- and the run's id, in the current folder].
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub print: OutputArgs,
    // Last: what follows would be under its heading.
    #[command(flatten)]
    pub queue: QueueArgs,
}

/// `phalanx tune show`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx tune show tune-3f09a1b2c4
  phalanx tune show night --markdown report.md")]
pub struct TuneShowArgs {
    /// The run's folder.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Also write the report to this Markdown file.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    #[command(flatten)]
    pub print: OutputArgs,
}

/// An objective on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveWord {
    Win,
    Score,
    Rating,
}

impl From<ObjectiveWord> for Objective {
    fn from(word: ObjectiveWord) -> Self {
        match word {
            ObjectiveWord::Win => Self::Win,
            ObjectiveWord::Score => Self::Score,
            ObjectiveWord::Rating => Self::Rating,
        }
    }
}
