//! The command lines of `phalanx ladder`.

use super::{LimitArgs, NatsArgs, TunedArgs};
use clap::{Args, Subcommand};
use phalanx_cli::args::{OutputArgs, games};
use phalanx_cli::failure::misused;
use phalanx_ladder::{LadderPlace, ROUND_MAX};
use std::path::PathBuf;

/// The start of the name of a ladder that a server keeps.
const BUCKET: &str = "kv:";

/// `phalanx ladder`.
#[derive(Debug, Subcommand)]
pub enum LadderVerb {
    /// Add strategies to a ladder, or new versions of them; the first submission begins the ladder.
    Submit(Box<LadderSubmitArgs>),
    /// Show the ratings of a ladder, also while it is played.
    Show(Box<LadderShowArgs>),
    /// Play matches between the strategies that are least well known.
    Match(Box<LadderMatchArgs>),
    /// List the matches of a ladder, or record one of them.
    History(Box<LadderHistoryArgs>),
    /// Copy a ladder to another place, for example from a server into the folder that a page shows.
    Copy(Box<LadderCopyArgs>),
}

/// The server of a ladder.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "NATS")]
pub struct LadderServerArgs {
    /// A NATS server, for example nats://host:4222, or tls://host:4222: it keeps the ladder
    /// `kv:NAME`, and has the matches played by its workers.
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    #[command(flatten)]
    pub server: NatsArgs,
}

impl LadderServerArgs {
    /// Where the ladder is kept.
    ///
    /// # Errors
    /// When a ladder on a server has no server.
    pub fn place(&self, ladder: &str) -> anyhow::Result<LadderPlace> {
        let Some(name) = ladder.strip_prefix(BUCKET) else {
            return Ok(LadderPlace::Folder(PathBuf::from(ladder)));
        };
        let url = self
            .nats
            .as_ref()
            .ok_or_else(|| misused(format!("{ladder} is on a server: add --nats URL")))?;
        Ok(LadderPlace::Bucket { server: self.server.address(url)?, name: name.to_owned() })
    }
}

/// `phalanx ladder submit`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx ladder submit club mine shipped --game bomberland --steps 300     begins the ladder `club`
  phalanx ladder submit club mine                                           a new version: mine@2
  phalanx ladder submit club rusher=../downloads/their-folder
  phalanx ladder submit kv:club mine --nats nats://lab1:4222

A strategy is tried first, with its specs, as in `phalanx strategy check`. The ladder keeps a copy of
its files. Submitting the same files again changes nothing. You may submit while matches are played:
the new version plays from the next round on, and the version before it plays no more.

