//! The command lines of both programs: names, defaults, help. The verbs around strategies stand in
//! [`strategy`], what all verbs of a running daemon share in [`remote`].

pub mod agent;
pub mod arena;
pub mod board;
pub mod context;
pub mod daemon;
mod doctor;
pub mod league;
pub mod map;
pub mod recorded;
pub mod recording;
pub mod remote;
pub mod replay;
pub mod strategy;
pub mod team;
pub mod top;
pub mod why;

use crate::paint::Color;
use crate::wire::{self, Start};
use agent::AgentVerb;
use arena::ArenaVerb;
use board::{BoardVerb, WorldVerb};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use context::ContextVerb;
use daemon::DaemonVerb;
pub use doctor::DoctorArgs;
use league::LeagueVerb;
use map::MapArgs;
use recording::RecordingVerb;
pub use remote::{Form, Look, OutputArgs, Remote};
use replay::ReplayArgs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use strategy::{ParamVerb, ScriptVerb, StrategyVerb};
use team::TeamVerb;
use top::TopArgs;
use why::WhyArgs;

/// Exit code of a verb that did not do what it was told, or reached no daemon.
pub const EXIT_FAILED: u8 = 1;
/// Exit code when the daemon said no.
pub const EXIT_REFUSED: u8 = 2;
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
  phalanx doctor --config FILE      and all around it: machine, referee, accounts, load
  phalanx team list                 what a running phalanxd is doing
  phalanx top                       all of it at a glance, live, with keys to steer
  phalanx why A/agentA1             why an agent did what it did last
  phalanx replay FILE --decide      a recorded match, decided again
  phalanx map A --png map.png       what a team believes of its world, as a picture
  phalanx completions bash          completion for a shell

Exit codes: 0 done; 1 failed, or no daemon answered; 2 the daemon refused; 64 wrong command line or
configuration; 130 interrupted.")]
pub struct Phalanx {
    /// Colours: where a terminal reads and NO_COLOR is not set, always, or never.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto, global = true)]
    pub color: Color,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs of `phalanx`.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Play a match on this machine: an arena and two teams in one process.
    Demo(DemoArgs),
    /// Run a referee alone, for any client that speaks the game's protocol: here until it is over,
    /// or on a running daemon.
    Arena {
        /// Which game, or what to do with those of a daemon.
        #[command(subcommand)]
        verb: ArenaVerb,
    },
    /// Play many matches between strategies, and see which is better.
    League {
        /// What to do.
        #[command(subcommand)]
        verb: LeagueVerb,
    },
    /// Look at recordings of matches, mend them, make room.
    Recording {
        /// What to do.
        #[command(subcommand)]
        verb: RecordingVerb,
    },
    /// Play one agent of a running daemon's team for a referee that starts its agents itself.
    Bridge(BridgeArgs),
    /// Check a daemon's configuration and its strategies without playing.
    Check(CheckArgs),
    /// Look for everything that can fail on match day: settings, machine, referee, accounts, load.
    Doctor(DoctorArgs),
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
    /// Read and write the board that a running team's scripts share.
    Board {
        /// What to do.
        #[command(subcommand)]
        verb: BoardVerb,
    },
    /// See what a running team believes of its world.
    World {
        /// What to do.
        #[command(subcommand)]
        verb: WorldVerb,
    },
    /// Look at the agents of a running daemon's teams, and steer them.
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
    /// Look at the teams of a running daemon, make, steer and end them.
    Team {
        /// What about them.
        #[command(subcommand)]
        verb: TeamVerb,
    },
    /// The daemon itself: what runs, and what it logs.
    Daemon {
        /// What to do.
        #[command(subcommand)]
        verb: DaemonVerb,
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
    /// See teams, agents, map and events of a running daemon at a glance, and steer: full-screen, live.
    Top(TopArgs),
    /// Tell why an agent did what it did in a turn: what it knew, what its script read, where the
    /// action was made, and what the referee answered.
    Why(WhyArgs),
    /// Show a recorded match in the terminal, or decide it again, by its own strategy or another one,
    /// and compare.
    Replay(ReplayArgs),
    /// Draw what a team believes of its world into a file: a picture for a paper or a chat, of a
    /// running team or of a recording, or a film of a whole match.
    Map(MapArgs),
    /// Names for daemons: where each is and what to show to it.
    Context {
        /// What to do.
        #[command(subcommand)]
        verb: ContextVerb,
    },
    /// Print what completes the words of `phalanx` in a shell.
    #[command(after_help = "\
Examples:
  phalanx completions bash > ~/.local/share/bash-completion/completions/phalanx
  phalanx completions zsh > ~/.zfunc/_phalanx
  phalanx completions fish > ~/.config/fish/completions/phalanx.fish")]
    Completions {
        /// For which shell.
        #[arg(value_parser = PossibleValuesParser::new(SHELLS).map(|name| shell(&name)))]
        shell: Shell,
        /// For which of the two programs.
        #[arg(long, value_enum, default_value_t = Program::Phalanx)]
        program: Program,
    },
    /// Write the manual pages of both programs into a folder, one a verb.
    Man {
        /// The folder; it is made where there is none.
        dir: PathBuf,
    },
}

/// The shells that complete.
const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

fn shell(name: &str) -> Shell {
    match name {
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        _ => Shell::Bash,
    }
}

/// Our two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Program {
    /// The people's tool.
    Phalanx,
    /// The daemon.
    Phalanxd,
}

