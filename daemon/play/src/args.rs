//! The command lines of the verbs that play here: demos, referees, leagues, bridges, checks.

mod chaos;
mod doctor;
mod game;
mod init;
mod ladder;
mod queue;
mod strategy;
mod tls;
mod tune;

pub use chaos::{ChaosPlayArgs, ChaosRunArgs, ChaosVerb};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches, Parser, Subcommand};
pub use doctor::DoctorArgs;
pub use game::{GameTestArgs, GameVerb};
pub use init::InitArgs;
pub use ladder::{
    LadderCopyArgs, LadderHistoryArgs, LadderMatchArgs, LadderShowArgs, LadderSubmitArgs,
    LadderVerb,
};
use phalanx_cli::args::league::LeagueArgs;
use phalanx_cli::args::{OutputArgs, duration, games};
use phalanx_games::Start;
pub use queue::{LimitArgs, NatsArgs, PlayerArgs, QueueArgs, WorkerArgs};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
pub use strategy::{NewArgs, ParamsArgs, ReferenceFormat, ScriptVerb, TestArgs, TryArgs};
pub use tls::{CreateArgs, TlsVerb};
pub use tune::{TuneRunArgs, TuneShowArgs, TuneVerb};

/// Whether values count that were found by playing.
#[derive(Args, Clone, Copy, Debug)]
pub struct TunedArgs {
    /// Ignore the file tuned.toml of strategies: parameters have the defaults that scripts declare.
    #[arg(long)]
    pub no_tuned: bool,
}

/// Parses an address that only this machine can reach.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .replace("localhost:", "127.0.0.1:")
        .parse()
        .map_err(|_| "expected an address with a port, for example 127.0.0.1:8765".to_owned())?;
    if !address.ip().is_loopback() {
        return Err("other machines could reach it, and clients need no login: a demo listens on \
                    this machine only, for example at 127.0.0.1:8765; for a daemon, set \
                    foxglove.allow_remote"
            .to_owned());
    }
    Ok(address)
}

/// The flavours of the games that have several.
fn flavours() -> String {
    let of = |game: &&str| {
        let all = phalanx_games::variants(game).unwrap_or_default();
        (all.len() > 1).then(|| format!("{} for {game}", all.join(", ")))
    };
    let all: Vec<_> = phalanx_games::GAMES.iter().filter_map(of).collect();
    format!("A flavour of the game: {} [default: the first one]", all.join("; "))
}

/// The paces of the games' first variants.
fn paces() -> String {
    let of = |game: &&str| {
        let pace = phalanx_games::pace(game, None).unwrap_or_default();
        format!("{} for {game}", humantime::format_duration(pace))
    };
    let all: Vec<_> = phalanx_games::GAMES.iter().map(of).collect();
    format!(
        "Shortest time for a step, for example 100ms (not with --fast); the smaller, the faster the \
         match [default: so that a match takes two to five minutes; {}]",
        all.join(", ")
    )
}

/// `phalanx demo`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx demo --open                        play, and watch it in the browser
  phalanx demo --game bomberland --seed 7    another game, another map
  phalanx demo --pace 20ms --record films    ten times as fast, and keep the recordings
  phalanx demo --fast --json                 the result only, for programs
  phalanx demo --faults contest-wifi         over a network that loses turns

