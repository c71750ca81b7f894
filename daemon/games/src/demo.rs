//! A demo, by game: the referee, the number of players, the seats.

use super::{GameOptions, WireError};
use phalanx_game::{AgentId, Arena, MarginLimits, Origin, Roster, Seat, SeatId};
use std::fmt;
use std::time::Duration;

/// The password of all accounts of a demo.
pub(super) const PASSWORD: &str = "demo";

/// The demo that the command line asks for.
#[derive(Clone, Debug)]
pub struct DemoAsk {
    /// Seed of the map and of the referee's random numbers.
    pub seed: u64,
    /// Number of steps; `None`: the game's own number.
    pub steps: Option<u32>,
    /// The match runs on virtual time.
    pub fast: bool,
    /// Shortest time of a step; `None`: the game's own.
    pub pace: Option<Duration>,
    /// Number of worlds, in games that play several; `None`: the game's own number.
    pub worlds: Option<u32>,
    /// The variant; `None`: the game's first.
    pub variant: Option<String>,
    /// Text and name of a file with settings in the organisers' format.
    pub settings: Option<(String, String)>,
}

impl DemoAsk {
    /// The shortest time of a step; 0 on virtual time.
    pub(super) fn pace(&self, usual: Duration) -> Duration {
        if self.fast { Duration::ZERO } else { self.pace.unwrap_or(usual) }
    }

    /// Whether this variant was asked for.
    pub(super) fn is(&self, variant: &str) -> bool {
        self.variant.as_deref() == Some(variant)
    }

    /// The settings, or the default ones.
    pub(super) fn settings_or(&self, default: &str) -> String {
        self.settings.as_ref().map_or_else(|| default.to_owned(), |(text, _)| text.clone())
    }

    /// The error for a mistake in the settings.
    pub(super) fn refuse(&self, reason: &str) -> WireError {
        let name = self.settings.as_ref().map_or("the demo's settings", |(_, name)| name);
        WireError::Arena(format!("{name}: {reason}"))
    }
}

/// The only game whose matches are played in several worlds.
const WORLDS_GAME: &str = "asimulator";

/// Refuses a number of worlds for a game that has one.
///
/// # Errors
/// Which game has several.
pub fn check_worlds(game: &str, worlds: Option<u32>) -> Result<(), WireError> {
    if worlds.is_some() && game != WORLDS_GAME {
        let text = format!("a match of {game} has one world; --worlds is for {WORLDS_GAME}");
        return Err(WireError::Arena(text));
    }
    Ok(())
}

/// How a team connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connections {
    /// One connection per agent, under its name.
    Agents,
    /// One connection for the whole team, under the team's name.
    Team,
}

/// Builds the referee for the given first instant of its clock.
pub type ArenaMaker = Box<dyn Fn(Origin) -> Result<Box<dyn Arena>, WireError> + Send + Sync>;

/// A match without its players.
pub struct DemoStage {
    /// Builds the referee.
    pub arena: ArenaMaker,
    /// Teams of a match: two, or one that plays alone.
    pub teams: usize,
    /// Agents of a team.
    pub agents: usize,
    /// How a team connects.
    pub connections: Connections,
    /// Longest turn.
    pub turn_limit: Duration,
    /// The options that the teams' settings would have.
    pub options: GameOptions,
    /// The script of a team that does nothing.
    pub idle: &'static str,
}

impl fmt::Debug for DemoStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DemoStage")
            .field("teams", &self.teams)
            .field("agents", &self.agents)
            .field("connections", &self.connections)
            .field("turn_limit", &self.turn_limit)
            .finish_non_exhaustive()
    }
}

impl DemoStage {
    /// The name of an agent, counted from 1. A team of one agent has the agent's name.
    #[must_use]
    pub fn agent_name(&self, team: &str, number: usize) -> String {
        if self.agents == 1 { team.to_owned() } else { format!("agent{team}{number}") }
    }

    /// The connections of a team.
    #[must_use]
    pub fn seats(&self, roster: &Roster) -> Vec<Seat> {
        let named = |agent: AgentId| (agent, roster.name(agent).to_owned());
        let seat = |id, user: &str, password: &str, agents| Seat {
            id: SeatId(id),
            agents,
            user: user.to_owned(),
            password: password.to_owned(),
            turn_limit: self.turn_limit,
            margin: MarginLimits::default(),
        };
        match self.connections {
            Connections::Agents => roster
                .ids()
                .zip(0..)
                .map(|(agent, id)| seat(id, roster.name(agent), PASSWORD, vec![named(agent)]))
                .collect(),
            // Such a referee needs only the team's name.
            Connections::Team => vec![seat(0, &roster.team, "", roster.ids().map(named).collect())],
        }
    }
}
