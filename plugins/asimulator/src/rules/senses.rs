//! What the agent perceives after an action (spec sections 4.4 and 7.5).

use serde::{Deserialize, Serialize};

/// One percept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Senses {
    /// The agent is on a home.
    pub home: bool,
    /// An item lies on the agent's tile.
    pub item: bool,
    /// An enemy is on a neighbouring tile.
    pub hostility: bool,
    /// The last action was a move that a wall stopped.
    pub bump: bool,
    /// A neighbouring tile is a fatal danger.
    pub fear: bool,
    /// The last action was a shot that hit.
    pub neutralized: bool,
    /// The simulation is over.
    pub end: bool,
}
