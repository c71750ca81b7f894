//! Colosseum in the programs.

use super::demo::{Connections, DemoAsk, DemoStage};
use super::plugin::Plugin;
use super::{ArenaPlan, WireError};
use phalanx_colosseum::Colosseum;
use phalanx_colosseum::arena::{ArenaOptions, ColosseumArena, GameName};
use phalanx_game::{Arena, Origin};
use std::time::Duration;

/// The shortest tick of a demo in real time: people are to see something.
const PACE: Duration = Duration::from_millis(5);
/// How long the referee waits for a reply.
const MESSAGE_LIMIT: Duration = Duration::from_secs(5);

/// The game's wiring.
pub(super) struct Wiring;

impl Plugin for Wiring {
    type Game = Colosseum;

    const VARIANTS: &'static [&'static str] = &["food_catcher", "cherry_picker", "snake", "chess"];

    fn arena(_plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        // Replaced by the reader of configuration files.
        Err(WireError::Arena("colosseum: no arena yet".to_owned()))
    }

    fn demo(ask: &DemoAsk) -> Result<DemoStage, WireError> {
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
            pace: ask.pace(PACE),
            ..ArenaOptions::default()
        };
        let options = options.strict();
        Ok(DemoStage {
            arena: Box::new(move |origin| arena(options.clone(), origin)),
            agents: 1,
            connections: Connections::Agents,
            turn_limit: MESSAGE_LIMIT,
            idle: "return { decide = function() return act.nothing() end }",
        })
    }
}

fn arena(options: ArenaOptions, origin: Origin) -> Result<Box<dyn Arena>, WireError> {
    let arena = ColosseumArena::new(options, origin)
        .map_err(|error| WireError::Arena(error.to_string()))?;
    Ok(Box::new(arena))
}