On a terminal the demo stays when the match is over: the page and the recordings remain, and these
keys work: r plays again, n plays with the next seed, o opens the page, w shows where the recording
is, ctrl-C ends the demo. `phalanx team start A` and the page's button play again, too. Without a
terminal, with --json and with --fast it ends by itself after one match.")]
pub struct DemoArgs {
    /// The game, or the path to the folder of one [default: the one that --strategy is for, else
    /// assemble].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// Number of steps, 1 to 1000000; for bomberland, steps until the ring of fire begins; for
    /// asimulator, the most actions in a world [default: as in the arena's settings; 750 for
    /// assemble, 200 for bomberland, 10000 for colosseum, 750 for mars].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// Number of worlds that are played one after the other, in asimulator [default: 100; fewer for
    /// variants with large worlds, except with --fast].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub worlds: Option<u32>,
    /// Seed of the map, of the referee's random numbers and of the scripts' random numbers. Without
    /// --fast, turns also depend on when messages arrive, so the same seed can end differently.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Play on virtual time, as fast as the machine allows; the same seed gives the same match.
    #[arg(long)]
    pub fast: bool,
    /// Print no progress, and one JSON object as the last line of standard output.
    #[arg(long)]
    pub json: bool,
    /// Print the lines that scripts log, on standard error.
    #[arg(long)]
    pub log: bool,
    /// Strategy of the first team: a folder of Lua files [default: the shipped strategy]. Saved
    /// changes take effect within a second (not with --fast).
    #[arg(long, value_name = "DIR")]
    pub strategy: Option<PathBuf>,
    /// Strategy of the second team: a folder, or `idle` for a team that does nothing
    /// [default: the shipped strategy].
    #[arg(long, value_name = "DIR|idle")]
    pub opponent: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = flavours())]
    pub variant: Option<String>,
    /// Settings of the match in the organisers' format: for assemble, a simulation in JSON
    /// [default: the contest's sim1]; for bomberland, lines NAME=value [default: the engine's]; for
    /// mars, the referee's TOML, of which the first simulation is played.
    #[arg(long, value_name = "FILE")]
    pub sim: Option<PathBuf>,
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = duration,
        help = paces(),
        conflicts_with = "fast"
    )]
    pub pace: Option<Duration>,
    /// Disturb the connections of all players: a file of faults, or `contest-wifi`, whose turns get
    /// lost as often as in a contest that is played from home.
    #[arg(long, value_name = "FILE|NAME")]
    pub faults: Option<String>,
    /// Write the match's replay into this folder, in the organisers' format.
    #[arg(long, value_name = "DIR")]
    pub replay: Option<PathBuf>,
    /// Record each team into one file in this folder; inspect it with `phalanx recording info`
    /// [default without DIR: recordings; without --record: a temporary folder, which is deleted when
    /// the demo ends, and no recording with --fast or --json].
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "recordings")]
    pub record: Option<PathBuf>,
    /// Record nothing; the page then shows the last turns only.
    #[arg(long, conflicts_with = "record")]
    pub no_record: bool,
    /// Serve all teams to Foxglove while they play, at this loopback address (not with --fast)
    /// [default without ADDRESS: 127.0.0.1:8765].
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8765",
          value_parser = loopback, conflicts_with = "fast")]
    pub foxglove: Option<SocketAddr>,
    /// Do not watch the strategies' folders for changes.
    #[arg(long)]
    pub no_watch: bool,
    #[command(flatten)]
    pub tuned: TunedArgs,
    /// Open the web page in your browser.
    #[arg(long, conflicts_with_all = ["fast", "no_page"])]
    pub open: bool,
    /// Port of the web page that shows the match, on this machine only [default: any free one].
    #[arg(long, value_name = "PORT", conflicts_with = "fast")]
    pub page: Option<u16>,
    /// Do not serve the web page.
    #[arg(long, conflicts_with = "page")]
    pub no_page: bool,
}

/// A command line of `phalanx demo`.
#[derive(Parser)]
struct DemoLine {
    #[command(flatten)]
    demo: DemoArgs,
}

impl DemoArgs {
    /// A match on virtual time without a terminal, with the defaults of the command line.
    #[must_use]
    pub fn fast() -> Self {
        DemoLine::parse_from(["demo", "--fast", "--no-watch"]).demo
    }
}

/// A game with the configuration of its arena: a verb for each game in the list.
#[derive(Clone, Debug)]
pub struct ArenaGame {
    /// The game.
    pub game: &'static str,
    /// Its arena.
    pub arena: ArenaArgs,
}

impl Subcommand for ArenaGame {
    fn augment_subcommands(command: Command) -> Command {
        let verb = |game: &&'static str| {
            let verb = ArenaArgs::augment_args(Command::new(*game));
            let verb = verb.about(phalanx_games::about(game)).long_about(None);
            if phalanx_games::launch_key(game).is_some() {
                return verb;
            }
            verb.mut_arg("start", |start| start.hide(true))
        };
        // The path to a game's folder is no name that could be listed.
        let command = command.allow_external_subcommands(true);
        command.subcommands(phalanx_games::GAMES.iter().map(verb))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        phalanx_games::GAMES.contains(&name) || phalanx_games::is_path(name)
    }
}

