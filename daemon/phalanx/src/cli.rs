//! The command line of `phalanx`: its verbs, whose arguments are in the crates that carry them out.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ErrorKind};
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use phalanx_analysis::args::map::MapArgs;
use phalanx_analysis::args::recording::RecordingVerb;
use phalanx_analysis::args::replay::ReplayArgs;
use phalanx_cli::args::arena::RemoteArenaVerb;
use phalanx_cli::args::board::{BoardVerb, WorldVerb};
use phalanx_cli::args::context::ContextVerb;
use phalanx_cli::args::daemon::DaemonVerb;
use phalanx_cli::args::league::RemoteLeagueVerb;
use phalanx_cli::args::strategy::{
    ActivateArgs, DiffArgs, LookArgs, ParamVerb, ProfileArgs, RollbackArgs, TeamArgs,
};
use phalanx_cli::args::top::TopArgs;
use phalanx_cli::args::why::WhyArgs;
use phalanx_cli::args::{MatchVerb, TokenVerb};
use phalanx_cli::paint::Color;
use phalanx_cli::remote::{AgentVerb, TeamVerb};
use phalanx_mcp::McpArgs;
use phalanx_play::args::{
    ArenaGame, BridgeArgs, ChaosVerb, CheckArgs, DemoArgs, DoctorArgs, GameVerb, InitArgs,
    LadderVerb, NewArgs, ParamsArgs, PlayerArgs, RunArgs, ScriptVerb, TestArgs, TlsVerb, TryArgs,
    TuneVerb, WorkerArgs,
};
use std::error::Error;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::path::PathBuf;

/// Phalanx runs whole teams of agents in multi-agent programming contests.
#[derive(Debug, Parser)]
#[command(name = "phalanx", version, max_term_width = 100)]
#[command(about = "Runs whole teams of agents in multi-agent programming contests")]
#[command(after_help = "\
First steps:
  phalanx demo                      play a match between two teams on this machine
  phalanx demo --fast --seed 7      the same on virtual time, as fast as the machine allows
  phalanx strategy new mine         make a strategy of your own, ready to play
  phalanx script api                print what a strategy may ask and answer
  phalanx init                      make the settings of a daemon, by questions
  phalanx check --config FILE       check settings and strategies without playing
  phalanx doctor --config FILE      check machine, referee, accounts and load, too
  phalanx team list                 list the teams of a running phalanxd
  phalanx top                       watch and steer them full-screen
  phalanx why A/agentA1             explain an agent's last action
  phalanx replay FILE --decide      decide a recorded match again, and compare
  phalanx map A --png map.png       draw what a team believes of its world
  phalanx completions bash          print completions for a shell

Exit codes: 0 done; 1 failed, or no daemon answered; 2 the daemon refused; 64 wrong command line or
configuration; 130 interrupted.")]
pub struct Phalanx {
    /// When to use colours: `auto` uses them on a terminal, unless NO_COLOR is set.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto, global = true)]
    pub color: Color,
    #[command(subcommand)]
    pub verb: Verb,
}

impl Phalanx {
    /// Reads a command line, the program's name first.
    pub fn read<W>(words: impl IntoIterator<Item = W>) -> clap::error::Result<Self>
    where
        W: Into<std::ffi::OsString> + Clone,
    {
        let matches = with_negative_numbers(Self::command()).try_get_matches_from(words);
        let args = matches.and_then(|matches| Self::from_arg_matches(&matches));
        args.map_err(in_plain_words)
    }
}

/// The command, where `-1` after an option is its value, so that the option itself can say what is
/// wrong with it.
fn with_negative_numbers(command: Command) -> Command {
    command
        .mut_args(|arg| {
            let takes_value = arg.get_action().takes_values();
            if takes_value { arg.allow_negative_numbers(true) } else { arg }
        })
        .mut_subcommands(with_negative_numbers)
}

/// The error of an option that takes a number says what it expects, instead of how numbers are
/// parsed.
fn in_plain_words(error: clap::Error) -> clap::Error {
    let text = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (arg, value) = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue));
    let Some(expected) = expected_number(error.source(), &value) else { return error };
    let text = format!("invalid value '{value}' for '{arg}': {expected}\n");
    clap::Error::raw(ErrorKind::ValueValidation, text).with_cmd(&Phalanx::command())
}

