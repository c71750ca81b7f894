//! The wiring of Bomberland.

use super::demo::{Connections, DemoAsk, DemoStage};
use super::plugin::{GameSetup, Plugin};
use super::replays::{self, ReplayForm};
use super::{ArenaPlan, GameOptions, Start, WireError};
use phalanx_bomberland::Bomberland;
use phalanx_bomberland::arena::{ArenaConfig, ArenaOptions, BomberlandArena};
use phalanx_game::{AgentId, Arena, Origin, Seat, SeatId};
use phalanx_settings::{KeyDoc, Kind, LimitSettings, TeamSettings};
use std::fmt::Write as _;
use std::time::Duration;

/// The rules of the current engine.
const ENGINE: &str = include_str!("../../../deploy/arena/bomberland/engine.env");
/// The rules of the older document.
const CLASSIC: &str = include_str!("../../../deploy/arena/bomberland/classic.env");
const CLASSIC_WORD: &str = "classic";
/// The shortest tick of a demo in real time, twice the engine's own.
const PACE: Duration = Duration::from_millis(200);
/// Length of a tick unless the team's settings set another.
const TICK: Duration = Duration::from_millis(100);

/// The option that names the player.
const AGENT_ID: &str = "agent_id";
/// The option with which our admin connection requests the ticks.
const TRAINING: &str = "training";
/// The name of the admin connection.
const ADMIN: &str = "admin";

pub(super) struct Wiring;

impl Plugin for Wiring {
    type Game = Bomberland;

    fn game(&self, _: &GameOptions) -> Bomberland {
        Bomberland
    }
}

impl GameSetup for Wiring {
    fn about(&self) -> &'static str {
        "Bomberland: JSON over WebSocket, port 3000 unless the file says otherwise"
    }

    fn replay(&self) -> Option<&'static ReplayForm> {
        Some(&replays::bomberland::FORM)
    }

    fn variants(&self) -> &'static [&'static str] {
        &["engine", CLASSIC_WORD]
    }

    fn pace(&self, _variant: Option<&str>) -> Duration {
        PACE
    }

    fn login_costs(&self) -> Option<&'static str> {
        Some("the engine begins the match when its agents are connected; a trial login is one")
    }

    fn options(&self) -> &'static [KeyDoc] {
        &[
            KeyDoc {
                path: AGENT_ID,
                kind: Kind::Secret,
                default: None,
                example: "\"agentA\"",
                doc: "The player's secret id; the team's name when absent.",
            },
            KeyDoc {
                path: TRAINING,
                kind: Kind::Duration(1, 600_000),
                default: None,
                example: "\"100ms\"",
                doc: "In training mode: how often our admin connection asks for a tick.",
            },
        ]
    }

    /// One connection for all agents, and in training mode one that requests the ticks.
    fn seats(&self, team: &TeamSettings, limits: &LimitSettings) -> Vec<Seat> {
        let id = team.option_text(AGENT_ID).unwrap_or(&team.name);
        let agents = (0..).zip(&team.agents);
        // The id is a secret, so it is not used as the name that logs show.
        let seat = |number, user: &str, secret: &str, agents, turn_limit| Seat {
            id: SeatId(number),
            agents,
            user: user.to_owned(),
            password: secret.to_owned(),
            turn_limit,
            margin: limits.margin(),
        };
        let named = agents.map(|(index, agent)| (AgentId(index), agent.name.clone())).collect();
        let player = seat(0, &team.name, id, named, team.deadline);
        let admin = team.option_time(TRAINING).map(|pace| seat(1, ADMIN, "", Vec::new(), pace));
        [Some(player), admin].into_iter().flatten().collect()
    }

    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        let config = ArenaConfig::load(plan.config, plan.read)
            .map_err(|error| WireError::Arena(error.to_string()))?;
        if plan.start == Start::Now {
            let reason = "bomberland begins when all agents are connected; omit --start";
            return Err(WireError::Arena(reason.to_owned()));
        }
        let port = config.server.port;
        // Like the engine: admins may reset a game that is over, and late clients get its result.
        let options = ArenaOptions { stay: true, ..ArenaOptions::default() };
        Ok((arena(config, options, plan.pace, plan.origin)?, port))
    }

    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        let text = config(ask);
        let config = ArenaConfig::parse(&text).map_err(|error| ask.refuse(&error.to_string()))?;
        let agents = config.setup.units_per_agent.into();
        let pace = ask.pace(self.pace(ask.variant.as_deref()));
        Ok(DemoStage {
            arena: Box::new(move |origin| {
                arena(config.clone(), ArenaOptions::default(), pace, origin)
            }),
            teams: 2,
            options: GameOptions::new(),
            agents,
            connections: Connections::Team,
            turn_limit: TICK,
            idle: "return { decide = function() return act.wait() end }",
        })
    }
}

/// A referee whose ticks last at least `pace`.
fn arena(
    mut config: ArenaConfig,
    options: ArenaOptions,
    pace: Duration,
    origin: Origin,
) -> Result<Box<dyn Arena>, WireError> {
    let slowest = Duration::from_secs(1).as_millis().checked_div(pace.as_millis());
    let slowest = slowest.and_then(|hz| u32::try_from(hz.max(1)).ok());
    let server = &mut config.server;
    server.tick_rate_hz = slowest.map_or(server.tick_rate_hz, |hz| server.tick_rate_hz.min(hz));
    let arena = BomberlandArena::new(config, options, origin)
        .map_err(|error| WireError::Arena(error.to_string()))?;
    Ok(Box::new(arena))
}

/// Later lines win, so the demo's own values come last.
fn config(ask: &DemoAsk) -> String {
    let mut config = ask.settings_or(if ask.is(CLASSIC_WORD) { CLASSIC } else { ENGINE });
    let mut set = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        write!(config, "\n{name}={value}").unwrap_or_default();
    };
    set("AGENT_SECRET_ID_MAP", r#"{"A":"a","B":"b"}"#);
    set("TOTAL_AGENTS", "2");
    set("TRAINING_MODE_ENABLED", "0");
    set("WORLD_SEED", &ask.seed.to_string());
    set("PRNG_SEED", &ask.seed.to_string());
    if let Some(steps) = ask.steps {
        set("GAME_DURATION_TICKS", &steps.to_string());
    }
    if ask.fast {
        // Ticks are what counts: with the engine's tenth of a second, a script on a busy machine
        // could lose its turn, which would change the match.
        set("TICK_RATE_HZ", "1");
    }
    config
}
