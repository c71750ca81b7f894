//! Accepted versions of a strategy.

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
    /// Who brought it.
    pub origin: StrategyOrigin,
}

/// Who brought a strategy.
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
        /// Whose call.
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

/// A generation on its way into a brain: it passed its trial elsewhere.
#[derive(Clone)]
pub struct Staged {
    /// Which.
    pub generation: Arc<Generation>,
    /// What the brain loads, in the brain's own form. The engine only hands it on.
    pub code: Arc<dyn Any + Send + Sync>,
    /// How long loading took on trial: the swap waits for a moment that has room for it.
    pub cost: Duration,
    /// What becomes of the agents' memories.
    pub carry: Carry,
    /// How it came to decide, as people read it: `rolled back by root`; empty when its origin tells.
    pub note: String,
}

/// What becomes of the agents' memories when a generation takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carry {
    /// They are carried over; one that does not fit refuses the generation.
    #[default]
    Strict,
    /// They are carried over; an agent whose memory does not fit gets what it remembered when the
    /// generation decided last, or begins anew. For the way back.
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

/// One finding of a strategy's trial, as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The strategy is refused because of it; otherwise it is a warning.
    pub fatal: bool,
    /// File inside the strategy, or its folder.
    pub file: String,
    /// Line from 1, where known.
    pub line: Option<u32>,
    /// Column from 1, in characters, where known.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do instead; empty when nobody knows.
    pub help: String,
    /// The line itself and a caret below the place; empty without a line.
    pub excerpt: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// When a new generation is taken back by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probation {
    /// So many decisions of all agents together are watched; 0: none.
    pub decisions: u32,
    /// More script errors and defaulted turns than this among them take it back.
    pub errors: u32,
}

impl Default for Probation {
    fn default() -> Self {
        Self { decisions: 1000, errors: 10 }
    }
}
