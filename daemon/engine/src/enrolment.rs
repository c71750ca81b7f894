//! Agents that join a team while it plays: the limits, and the result.

use phalanx_game::{AgentId, SeatId};

/// Most agents of a team, those that were removed included.
pub const AGENTS_MAX: usize = 1_000;
/// Longest name of an agent, in characters.
pub const AGENT_NAME_CHARS_MAX: usize = 64;

/// An agent was added to a running team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enrolled {
    /// Its id: a new one, or the one that it had before it was removed.
    pub agent: AgentId,
    /// The seat to open for it.
    pub seat: SeatId,
}