/// Reads an address that only this machine reaches.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .replace("localhost:", "127.0.0.1:")
        .parse()
        .map_err(|_| "an address with port is needed, for example 127.0.0.1:8765".to_owned())?;
    if !address.ip().is_loopback() {
        return Err("other machines could reach it, and there are no logins: a demo shows itself \
                    to this machine alone, for example at 127.0.0.1:8765; a daemon has \
                    foxglove.allow_remote"
            .to_owned());
    }
    Ok(address)
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
    /// Record all teams, one file each, in this folder; `phalanx recording info` looks into them
    /// [default with no DIR: recordings].
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "recordings")]
    pub record: Option<PathBuf>,
    /// Show all teams to Foxglove while they play, at this address of this machine (not with --fast)
    /// [default with no ADDRESS: 127.0.0.1:8765].
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8765",
          value_parser = loopback, conflicts_with = "fast")]
    pub foxglove: Option<SocketAddr>,
    /// Do not watch the strategies' folders.
    #[arg(long)]
    pub no_watch: bool,
    /// Port of the web page that shows the match, on this machine [default: any free one].
    #[arg(long, value_name = "PORT", conflicts_with = "fast")]
    pub page: Option<u16>,
    /// Serve no web page.
    #[arg(long, conflicts_with = "page")]
    pub no_page: bool,
}

/// The games that have an arena.
#[derive(Debug, Subcommand)]
pub enum ArenaGame {
    /// MAPC 2020, Agents Assemble II: JSON over TCP, port 12300 unless the file says otherwise.
    Assemble(ArenaArgs),
    /// Bomberland: JSON over WebSocket, port 3000 unless the file says otherwise.
    #[command(mut_arg("start", |start| start.hide(true)))]
    Bomberland(ArenaArgs),
    /// Colosseum: starts agent executables and speaks JSON lines with them.
    #[command(mut_arg("start", |start| start.hide(true)))]
    Colosseum(ArenaArgs),
    /// MAPC 2012, Agents on Mars: XML over TCP, port 12300 unless the file says otherwise.
    Mars(ArenaArgs),
    /// Asimulator: the handbook's binary protocol over TCP, on a free port unless the file says
    /// otherwise.
    #[command(mut_arg("start", |start| start.hide(true)))]
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
    List(Look),
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
#[command(after_help = "\
Signals: TERM and INT answer open turns and leave, a second one leaves at once; HUP reads every
strategy and the certificates again.

Exit codes: 0 done; 1 something could not be started, or a team was given up; 2 teams were cut off at
the end of the grace; 64 wrong command line, settings or strategy.

Under systemd (Type=notify-reload) it tells when clients can call, each reload with its end, each
team's step, score and misses, and asks for more time while it drains. It feeds the watchdog while its
runtime and at least one team's thread move: a stuck team is told in the status, its seats send
fallbacks, and only when no team moves is a restart worth its price. Sockets come from socket units by
FileDescriptorName=: control, control-tcp, bridge. Its own sockets are left with the manager, so that
callers wait during a restart.")]
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
