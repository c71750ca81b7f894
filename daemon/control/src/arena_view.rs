//! What this crate needs from arenas: referees that the daemon hosts.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use phalanx_game::Verdict;
use phalanx_game::sorted::SortedMap;
use phalanx_net::{ArenaTruth, HostEvent};
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The daemon's arenas.
pub trait ArenaDirectory: Send + Sync + 'static {
    /// All arenas, in any order: the running ones, and the newest that ended.
    fn arenas(&self) -> Vec<Arc<dyn ArenaView>>;

    /// Starts an arena and returns it when it listens. With `check` it only checks whether the
    /// arena could start, and returns what it would be.
    fn start(&self, ask: ArenaAsk, check: bool) -> BoxFuture<'static, Started>;

    /// The arena with that name.
    fn arena(&self, name: &str) -> Option<Arc<dyn ArenaView>> {
        self.arenas().into_iter().find(|arena| arena.status().name == name)
    }
}

/// The result of a request for an arena.
pub type Started = Result<Arc<dyn ArenaView>, ArenaRefusal>;

/// One arena.
pub trait ArenaView: Send + Sync + 'static {
    /// Its current state.
    fn status(&self) -> ArenaStatus;

    /// Its world as it is, or as it was at the end; `None`: it was not drawn.
    fn truth(&self) -> BoxFuture<'static, Option<Arc<ArenaTruth>>>;

    /// Its events, from its beginning to its end. Called once for each arena.
    fn events(&self) -> BoxStream<'static, ArenaEvent>;

    /// Starts the match, if it waits for a command to start.
    fn begin(&self);

    /// Ends it; resolves when everything is flushed.
    fn stop(&self) -> BoxFuture<'static, ()>;
}

/// A request for an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaAsk {
    /// Its name; `None`: the daemon chooses one.
    pub name: Option<String>,
    /// The game.
    pub game: String,
    /// The match.
    pub setup: ArenaSetup,
    /// The address to listen on; `None`: loopback.
    pub listen: Option<SocketAddr>,
    /// When it begins.
    pub begin: ArenaBegin,
    /// Shortest time of a step; `None`: the default.
    pub pace: Option<Duration>,
    /// Whether replays and results are kept.
    pub keep_files: bool,
    /// The author of the request.
    pub by: String,
}

/// The match of an arena.
#[derive(Clone, PartialEq, Eq)]
pub enum ArenaSetup {
    /// A variant of the game; `None` for a field: the game's default.
    Variant {
        /// Its name.
        name: Option<String>,
        /// Seed of map and dice.
        seed: u64,
        /// The number of steps.
        steps: Option<u32>,
        /// The number of worlds, if the game has several.
        worlds: Option<u32>,
    },
    /// Files in the organisers' format.
    Files {
        /// The main file's path.
        path: PathBuf,
        /// All files by path.
        files: SortedMap<PathBuf, Vec<u8>>,
    },
}

/// Hides the files' contents, which have passwords.
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

/// When the match of an arena begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArenaBegin {
    /// The default: with all clients for a variant, otherwise as the files define.
    Usual,
    /// As the files define.
    File,
    /// At once.
    Now,
    /// When every account is logged in.
    Complete,
}

/// The state of an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaStatus {
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// The variant with its seed, if it is one.
    pub variant: Option<(String, u64)>,
    /// Its address; `None` if it was only checked.
    pub address: Option<SocketAddr>,
    /// What it does now.
    pub state: ArenaState,
    /// The state or the result of the match.
    pub verdict: Verdict,
    /// Clients that are connected.
    pub clients: usize,
    /// The accounts, if the arena made them.
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
    /// Its next match may have another seed.
    pub other_seeds: bool,
}

/// What an arena does now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaState {
    /// No step has been played.
    Waiting,
    /// It plays.
    Playing,
    /// All matches have been played.
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

/// The accounts of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaSide {
    /// The team's name.
    pub team: String,
    /// The names of its connections.
    pub accounts: Vec<String>,
    /// Their password: the same for all demos, so it is no secret.
    pub password: String,
    /// The names of its agents.
    pub agents: Vec<String>,
}

/// An event of an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaEvent {
    /// Something happened in it.
    Host(HostEvent),
    /// It has ended.
    Ended(Box<ArenaStatus>),
}

/// Why an arena was not started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaRefusal {
    /// There is no such game; this lists the games.
    Game(String),
    /// The variant or the files have mistakes.
    Setup(String),
    /// The name is taken.
    Exists(String),
    /// This many run already, the most that may.
    TooMany(usize),
    /// The address is not available.
    Address(String),
    /// The files name executables.
    StartsPrograms,
    /// The daemon keeps no files.
    NoStateFolder,
    /// The daemon stops.
    Closing,
}
