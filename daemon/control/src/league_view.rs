//! What this crate needs from leagues.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use phalanx_league::{Fixture, LeagueDefinition, LeagueTable, MatchOutcome, Seeds, SprtOptions};
use phalanx_proto::v1;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// The daemon's leagues.
pub trait LeagueDirectory: Send + Sync + 'static {
    /// All leagues, in any order.
    fn leagues(&self) -> Vec<Arc<dyn LeagueView>>;

    /// Starts a league and returns it when its strategies passed their trials. With `check` it only
    /// checks whether the league could start, and returns what it would be.
    fn create(&self, ask: LeagueAsk, check: bool) -> BoxFuture<'static, Begun>;

    /// Continues a stopped league.
    fn resume(&self, name: &str, by: String) -> BoxFuture<'static, Begun>;

    /// Removes a league with its results.
    fn delete(&self, name: &str) -> BoxFuture<'static, Result<(), LeagueRefusal>>;

    /// The league with that name.
    fn league(&self, name: &str) -> Option<Arc<dyn LeagueView>> {
        self.leagues().into_iter().find(|league| league.name() == name)
    }
}

/// The result of a request for a league.
pub type Begun = Result<Arc<dyn LeagueView>, LeagueRefusal>;

/// One run of a league: from its start, or from where it continues, to the next time that it
/// continues.
pub trait LeagueView: Send + Sync + 'static {
    /// Its name.
    fn name(&self) -> &str;

    /// Its current state.
    fn status(&self) -> LeagueStatus;

    /// Its events from now on; they end when it is over or was stopped. Called once for each run.
    fn events(&self) -> BoxStream<'static, LeagueEvent>;

    /// Stops it; resolves when the running matches have ended.
    fn cancel(&self) -> BoxFuture<'static, ()>;
}

/// A request for a league.
#[derive(Clone, Debug, PartialEq)]
pub struct LeagueAsk {
    /// Its name; `None`: the daemon chooses one.
    pub name: Option<String>,
    /// The game.
    pub game: String,
    /// The variant; `None`: the first.
    pub variant: Option<String>,
    /// Steps of a match; `None`: the default.
    pub steps: Option<u32>,
    /// Worlds of a match; `None`: the default.
    pub worlds: Option<u32>,
    /// Names with folders, or with the words `shipped` and `idle`.
    pub players: Vec<(String, String)>,
    /// Whether only the first player plays against the others.
    pub first_against_all: bool,
    /// The seeds.
    pub seeds: Seeds,
    /// Whether sides are swapped.
    pub swap: bool,
    /// When to stop early.
    pub sprt: Option<SprtOptions>,
    /// The author of the request.
    pub by: String,
}

/// The state of a league.
#[derive(Clone, Debug, PartialEq)]
pub struct LeagueStatus {
    /// Its name.
    pub name: String,
    /// What it plays.
    pub plan: Arc<LeagueDefinition>,
    /// What it does now.
    pub state: LeagueState,
    /// The table of results.
    pub standing: Arc<LeagueTable>,
    /// Why it stopped; empty if an operator stopped it.
    pub trouble: String,
    /// The author of its start.
    pub by: String,
    /// When it was started last.
    pub started: Option<SystemTime>,
    /// Where another process keeps and plays it; `None`: the daemon does.
    pub folder: Option<PathBuf>,
    /// Workers of a queue that lately played for it.
    pub workers: Vec<v1::QueueWorker>,
}

/// What a league does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeagueState {
    /// Matches are being played.
    Playing,
    /// It can continue.
    Stopped,
    /// All matches have been played.
    Over,
}

/// An event of a league.
#[derive(Clone, Debug, PartialEq)]
pub enum LeagueEvent {
    /// A match was played, or failed.
    Result {
        /// The match.
        fixture: Fixture,
        /// The names of its players.
        players: Vec<String>,
        /// The result.
        outcome: MatchOutcome,
        /// The table after this result.
        standing: Arc<LeagueTable>,
        /// Workers of a queue that lately played for it.
        workers: u32,
    },
    /// This many events are missing here.
    Lost(u64),
    /// It is over or has stopped.
    Ended(Box<LeagueStatus>),
}

/// Why a league cannot start, continue or be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeagueRefusal {
    /// There is no such game; this lists the games.
    Game(String),
    /// The plan or the strategies have mistakes.
    Plan(String),
    /// The name is taken.
    Exists(String),
    /// There is none of that name.
    NotFound,
    /// It is being played.
    Running,
    /// All its matches have been played.
    Over,
    /// Another league is running, or too many are kept.
    TooMany(String),
    /// The daemon has no folder for leagues of its own.
    NoFolder,
    /// Another process keeps it in this folder.
    Elsewhere(PathBuf),
    /// Its folder cannot be read or written.
    NotKept(String),
    /// The daemon stops.
    Closing,
}
