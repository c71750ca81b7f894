//! The agents' memories as plain data, which outlives scripts, VMs and threads.

use phalanx_game::{AgentId, Plain};

/// The memory of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The agent.
    pub agent: AgentId,
    /// The role that wrote it last.
    pub role: String,
    /// The version of the memory that this role declared; 0 if it declared none.
    pub version: u32,
    /// The memory, or the path to the value that is not plain data.
    pub data: Result<Plain, String>,
}
