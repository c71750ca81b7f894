//! What this crate must be told about arenas: referees that the daemon hosts.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use phalanx_game::Verdict;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The daemon's arenas.
pub trait ArenaDirectory: Send + Sync + 'static {
    /// All arenas, in any order: those that run, and the newest that ended.
    fn arenas(&self) -> Vec<Arc<dyn ArenaView>>;

    /// Starts an arena and answers when it listens; or only checks whether it could be, and answers
    /// with what it would be.
    fn start(&self, ask: ArenaAsk, check: bool) -> BoxFuture<'static, Started>;

    /// The arena of that name.
    fn arena(&self, name: &str) -> Option<Arc<dyn ArenaView>> {
        self.arenas().into_iter().find(|arena| arena.status().name == name)
    }
}

/// What comes of a wish for an arena.
pub type Started = Result<Arc<dyn ArenaView>, ArenaRefusal>;

/// One arena.
pub trait ArenaView: Send + Sync + 'static {
    /// How it stands now.
    fn status(&self) -> ArenaStatus;

    /// What happens in it, from its beginning to its end. Called once an arena.
    fn events(&self) -> BoxStream<'static, ArenaEvent>;

    /// Begins, where it waits for somebody to say so.
    fn begin(&self);

    /// Ends it; done when everything is flushed.
    fn stop(&self) -> BoxFuture<'static, ()>;
}

/// A wish for an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaAsk {
    /// What to call it; `None`: find a name.
    pub name: Option<String>,
    /// The game.
    pub game: String,
    /// What is played.
    pub setup: ArenaSetup,
    /// Where it listens; `None`: loopback.
    pub listen: Option<SocketAddr>,
    /// When it begins.
    pub begin: ArenaBegin,
    /// Shortest time of a step; `None`: as usual.
    pub pace: Option<Duration>,
    /// Whether replays and results are kept.
    pub keep_files: bool,
    /// Who wants it.
    pub by: String,
}

/// What is played.
#[derive(Clone, PartialEq, Eq)]
pub enum ArenaSetup {
    /// A flavour of the game; `None`s: the game's own.
    Variant {
        /// Its name.
        name: Option<String>,
        /// Seed of map and dice.
        seed: u64,
        /// How many steps.
        steps: Option<u32>,
        /// How many worlds, where a game has them.
        worlds: Option<u32>,
    },
    /// Files in the organisers' format.
    Files {
        /// The main file's path.
        path: PathBuf,
        /// All files by path.
        files: BTreeMap<PathBuf, Vec<u8>>,
    },
}

/// Without the files' contents: they have passwords.
impl fmt::Debug for ArenaSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variant { name, seed, steps, worlds } => f
                .debug_struct("Variant")
                .field("name", name)
                .field("seed", seed)
                .field("steps", steps)
                .field("worlds", worlds)
                .finish(),
            Self::Files { path, files } => f
                .debug_struct("Files")
                .field("path", path)
                .field("files", &files.keys().collect::<Vec<_>>())
                .finish(),
        }
    }
}

/// When an arena begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArenaBegin {
    /// As usual: with everybody for a flavour, as the files say otherwise.
    Usual,
    /// As the files say.
    File,
    /// At once.
    Now,
    /// When every account is logged in.
    Complete,
}

/// How an arena stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaStatus {
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// The flavour with its seed, where it is one.
    pub variant: Option<(String, u64)>,
    /// Where it listens; `None` for one that was only checked.
    pub address: Option<SocketAddr>,
    /// What it is doing.
    pub state: ArenaState,
    /// How the match stands or ended.
    pub verdict: Verdict,
    /// Clients that are connected.
    pub clients: usize,
    /// Who may log in, where the arena made the accounts.
    pub sides: Vec<ArenaSide>,
    /// The results as text for people.
    pub summary: String,
    /// Who started it.
    pub by: String,
    /// When it was started.
    pub started: SystemTime,
    /// When it ended.
    pub ended: Option<SystemTime>,
    /// The folder with its files.
    pub files: Option<PathBuf>,
}

/// What an arena is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaState {
    /// No step has been played.
    Waiting,
    /// It plays.
    Playing,
    /// All has been played.
    Over,
    /// It was stopped.
    Stopped,
    /// It failed, for this reason.
    Failed(String),
}

impl ArenaState {
    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Waiting | Self::Playing => false,
            Self::Over | Self::Stopped | Self::Failed(_) => true,
        }
    }
}

/// The accounts of one team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaSide {
    /// The team's name.
    pub team: String,
    /// The names of its connections.
    pub accounts: Vec<String>,
    /// Their password: the same for all demos, no secret.
    pub password: String,
    /// The names of its agents.
    pub agents: Vec<String>,
}

/// Something that happened in an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaEvent {
    /// The match went on.
    Stood(Verdict),
    /// A client connected, from there.
    Came(u64, String),
    /// The referee spoke to a client for the first time.
    Greeted(u64),
    /// A client is gone.
    Left(u64, ArenaLeave),
    /// Something that people should hear.
    Notice(String),
    /// So many events are missing here.
    Lost(u64),
    /// The arena has ended.
    Ended(Box<ArenaStatus>),
}

/// How a client left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArenaLeave {
    /// It closed the connection, or the network did.
    Gone,
    /// The referee closed the connection.
    Closed,
    /// It did not read.
    Slow,
    /// It made room for another one.
    CrowdedOut,
    /// What it sent could not be read.
    Broken,
}

/// Why an arena was not started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaRefusal {
    /// No such game; these there are.
    Game(String),
    /// The flavour or the files have mistakes.
    Setup(String),
    /// The name is taken.
    Exists(String),
    /// So many run already.
    TooMany(usize),
    /// The address cannot be had.
    Address(String),
    /// The files name executables.
    StartsPrograms,
    /// The daemon keeps no files.
    NoStateFolder,
    /// The daemon stops.
    Closing,
}
