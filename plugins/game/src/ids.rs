//! Names for the things of a match.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One body that acts: its index in the team's roster, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AgentId(pub u16);

impl AgentId {
    /// The index in the roster.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One connection to the referee: its index in the team's list of seats, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeatId(pub u16);

impl SeatId {
    /// The index in the list of seats.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One request for action. Ordered: a later turn is greater.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Turn {
    /// Number of the simulation in the match, from 0. A session counts the simulations of its own
    /// connection; the engine renumbers them to the team's count.
    pub round: u32,
    /// The referee's own number inside the round: MAPC step, Bomberland tick, Colosseum epoch.
    pub step: u32,
}

impl Turn {
    /// A turn from its two numbers.
    #[must_use]
    pub fn new(round: u32, step: u32) -> Self {
        Self { round, step }
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.round, self.step)
    }
}
