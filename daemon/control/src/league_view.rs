//! What this crate must be told about leagues.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use phalanx_league::{Fixture, Outcome, Plan, Seeds, SprtOptions, Standing};
use std::sync::Arc;
use std::time::SystemTime;

/// The daemon's leagues.
pub trait LeagueDirectory: Send + Sync + 'static {
    /// All leagues, in any order.
    fn leagues(&self) -> Vec<Arc<dyn LeagueView>>;

    /// Begins a league and answers when its strategies passed their trials; or only checks whether it
    /// could be, and answers with what it would be.
    fn create(&self, ask: LeagueAsk, check: bool) -> BoxFuture<'static, Begun>;

    /// Lets a league go on.
    fn resume(&self, name: &str, by: String) -> BoxFuture<'static, Begun>;

    /// Removes a league with its results.
    fn delete(&self, name: &str) -> BoxFuture<'static, Result<(), LeagueRefusal>>;

    /// The league of that name.
    fn league(&self, name: &str) -> Option<Arc<dyn LeagueView>> {
        self.leagues().into_iter().find(|league| league.name() == name)
    }
}

/// What comes of a wish for a league.
pub type Begun = Result<Arc<dyn LeagueView>, LeagueRefusal>;

/// One league, from the moment it begins or goes on until it goes on anew.
pub trait LeagueView: Send + Sync + 'static {
    /// Its name.
    fn name(&self) -> &str;

    /// How it stands now.
    fn status(&self) -> LeagueStatus;

    /// What happens in it from now on; ends when it is over or was stopped. Called once a view.
    fn events(&self) -> BoxStream<'static, LeagueEvent>;

    /// Stops it; done when no match is being played any more.
    fn cancel(&self) -> BoxFuture<'static, ()>;
}

/// A wish for a league.
#[derive(Clone, Debug, PartialEq)]
pub struct LeagueAsk {
    /// What to call it; `None`: find a name.
    pub name: Option<String>,
    /// The game.
    pub game: String,
    /// The flavour; `None`: the first.
    pub variant: Option<String>,
    /// Steps of a match; `None`: as usual.
    pub steps: Option<u32>,
    /// Worlds of a match; `None`: as usual.
    pub worlds: Option<u32>,
    /// Names with folders, or with the words `shipped` and `idle`.
    pub players: Vec<(String, String)>,
    /// Whether only the first meets the others.
    pub first_against_all: bool,
    /// The seeds.
    pub seeds: Seeds,
    /// Whether sides are swapped.
    pub swap: bool,
    /// When to stop early.
    pub sprt: Option<SprtOptions>,
    /// Who wants it.
    pub by: String,
}

/// How a league stands.
#[derive(Clone, Debug, PartialEq)]
pub struct LeagueStatus {
    /// Its name.
    pub name: String,
    /// What it plays.
    pub plan: Arc<Plan>,
    /// What it is doing.
    pub state: LeagueState,
    /// Where it stands.
    pub standing: Arc<Standing>,
    /// Why it stopped, where nobody stopped it.
    pub trouble: String,
    /// Who began it.
    pub by: String,
    /// When it began the last time.
    pub started: Option<SystemTime>,
}

/// What a league is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeagueState {
    /// Matches are being played.
    Playing,
    /// It can go on.
    Stopped,
    /// Nothing is left to play.
    Over,
}

/// Something that happened in a league.
#[derive(Clone, Debug, PartialEq)]
pub enum LeagueEvent {
    /// A match was played, or failed.
    Result {
        /// Which.
        fixture: Fixture,
        /// The names of its players.
        players: Vec<String>,
        /// How it ended.
        outcome: Outcome,
        /// What follows from all results so far.
        standing: Arc<Standing>,
    },
    /// So many events are missing here.
    Lost(u64),
    /// It is over or has stopped.
    Ended(Box<LeagueStatus>),
}

/// Why a league does not begin, go on or go away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeagueRefusal {
    /// No such game; these there are.
    Game(String),
    /// Plan or strategies have mistakes.
    Plan(String),
    /// The name is taken.
    Exists(String),
    /// There is none of that name.
    NotFound,
    /// It is being played.
    Running,
    /// Nothing is left to play.
    Over,
    /// Another one is being played, or as many are kept as there may be.
    TooMany(String),
    /// Its folder cannot be read or written.
    NotKept(String),
    /// The daemon stops.
    Closing,
}