/// What is expected where this is the reason; `None`: it is not about a number.
fn expected_number(why: Option<&(dyn Error + 'static)>, value: &str) -> Option<&'static str> {
    let why = why?;
    if why.is::<ParseFloatError>() {
        return Some("expected a number");
    }
    let kind = why.downcast_ref::<ParseIntError>()?.kind();
    Some(if *kind == IntErrorKind::PosOverflow {
        "the number is too large"
    } else if *kind == IntErrorKind::Zero {
        "expected a whole number, 1 or more"
    } else if value.starts_with('-') {
        "expected a whole number, 0 or more"
    } else {
        "expected a whole number"
    })
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Play a match on this machine: an arena and two teams in one process.
    Demo(DemoArgs),
    /// Run a referee for any client that speaks the game's protocol: in this terminal, or inside a
    /// running daemon.
    Arena {
        /// Which game, or what to do with the referees of a daemon.
        #[command(subcommand)]
        verb: ArenaVerb,
    },
    /// Play many matches between strategies and rate the strategies.
    League {
        #[command(subcommand)]
        verb: LeagueVerb,
    },
    /// Find better values for a strategy's parameters by playing, and prove that they are better.
    Tune {
        #[command(subcommand)]
        verb: TuneVerb,
    },
    /// Keep a ladder of strategies and their versions: submissions, ratings, matches between those
    /// that are least well known.
    Ladder {
        #[command(subcommand)]
        verb: LadderVerb,
    },
    /// Play matches of leagues, tune runs and ladders that a NATS server has on its queue.
    Worker(Box<WorkerArgs>),
    /// Serve coding assistants with the Model Context Protocol: check, test, play and explain
    /// strategies.
    Mcp(McpArgs),
    /// Play a worker's matches, one at a time.
    #[command(hide = true)]
    Player(PlayerArgs),
    /// Play matches under faults on virtual time, and check that every turn is answered.
    Chaos {
        #[command(subcommand)]
        verb: ChaosVerb,
    },
    /// Make and check games that are a folder of Luau files.
    Game {
        /// What to do.
        #[command(subcommand)]
        verb: GameVerb,
    },
    /// List, inspect, copy, repair and delete recordings of matches.
    Recording {
        #[command(subcommand)]
        verb: RecordingVerb,
    },
    /// Play one agent of a running daemon's team, for a referee that starts its agents itself.
    Bridge(BridgeArgs),
    /// Make the settings of a daemon and a strategy for it: asks for game, referee and team.
    Init(InitArgs),
    /// Check a daemon's configuration and its strategies without playing.
    Check(CheckArgs),
    /// Look for everything that can fail on match day: settings, machine, referee, accounts, load.
    Doctor(DoctorArgs),
    /// Make, check and test strategies; show and change what a running team plays.
    Strategy {
        #[command(subcommand)]
        verb: StrategyVerb,
    },
    /// Read and set the parameters that a running team's scripts declare.
    Param {
        #[command(subcommand)]
        verb: ParamVerb,
    },
    /// Read and write the board, the key-value store that a running team's scripts share.
    Board {
        #[command(subcommand)]
        verb: BoardVerb,
    },
    /// Show what a running team believes of its world.
    World {
        #[command(subcommand)]
        verb: WorldVerb,
    },
    /// List, show and steer the agents of a running daemon's teams.
    Agent {
        #[command(subcommand)]
        verb: AgentVerb,
    },
    /// Print the script API's reference and type definitions, for authors of strategies.
    Script {
        #[command(subcommand)]
        verb: ScriptVerb,
    },
    /// List, show, create, steer and end the teams of a running daemon.
    Team {
        #[command(subcommand)]
        verb: TeamVerb,
    },
    /// Show the daemon itself, reload its settings, change what it logs.
    Daemon {
        #[command(subcommand)]
        verb: DaemonVerb,
    },
    /// Create, list and revoke tokens for callers of the control API over the network.
    Token {
        #[command(subcommand)]
        verb: TokenVerb,
    },
    /// Make certificates for a daemon that callers reach over the network.
    Tls {
        #[command(subcommand)]
        verb: TlsVerb,
    },
    /// Follow the matches of a running daemon, line by line.
    Match {
        #[command(subcommand)]
        verb: MatchVerb,
    },
    /// Watch teams, agents, map and events of a running daemon full-screen, live, and steer them.
    Top(TopArgs),
    /// Explain an agent's action in a turn: what the agent knew, what its script read, which line
    /// made the action, and what the referee answered.
    Why(WhyArgs),
    /// Show a recorded match in the terminal; or decide it again, with its own strategy or another
    /// one, and compare.
    Replay(ReplayArgs),
    /// Draw what a team believes of its world into a file, PNG or SVG, from a running team or a
    /// recording; or a film of a whole match.
    Map(MapArgs),
    /// Manage contexts: named daemons, each with its address and credentials.
    Context {
        #[command(subcommand)]
        verb: ContextVerb,
    },
    /// Print a completion script for a shell.
    #[command(after_help = "\
Examples:
  phalanx completions bash > ~/.local/share/bash-completion/completions/phalanx
  phalanx completions zsh > ~/.zfunc/_phalanx
  phalanx completions fish > ~/.config/fish/completions/phalanx.fish")]
    Completions {
        /// The shell.
        #[arg(value_parser = PossibleValuesParser::new(SHELLS).map(|name| shell(&name)))]
        shell: Shell,
        /// The program to complete.
        #[arg(long, value_enum, default_value_t = Program::Phalanx)]
        program: Program,
    },
    /// Write the manual pages of both programs into a folder, one page per verb.
    Man {
        /// The folder; it is created if necessary.
        dir: PathBuf,
    },
}

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

/// `phalanx league`.
#[derive(Debug, Subcommand)]
pub enum LeagueVerb {
    /// Play a league in this process, on virtual time, and print its table.
    Run(Box<RunArgs>),
    /// Leagues of a daemon.
    #[command(flatten)]
    There(Box<RemoteLeagueVerb>),
}

/// `phalanx strategy`.
#[derive(Debug, Subcommand)]
pub enum StrategyVerb {
    /// Make a strategy that plays at once, with specs, type definitions and editor settings.
    New(NewArgs),
    /// Check a strategy: compile it, lint it, run its specs, let it decide the first turns of a match,
    /// and list all mistakes.
    Check(TryArgs),
    /// Run a strategy's specs: the files *_spec.luau in its folder spec/.
    Test(TestArgs),
    /// List the parameters of a strategy: default, range, tuned value, meaning.
    Params(ParamsArgs),
    /// Show what a running team plays, and how the last trial went.
    Show(LookArgs),
    /// List the generations of a running team's strategy, newest first; times are in UTC.
    History(LookArgs),
    /// Show what changed between two generations, as a unified diff.
    Diff(DiffArgs),
    /// Return to an earlier generation, from the next turn on.
    Rollback(RollbackArgs),
    /// Try a strategy and, if it passes, play it from the next turn on.
    Activate(ActivateArgs),
    /// Keep the current generation: changed files are tried and reported, but do not play.
    Pin(TeamArgs),
    /// Let changed files play again.
    Unpin(TeamArgs),
    /// Measure where a running team's scripts spend their time; requires the operator role.
    Profile(ProfileArgs),
}

/// The shells that have completions.
const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

fn shell(name: &str) -> Shell {
    match name {
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        _ => Shell::Bash,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Program {
    /// The command line tool.
    Phalanx,
    /// The daemon.
    Phalanxd,
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanxd::args::Phalanxd;

    #[test]
    fn the_command_lines_are_consistent() {
        Phalanx::command().debug_assert();
        Phalanxd::command().debug_assert();
    }

    /// A heading covers all options that are declared after it, in flattened arguments, too.
    #[test]
    fn only_the_options_of_the_server_are_under_its_heading() {
        fn check(command: &Command) {
            for arg in command.get_arguments().filter(|arg| arg.get_help_heading().is_some()) {
                let name = arg.get_long().unwrap_or_default();
                assert!(name.starts_with("nats"), "{}: --{name}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Phalanx::command());
    }

    /// An option says what it takes; without this, `-1` is taken for an option that does not exist.
    #[test]
    fn a_negative_number_is_the_value_of_its_option() {
        for (line, said) in [
            ("phalanx demo --seed -1", "invalid value '-1' for '--seed <S>'"),
            ("phalanx demo --steps -5 --fast", "invalid value '-5' for '--steps <N>'"),
            ("phalanx demo -1", "unexpected argument '-1'"),
        ] {
            let error = Phalanx::read(line.split(' ')).expect_err(line).to_string();
            assert!(error.contains(said), "{line}: {error}");
        }
    }

    #[test]
    fn an_option_says_which_number_it_expects() {
        for (line, said) in [
            ("demo --seed abc", "'abc' for '--seed <S>': expected a whole number\n"),
            ("demo --seed -1", "expected a whole number, 0 or more"),
            ("demo --seed 99999999999999999999", "the number is too large"),
            ("demo --steps abc", "'abc' for '--steps <N>': expected a whole number\n"),
            ("demo --steps 0", "0 is not in 1..=1000000"),
            ("map --file x --animate y --every 0", "expected a whole number, 1 or more"),
            ("tune run x --weights a", "expected a number"),
        ] {
            let words = ["phalanx"].into_iter().chain(line.split(' '));
            let error = Phalanx::read(words).expect_err(line).to_string();
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
