//! The command line of the verbs around strategies: `strategy`, `param`, `script`.

use super::{Look, OutputArgs, Remote, games};
use crate::wire;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `phalanx strategy`.
#[derive(Debug, Subcommand)]
pub enum StrategyVerb {
    /// Make a strategy that plays at once, with specs, type definitions and editor settings.
    New(NewArgs),
    /// Try a strategy without letting it play: compile, lint, specs; tell all mistakes at once.
    Check(TryArgs),
    /// Run a strategy's specs: the files *_spec.luau in its folder spec/.
    Test(TestArgs),
    /// Show what a running team plays, and how the last trial went.
    Show(LookArgs),
    /// List the generations of a running team's strategy, newest first.
    History(LookArgs),
    /// Show what changed between two generations, as a unified diff.
    Diff(DiffArgs),
    /// Let an earlier generation decide again, from the next turn on.
    Rollback(RollbackArgs),
    /// Try a strategy and let it decide from the next turn on.
    Activate(ActivateArgs),
    /// Hold on to what decides now: changed files are tried and told, but do not play.
    Pin(TeamArgs),
    /// Let changed files play again.
    Unpin(TeamArgs),
    /// Measure where a running team's scripts spend their time; takes an operator.
    Profile(ProfileArgs),
}

/// `phalanx strategy new`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx strategy new mine && phalanx demo --strategy mine")]
pub struct NewArgs {
    /// The strategy's name: letters, digits, _ and -.
    pub name: String,
    /// Which game it plays.
    #[arg(long, value_parser = games(), default_value = wire::DEFAULT_GAME)]
    pub game: &'static str,
    /// The folder to make; it must not exist, or be empty [default: the name, in this folder].
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// `phalanx strategy check`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx strategy check mine                  here, without a daemon
  phalanx strategy check mine --role miner     an agent will have the role miner
  phalanx strategy check mine --team A         in a running daemon, on the team's last turns

Exit code: 0 it may play (there may be warnings), 1 it is refused.")]
pub struct TryArgs {
    /// The strategy's folder [default with --team: the folder that the team plays].
    #[arg(required_unless_present = "team")]
    pub dir: Option<PathBuf>,
    /// Which game it plays [default: the one that `strategy new` made it for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// A role that agents will have; may be repeated [default: every role file].
    #[arg(long = "role", value_name = "ROLE", conflicts_with = "team")]
    pub roles: Vec<String>,
    /// Let the daemon try it for this team, with the turns that it just played.
    #[arg(long, value_name = "TEAM")]
    pub team: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy test`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx strategy test mine --watch              again at every save
  phalanx strategy test mine --filter scout       only specs whose name has `scout`
  phalanx strategy test mine --junit report.xml   for build servers
  phalanx strategy test mine/lib                  the modules of a folder called lib, by its spec/

Exit code: 0 all passed, 1 some failed.")]
pub struct TestArgs {
    /// The strategy's folder, or a folder of shared modules that is called lib.
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
    /// Show which lines of each file ran.
    #[arg(long)]
    pub coverage: bool,
    /// Which game it plays [default: the one that `strategy new` made it for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// How to print.
    #[command(flatten)]
    pub print: OutputArgs,
}

/// A verb that shows something of one team.
#[derive(Args, Clone, Debug)]
pub struct LookArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub look: Look,
}

/// A verb that changes something of one team.
#[derive(Args, Clone, Debug)]
pub struct TeamArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy diff`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx strategy diff [OPTIONS] [TEAM] [FROM] [TO]",
    after_help = "\
Examples:
  phalanx strategy diff                    the generation before against the one that decides
  phalanx strategy diff A 3                generation 3 of team A against the one that decides
  phalanx strategy diff A 3 5              generation 3 against 5
  phalanx strategy diff A --folder mine    the one that decides against the files in a folder

TEAM may be left out when the daemon has one team; a team whose name is a number is `teams/1`."
)]
pub struct DiffArgs {
    /// Team and generations.
    #[arg(num_args = 0..=3, value_name = "TEAM|GENERATION")]
    pub words: Vec<String>,
    /// Compare with the files of this folder.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy rollback`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx strategy rollback [OPTIONS] [TEAM] [GENERATION]",
    after_help = "\
Examples:
  phalanx strategy rollback          the generation that decided before
  phalanx strategy rollback A 3      generation 3 of team A

TEAM may be left out when the daemon has one team; a team whose name is a number is `teams/1`."
)]
pub struct RollbackArgs {
    /// Team and generation.
    #[arg(num_args = 0..=2, value_name = "TEAM|GENERATION")]
    pub words: Vec<String>,
    /// The agents begin with empty memories.
    #[arg(long)]
    pub reset_memory: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy activate`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx strategy activate [OPTIONS] [TEAM] [DIR]",
    after_help = "\
Examples:
  phalanx strategy activate A            what the team's folder holds now
  phalanx strategy activate A mine       another folder, for team A
  phalanx strategy activate ./mine       the same for the only team
  phalanx strategy activate A --check-only

A single word with a `/` or a `.` at its beginning is a folder, any other one a team."
)]
pub struct ActivateArgs {
    /// Team and folder.
    #[arg(num_args = 0..=2, value_name = "TEAM|DIR")]
    pub words: Vec<String>,
    /// The agents begin with empty memories.
    #[arg(long)]
    pub reset_memory: bool,
    /// Only try it.
    #[arg(long)]
    pub check_only: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx strategy profile`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  phalanx strategy profile A --turns 50 --folded a.folded    then: inferno-flamegraph < a.folded")]
pub struct ProfileArgs {
    /// The team's name [default: the only team].
    pub team: Option<String>,
    /// How many turns are measured.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub turns: u32,
    /// Also write the stacks to this file, in the folded form that flame graph tools read.
    #[arg(long, value_name = "FILE")]
    pub folded: Option<PathBuf>,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx param`.
#[derive(Debug, Subcommand)]
pub enum ParamVerb {
    /// List the parameters with what they accept and what was set.
    List(LookArgs),
    /// Set a parameter from the next turn on.
    Set(SetArgs),
    /// Take back what was set.
    Reset(ResetArgs),
}

/// For which part of a team.
#[derive(Args, Clone, Debug)]
pub struct PartArgs {
    /// For the agents of this role only.
    #[arg(long, value_name = "ROLE", conflicts_with = "agent")]
    pub role: Option<String>,
    /// For this agent only.
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
}

/// `phalanx param set`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx param set [OPTIONS] [TEAM] NAME VALUE",
    after_help = "\
Examples:
  phalanx param set A aggressiveness 0.8
  phalanx param set aggressiveness 0.8 --role scout     for the only team's scouts

The narrowest value counts: agent, then role, then team."
)]
pub struct SetArgs {
    /// Team, name and value.
    #[arg(num_args = 2..=3, required = true, value_name = "WORD", allow_negative_numbers = true)]
    pub words: Vec<String>,
    /// For whom.
    #[command(flatten)]
    pub part: PartArgs,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanx param reset`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "phalanx param reset [OPTIONS] [TEAM] NAME")]
pub struct ResetArgs {
    /// Team and name.
    #[arg(num_args = 1..=2, required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// For whom.
    #[command(flatten)]
    pub part: PartArgs,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// The forms of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReferenceFormat {
    /// A page for people.
    Markdown,
    /// For programs.
    Json,
}

/// `phalanx script`.
#[derive(Debug, Subcommand)]
pub enum ScriptVerb {
    /// Print the script API: what scripts get, ask and answer.
    Api {
        /// Which game.
        #[arg(long, value_parser = games(), default_value = wire::DEFAULT_GAME)]
        game: &'static str,
        /// In which form.
        #[arg(long, value_enum, default_value_t = ReferenceFormat::Markdown)]
        format: ReferenceFormat,
    },
    /// Write the type definitions of the script API, for luau-lsp and lua-language-server.
    Types {
        /// Which game.
        #[arg(long, value_parser = games(), default_value = wire::DEFAULT_GAME)]
        game: &'static str,
        /// Into this folder.
        #[arg(long, value_name = "DIR", default_value = "types")]
        out: PathBuf,
    },
    /// Print what spec files may call: describe, it, expect and the fake world.
    Specs,
}