What is played is decided when the ladder begins; later submissions may leave these options out.")]
pub struct LadderSubmitArgs {
    /// The ladder: a folder, or `kv:NAME` for one that the server of --nats keeps.
    #[arg(value_name = "LADDER")]
    pub ladder: String,
    /// Strategies: folders, `shipped` or `idle`; write NAME=DIR to name one [default: the folder's
    /// name].
    #[arg(value_name = "[NAME=]DIR", required = true)]
    pub strategies: Vec<String>,
    /// The game [default: the ladder's, or the one that the first strategy is for].
    #[arg(long, value_parser = games())]
    pub game: Option<&'static str>,
    /// A variant of the game, as in `phalanx demo` [default: the first one].
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Number of steps of a match [default: the game's own number].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// Number of worlds of a match, in asimulator [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub worlds: Option<u32>,
    /// The seed of the first meeting; each meeting has the next one [default: 1].
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub tuned: TunedArgs,
    #[command(flatten)]
    pub print: OutputArgs,
    #[command(flatten)]
    pub server: LadderServerArgs,
}

/// `phalanx ladder show`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx ladder show club
  phalanx ladder show club --all-versions --markdown club.md
  phalanx ladder show kv:club --nats nats://lab1:4222 --output json

Ratings are on the Elo scale, by the model of Bradley and Terry; in 95 of 100 cases the true rating
is within ±95% of the one that is shown. They follow from all games of all versions, whatever the
order. Failed matches count for no strategy; one whose last 8 matches all failed is suspended until
its next version.")]
pub struct LadderShowArgs {
    /// The ladder: a folder, or `kv:NAME` for one that the server of --nats keeps.
    #[arg(value_name = "LADDER")]
    pub ladder: String,
    /// Also show earlier versions.
    #[arg(long)]
    pub all_versions: bool,
    /// Also write the table, and who did how against whom, to this Markdown file.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    #[command(flatten)]
    pub print: OutputArgs,
    #[command(flatten)]
    pub server: LadderServerArgs,
}

/// `phalanx ladder match`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx ladder match club                                  64 matches on this machine
  phalanx ladder match club --matches 1000 --nats nats://lab1:4222 --round 256
  phalanx ladder match kv:club --nats nats://lab1:4222 --here

How pairs are chosen: what is known of all strengths is a normal distribution. A round takes the pair
whose two matches narrow it most, in bits, counts them as played, and takes the next pair. So new
versions and close neighbours play most. In games for two, a pair plays on both sides of a fresh seed;
in games for one, both play the same seed and the higher score wins.

A round is written down before it is played, and each result when it is there. Stop it at any time,
with ctrl-C or kill: the same command plays the rest of the round first. Each match counts once. The
same ladder and seed give the same matches with the same results, here and on workers.

Strategies may be other people's: each match runs in a process of its own with limits, without files
and connections.

Exit codes: 0 done; 1 it failed, or another process plays this ladder; 64 wrong command line; 130
interrupted.")]
pub struct LadderMatchArgs {
    /// The ladder: a folder, or `kv:NAME` for one that the server of --nats keeps.
    #[arg(value_name = "LADDER")]
    pub ladder: String,
    /// Matches to play, besides the rest of a round that was begun; two make a meeting.
    #[arg(long, value_name = "N", default_value_t = 64,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub matches: u64,
    /// Meetings that are chosen together: with more, more machines work at once; with fewer, results
    /// count sooner for the choice.
    #[arg(long, value_name = "N", default_value_t = 16,
        value_parser = clap::value_parser!(u16).range(1..=ROUND_MAX as i64))]
    pub round: u16,
    /// Let earlier versions play, too.
    #[arg(long)]
    pub all_versions: bool,
    /// Play on this machine even with --nats, which then only keeps the ladder.
    #[arg(long)]
    pub here: bool,
    /// Matches that run at once [default: the number of cores less one]; on workers, those of a
    /// round.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=2048))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub print: OutputArgs,
    #[command(flatten)]
    pub server: LadderServerArgs,
}

/// `phalanx ladder history`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx ladder history club --last 20
  phalanx ladder history club --strategy mine@2
  phalanx ladder history club --record 117
  phalanx replay club/recordings/match-117/*.mcap

A match is determined by its strategies and its seed. So --record plays it again, checks that its
scores are the same, and writes a recording of each team.")]
pub struct LadderHistoryArgs {
    /// The ladder: a folder, or `kv:NAME` for one that the server of --nats keeps.
    #[arg(value_name = "LADDER")]
    pub ladder: String,
    /// Only matches of this strategy: `name@version`, or `name` for the latest version.
    #[arg(long, value_name = "NAME[@V]")]
    pub strategy: Option<String>,
    /// The newest matches only.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub last: usize,
    /// Play the match with this number again, and record it.
    #[arg(long, value_name = "MATCH")]
    pub record: Option<u64>,
    /// The folder for the recordings, which go into its folder match-N [default: the folder
    /// `recordings` of the ladder, from which a daemon's page plays them; for a ladder on a server,
    /// ./recordings].
    #[arg(long, value_name = "DIR", requires = "record")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub print: OutputArgs,
    #[command(flatten)]
    pub server: LadderServerArgs,
}

/// `phalanx ladder copy`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  phalanx ladder copy kv:club /srv/contest/lab/club --nats nats://lab1:4222 --follow
  phalanx ladder copy club kv:club --nats nats://lab1:4222       puts a ladder on a server

A daemon whose setting lab.path is /srv/contest/lab shows the first copy on its page.

The copy has the same entries and strategies. The same command later adds what is new. Submit and
play on the ladder itself: a copy that has entries of its own no longer follows.")]
pub struct LadderCopyArgs {
    /// The ladder: a folder, or `kv:NAME` for one that the server of --nats keeps.
    #[arg(value_name = "LADDER")]
    pub ladder: String,
    /// Where the copy is kept, in the same words.
    #[arg(value_name = "COPY")]
    pub copy: String,
    /// Go on, and copy what is new every two seconds, until ctrl-C.
    #[arg(long)]
    pub follow: bool,
    #[command(flatten)]
    pub print: OutputArgs,
    #[command(flatten)]
    pub server: LadderServerArgs,
}
