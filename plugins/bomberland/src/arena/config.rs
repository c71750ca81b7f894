//! The referee's configuration: the engine's environment variables, each under its own name (spec
//! section 5). They come as pairs or as a file of `NAME=value` lines.

mod reader;

use super::ForwardMode;
use crate::rules::{GameParams, SIDE_MAX, Setup};
use reader::VariableReader;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

/// All variables of the engine, and `PRESET`, `CLOSE_REFUSED_MS`, `FORWARD_MODE` and `LENIENT`, which
/// are ours.
pub const VARIABLES: &[&str] = &[
    "ADMIN_ROLE_ENABLED",
    "AGENT_SECRET_ID_MAP",
    "AMMO_DURATION_TICKS",
    "AMMO_SPAWN_WEIGHTING",
    "BLAST_DURATION_TICKS",
    "BLAST_POWERUP_DURATION_TICKS",
    "BLAST_POWERUP_SPAWN_WEIGHTING",
    "BOMB_ARMED_TICKS",
    "BOMB_DURATION_TICKS",
    "BUILD",
    "CLOSE_REFUSED_MS",
    "ENTITY_SPAWN_PROBABILITY_PER_TICK",
    "ENVIRONMENT",
    "FIRE_SPAWN_INTERVAL_TICKS",
    "FORWARD_MODE",
    "FREEZE_DEBUFF_DURATION_TICKS",
    "FREEZE_POWERUP_DURATION_TICKS",
    "FREEZE_POWERUP_SPAWN_WEIGHTING",
    "GAME_DURATION_TICKS",
    "GAME_START_DELAY_MS",
    "HOOK_AUTH_TOKEN",
    "INITIAL_AMMUNITION",
    "INITIAL_BLAST_DIAMETER",
    "INITIAL_HP",
    "INVULNERABILITY_TICKS",
    "LENIENT",
    "MAP_HEIGHT",
    "MAP_WIDTH",
    "MAXIMUM_CONCURRENT_BOMBS",
    "OBJECT_DESTRUCTION_ITEM_DROP_PROBABILITY",
    "ORE_BLOCK_FREQUENCY",
    "PORT",
    "PRESET",
    "PRNG_SEED",
    "REPLAY_WEBHOOK",
    "SAVE_REPLAY_ENABLED",
    "SHUTDOWN_ON_GAME_END_ENABLED",
    "STEEL_BLOCK_FREQUENCY",
    "SYMMETRICAL_MAP_ENABLED",
    "TELEMETRY_ENABLED",
    "TICK_RATE_HZ",
    "TOTAL_AGENTS",
    "TOURNAMENT_AGENT_CONNECTION_GRACE_PERIOD_MS",
    "TRAINING_MODE_ENABLED",
    "UI_ENABLED",
    "UNITS_PER_AGENT",
    "WOOD_BLOCK_FREQUENCY",
    "WORLD_SEED",
];

/// A referee's configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ArenaConfig {
    /// How worlds are made.
    pub setup: Setup,
    /// The rules.
    pub params: GameParams,
    /// Sessions and time.
    pub server: EngineConfig,
}

/// How the referee deals with connections and time.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// Where the engine listens.
    pub port: u16,
    /// Ticks a second.
    pub tick_rate_hz: u32,
    /// From the moment all agents are there to the start of the clock.
    pub start_delay: Duration,
    /// Secrets by which agents log in, with the ids of the agents.
    pub secrets: Vec<(String, String)>,
    /// Whether admins are admitted.
    pub admin: bool,
    /// No clock: ticks only when an admin asks for them.
    pub training: bool,
    /// After this time without all agents the match is given up.
    pub grace: Option<Duration>,
    /// Close all connections a while after the end.
    pub shutdown: bool,
    /// Write the replay.
    pub save_replay: bool,
    /// Seed of the map; by chance where absent.
    pub world_seed: Option<u64>,
    /// Seed of the game; by chance where absent.
    pub prng_seed: Option<u64>,
    /// Close connections that are refused after this long; the engine keeps them open in silence.
    pub close_refused: Option<Duration>,
    /// Also take the older document's detonation: a `move` with coordinates.
    pub lenient: bool,
    /// How the forward model reads states.
    pub forward: ForwardMode,
}

