//! The only file that names every plugin: here a game's types are erased.

use phalanx_assemble::Assemble;
use phalanx_assemble::arena::config::Launch;
use phalanx_assemble::arena::{ArenaConfig, ArenaOptions, AssembleArena};
use phalanx_engine::{BrainError, BrainErrorKind, Staged, TeamLink, TeamOptions};
use phalanx_game::{Api, Arena, Game, Origin, Roster, Seat};
use phalanx_lua::{Limits, LuaBrain};
use phalanx_net::{BuildError, BuiltTeam, Endpoint, Lockstep, SeatOptions, TeamSpec};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// MAPC 2020, Agents Assemble II.
pub const ASSEMBLE: &str = Assemble::NAME;

/// The games that this build plays, by name.
pub const GAMES: &[&str] = &[ASSEMBLE];

/// What a game offers to scripts.
#[must_use]
pub fn api(game: &str) -> Option<&'static Api> {
    match game {
        Assemble::NAME => Some(const { &Assemble::API }),
        _ => None,
    }
}

/// The game's own name for a name.
///
/// # Errors
/// When no plugin has this name.
pub fn game(name: &str) -> Result<&'static str, WireError> {
    let known = GAMES.iter().find(|game| **game == name);
    known.copied().ok_or_else(|| WireError::Game(name.to_owned()))
}

/// A team of any game, ready to be built.
#[derive(Clone, Debug)]
pub struct TeamPlan {
    /// The game's name, one of [`GAMES`].
    pub game: String,
    /// The agents.
    pub roster: Roster,
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
    match game {
        Assemble::NAME => {
            let config = ArenaConfig::load(plan.config, plan.read)
                .map_err(|error| WireError::Arena(error.to_string()))?;
            let port = config.server.port;
            let launch = match plan.start {
                Start::File => None,
                Start::Now => Some(Launch::After(Duration::ZERO)),
                Start::Complete => Some(Launch::Complete),
            };
            let options = ArenaOptions { launch, pace: plan.pace, ..ArenaOptions::default() };
            Ok((Box::new(AssembleArena::new(config, options, plan.origin)), port))
        }
        other => Err(WireError::Game(other.to_owned())),
    }
}

/// Builds a team that plays over connections.
///
/// # Errors
/// When the game does not exist, the strategy does not load, or seats and roster do not fit.
pub async fn build(plan: TeamPlan, endpoint: Endpoint) -> Result<BuiltTeam, WireError> {
    match plan.game.as_str() {
        Assemble::NAME => Ok(spec(Assemble, &plan, endpoint).build(brain(&plan)).await?),
        _ => Err(WireError::Game(plan.game)),
    }
}

/// Adds a team to a match on virtual time; its number there.
///
/// # Errors
/// As [`build`].
pub fn join(lockstep: &mut Lockstep, plan: &TeamPlan) -> Result<usize, WireError> {
    match plan.game.as_str() {
        Assemble::NAME => {
            let roster = Arc::new(plan.roster.clone());
            let staged = plan.staged.clone();
            Ok(lockstep.add_team(&Assemble, roster, &plan.seats, plan.team, staged, brain(plan))?)
        }
        other => Err(WireError::Game(other.to_owned())),
    }
}

fn spec<G: Game>(game: G, plan: &TeamPlan, endpoint: Endpoint) -> TeamSpec<G> {
    TeamSpec {
        name: plan.roster.team.clone(),
        game,
        roster: plan.roster.clone(),
        seats: plan.seats.clone(),
        endpoint,
        staged: plan.staged.clone(),
        team: plan.team,
        seat: plan.seat,
    }
}

/// Makes the team's brain; after a panic of its thread, with the generation that decided then.
fn brain(plan: &TeamPlan) -> impl Fn(TeamLink, &Staged) -> Result<LuaBrain, BrainError> + use<> {
    let limits = plan.limits;
    move |link, staged| {
        LuaBrain::new(link, staged, limits)
            .map_err(|error| BrainError::without_place(BrainErrorKind::Script, error.to_string()))
    }
}
