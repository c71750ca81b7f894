//! The one list of games, and the only crate that uses their crates: here a game's types are erased.
//!
//! Each game has a file of its own: its referee from a configuration, its demo, and what is unusual
//! about its connections. `plugin` turns it into what the programs call. The strategies that travel
//! inside the programs are in [`shipped`].

pub mod bridge;
pub mod demo;
mod plugin;
pub mod replays;
pub mod samples;
mod scripted;
pub mod shipped;

pub use scripted::{
    check_name, facts, files_hash, folder_of, is_installed, is_path, load_folder, search,
};

use demo::{DemoAsk, DemoStage};
use include_dir::{Dir, include_dir};
use phalanx_engine::{Found, Staged, TeamOptions};
use phalanx_game::{Api, Arena, Declaration, Framing, Origin, Roster, Seat};
use phalanx_lua::Limits;
use phalanx_net::{
    BuildError, BuiltTeam, CheckpointOptions, Endpoint, Listener, Lockstep, LoginProbe,
    PlayerProcesses, ProbeError, ProbeOptions, Recorder, Redecide, RerunOptions, SeatOptions,
};
use phalanx_settings::{GameKeys, LimitSettings, TeamSettings};
use plugin::{GameSetup, Wired};
use replays::ReplayForm;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Declares the games, each with its file, its sample in `deploy/config` and the folder of its shipped
/// strategy.
macro_rules! games {
    ($($game:ident in $scripts:tt,)*) => {
        $(mod $game;)*

        /// The games that this build plays, by name.
        pub const GAMES: &[&str] = &[$(stringify!($game)),*];

        static WIRED: &[&dyn Wired] = &[$(&$game::Wiring),*];

        static SAMPLES: &[(&str, &str)] = &[$((
            stringify!($game),
            include_str!(concat!("../../../deploy/config/", stringify!($game), ".toml")),
        )),*];

        static STRATEGIES: &[(&str, Dir<'_>)] =
            &[$((stringify!($game), include_dir!($scripts))),*];
    };
}

games! {
    assemble in "$CARGO_MANIFEST_DIR/../../scripts/assemble",
    bomberland in "$CARGO_MANIFEST_DIR/../../scripts/bomberland",
    colosseum in "$CARGO_MANIFEST_DIR/../../scripts/colosseum",
    mars in "$CARGO_MANIFEST_DIR/../../scripts/mars",
    asimulator in "$CARGO_MANIFEST_DIR/../../scripts/asimulator",
}

/// The game if none is named.
pub const DEFAULT_GAME: &str = "assemble";

fn wired(name: &str) -> Result<&'static dyn Wired, WireError> {
    if let Some(native) = WIRED.iter().find(|wired| wired.declaration().name == name) {
        return Ok(*native);
    }
    scripted::find(name)?.ok_or_else(|| WireError::Game(name.to_owned()))
}

/// A game's script API.
#[must_use]
pub fn api(game: &str) -> Option<&'static Api> {
    wired(game).ok().map(|wired| &wired.declaration().api)
}

/// What a game declares of itself.
///
/// # Errors
/// As [`game`].
pub fn declaration(name: &str) -> Result<&'static Declaration, WireError> {
    wired(name).map(Wired::declaration)
}

/// The name of a game: of a native one, or of one that is installed as a folder. Names come from
/// clients, too; only [`load_folder`] takes a path.
///
/// # Errors
/// When there is no such game, or its folder has mistakes.
pub fn game(name: &str) -> Result<&'static str, WireError> {
    wired(name).map(|wired| wired.declaration().name)
}

/// The games with their settings.
#[must_use]
pub fn keys() -> Vec<GameKeys> {
    let keys =
        |wired: &&dyn Wired| GameKeys { name: wired.declaration().name, options: wired.options() };
    let loaded = scripted::installed().into_iter().filter_map(|name| wired(&name).ok());
    WIRED.iter().copied().chain(loaded).map(|wired| keys(&wired)).collect()
}