impl Default for ArenaConfig {
    fn default() -> Self {
        Self {
            setup: Setup::default(),
            params: GameParams::default(),
            server: EngineConfig {
                port: 3000,
                tick_rate_hz: 10,
                start_delay: Duration::from_millis(2000),
                secrets: pairs(&["agentA", "agentB"]),
                admin: true,
                training: false,
                grace: None,
                shutdown: false,
                save_replay: true,
                world_seed: None,
                prng_seed: None,
                close_refused: None,
                lenient: false,
                forward: ForwardMode::default(),
            },
        }
    }
}

/// Secrets with the ids that the engine gives out in their order.
fn pairs(secrets: &[&str]) -> Vec<(String, String)> {
    let ids = ('a'..='z').map(String::from);
    secrets.iter().map(|secret| (*secret).to_owned()).zip(ids).collect()
}

/// All that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors {
    /// One line each.
    pub lines: Vec<String>,
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

impl std::error::Error for ConfigErrors {}

impl ArenaConfig {
    /// What the older document has (`PRESET=classic`): limited ammunition, longer fuses and
    /// blasts, items that appear by themselves. Where that document is silent, the values with
    /// which its games were played.
    #[must_use]
    pub fn classic() -> Self {
        let engine = Self::default();
        Self {
            setup: Setup {
                ammunition: 3,
                metal: 0.222_222_222_222_222_2,
                wood: 0.246_913_580_246_913_6,
                ore: 0.061_728_395_061_728_4,
                ..engine.setup
            },
            params: GameParams {
                ammo_weight: 0.9,
                blast_weight: 0.1,
                freeze_weight: 0.0,
                blast_duration: 10,
                fuse: 40,
                spawn_probability: 0.025,
                drop_probability: 0.0,
                game_duration: 300,
                bombs_max: 9,
                ..engine.params
            },
            server: EngineConfig {
                shutdown: true,
                world_seed: Some(723_470),
                prng_seed: Some(615_035),
                ..engine.server
            },
        }
    }

    /// A configuration from variables; the rest are defaults of the preset.
    ///
    /// # Errors
    /// All mistakes at once, each with its variable.
    pub fn from_variables(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigErrors> {
        let mut reader = VariableReader::new(variables.into_iter().collect::<BTreeMap<_, _>>());
        reader.unknown(VARIABLES);
        let mut config = match reader.word("PRESET", &["engine", "classic"]) {
            Some(1) => Self::classic(),
            Some(_) | None => Self::default(),
        };
        read_setup(&mut reader, &mut config.setup);
        read_params(&mut reader, &mut config.params);
        read_server(&mut reader, &mut config.server);
        let weights =
            config.params.ammo_weight + config.params.blast_weight + config.params.freeze_weight;
        if weights != 1.0 {
            reader.complain(format!(
                "AMMO_SPAWN_WEIGHTING, BLAST_POWERUP_SPAWN_WEIGHTING and FREEZE_POWERUP_SPAWN_WEIGHTING must sum to exactly 1, not {weights}"
            ));
        }
        if config.setup.symmetrical && config.setup.agents != 2 {
            reader.complain(format!(
                "TOTAL_AGENTS = {}: symmetrical maps are for 2 agents",
                config.setup.agents
            ));
        }
        reader.finish(config)
    }

    /// A configuration from the text of a file: `NAME=value` lines, `#` comments.
    ///
    /// # Errors
    /// As [`ArenaConfig::from_variables`], and lines without `=`.
    pub fn parse(text: &str) -> Result<Self, ConfigErrors> {
        let (mut variables, mut lines) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.split_once('=') {
                Some((name, value)) => {
                    let value = value.trim();
                    let quoted = ['"', '\''].iter().find_map(|quote| {
                        value.strip_prefix(*quote).and_then(|rest| rest.strip_suffix(*quote))
                    });
                    let value = quoted.unwrap_or(value).to_owned();
                    variables.push((name.trim().to_owned(), value));
                }
                None => lines.push(format!("line {number}: expected NAME=value")),
            }
        }
        match Self::from_variables(variables) {
            Ok(config) if lines.is_empty() => Ok(config),
            Ok(_) => Err(ConfigErrors { lines }),
            Err(errors) => {
                lines.extend(errors.lines);
                Err(ConfigErrors { lines })
            }
        }
    }

