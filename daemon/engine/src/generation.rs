//! Accepted versions of a strategy.

use crate::BrainError;
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// One accepted version of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Its number, from 1, in the order of acceptance.
    pub number: u32,
    /// SHA-256 of the bundle, as hexadecimal digits.
    pub hash: String,
    /// When it was accepted.
    pub accepted: SystemTime,
    /// Who or what submitted it.
    pub origin: StrategyOrigin,
}

/// Who or what submitted a strategy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StrategyOrigin {
    /// The daemon's start.
    #[default]
    Start,
    /// A file of the watched folder changed.
    File,
    /// SIGHUP.
    Hangup,
    /// A call of the control API.
    Api {
        /// The caller.
        user: String,
    },
}

impl fmt::Display for StrategyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("start"),
            Self::File => f.write_str("file"),
            Self::Hangup => f.write_str("SIGHUP"),
            Self::Api { user } => write!(f, "API, {user}"),
        }
    }
}

/// A generation that passed its trial and is about to be loaded into a brain.
#[derive(Clone)]
pub struct Staged {
    /// The generation.
    pub generation: Arc<Generation>,
    /// What the brain loads, in the brain's own form. The engine only passes it on.
    pub code: Arc<dyn Any + Send + Sync>,
    /// How long loading took in the trial: the swap waits for a gap that is long enough.
    pub cost: Duration,
    /// How the agents' memories are handled.
    pub carry: Carry,
    /// Why it decides, for people: `rolled back by root`; empty if its origin says so.
    pub note: String,
}

/// Equal if they activate the same generation in the same way: the generation's hash identifies the
/// code.
impl PartialEq for Staged {
    fn eq(&self, other: &Self) -> bool {
        let Self { generation, code: _, cost, carry, note } = self;
        (generation, cost, carry, note)
            == (&other.generation, &other.cost, &other.carry, &other.note)
    }
}

/// How the agents' memories are handled when a generation takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carry {
    /// They are carried over; if one cannot be, the generation is refused.
    #[default]
    Strict,
    /// They are carried over. An agent whose memory cannot be carried over gets its memory from the
    /// last time that the generation decided, or an empty one. For rollbacks.
    Loose,
    /// The agents begin with empty memories.
    Forget,
}

/// A first generation without code, for brains that load nothing.
impl Default for Staged {
    fn default() -> Self {
        let generation = Generation {
            number: 1,
            hash: String::new(),
            accepted: SystemTime::UNIX_EPOCH,
            origin: StrategyOrigin::Start,
        };
        Self {
            generation: Arc::new(generation),
            code: Arc::new(()),
            cost: Duration::ZERO,
            carry: Carry::Strict,
            note: String::new(),
        }
    }
}

impl fmt::Debug for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staged").field("generation", &self.generation).finish_non_exhaustive()
    }
}

/// One finding of a trial, as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The finding refuses the strategy; otherwise it is a warning.
    pub fatal: bool,
    /// File inside the strategy, or its folder.
    pub file: String,
    /// Line from 1, where known.
    pub line: Option<u32>,
    /// Column from 1, in characters, where known.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do instead; empty if there is no suggestion.
    pub help: String,
    /// The line itself and a caret below the place; empty without a line.
    pub excerpt: String,
}

impl Fault {
    /// A finding that refuses the strategy, without a line.
    #[must_use]
    pub fn error(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            fatal: true,
            file: file.into(),
            line: None,
            column: None,
            message: message.into(),
            help: String::new(),
            excerpt: String::new(),
        }
    }
}

impl From<&BrainError> for Fault {
    fn from(error: &BrainError) -> Self {
        let (file, line) = error.place.clone().unzip();
        let file = file.unwrap_or_else(|| "strategy".to_owned());
        Self { line, ..Self::error(file, error.message.clone()) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// When a new generation is rolled back automatically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probation {
    /// The number of decisions that are watched, all agents together; 0: none.
    pub decisions: u32,
    /// More script errors and fallbacks than this roll it back.
    pub errors: u32,
}

impl Default for Probation {
    fn default() -> Self {
        Self { decisions: 1000, errors: 10 }
    }
}