/// The game of a strategy's folder: the one that was asked for, or the one that the folder is known
/// to be for, or the default one.
#[must_use]
pub fn game_of(asked: Option<&'static str>, folder: Option<&Path>) -> &'static str {
    asked.or_else(|| known_game(folder?)).unwrap_or(DEFAULT_GAME)
}

/// The game that a strategy's folder is for: the one whose folder it is in, or the one in the
/// folder's type definitions, or the one that the folder is named after.
#[must_use]
pub fn known_game(folder: &Path) -> Option<&'static str> {
    let types = folder.join(phalanx_lua::TYPES_FOLDER).join(DEFINITIONS);
    let text = std::fs::read_to_string(types).unwrap_or_default();
    // Their first line names the game.
    let named = text.lines().next().and_then(|line| line.split_once(TYPES_NAME));
    let typed = || game(named?.1.split(' ').next()?).ok();
    let of_name = |game: &&str| folder.ends_with(game);
    let found = || typed().or_else(|| GAMES.iter().copied().find(of_name));
    scripted::around(folder).or_else(found)
}

/// The variants of a game's demo, the default one first.
///
/// # Errors
/// When no plugin has this name.
pub fn variants(game: &str) -> Result<&'static [&'static str], WireError> {
    wired(game).map(GameSetup::variants)
}

/// The shortest step of a demo in real time; `None`: of the game's first variant.
///
/// # Errors
/// When no plugin has this name.
pub fn pace(game: &str, variant: Option<&str>) -> Result<Duration, WireError> {
    wired(game).map(|wired| wired.pace(variant))
}

/// Why games that are installed cannot be played: the mistakes of their folders.
#[must_use]
pub fn broken() -> Vec<String> {
    let mistake = |name: String| {
        if GAMES.contains(&name.as_str()) {
            let what = "this program has a game of this name, so the folder is ignored";
            return Some(format!("the game in the folder {name}: {what}"));
        }
        wired(&name).err().map(|error| error.to_string())
    };
    scripted::installed().into_iter().filter_map(mistake).collect()
}

/// All games that can be named: the native ones, and those that are installed as folders. Each with
/// a line about it.
#[must_use]
pub fn installed() -> Vec<(String, String)> {
    let native = GAMES.iter().map(|game| (*game).to_owned());
    let all: phalanx_game::sorted::SortedSet<String> =
        native.chain(scripted::installed()).collect();
    let about = |name: String| match wired(&name) {
        Ok(wired) => (name, wired.about().to_owned()),
        Err(error) => (name, error.to_string()),
    };
    all.into_iter().map(about).collect()
}

/// A game's referee in a line of help.
#[must_use]
pub fn about(game: &str) -> &'static str {
    wired(game).map_or("", GameSetup::about)
}

/// The replay formats of the games' organisers.
pub fn replay_forms() -> impl Iterator<Item = &'static ReplayForm> {
    WIRED.iter().filter_map(|wired| wired.replay())
}

/// The key of a referee's configuration that says when the match begins, if it can make the referee
/// wait for ENTER.
#[must_use]
pub fn launch_key(game: &str) -> Option<&'static str> {
    wired(game).ok().and_then(GameSetup::launch_key)
}

/// How a game's connections delimit messages; unknown games use a stream of bytes.
fn framing(game: &str) -> Framing {
    wired(game).map_or(Framing::Stream, |wired| wired.declaration().framing)
}

/// A referee's address in the transport of its game.
#[must_use]
pub fn endpoint(game: &str, host: &str, port: u16) -> Endpoint {
    match framing(game) {
        Framing::Stream => Endpoint::tcp(host, port),
        Framing::Message => Endpoint::web_socket(host, port),
    }
}

/// A listener for a referee, in the transport of its game.
///
/// # Errors
/// When the address cannot be bound.
pub async fn listen(game: &str, address: &str) -> io::Result<Listener> {
    match framing(game) {
        Framing::Stream => Listener::bind(address).await,
        Framing::Message => Listener::bind_web_socket(address).await,
    }
}

