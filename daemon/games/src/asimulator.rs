//! The wiring of Asimulator.

use super::demo::{Connections, DemoAsk, DemoStage};
use super::plugin::{GameSetup, Plugin};
use super::{ArenaPlan, GameOptions, Start, WireError};
use phalanx_asimulator::Asimulator;
use phalanx_asimulator::arena::{ArenaConfig, AsimulatorArena};
use phalanx_asimulator::rules::{BoundsMean, Neighbourhood, Preset, ScoreLimitMode};
use phalanx_asimulator::session::{
    BoundsOption, ClientOptions, NeighbourhoodOption, OnUnacceptable,
};
use phalanx_asimulator::wire::{BitOrder, ByteOrder, Dialect, Revision, YAxis};
use phalanx_game::{Arena, Origin};
use phalanx_settings::{KeyDoc, Kind};
use std::time::Duration;

/// The presets, the handbook's example first.
const PRESETS: &[&str] =
    &["wumpus-4x4", "hazard-12x12", "einar-room", "gunnar-60x52", "fire-brigade"];
/// How long a script may take: the simulator itself sets no deadline.
const TURN: Duration = Duration::from_secs(5);
/// The value that means: detect it from the connection.
const AUTO: &str = "auto";

pub(super) struct Wiring;

const fn choice(path: &'static str, words: &'static [&'static str], doc: &'static str) -> KeyDoc {
    KeyDoc { path, kind: Kind::Word(words), default: None, example: "", doc }
}

impl Plugin for Wiring {
    type Game = Asimulator;

    fn game(&self, options: &GameOptions) -> Asimulator {
        let word = |key: &str| options.get(key).map(String::as_str);
        let defaults = ClientOptions::default();
        let dialect = Dialect {
            revision: if word("protocol_revision") == Some("r2") {
                Revision::R2
            } else {
                Revision::R1
            },
            bytes: if word("byte_order") == Some("little") {
                ByteOrder::Little
            } else {
                ByteOrder::Big
            },
            bits: if word("bit_order") == Some("msb_first") {
                BitOrder::MsbFirst
            } else {
                BitOrder::LsbFirst
            },
            y_axis: if word("y_axis") == Some("south") { YAxis::South } else { YAxis::North },
        };
        Asimulator {
            options: ClientOptions {
                dialect,
                detect_revision: word("protocol_revision") == Some(AUTO),
                detect_bits: word("bit_order") == Some(AUTO),
                percept_timeout: word("percept_timeout")
                    .and_then(|time| humantime::parse_duration(time).ok()),
                bounds: match word("bounds_mean") {
                    Some("border") => BoundsOption::Always(BoundsMean::Border),
                    Some("interior") => BoundsOption::Always(BoundsMean::Interior),
                    _ => BoundsOption::Learn,
                },
                neighbourhood: match word("neighbourhood") {
                    Some("4") => NeighbourhoodOption::Always(Neighbourhood::Four),
                    Some("8") => NeighbourhoodOption::Always(Neighbourhood::Eight),
                    _ => NeighbourhoodOption::Learn,
                },
                score_limit: match word("score_limit_mode") {
                    Some("lower") => ScoreLimitMode::Lower,
                    _ => ScoreLimitMode::Upper,
                },
                on_unacceptable: match word("on_unacceptable_rules") {
                    Some("disconnect") => OnUnacceptable::Disconnect,
                    _ => OnUnacceptable::ShutOff,
                },
                ..defaults
            },
        }
    }
}

impl GameSetup for Wiring {
    fn about(&self) -> &'static str {
        "Asimulator: the handbook's binary protocol over TCP, on a free port unless the file says otherwise"
    }

    fn variants(&self) -> &'static [&'static str] {
        PRESETS
    }

    fn login_costs(&self) -> Option<&'static str> {
        Some("the simulator begins a simulation with each client that connects")
    }

    fn pace(&self, variant: Option<&str>) -> Duration {
        Duration::from_millis(tour(preset(variant)).1)
    }

    fn options(&self) -> &'static [KeyDoc] {
        const {
        &[
            choice("protocol_revision", &["r1", "r2", AUTO], "The handbook's revision that is spoken."),
            choice("byte_order", &["big", "little"], "The byte order that the client requests."),
            choice("bit_order", &["lsb_first", "msb_first", AUTO], "Which bit is the first."),
            choice("y_axis", &["north", "south"], "The direction in which y grows on the wire."),
            choice("bounds_mean", &["border", "interior", AUTO], "What announced bounds mean."),
            choice("neighbourhood", &["4", "8", AUTO], "How far Hostility and Fear reach."),
            choice("score_limit_mode", &["upper", "lower"], "Whether a score limit is a target."),
            choice(
                "on_unacceptable_rules",
                &["shut_off", "disconnect"],
                "What happens to rules that a script refuses.",
            ),
            KeyDoc {
                path: "percept_timeout",
                kind: Kind::Duration(1, 86_400_000),
                default: None,
                example: "\"1m\"",
                doc: "How long a percept may take; no limit when absent.",
            },
        ]
        }
    }

    fn arena(&self, plan: &ArenaPlan<'_>) -> Result<(Box<dyn Arena>, u16), WireError> {
        if plan.start != Start::File {
            let reason = "asimulator begins with each client that connects; omit --start";
            return Err(WireError::Arena(reason.to_owned()));
        }
        let config = ArenaConfig::load(plan.config, plan.read)
            .map_err(|error| WireError::Arena(error.to_string()))?;
        let port = config.bind.port();
        Ok((Box::new(arena(config, plan.pace, plan.origin)?), port))
    }

    fn demo(&self, ask: &DemoAsk) -> Result<DemoStage, WireError> {
        let preset = preset(ask.variant.as_deref());
        let mut config = match &ask.settings {
            Some((text, _)) => {
                ArenaConfig::parse(text).map_err(|error| ask.refuse(&error.to_string()))?
            }
            None => ArenaConfig::preset(preset),
        };
        config.seed = ask.seed;
        config.clients = 1;
        config.max_actions = ask.steps.map_or(config.max_actions, u64::from);
        let worlds = if ask.fast || ask.settings.is_some() { config.simulations } else { tour(preset).0 };
        config.simulations = ask.worlds.unwrap_or(worlds);
        let options = ClientOptions { dialect: config.dialect, ..ClientOptions::default() };
        let revision = match options.dialect.revision {
            Revision::R1 => "r1",
            Revision::R2 => "r2",
        };
        let pace = ask.pace(self.pace(ask.variant.as_deref()));
        let game = [("protocol_revision".to_owned(), revision.to_owned())];
        Ok(DemoStage {
            arena: Box::new(move |origin| {
                // The only agent of a team has the team's name.
                let arena = arena(config.clone(), pace, origin)?.calling(["A".to_owned()]);
                Ok(Box::new(arena))
            }),
            teams: 1,
            agents: 1,
            connections: Connections::Agents,
            turn_limit: TURN,
            options: game.into(),
            idle: "return { decide = function() return act.shut_off() end }",
        })
    }
}

/// The preset of a variant, by default the first one.
fn preset(variant: Option<&str>) -> Preset {
    variant.and_then(Preset::parse).unwrap_or(Preset::Wumpus4x4)
}

/// The number of worlds of a demo in real time, and the milliseconds between two actions. Large
/// worlds take many actions.
fn tour(preset: Preset) -> (u32, u64) {
    match preset {
        Preset::Wumpus4x4 => (100, 150),
        Preset::Hazard12x12 => (10, 60),
        Preset::EinarRoom => (10, 50),
        Preset::Gunnar60x52 => (1, 20),
        Preset::FireBrigade => (10, 40),
    }
}

fn arena(
    config: ArenaConfig,
    pace: Duration,
    origin: Origin,
) -> Result<AsimulatorArena, WireError> {
    let arena = AsimulatorArena::new(config, origin)
        .map_err(|error| WireError::Arena(error.to_string()))?;
    Ok(arena.paced(pace))
}
