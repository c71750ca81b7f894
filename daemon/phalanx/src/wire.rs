//! The only place that names plugins: here a game's types are erased.
//!
//! A game's wiring is a file of its own below this one: its referee from a configuration, its demo,
//! and what is unusual about its connections. `plugin` turns it into what the programs call.

mod asimulator;
mod assemble;
mod bomberland;
pub mod bridge;
mod colosseum;
pub mod demo;
mod mars;
mod plugin;
pub mod replays;

use demo::{DemoAsk, DemoStage};
use phalanx_engine::{Found, Staged, TeamOptions};
use phalanx_game::{Api, Arena, Framing, Origin, Roster, Seat};
use phalanx_lua::Limits;
use phalanx_net::{
    BuildError, BuiltTeam, Cast, CheckpointOptions, Endpoint, Knock, KnockError, KnockOptions,
    Listener, Lockstep, Recorder, Redecide, RerunOptions, SeatOptions,
};
use phalanx_settings::{GameKeys, LimitSettings, TeamSettings};
use plugin::Wired;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The games that this build plays, by name.
pub const GAMES: &[&str] = &[DEFAULT_GAME, "bomberland", "colosseum", "mars", "asimulator"];

/// What is played when nobody says which game.
pub const DEFAULT_GAME: &str = "assemble";

static WIRED: &[&dyn Wired] = &[
    &assemble::Wiring,
    &bomberland::Wiring,
    &colosseum::Wiring,
    &mars::Wiring,
    &asimulator::Wiring,
];

fn wired(name: &str) -> Result<&'static dyn Wired, WireError> {
    let known = WIRED.iter().find(|wired| wired.name() == name);
    known.copied().ok_or_else(|| WireError::Game(name.to_owned()))
}

/// What a game offers to scripts.
#[must_use]
pub fn api(game: &str) -> Option<&'static Api> {
    wired(game).ok().map(Wired::api)
}

/// Why agents neither come to running teams of a game nor leave them; `None`: they do.
#[must_use]
pub fn fixed(game: &str) -> Option<&'static str> {
    wired(game).ok().and_then(Wired::fixed)
}

/// The game's own name for a name.
///
/// # Errors
/// When no plugin has this name.
pub fn game(name: &str) -> Result<&'static str, WireError> {
    wired(name).map(Wired::name)
}

/// The games as settings know them.
#[must_use]
pub fn keys() -> Vec<GameKeys> {
    let keys = |wired: &&dyn Wired| GameKeys { name: wired.name(), options: wired.options() };
    WIRED.iter().map(keys).collect()
}

/// The game that a strategy's folder is for: the one that was asked for, or the one whose type
/// definitions stand in it or whose name it has, or the one that is played when nobody says which.
#[must_use]
pub fn game_of(asked: Option<&'static str>, folder: Option<&Path>) -> &'static str {
    let types = folder.map(|folder| folder.join(phalanx_lua::TYPES_FOLDER));
    let types = types.map(|types| types.join(crate::script::DEFINITIONS));
    let text = types.and_then(|types| std::fs::read_to_string(types).ok()).unwrap_or_default();
    // Their first line names the game.
    let first = text.lines().next().unwrap_or_default();
    let is_for = |game: &str| {
        first.contains(&format!(" {game} ")) || folder.is_some_and(|folder| folder.ends_with(game))
    };
    let found = || GAMES.iter().copied().find(|game| is_for(game));
    asked.or_else(found).unwrap_or(DEFAULT_GAME)
}

/// The flavours of a game's demo, the default one first.
///
/// # Errors
/// When no plugin has this name.
pub fn variants(game: &str) -> Result<&'static [&'static str], WireError> {
    wired(game).map(Wired::variants)
}

/// Whether a game's referee may wait for a key.
#[must_use]
pub fn starts_at_key(game: &str) -> bool {
    wired(game).is_ok_and(Wired::starts_at_key)
}

/// How a game's connections cut what they carry; unknown games carry bytes.
fn framing(game: &str) -> Framing {
    wired(game).map_or(Framing::Stream, Wired::framing)
}

/// A referee's address in the transport of its game.
#[must_use]
pub fn endpoint(game: &str, host: &str, port: u16) -> Endpoint {
    match framing(game) {
        Framing::Stream => Endpoint::tcp(host, port),
        Framing::Message => Endpoint::web_socket(host, port),
    }
}

/// An open door for a referee in the transport of its game.
///
/// # Errors
/// When the address cannot be bound.
pub async fn listen(game: &str, address: &str) -> io::Result<Listener> {
    match framing(game) {
        Framing::Stream => Listener::bind(address).await,
        Framing::Message => Listener::bind_web_socket(address).await,
    }
}

/// The connections of a team: one an agent, or one for all where the game has it so.
#[must_use]
pub fn seats(team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
    wired(&team.game).map_or_else(|_| team.seats(limits), |wired| wired.seats(team, limits))
}

/// What only a game knows of a team, as texts by key.
pub type GameOptions = BTreeMap<String, String>;