/// The connections of a team: one per agent, or one for all, depending on the game.
#[must_use]
pub fn seats(team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
    wired(&team.game).map_or_else(|_| team.seats(limits), |wired| wired.seats(team, limits))
}

/// Options of a team that only its game has, as text by key.
pub type GameOptions = BTreeMap<String, String>;

/// A team's options as text; the settings were checked before. Secret ones are not included: they
/// are part of the seats.
#[must_use]
pub fn options(team: &TeamSettings) -> GameOptions {
    let text = |(key, value): (&str, &toml::Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (key.to_owned(), text)
    };
    let mut all: GameOptions = team.options.plain().map(text).collect();
    all.extend(scripted::options(&team.game));
    all
}

/// The file of a game's type definitions in a strategy's folder.
const DEFINITIONS: &str = "phalanx.d.luau";
/// The words before the game's name in their first line.
const TYPES_NAME: &str = "The script API of ";

/// The files of the type definitions: for luau-lsp and for lua-language-server.
#[must_use]
pub fn definitions(game: &str, api: &Api) -> [(&'static str, String); 2] {
    [
        (DEFINITIONS, phalanx_lua::types_luau(game, api)),
        ("phalanx.lua", phalanx_lua::types_luacats(game, api)),
    ]
}

/// A team of any game, ready to be built.
#[derive(Clone, Debug)]
pub struct TeamPlan {
    /// The game's name, one of [`GAMES`].
    pub game: String,
    pub roster: Roster,
    /// Options that only this game has.
    pub options: GameOptions,
    pub seats: Vec<Seat>,
    /// The generation that decides first.
    pub staged: Staged,
    /// Resource limits of the scripts.
    pub limits: Limits,
    /// Deadlines, probation and alerts.
    pub team: TeamOptions,
    /// Options of the connections.
    pub seat: SeatOptions,
    /// Records what happens; `None`: not recorded.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// Options of its checkpoints; `None`: it writes none.
    pub checkpoints: Option<CheckpointOptions>,
}

/// A recorded team of any game, to be decided again.
#[derive(Debug)]
pub struct RerunPlan {
    /// The game's name, one of [`GAMES`].
    pub game: String,
    /// The team's options that only this game has.
    pub options: GameOptions,
    /// Resource limits of the scripts.
    pub limits: Limits,
    /// Options of the run.
    pub rerun: RerunOptions,
}

/// Why a plan cannot become a team.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// No plugin has this name.
    #[error(
        "no game is called {0:?}; there are: {all}; a game in a folder has a path: ./{0}",
        all = GAMES.join(", ")
    )]
    Game(String),
    /// The folder of a game has mistakes.
    #[error("the game in {dir} has mistakes:{mistakes}")]
    Folder {
        /// The folder.
        dir: String,
        /// One line for each.
        mistakes: String,
    },
    /// The plugin refused.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The referee's configuration has mistakes.
    #[error("{0}")]
    Arena(String),
    /// A trial login had no result.
    #[error(transparent)]
    Login(#[from] ProbeError),
}

/// When a referee's match begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Start {
    /// As the configuration says; if that is a key, at ENTER on standard input.
    File,
    /// At once.
    Now,
    /// As soon as every account is logged in.
    Complete,
}

/// A referee that is ready to be hosted.
pub struct ArenaPlan<'a> {
    /// The configuration file, in the organisers' format.
    pub config: &'a Path,
    /// Reads a file that the configuration names.
    pub read: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
    /// The first instant of the arena's clock.
    pub origin: Origin,
    pub start: Start,
    /// Shortest time for a step, for example 100ms.
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

/// The players that a referee starts itself; `None` if all players connect.
///
/// # Errors
/// As [`arena`].
pub fn player_processes(
    game: &str,
    plan: &ArenaPlan<'_>,
) -> Result<Option<PlayerProcesses>, WireError> {
    wired(game)?.player_processes(plan)
}