impl FromArgMatches for ArenaGame {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let unknown = |error| clap::Error::raw(ErrorKind::InvalidSubcommand, error);
        if phalanx_games::is_path(name) {
            let game = phalanx_games::load_folder(Path::new(name)).map_err(unknown)?;
            let words = matches.get_many::<OsString>("").into_iter().flatten();
            let command = ArenaArgs::augment_args(Command::new("arena")).no_binary_name(true);
            let matches = command.try_get_matches_from(words)?;
            return Ok(Self { game, arena: ArenaArgs::from_arg_matches(&matches)? });
        }
        let game = phalanx_games::game(name).map_err(unknown)?;
        Ok(Self { game, arena: ArenaArgs::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// `phalanx arena GAME`.
#[derive(Args, Clone, Debug)]
pub struct ArenaArgs {
    /// Configuration of server and match in the organisers' format.
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1 and the file's port].
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// When the match begins: `file` follows the file (`launch` in Agents Assemble, `start` in Mars;
    /// `key` there waits for ENTER), `now` begins at once, `complete` begins when every account is
    /// logged in.
    #[arg(long, value_enum, default_value_t = Start::File)]
    pub start: Start,
    /// Write replays and results into this folder [default: the current one].
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Shortest time for a step, for example 100ms.
    #[arg(long, value_name = "DURATION", default_value = "0ms", value_parser = duration)]
    pub pace: Duration,
    /// Disturb the connections of all players: a file of faults, or `contest-wifi`, whose turns get
    /// lost as often as in a contest that is played from home.
    #[arg(long, value_name = "FILE|NAME")]
    pub faults: Option<String>,
}

/// `phalanx bridge`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The referee starts this program, writes to its standard input and reads its standard output. Only
replies go to standard output; everything else goes to --log, or is dropped. While the daemon is
away the bridge of Colosseum answers by itself: its agent does nothing but stays in the match. It
ends with the match.")]
pub struct BridgeArgs {
    /// The team's name in the daemon's settings; the team's server must be "bridge".
    #[arg(long, value_name = "NAME")]
    pub team: String,
    /// The agent's name in that team.
    #[arg(long, value_name = "NAME")]
    pub agent: String,
    /// The daemon's socket for bridges [default: the usual sockets of phalanxd].
    #[arg(long, value_name = "PATH", env = "PHALANX_BRIDGE")]
    pub socket: Option<PathBuf>,
    /// Append a log to this file.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Only pass lines on, for a game that is a folder with the transport "stdio".
    #[arg(long)]
    pub relay: bool,
}

/// `phalanx check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// The daemon's configuration file.
    #[arg(long, value_name = "FILE", env = "PHALANX_CONFIG")]
    pub config: PathBuf,
}

/// `phalanx league run`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx league run --strategy mine --strategy old=../old --seeds 1..20
  phalanx league run --game bomberland --strategy mine --strategy shipped --seeds 1..200 --sprt
  phalanx league run --strategy mine --strategy shipped --folder night    run it again to continue

The table shows ratings on the Elo scale with their errors (95 % confidence). With --folder each
result is appended to a file of JSON lines; ctrl-c stops the league, and the same command resumes
it.

Below the table are the most frequent reasons of failed matches, which are not counted.

Exit codes: 0 the league is over; 1 it failed, or every match did; 64 wrong command line; 130
interrupted.")]
pub struct RunArgs {
    /// What plays and how.
    #[command(flatten)]
    pub league: LeagueArgs,
    #[command(flatten)]
    pub tuned: TunedArgs,
    /// Matches that run at once [default: the number of cores less one]; with --nats, matches that
    /// are on the queue at once [default: 256].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=2048))]
    pub threads: Option<u16>,
    /// Keep results in this folder, and continue with the results that it holds.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Write the decisions of all matches into this folder as Parquet, for notebooks: a file for
    /// each match, a row for each decision.
    #[arg(long, value_name = "DIR")]
    pub dataset: Option<PathBuf>,
    /// Also write the table, and each strategy's results against each other one, to this Markdown
    /// file.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// How to print.
    #[command(flatten)]
    pub print: OutputArgs,
    // Last: what follows would be under its heading.
    #[command(flatten)]
    pub queue: QueueArgs,
}
