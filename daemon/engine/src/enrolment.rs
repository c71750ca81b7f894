//! Agents that come to a team while it plays: who may, and what becomes of it.

use crate::SteerError;
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
    /// The seat that is to be opened for it.
    pub seat: SeatId,
}

/// Whether an agent may be called so: as in settings, and fit for a segment of a resource's name.
pub(crate) fn check_name(name: &str) -> Result<(), SteerError> {
    let length = (1..=AGENT_NAME_CHARS_MAX).contains(&name.chars().count());
    let clean = !name.contains(|letter: char| letter.is_control() || letter == '/');
    if length && clean {
        return Ok(());
    }
    let shown = name.chars().filter(|letter| !letter.is_control());
    Err(SteerError::Name { name: shown.take(AGENT_NAME_CHARS_MAX).collect() })
}