/// A demo without its players.
///
/// # Errors
/// When the game does not exist or the settings have mistakes.
pub fn demo(game: &str, ask: &DemoAsk) -> Result<DemoStage, WireError> {
    wired(game)?.demo(ask)
}

/// A game whose agents are asked one after the other does not wait for missing views; the other
/// options are unchanged.
#[must_use]
pub fn patient(game: &str, options: TeamOptions) -> TeamOptions {
    wired(game).map_or(options, |wired| wired.patient(options))
}

/// A match with the largest teams of a game, without its players.
///
/// # Errors
/// As [`demo()`].
pub fn load(game: &str, ask: &DemoAsk) -> Result<DemoStage, WireError> {
    wired(game)?.load(ask)
}

/// The effect of a trial login on a match of this game; `None`: no effect.
#[must_use]
pub fn login_costs(game: &str) -> Option<&'static str> {
    wired(game).ok().and_then(GameSetup::login_costs)
}

/// A trial login.
#[derive(Debug)]
pub struct ProbeRequest {
    /// The team's options that only the game has.
    pub options: GameOptions,
    /// The account.
    pub seat: Seat,
    /// Builds the referee.
    pub endpoint: Endpoint,
    /// Timeouts.
    pub limits: ProbeOptions,
}

/// Logs in and disconnects.
///
/// # Errors
/// When the game does not exist, there is no connection, or the referee does not answer the login.
pub async fn probe_login(game: &str, request: &ProbeRequest) -> Result<LoginProbe, WireError> {
    Ok(wired(game)?.probe_login(request).await?)
}

/// Builds a team that plays over connections.
///
/// # Errors
/// When the game does not exist, the strategy does not load, or seats and roster do not fit.
pub async fn build(plan: TeamPlan, endpoint: Endpoint) -> Result<BuiltTeam, WireError> {
    wired(&plan.game)?.build(plan, endpoint).await
}

/// Whether a team could resume from a checkpoint; returns the checkpoint's identity.
///
/// # Errors
/// The reason, as text.
pub fn examine(team: &TeamSettings, bytes: &[u8]) -> Result<Found, String> {
    let wired = wired(&team.game).map_err(|error| error.to_string())?;
    wired.examine(team, bytes).map_err(|error| error.to_string())
}

/// Adds a team to a match on virtual time; returns its number there.
///
/// # Errors
/// As [`build`].
pub fn join(lockstep: &mut Lockstep, plan: &TeamPlan) -> Result<usize, WireError> {
    wired(&plan.game)?.join(lockstep, plan)
}

/// A recorded team, to compute its decisions again.
///
/// # Errors
/// When the game does not exist.
pub fn rerun(plan: RerunPlan) -> Result<Box<dyn Redecide>, WireError> {
    let recorded = scripted::recorded(&plan.options)?;
    let wired = recorded.map_or_else(|| wired(&plan.game), Ok)?;
    Ok(wired.rerun(plan))
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_engine::{check_order, read_order};
    use phalanx_game::sorted::SortedSet;
    use phalanx_game::{Declaration, KeyDoc, Roster};

    #[test]
    fn every_game_is_wired_under_its_name() {
        let names: Vec<_> = WIRED.iter().map(|wired| wired.declaration().name).collect();
        assert_eq!(names, GAMES);
    }

    /// Each key gives an order that the game takes, and no key gives two.
    #[test]
    fn keys_give_orders_that_their_games_take() {
        for Declaration { name, api, keys, .. } in WIRED.iter().map(|wired| wired.declaration()) {
            let roster = Roster { team: "A".to_owned(), agents: Vec::new() };
            let mut taken = SortedSet::new();
            for KeyDoc { key, order } in *keys {
                assert!(taken.insert(key), "{name}: the key {key:?} is there twice");
                let said = read_order(order);
                let said = said.unwrap_or_else(|error| panic!("{name}: {order}: {error}"));
                if let Err(error) = check_order(api, &roster, &said) {
                    panic!("{name}: {order}: {error}");
                }
            }
        }
    }
}