    /// A configuration from a file.
    ///
    /// # Errors
    /// When it cannot be read; otherwise as [`ArenaConfig::parse`].
    pub fn load(
        path: &Path,
        read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> Result<Self, ConfigErrors> {
        let at = |line: String| format!("{}: {line}", path.display());
        let bytes =
            read(path).map_err(|error| ConfigErrors { lines: vec![at(error.to_string())] })?;
        Self::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|errors| ConfigErrors { lines: errors.lines.into_iter().map(at).collect() })
    }
}

fn read_setup(reader: &mut VariableReader, setup: &mut Setup) {
    reader.flag("SYMMETRICAL_MAP_ENABLED", &mut setup.symmetrical);
    reader.int("MAP_WIDTH", &mut setup.width, 1, SIDE_MAX.into());
    reader.int("MAP_HEIGHT", &mut setup.height, 1, SIDE_MAX.into());
    reader.int("TOTAL_AGENTS", &mut setup.agents, 1, 12);
    reader.int("UNITS_PER_AGENT", &mut setup.units_per_agent, 1, 100);
    reader.int("INITIAL_AMMUNITION", &mut setup.ammunition, 0, NUMBER_MAX);
    reader.int("INITIAL_BLAST_DIAMETER", &mut setup.blast_diameter, 0, NUMBER_MAX);
    reader.int("INITIAL_HP", &mut setup.hp, 1, NUMBER_MAX);
    reader.fraction("STEEL_BLOCK_FREQUENCY", &mut setup.metal, 1.0);
    reader.fraction("WOOD_BLOCK_FREQUENCY", &mut setup.wood, 1.0);
    reader.fraction("ORE_BLOCK_FREQUENCY", &mut setup.ore, 1.0);
}

/// Whole numbers of the rules are not larger, so that sums fit.
const NUMBER_MAX: i64 = 1_000_000_000;

fn read_params(reader: &mut VariableReader, params: &mut GameParams) {
    for (name, target) in [
        ("AMMO_DURATION_TICKS", &mut params.ammo_duration),
        ("BLAST_DURATION_TICKS", &mut params.blast_duration),
        ("BLAST_POWERUP_DURATION_TICKS", &mut params.powerup_duration),
        ("BOMB_ARMED_TICKS", &mut params.armed),
        ("BOMB_DURATION_TICKS", &mut params.fuse),
        ("GAME_DURATION_TICKS", &mut params.game_duration),
        ("INVULNERABILITY_TICKS", &mut params.invulnerability),
        ("MAXIMUM_CONCURRENT_BOMBS", &mut params.bombs_max),
    ] {
        reader.int(name, target, 0, NUMBER_MAX);
    }
    for (name, target) in [
        ("AMMO_SPAWN_WEIGHTING", &mut params.ammo_weight),
        ("BLAST_POWERUP_SPAWN_WEIGHTING", &mut params.blast_weight),
        ("FREEZE_POWERUP_SPAWN_WEIGHTING", &mut params.freeze_weight),
        ("ENTITY_SPAWN_PROBABILITY_PER_TICK", &mut params.spawn_probability),
        ("OBJECT_DESTRUCTION_ITEM_DROP_PROBABILITY", &mut params.drop_probability),
    ] {
        reader.fraction(name, target, 1.0);
    }
    reader.fraction("FIRE_SPAWN_INTERVAL_TICKS", &mut params.fire_interval, 1.0e9);
    reader.fraction("FREEZE_DEBUFF_DURATION_TICKS", &mut params.freeze_ticks, 1.0e9);
    // The engine reads this one and never uses it.
    reader.fraction("FREEZE_POWERUP_DURATION_TICKS", &mut 0.0, 1.0e9);
}

