//! The command lines of the verbs around strategies that need no daemon.

use clap::{Args, Subcommand, ValueEnum};
use phalanx_cli::args::{OutputArgs, Remote, games};
use std::path::PathBuf;

/// `phalanx strategy new`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx strategy new mine && phalanx demo --strategy mine")]
pub struct NewArgs {
    /// The strategy's name: letters, digits, _ and -.
    pub name: String,
    /// The game that it plays.
    #[arg(long, value_parser = games(), default_value = phalanx_games::DEFAULT_GAME)]
    pub game: &'static str,
    /// The folder to make; it must not exist, or be empty [default: NAME in the current folder].
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// `phalanx strategy check`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx strategy check mine                  here, without a daemon
  phalanx strategy check mine --role miner     for a team with the role miner
  phalanx strategy check mine --team A         in a running daemon, with the team's last turns

Without a daemon, the scripts decide the first ten turns of a match against themselves.

Exit code: 0 it may play (there may be warnings), 1 it may not.")]
pub struct TryArgs {
    /// The strategy's folder [default with --team: the folder that the team plays].
    #[arg(required_unless_present = "team")]
    pub dir: Option<PathBuf>,
    /// The game that it plays [default: the one that `strategy new` made it for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// A role that agents will have; may be repeated [default: every role file].
    #[arg(long = "role", value_name = "ROLE", conflicts_with = "team")]
    pub roles: Vec<String>,
    /// Try it in the daemon for this team, with the turns that the team just played.
    #[arg(long, value_name = "TEAM")]
    pub team: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy params`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx strategy params mine                  what you may set, and what tuned.toml sets
  phalanx strategy params mine --output json    for programs

A script declares a parameter with param(name, { default = 0.5, min = 0, max = 1 }).
The values in tuned.toml, in the strategy's folder, replace the defaults.")]
pub struct ParamsArgs {
    /// The strategy's folder.
    pub dir: PathBuf,
    /// The game that it plays [default: the one that `strategy new` made it for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// How to print.
    #[command(flatten)]
    pub print: OutputArgs,
}

/// `phalanx strategy test`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx strategy test mine --watch              again at every save
  phalanx strategy test mine --filter scout       only specs whose name contains `scout`
  phalanx strategy test mine --junit report.xml   for continuous integration
  phalanx strategy test mine/lib                  test shared modules with the specs in lib/spec/

In JSON, `skipped` counts the specs that --filter left out, too.

Exit code: 0 all specs passed, 1 a spec failed or there is none.")]
pub struct TestArgs {
    /// The strategy's folder, or a folder of shared modules named lib.
    pub dir: PathBuf,
    /// Only specs whose whole name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Run again whenever a file changes, until ctrl-c.
    #[arg(long)]
    pub watch: bool,
    /// Write a JUnit report to this file.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print which lines of each file ran.
    #[arg(long)]
    pub coverage: bool,
    /// The game that it plays [default: the one that `strategy new` made it for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// How to print.
    #[command(flatten)]
    pub print: OutputArgs,
}

/// The formats of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReferenceFormat {
    /// A page for people.
    Markdown,
    /// The output as JSON.
    Json,
}

/// `phalanx script`.
#[derive(Debug, Subcommand)]
pub enum ScriptVerb {
    /// Print the reference of the script API: what scripts receive, may ask and may answer.
    Api {
        /// The game.
        #[arg(long, value_parser = games(), default_value = phalanx_games::DEFAULT_GAME)]
        game: &'static str,
        /// The output format.
        #[arg(long, value_enum, default_value_t = ReferenceFormat::Markdown)]
        format: ReferenceFormat,
    },
    /// Write the type definitions of the script API, for luau-lsp and lua-language-server.
    Types {
        /// The game.
        #[arg(long, value_parser = games(), default_value = phalanx_games::DEFAULT_GAME)]
        game: &'static str,
        /// The folder to write into.
        #[arg(long, value_name = "DIR", default_value = "types")]
        out: PathBuf,
    },
    /// Print the functions that spec files may call: describe, it, expect and the fake world.
    Specs,
}
