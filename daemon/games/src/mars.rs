//! The wiring of MAPC 2012, Agents on Mars.

use super::demo::{Connections, DemoAsk, DemoStage, PASSWORD};
use super::plugin::{GameSetup, Plugin};
use super::{ArenaPlan, GameOptions, Start, WireError};
use phalanx_game::{Arena, Origin};
use phalanx_mars::Mars;
use phalanx_mars::arena::config::Password;
use phalanx_mars::arena::{ArenaConfig, ArenaOptions, Launch, MarsArena};
use std::time::Duration;

/// The contest's maps.
const CONTEST: &str = include_str!("../../../deploy/arena/mars/contest.toml");
/// A small map.
const QUICK: &str = include_str!("../../../deploy/arena/mars/quick.toml");
const QUICK_WORD: &str = "quick";
/// The shortest step of a demo in real time, so that people can follow.
const PACE: Duration = Duration::from_millis(200);

/// The same on the small map, whose match has few steps.
const QUICK_PACE: Duration = Duration::from_millis(600);

pub(super) struct Wiring;

impl Plugin for Wiring {
    type Game = Mars;

    fn game(&self, _: &GameOptions) -> Mars {
        Mars
    }
}

impl GameSetup for Wiring {
    fn about(&self) -> &'static str {
        "MAPC 2012, Agents on Mars: XML over TCP, port 12300 unless the file says otherwise"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["contest", QUICK_WORD]
    }

    fn pace(&self, variant: Option<&str>) -> Duration {
        if variant == Some(QUICK_WORD) { QUICK_PACE } else { PACE }
    }

    fn launch_key(&self) -> Option<&'static str> {
        Some("start")
    }

    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        let path = plan.config.display();
        let refuse = |error: String| WireError::Arena(format!("{path}: {error}"));
        let bytes = (plan.read)(plan.config).map_err(|error| refuse(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| refuse("not text in UTF-8".to_owned()))?;
        let config = ArenaConfig::read(&text).map_err(|error| {
            let lines: Vec<_> = error.0.iter().map(|line| format!("{path}: {line}")).collect();
            WireError::Arena(lines.join("\n"))
        })?;
        let launch = match plan.start {
            Start::File => None,
            Start::Now => Some(Launch::After(Duration::ZERO)),
            Start::Complete => Some(Launch::Complete),
        };
        let port = config.server.bind.port();
        let options = ArenaOptions { launch, pace: plan.pace, ..ArenaOptions::default() };
        Ok((arena(config, options, plan.origin), port))
    }

    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        let text = ask.settings_or(if ask.is(QUICK_WORD) { QUICK } else { CONTEST });
        let mut config =
            ArenaConfig::read(&text).map_err(|error| ask.refuse(&error.to_string()))?;
        config.sims.truncate(1);
        for sim in &mut config.sims {
            sim.steps = ask.steps.unwrap_or(sim.steps);
        }
        config.teams.truncate(2);
        let [first, second] = config.teams.as_mut_slice() else {
            return Err(ask.refuse("a demo is a match of two teams"));
        };
        for (team, name) in [(first, "A"), (second, "B")] {
            team.name = name.to_owned();
            team.prefix = format!("agent{name}");
            team.password = Password::new(PASSWORD);
        }
        let agents = usize::try_from(config.agents).unwrap_or(usize::MAX);
        let options = ArenaOptions {
            seed: Some(i64::from_ne_bytes(ask.seed.to_ne_bytes())),
            launch: Some(Launch::Complete),
            pace: ask.pace(self.pace(ask.variant.as_deref())),
            ..ArenaOptions::default()
        };
        Ok(DemoStage {
            turn_limit: config.server.timeout,
            arena: Box::new(move |origin| Ok(arena(config.clone(), options.clone(), origin))),
            teams: 2,
            options: GameOptions::new(),
            agents,
            connections: Connections::Agents,
            idle: "return { decide = function() return act.skip() end }",
        })
    }
}

fn arena(config: ArenaConfig, options: ArenaOptions, origin: Origin) -> Box<dyn Arena> {
    Box::new(MarsArena::new(config, options, origin))
}
