//! The only file that names every plugin: here a game's types are erased.

use phalanx_assemble::Assemble;
use phalanx_assemble::arena::config::Launch;
use phalanx_assemble::arena::{ArenaConfig, ArenaOptions, AssembleArena};
use phalanx_bomberland::{Bomberland, arena as bomberland};
use phalanx_engine::{BrainError, BrainErrorKind, Staged, TeamLink, TeamOptions};
use phalanx_game::{AgentId, Api, Arena, Framing, Game, Origin, Roster, Seat, SeatId};
use phalanx_lua::{Limits, LuaBrain};
use phalanx_net::{BuildError, BuiltTeam, Endpoint, Listener, Lockstep, SeatOptions, TeamSpec};
use phalanx_settings::{LimitSettings, TeamSettings};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// MAPC 2020, Agents Assemble II.
pub const ASSEMBLE: &str = Assemble::NAME;

/// Bomberland.
pub const BOMBERLAND: &str = Bomberland::NAME;

/// The games that this build plays, by name.
pub const GAMES: &[&str] = &[ASSEMBLE, BOMBERLAND];

/// What a game offers to scripts.
#[must_use]
pub fn api(game: &str) -> Option<&'static Api> {
    match game {
        Assemble::NAME => Some(const { &Assemble::API }),
        Bomberland::NAME => Some(const { &Bomberland::API }),
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

/// How a game's connections cut what they carry; unknown games carry bytes.
fn framing(game: &str) -> Framing {
    match game {
        Bomberland::NAME => Bomberland::FRAMING,
        _ => Assemble::FRAMING,
    }
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

/// The connections of a team: one an agent, or one for all where the game has it so. In
/// Bomberland the player logs in with `options.agent_id`, or with the team's name.
#[must_use]
pub fn seats(team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
    if team.game != Bomberland::NAME {
        return team.seats(limits);
    }
    let id = team.options.get("agent_id").and_then(|id| id.as_str()).unwrap_or(&team.name);
    let agents = (0..).zip(&team.agents);
    vec![Seat {
        id: SeatId(0),
        agents: agents.map(|(index, agent)| (AgentId(index), agent.name.clone())).collect(),
        user: id.to_owned(),
        password: String::new(),
        turn_limit: team.deadline,
        margin: limits.margin(),
    }]
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
        Bomberland::NAME => bomberland_arena(plan),
        other => Err(WireError::Game(other.to_owned())),
    }
}

fn bomberland_arena(plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
    let mut config = bomberland::ArenaConfig::load(plan.config, plan.read)
        .map_err(|error| WireError::Arena(error.to_string()))?;
    if plan.start == Start::Now {
        let reason = "bomberland begins when all agents are there; leave --start out";
        return Err(WireError::Arena(reason.to_owned()));
    }
    let slowest = Duration::from_secs(1).as_millis().checked_div(plan.pace.as_millis());
    let slowest = slowest.and_then(|hz| u32::try_from(hz.max(1)).ok());
    let server = &mut config.server;
    server.tick_rate_hz = slowest.map_or(server.tick_rate_hz, |hz| server.tick_rate_hz.min(hz));
    let port = server.port;
    let options = bomberland::ArenaOptions::default();
    let arena = bomberland::BomberlandArena::new(config, options, plan.origin)
        .map_err(|error| WireError::Arena(error.to_string()))?;
    Ok((Box::new(arena), port))
}

/// How many units a player of Bomberland commands by the text of a referee's configuration.
///
/// # Errors
/// All mistakes of the configuration.
pub fn bomberland_units(text: &str) -> Result<usize, WireError> {
    let config = bomberland::ArenaConfig::parse(text);
    let config = config.map_err(|error| WireError::Arena(error.to_string()))?;
    Ok(config.setup.units_per_agent.into())
}

/// Builds a team that plays over connections.
///
/// # Errors
/// When the game does not exist, the strategy does not load, or seats and roster do not fit.
pub async fn build(plan: TeamPlan, endpoint: Endpoint) -> Result<BuiltTeam, WireError> {
    match plan.game.as_str() {
        Assemble::NAME => Ok(spec(Assemble, &plan, endpoint).build(brain(&plan)).await?),
        Bomberland::NAME => Ok(spec(Bomberland, &plan, endpoint).build(brain(&plan)).await?),
        _ => Err(WireError::Game(plan.game)),
    }
}

/// Adds a team to a match on virtual time; its number there.
///
/// # Errors
/// As [`build`].
pub fn join(lockstep: &mut Lockstep, plan: &TeamPlan) -> Result<usize, WireError> {
    match plan.game.as_str() {
        Assemble::NAME => add(lockstep, &Assemble, plan),
        Bomberland::NAME => add(lockstep, &Bomberland, plan),
        other => Err(WireError::Game(other.to_owned())),
    }
}

fn add<G: Game>(lockstep: &mut Lockstep, game: &G, plan: &TeamPlan) -> Result<usize, WireError> {
    let roster = Arc::new(plan.roster.clone());
    let staged = plan.staged.clone();
    Ok(lockstep.add_team(game, roster, &plan.seats, plan.team, staged, brain(plan))?)
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
