//! Scripts that are not called any more, since they did not return.

use phalanx_game::AgentId;

/// A script that is not called any more: its agents get the fallback. The suspension lasts while
/// this generation decides, until an operator sets an agent to this role again or restarts the
/// team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// The role; `None`: the `plan` of the team.
    pub role: Option<String>,
    /// The agent for which it was called; `None`: for the team.
    pub agent: Option<AgentId>,
    /// The generation of the strategy.
    pub generation: u32,
    /// A description of the problem.
    pub reason: String,
}
