//! The bounds of a script host.

use phalanx_luau::plain::PlainLimits;
use std::time::Duration;

/// What scripts may use at most. Time per call comes with each question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory of a team's VM, in bytes.
    pub memory_bytes: usize,
    /// Time to load all files of a bundle; the same again when a VM is rebuilt.
    pub load: Duration,
    /// Longest message of an error, in characters; the rest is cut.
    pub message_chars: usize,
    /// Largest value that a script hands over at once: to the board, in a letter, as an argument.
    pub value: PlainLimits,
    /// Largest memory of one agent that survives the rebuilding of a VM.
    pub agent_memory: PlainLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 32 << 20,
            load: Duration::from_secs(2),
            message_chars: 400,
            value: PlainLimits { values: 10_000, text_bytes: 64 << 10, depth: 32 },
            agent_memory: PlainLimits { values: 100_000, text_bytes: 1 << 20, depth: 64 },
        }
    }
}
