//! The command lines of both programs: names, defaults, help. The verbs around strategies stand in
//! [`strategy`].

pub mod strategy;

use crate::wire::{self, Start};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use strategy::{AgentVerb, ParamVerb, ScriptVerb, StrategyVerb};

/// Exit code for a wrong command line or configuration (EX_USAGE of sysexits).
pub const EXIT_USAGE: u8 = 64;
/// Exit code after ctrl-c, as shells have it.
pub const EXIT_INTERRUPTED: u8 = 130;

/// Phalanx runs whole teams of agents in multi-agent programming contests.
#[derive(Debug, Parser)]
#[command(name = "phalanx", version, max_term_width = 100)]
#[command(about = "Runs whole teams of agents in multi-agent programming contests")]
#[command(after_help = "\
First steps:
  phalanx demo                      two teams play a whole match on this machine
  phalanx demo --fast --seed 7      the same on virtual time, as fast as the machine
  phalanx strategy new mine         a strategy of your own, ready to play
  phalanx script api                what a strategy may ask and answer
  phalanx check --config FILE       everything that can be checked without playing
  phalanx team list                 what a running phalanxd is doing")]
pub struct Phalanx {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs of `phalanx`.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Play a match on this machine: an arena and two teams in one process.
    Demo(DemoArgs),
    /// Run a referee alone, for any client that speaks the game's protocol.
    Arena {
        /// Which game.
        #[command(subcommand)]
        game: ArenaGame,
    },
    /// Play one agent of a running daemon's team for a referee that starts its agents itself.
    Bridge(BridgeArgs),
    /// Check a daemon's configuration and its strategies without playing.
    Check(CheckArgs),
    /// Make, check and test strategies; change what a running team plays, and go back.
    Strategy {
        /// What to do.
        #[command(subcommand)]
        verb: StrategyVerb,
    },
    /// Read and set the parameters that a running team's scripts declare.
    Param {
        /// What to do.
        #[command(subcommand)]
        verb: ParamVerb,
    },
    /// Run a piece of script as an agent of a running team.
    Agent {
        /// What to do.
        #[command(subcommand)]
        verb: AgentVerb,
    },
    /// Help for those who write strategies: reference, type definitions.
    Script {
        /// What to show.
        #[command(subcommand)]
        verb: ScriptVerb,
    },
    /// Ask a running daemon about its teams.
    Team {
        /// What about them.
        #[command(subcommand)]
        verb: TeamVerb,
    },
    /// Tokens for callers of the control API over the network.
    Token {
        /// What to do.
        #[command(subcommand)]
        verb: TokenVerb,
    },
    /// Follow the matches of a running daemon.
    Match {
        /// What to do.
        #[command(subcommand)]
        verb: MatchVerb,
    },
}

/// Reads the name of a game.
fn games() -> impl TypedValueParser<Value = &'static str> {
    PossibleValuesParser::new(wire::GAMES).try_map(|name| wire::game(&name))
}

