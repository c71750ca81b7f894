//! What a demo is about, by game: the referee, how many play, who sits where.

use super::{GameOptions, WireError};
use phalanx_game::{AgentId, Arena, MarginLimits, Origin, Roster, Seat, SeatId};
use std::fmt;
use std::time::Duration;

/// The password of all accounts of a demo.
pub(super) const PASSWORD: &str = "demo";

/// What was asked for on the command line.
#[derive(Clone, Debug)]
pub struct DemoAsk {
    /// Seed of the map and of the referee's dice.
    pub seed: u64,
    /// How many steps; `None`: the game's own number.
    pub steps: Option<u32>,
    /// On virtual time.
    pub fast: bool,
    /// Shortest time of a step; `None`: the game's own.
    pub pace: Option<Duration>,
    /// How many worlds, where a game plays many; `None`: the game's own number.
    pub worlds: Option<u32>,
    /// The flavour, one of the game's; `None`: its first.
    pub variant: Option<String>,
    /// The text of a file with settings in the organisers' format, and its name.
    pub settings: Option<(String, String)>,
}

impl DemoAsk {
    /// The shortest time of a step: none on virtual time.
    pub(super) fn pace(&self, usual: Duration) -> Duration {
        if self.fast { Duration::ZERO } else { self.pace.unwrap_or(usual) }
    }

    /// Whether the flavour is this one.
    pub(super) fn is(&self, variant: &str) -> bool {
        self.variant.as_deref() == Some(variant)
    }

    /// The settings, or a text of ours.
    pub(super) fn settings_or(&self, default: &str) -> String {
        self.settings.as_ref().map_or_else(|| default.to_owned(), |(text, _)| text.clone())
    }

    /// A mistake in the settings.
    pub(super) fn refuse(&self, reason: &str) -> WireError {
        let name = self.settings.as_ref().map_or("the demo's settings", |(_, name)| name);
        WireError::Arena(format!("{name}: {reason}"))
    }
}

/// Who connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connections {
    /// Each agent, under its name.
    Agents,
    /// The team for all its agents, under the team's name.
    Team,
}

/// Makes the referee; its clock's first instant is given.
pub type ArenaMaker = Box<dyn Fn(Origin) -> Result<Box<dyn Arena>, WireError> + Send + Sync>;

/// A match without its players.
pub struct DemoStage {
    /// Makes the referee.
    pub arena: ArenaMaker,
    /// Teams of a match: two, or one that plays alone.
    pub teams: usize,
    /// Agents of a team.
    pub agents: usize,
    /// Who connects.
    pub connections: Connections,
    /// How long a turn lasts at most.
    pub turn_limit: Duration,
    /// What the teams' settings would say about the game.
    pub options: GameOptions,
    /// The role of a team that does nothing, as a script.
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
    /// The name of an agent, counted from 1. A team of one is its agent: it bears the team's name.
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
            // The team's name is all that such a referee wants to know.
            Connections::Team => vec![seat(0, &roster.team, "", roster.ids().map(named).collect())],
        }
    }
}
