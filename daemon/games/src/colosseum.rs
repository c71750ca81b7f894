//! The wiring of Colosseum.

use super::demo::{Connections, DemoAsk, DemoStage};
use super::plugin::{GameSetup, Plugin};
use super::replays::{self, ReplayForm};
use super::{ArenaPlan, GameOptions, Start, WireError};
use phalanx_colosseum::Colosseum;
use phalanx_colosseum::arena::config::{ArenaConfig, ConfigError};
use phalanx_colosseum::arena::{ArenaOptions, ColosseumArena, GameName};
use phalanx_colosseum::rules::catcher::Fairness;
use phalanx_game::{Arena, Origin};
use phalanx_net::{Player, PlayerProcesses, Stderr};
use std::path::PathBuf;
use std::time::Duration;

/// Default port for agents that the referee does not start.
const PORT: u16 = 12_400;
/// How long the referee waits for a reply.
const MESSAGE_LIMIT: Duration = Duration::from_secs(5);

pub(super) struct Wiring;

impl Plugin for Wiring {
    type Game = Colosseum;

    fn game(&self, _: &GameOptions) -> Colosseum {
        Colosseum
    }
}

impl GameSetup for Wiring {
    fn about(&self) -> &'static str {
        "Colosseum: starts agent executables and speaks JSON lines with them"
    }

    fn replay(&self) -> Option<&'static ReplayForm> {
        Some(&replays::colosseum::FORM)
    }

    fn variants(&self) -> &'static [&'static str] {
        &["food_catcher", "cherry_picker", "snake", "chess"]
    }

    // The referee asks each agent only after the previous one has answered.
    fn is_together(&self) -> bool {
        false
    }

    fn pace(&self, variant: Option<&str>) -> Duration {
        let game = variant.and_then(GameName::parse).unwrap_or(GameName::FoodCatcher);
        // The default numbers of ticks differ that much: 10,000, 1,000, about 200.
        Duration::from_millis(match game {
            GameName::FoodCatcher | GameName::CherryPicker => 15,
            GameName::Snake => 150,
            GameName::Chess => 600,
        })
    }

    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        if plan.start == Start::Now {
            let reason = "colosseum begins when its agents are connected; omit --start";
            return Err(WireError::Arena(reason.to_owned()));
        }
        let options = ArenaOptions { pace: plan.pace, ..config(plan)?.options };
        Ok((arena(options, plan.origin)?, PORT))
    }

    fn player_processes(&self, plan: &ArenaPlan<'_>) -> Result<Option<PlayerProcesses>, WireError> {
        let ArenaConfig { options, paths } = config(plan)?;
        let player = |(name, path): (String, Option<String>)| Player {
            name,
            program: path.map(PathBuf::from),
        };
        let stderr = match options.fairness {
            Fairness::Loose => Stderr::Merged,
            Fairness::Strict => Stderr::Reported,
        };
        let players = options.players.into_iter().zip(paths).map(player).collect();
        Ok(Some(PlayerProcesses { players, stderr }))
    }

    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        if ask.settings.is_some() {
            return Err(ask.refuse("a demo of colosseum is set up by --variant and --steps"));
        }
        let word = ask.variant.as_deref();
        let game = word.and_then(GameName::parse).unwrap_or(GameName::FoodCatcher);
        let options = ArenaOptions {
            game,
            players: vec!["A".to_owned(), "B".to_owned()],
            seed: ask.seed,
            epochs: ask.steps,
            message_limit: MESSAGE_LIMIT,
            pace: ask.pace(self.pace(ask.variant.as_deref())),
            ..ArenaOptions::default()
        };
        let options = options.strict();
        Ok(DemoStage {
            arena: Box::new(move |origin| arena(options.clone(), origin)),
            teams: 2,
            options: GameOptions::new(),
            agents: 1,
            connections: Connections::Agents,
            turn_limit: MESSAGE_LIMIT,
            idle: "return { decide = function() return act.nothing() end }",
        })
    }
}

fn config(plan: &ArenaPlan<'_>) -> Result<ArenaConfig, WireError> {
    let path = plan.config.display();
    let refuse = |error: String| WireError::Arena(format!("{path}: {error}"));
    let bytes = (plan.read)(plan.config).map_err(|error| refuse(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refuse("not text in UTF-8".to_owned()))?;
    let explain = |error: ConfigError| {
        let lines: Vec<_> = error.mistakes().iter().map(|line| format!("{path}: {line}")).collect();
        WireError::Arena(lines.join("\n"))
    };
    ArenaConfig::read(&text).map_err(explain)
}

fn arena(options: ArenaOptions, origin: Origin) -> Result<Box<dyn Arena>, WireError> {
    let arena = ColosseumArena::new(options, origin)
        .map_err(|error| WireError::Arena(error.to_string()))?;
    Ok(Box::new(arena))
}
