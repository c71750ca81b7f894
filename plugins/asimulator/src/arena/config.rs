//! The referee's configuration: a TOML file with the keys of spec section 8.3.
//!
//! A preset gives everything that the file does not say.

mod file;

use crate::rules::{BoundsMean, Preset, Simulation, Terms, WorldClass, WorldRng, generate};
use crate::wire::{self, Dialect, PlainDanger};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

/// Most simulations of one session.
pub const SIMULATIONS_MAX: u32 = 1_000_000;

/// A referee's configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ArenaConfig {
    /// Where to listen; port 0 is any free one.
    pub bind: SocketAddr,
    /// How the simulator writes; the byte order is the client's choice.
    pub dialect: Dialect,
    /// What the wire does not tell.
    pub terms: Terms,
    /// What announced bounds mean.
    pub bounds_mean: BoundsMean,
    /// How plain dangers are announced.
    pub plain_danger: PlainDanger,
    /// Simulations of one session.
    pub simulations: u32,
    /// Clients that play all their simulations before the match is over.
    pub clients: usize,
    /// The seed of all worlds.
    pub seed: u64,
    /// A simulation ends after this number of actions, as if a limit had been reached.
    pub max_actions: u64,
    /// A client that thinks longer is dropped; `None`: never.
    pub turn_timeout: Option<Duration>,
    /// A client that says nothing at first is dropped after this time.
    pub handshake_timeout: Duration,
    /// Whether a code without meaning ends the connection.
    pub strict_client: bool,
    /// The worlds and their rules.
    pub class: WorldClass,
}

/// All that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines.join("\n"))]
pub struct ConfigError {
    /// One line for each mistake.
    pub lines: Vec<String>,
}

impl ConfigError {
    fn one(line: impl Into<String>) -> Self {
        Self { lines: vec![line.into()] }
    }
}

impl ArenaConfig {
    /// The configuration that a preset means.
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        Self {
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            dialect: Dialect::default(),
            terms: Terms::default(),
            bounds_mean: BoundsMean::default(),
            plain_danger: PlainDanger::default(),
            simulations: 100,
            clients: 1,
            seed: 1,
            max_actions: 100_000,
            turn_timeout: None,
            handshake_timeout: Duration::from_secs(10),
            strict_client: true,
            class: preset.class(),
        }
    }

    /// Reads a configuration file through a reader of the caller.
    ///
    /// # Errors
    /// When the file cannot be read or is wrong: what, where, and what was expected.
    pub fn load(
        path: &Path,
        read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> Result<Self, ConfigError> {
        let place = path.display();
        let bytes = read(path).map_err(|error| ConfigError::one(format!("{place}: {error}")))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| ConfigError::one(format!("{place}: not a UTF-8 text")))?;
        Self::parse(&text).map_err(|error| ConfigError {
            lines: error.lines.iter().map(|line| format!("{place}: {line}")).collect(),
        })
    }

    /// Reads a configuration.
    ///
    /// # Errors
    /// As [`ArenaConfig::load`].
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let config = file::parse(text)?;
        config.check()?;
        Ok(config)
    }

    /// Checks that worlds can be made and encoded.
    ///
    /// # Errors
    /// Lists all mistakes that can be found before the first client connects.
    pub fn check(&self) -> Result<(), ConfigError> {
        let mut lines = self.class.check().err().map(|error| error.lines).unwrap_or_default();
        if !(1..=SIMULATIONS_MAX).contains(&self.simulations) {
            lines.push(format!("simulations: 1 to {SIMULATIONS_MAX}, not {}", self.simulations));
        }
        if self.max_actions == 0 {
            lines.push("max_actions: at least 1".to_owned());
        }
        if let Err(error) = wire::encode_rules(&self.class.rules, self.dialect) {
            lines.push(format!("rules: {error}"));
        }
        if lines.is_empty() {
            lines.extend(self.check_world());
        }
        if lines.is_empty() { Ok(()) } else { Err(ConfigError { lines }) }
    }

    /// Makes the first world.
    fn check_world(&self) -> Option<String> {
        let mut chance = WorldRng::new(self.seed, 0);
        match generate(&self.class, self.bounds_mean, &mut chance) {
            Err(error) => Some(error.to_string()),
            Ok(made) => {
                let (simulation, _) = Simulation::new(made.rules, self.terms, made.map);
                let end = simulation.limit()?;
                Some(format!("rules.{}: the initial state meets it already", end.word()))
            }
        }
    }
}