/// `phalanx demo`.
#[derive(Args, Clone, Debug)]
pub struct DemoArgs {
    /// Which game [default: the one that --strategy is for, else assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// How many steps the match has; for bomberland, until the ring of fire [default: what the
    /// arena's settings say; 750 for assemble, 200 for bomberland, 10000 for colosseum,
    /// 750 for mars; in asimulator the most actions of a world].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// How many worlds are played one after the other, in asimulator [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub worlds: Option<u32>,
    /// Seed of the map, of the referee's dice and of the scripts' dice.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Play on virtual time, as fast as the machine; the same seed gives the same match.
    #[arg(long)]
    pub fast: bool,
    /// Print one JSON object as the last line of standard output, and no progress.
    #[arg(long)]
    pub json: bool,
    /// Print what the scripts log, on standard error.
    #[arg(long)]
    pub log: bool,
    /// Strategy of the first team: a folder of Lua files [default: the shipped strategy]. Saved
    /// changes play a moment later (not with --fast).
    #[arg(long, value_name = "DIR")]
    pub strategy: Option<PathBuf>,
    /// Strategy of the second team: a folder, or `idle` for a team that does nothing
    /// [default: the shipped strategy].
    #[arg(long, value_name = "DIR|idle")]
    pub opponent: Option<PathBuf>,
    /// A flavour of the game: engine or classic for bomberland; food_catcher, cherry_picker, snake
    /// or chess for colosseum; contest or quick for mars [default: the first one].
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Settings of the match in the organisers' format: a simulation in JSON for assemble [default:
    /// the contest's sim1], NAME=value lines for bomberland [default: the engine's],
    /// the referee's TOML for mars, of which the first simulation is played.
    #[arg(long, value_name = "FILE")]
    pub sim: Option<PathBuf>,
    /// Shortest time for a step, so that people can watch (not with --fast) [default: 40ms for
    /// assemble, 5ms for colosseum; the referee's own tick for bomberland].
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub pace: Option<Duration>,
    /// Write the match's replay below this folder, in the organisers' format.
    #[arg(long, value_name = "DIR")]
    pub replay: Option<PathBuf>,
    /// Do not watch the strategies' folders.
    #[arg(long)]
    pub no_watch: bool,
}

/// The games that have an arena.
#[derive(Debug, Subcommand)]
pub enum ArenaGame {
    /// MAPC 2020, Agents Assemble II: JSON over TCP, port 12300 unless the file says otherwise.
    Assemble(ArenaArgs),
    /// Bomberland: JSON over WebSocket, port 3000 unless the file says otherwise.
    Bomberland(ArenaArgs),
    /// Colosseum: starts agent executables and speaks JSON lines with them.
    Colosseum(ArenaArgs),
    /// MAPC 2012, Agents on Mars: XML over TCP, port 12300 unless the file says otherwise.
    Mars(ArenaArgs),
    /// Asimulator: the handbook's binary protocol over TCP, on a free port unless the file says
    /// otherwise.
    Asimulator(ArenaArgs),
}

/// `phalanx arena GAME`.
#[derive(Args, Clone, Debug)]
pub struct ArenaArgs {
    /// Server and match configuration in the organisers' format.
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1 and the file's port].
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// When to begin: as `launch` in the file says (`key` is ENTER here), at once, or as soon as
    /// every account is logged in.
    #[arg(long, value_enum, default_value_t = Start::File)]
    pub start: Start,
    /// Write replays and results below this folder [default: the current one].
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Shortest time for a step.
    #[arg(long, value_name = "DURATION", default_value = "0ms", value_parser = duration)]
    pub pace: Duration,
}

/// `phalanx bridge`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The referee starts this, speaks to it on standard input and reads standard output. Everything but
replies goes nowhere, or to --log. While the daemon is away the bridge answers by itself: it does
nothing in the game and stays in the match. It ends with the match.")]
pub struct BridgeArgs {
    /// The team, by its name in the daemon's settings; its server must be "bridge".
    #[arg(long, value_name = "NAME")]
    pub team: String,
    /// The agent of that team.
    #[arg(long, value_name = "NAME")]
    pub agent: String,
    /// The daemon's socket for bridges [default: where phalanxd has it unless told otherwise].
    #[arg(long, value_name = "PATH", env = "PHALANX_BRIDGE")]
    pub socket: Option<PathBuf>,
    /// Append what happens to this file.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// `phalanx check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// The daemon's configuration.
    #[arg(long, value_name = "FILE", env = "PHALANX_CONFIG")]
    pub config: PathBuf,
}