/// A team of any game, ready to be built.
#[derive(Clone, Debug)]
pub struct TeamPlan {
    /// The game's name, one of [`GAMES`].
    pub game: String,
    /// The agents.
    pub roster: Roster,
    /// What only this game knows.
    pub options: GameOptions,
    /// The connections.
    pub seats: Vec<Seat>,
    /// The generation of the strategy that decides first.
    pub staged: Staged,
    /// What scripts may use.
    pub limits: Limits,
    /// How the team deals with time.
    pub team: TeamOptions,
    /// How the seats deal with their connections.
    pub seat: SeatOptions,
    /// Where it is recorded what happens; `None`: nowhere.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// How its checkpoints are kept; `None`: there are none.
    pub checkpoints: Option<CheckpointOptions>,
}

/// A recorded team of any game, to be decided again.
#[derive(Debug)]
pub struct RerunPlan {
    /// The game's name, one of [`GAMES`].
    pub game: String,
    /// What only this game knew of the team.
    pub options: GameOptions,
    /// What scripts might use.
    pub limits: Limits,
    /// How it is decided again.
    pub rerun: RerunOptions,
}

/// Why a plan does not become a team.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// No plugin has this name.
    #[error("no game is called {0:?}; there are: {all}", all = GAMES.join(", "))]
    Game(String),
    /// The plugin refused.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The referee's configuration has mistakes.
    #[error("{0}")]
    Arena(String),
    /// The referee has no word on a login.
    #[error(transparent)]
    Knock(#[from] KnockError),
}

/// When a referee begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Start {
    /// As the configuration says; where that is a key, at ENTER on standard input.
    File,
    /// At once.
    Now,
    /// As soon as every account is logged in.
    Complete,
}

/// A referee, ready to be hosted.
pub struct ArenaPlan<'a> {
    /// The configuration file, in the organisers' format.
    pub config: &'a Path,
    /// Reads a file that the configuration names.
    pub read: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
    /// The first instant of the arena's clock.
    pub origin: Origin,
    /// When to begin.
    pub start: Start,
    /// Shortest time for a step.
    pub pace: Duration,
}

impl fmt::Debug for ArenaPlan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArenaPlan")
            .field("config", &self.config)
            .field("start", &self.start)
            .field("pace", &self.pace)
            .finish_non_exhaustive()
    }
}

/// A referee and the port that its configuration names.
///
/// # Errors
/// When the game does not exist or the configuration has mistakes: all of them at once.
pub fn arena(game: &str, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
    wired(game)?.arena(plan)
}

/// The players that a referee starts itself; `None` where everybody connects.
///
/// # Errors
/// As [`arena`].
pub fn cast(game: &str, plan: &ArenaPlan<'_>) -> Result<Option<Cast>, WireError> {
    wired(game)?.cast(plan)
}

/// A demo without its players.
///
/// # Errors
/// When the game does not exist or the settings have mistakes.
pub fn demo(game: &str, ask: &DemoAsk) -> Result<DemoStage, WireError> {
    wired(game)?.demo(ask)
}

/// How long a team of a game waits for views that are missing, where its agents are asked one after
/// the other; the rest is as it was.
#[must_use]
pub fn patient(game: &str, options: TeamOptions) -> TeamOptions {
    wired(game).map_or(options, |wired| wired.patient(options))
}

/// The match with the largest teams that a game knows, without its players.
///
/// # Errors
/// As [`demo()`].
pub fn load(game: &str, ask: &DemoAsk) -> Result<DemoStage, WireError> {
    wired(game)?.load(ask)
}

/// What a login that is only a try does to a match of this game; `None`: nothing.
#[must_use]
pub fn login_costs(game: &str) -> Option<&'static str> {
    wired(game).ok().and_then(Wired::login_costs)
}

/// A try to log in.
#[derive(Debug)]
pub struct Visit {
    /// What only the game knows of the team.
    pub options: GameOptions,
    /// Who logs in.
    pub seat: Seat,
    /// Where.
    pub endpoint: Endpoint,
    /// How long it may take.
    pub limits: KnockOptions,
}

/// Logs in and leaves again.
///
/// # Errors
/// When the game does not exist, there is no connection, or no word on the login.
pub async fn knock(game: &str, visit: &Visit) -> Result<Knock, WireError> {
    Ok(wired(game)?.knock(visit).await?)
}

/// Builds a team that plays over connections.
///
/// # Errors
/// When the game does not exist, the strategy does not load, or seats and roster do not fit.
pub async fn build(plan: TeamPlan, endpoint: Endpoint) -> Result<BuiltTeam, WireError> {
    wired(&plan.game)?.build(plan, endpoint).await
}

/// Whether a team could go on from a checkpoint, and what that says of itself.
///
/// # Errors
/// Why not, for people.
pub fn examine(team: &TeamSettings, bytes: &[u8]) -> Result<Found, String> {
    let wired = wired(&team.game).map_err(|error| error.to_string())?;
    wired.examine(team, bytes).map_err(|error| error.to_string())
}

/// Adds a team to a match on virtual time; its number there.
///
/// # Errors
/// As [`build`].
pub fn join(lockstep: &mut Lockstep, plan: &TeamPlan) -> Result<usize, WireError> {
    wired(&plan.game)?.join(lockstep, plan)
}

/// A team's decisions, to be computed again from what was recorded of it.
///
/// # Errors
/// When the game does not exist.
pub fn rerun(plan: RerunPlan) -> Result<Box<dyn Redecide>, WireError> {
    Ok(wired(&plan.game)?.rerun(plan))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_wired_under_its_name() {
        let names: Vec<_> = WIRED.iter().map(|wired| wired.name()).collect();
        assert_eq!(names, GAMES);
    }
}