fn read_server(reader: &mut VariableReader, server: &mut EngineConfig) {
    const HOUR_MS: i64 = 3_600_000;
    reader.int("PORT", &mut server.port, 0, u16::MAX.into());
    reader.int("TICK_RATE_HZ", &mut server.tick_rate_hz, 1, 1000);
    reader.flag("ADMIN_ROLE_ENABLED", &mut server.admin);
    reader.flag("TRAINING_MODE_ENABLED", &mut server.training);
    reader.flag("SHUTDOWN_ON_GAME_END_ENABLED", &mut server.shutdown);
    reader.flag("SAVE_REPLAY_ENABLED", &mut server.save_replay);
    let mut delay = u64::try_from(server.start_delay.as_millis()).unwrap_or_default();
    reader.int("GAME_START_DELAY_MS", &mut delay, 0, HOUR_MS);
    server.start_delay = Duration::from_millis(delay);
    reader.maybe("TOURNAMENT_AGENT_CONNECTION_GRACE_PERIOD_MS", HOUR_MS, |ms| {
        server.grace = Some(Duration::from_millis(ms));
    });
    reader.maybe("WORLD_SEED", SEED_MAX, |seed| server.world_seed = Some(seed));
    reader.maybe("PRNG_SEED", SEED_MAX, |seed| server.prng_seed = Some(seed));
    reader.flag("LENIENT", &mut server.lenient);
    reader.maybe("CLOSE_REFUSED_MS", HOUR_MS, |ms| {
        server.close_refused = Some(Duration::from_millis(ms));
    });
    match reader.word("FORWARD_MODE", &["exact", "engine"]) {
        Some(1) => server.forward = ForwardMode::Engine,
        Some(_) => server.forward = ForwardMode::Exact,
        None => {}
    }
    if let Some(secrets) = reader.secrets("AGENT_SECRET_ID_MAP") {
        server.secrets = secrets;
    }
}

/// The largest whole number that JavaScript counts exactly.
const SEED_MAX: i64 = (1 << 53) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_the_engine_and_a_preset_the_older_document() {
        assert_eq!(ArenaConfig::parse("# nothing\n\n").unwrap(), ArenaConfig::default());
        assert_eq!(ArenaConfig::parse("PRESET=classic").unwrap(), ArenaConfig::classic());
    }

    #[test]
    fn numbers_are_read_from_their_leading_digits() {
        let config = ArenaConfig::parse(
            "export BOMB_DURATION_TICKS='35 ticks'\nFIRE_SPAWN_INTERVAL_TICKS=2.5\nWORLD_SEED = 7\nTRAINING_MODE_ENABLED=1\nADMIN_ROLE_ENABLED=yes",
        );
        let config = config.unwrap();
        assert_eq!((config.params.fuse, config.params.fire_interval), (35, 2.5));
        assert_eq!(config.server.world_seed, Some(7));
        assert!(config.server.training && !config.server.admin);
    }

    #[test]
    fn the_referee_can_differ_from_the_engine() {
        let config = ArenaConfig::parse("FORWARD_MODE=engine\nLENIENT=1\nCLOSE_REFUSED_MS=250");
        let server = config.unwrap().server;
        assert_eq!((server.forward, server.lenient), (ForwardMode::Engine, true));
        assert_eq!(server.close_refused, Some(Duration::from_millis(250)));
        let errors = ArenaConfig::parse("FORWARD_MODE=ours").unwrap_err();
        assert_eq!(errors.lines, ["FORWARD_MODE = \"ours\": expected exact or engine"]);
    }

    #[test]
    fn both_forms_of_the_secrets_are_understood() {
        let secrets = |value: &str| {
            ArenaConfig::parse(&format!("AGENT_SECRET_ID_MAP={value}")).unwrap().server.secrets
        };
        assert_eq!(secrets(r#"{"x":"a","y":"b"}"#), pairs(&["x", "y"]));
        assert_eq!(secrets("x,y"), pairs(&["x", "y"]));
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let text = "BOMB_DURATION_TIKS=3\nMAP_WIDTH=wide\nAMMO_SPAWN_WEIGHTING=0.1\nnonsense\nTOTAL_AGENTS=3";
        let errors = ArenaConfig::parse(text).unwrap_err();
        let expected = [
            "line 4: expected NAME=value",
            "BOMB_DURATION_TIKS is no variable of the engine; did you mean BOMB_DURATION_TICKS?",
            "MAP_WIDTH = \"wide\": expected a whole number from 1 to 128",
            "AMMO_SPAWN_WEIGHTING, BLAST_POWERUP_SPAWN_WEIGHTING and FREEZE_POWERUP_SPAWN_WEIGHTING must sum to exactly 1, not 1.1",
            "TOTAL_AGENTS = 3: symmetrical maps are for 2 agents",
        ];
        assert_eq!(errors.lines, expected);
    }
}