/// Where the daemon is.
#[derive(Args, Clone, Debug)]
pub struct Remote {
    /// The daemon's control socket: `unix:/path`, `http://127.0.0.1:port` or `https://host:port`.
    #[arg(long, value_name = "ADDRESS", env = "PHALANX_CONTROL")]
    pub control: Option<String>,
    /// File with the token to show over the network; the environment variable PHALANX_TOKEN holds
    /// the token itself.
    #[arg(long, value_name = "FILE", env = "PHALANX_TOKEN_FILE")]
    pub token_file: Option<PathBuf>,
    /// Authority of the daemon's certificate in PEM [default: those of the system].
    #[arg(long, value_name = "FILE", env = "PHALANX_CA")]
    pub ca: Option<PathBuf>,
    /// Our own certificate with its key behind it, in PEM, where the daemon wants one.
    #[arg(long, value_name = "FILE", env = "PHALANX_CERTIFICATE")]
    pub certificate: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = OutputFormat::Auto)]
    pub output: OutputFormat,
}

/// How a verb prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// A table on a terminal, JSON otherwise.
    Auto,
    /// For people.
    Table,
    /// For programs: one JSON object, or one a line for streams.
    Json,
}

/// `phalanx team`.
#[derive(Debug, Subcommand)]
pub enum TeamVerb {
    /// One line for each team.
    List(Remote),
    /// One team: its turn, its score and each of its agents.
    Show {
        /// The team's name.
        name: String,
        /// Where and how.
        #[command(flatten)]
        remote: Remote,
    },
}

/// `phalanx token`.
#[derive(Debug, Subcommand)]
pub enum TokenVerb {
    /// Make a token and print it: this once, nobody can look it up later.
    #[command(after_help = "\
Example:
  phalanx token create dashboard --role viewer --life 7days > dashboard.token
  phalanx team list --control https://host:7420 --token-file dashboard.token")]
    Create {
        /// What people call it.
        name: String,
        /// What it allows: viewer looks, operator also steers, admin also makes tokens.
        #[arg(long, default_value = "viewer")]
        role: phalanx_control::Role,
        /// When it ends by itself, for example 12h or 7days [default: never].
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        life: Option<Duration>,
        /// Where and how.
        #[command(flatten)]
        remote: Remote,
    },
    /// All tokens with their roles and ends; their secrets are not kept anywhere.
    List(Remote),
    /// End a token for good.
    Revoke {
        /// Its id, as lists show it.
        id: String,
        /// Where and how.
        #[command(flatten)]
        remote: Remote,
    },
    /// Who the daemon takes you for.
    Whoami(Remote),
}

/// `phalanx match`.
#[derive(Debug, Subcommand)]
pub enum MatchVerb {
    /// Follow what happens in a team's match: turns, fallbacks, script errors, scores, changes of
    /// the strategy.
    Watch(WatchArgs),
}

/// `phalanx match watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// The team's name [default: the only team].
    pub name: Option<String>,
    /// Show every decision and its reason, not only turns and trouble.
    #[arg(long)]
    pub decisions: bool,
    /// Leave out the turns in which every agent decided.
    #[arg(long, conflicts_with = "decisions")]
    pub trouble: bool,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// `phalanxd`.
#[derive(Debug, Parser)]
#[command(name = "phalanxd", version, max_term_width = 100)]
#[command(about = "The Phalanx daemon: holds the connections of whole teams and decides by script")]
pub struct Phalanxd {
    /// Configuration in TOML; drop-ins in FILE.d/*.toml and the environment (PHALANX__SECTION__KEY)
    /// override it.
    #[arg(long, value_name = "FILE", env = "PHALANX_CONFIG")]
    pub config: PathBuf,
    /// Override one key, for example --set control.tcp=127.0.0.1:7700; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Check everything that can be checked without playing, then leave.
    #[arg(long)]
    pub check: bool,
    /// Do not watch the strategies' folders: only SIGHUP and the control API change what plays.
    #[arg(long)]
    pub no_watch: bool,
}

fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; for example 40ms or 2s"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_lines_are_consistent() {
        Phalanx::command().debug_assert();
        Phalanxd::command().debug_assert();
    }

    #[test]
    fn a_pace_needs_a_unit() {
        assert!(duration("40").is_err());
        assert_eq!(duration("40ms"), Ok(Duration::from_millis(40)));
    }
}
