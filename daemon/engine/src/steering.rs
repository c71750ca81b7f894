//! Who decides for an agent: its script, or an operator's wish.

use crate::CommandError;
use phalanx_game::{Said, write_order};
use std::fmt;

/// Most turns for which an order is pinned.
pub const PIN_TURNS_MAX: u32 = 10_000;
/// Most turns without an order after which a pilot is taken for lost.
pub const LEASE_TURNS_MAX: u32 = 1_000;
/// The default.
pub const LEASE_TURNS: u32 = 10;

/// Who decides for an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Steering {
    /// The script of its role.
    #[default]
    Script,
    /// Neither: the fallback is sent in each turn.
    Paused {
        /// Who paused it.
        by: String,
    },
    /// One order, in each turn.
    Pinned {
        /// Which.
        order: Said,
        /// Turns left, at least 1. The current turn stops counting once it is decided.
        turns_left: u32,
        /// Who pinned it.
        by: String,
    },
    /// An operator, turn by turn. While there is no order the agent waits for one until its
    /// deadline, then the fallback is sent.
    Piloted {
        /// Who.
        by: String,
        /// This many turns without an order end it.
        lease: u32,
        /// The number of them that is left.
        turns_left: u32,
        /// The next order, when it is there already.
        order: Option<Said>,
    },
}

impl Steering {
    /// In one word: `script`, `paused`, `pinned` or `piloted`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Paused { .. } => "paused",
            Self::Pinned { .. } => "pinned",
            Self::Piloted { .. } => "piloted",
        }
    }

    /// The operator, where there is one.
    #[must_use]
    pub fn by(&self) -> Option<&str> {
        match self {
            Self::Script => None,
            Self::Paused { by } | Self::Pinned { by, .. } | Self::Piloted { by, .. } => Some(by),
        }
    }

    /// The lease under which this operator may order the agent.
    ///
    /// # Errors
    /// When the agent has no pilot, or another one.
    pub fn lease_of(&self, agent: &str, operator: &str) -> Result<u32, CommandError> {
        let agent = agent.to_owned();
        match self {
            Self::Piloted { by, lease, .. } if by == operator => Ok(*lease),
            Self::Piloted { by, .. } => Err(CommandError::Piloted { agent, by: by.clone() }),
            Self::Script | Self::Paused { .. } | Self::Pinned { .. } => {
                Err(CommandError::NotPiloted { agent })
            }
        }
    }

    /// What is to be done next, where an operator said it.
    #[must_use]
    pub fn order(&self) -> Option<&Said> {
        match self {
            Self::Script | Self::Paused { .. } => None,
            Self::Pinned { order, .. } => Some(order),
            Self::Piloted { order, .. } => order.as_ref(),
        }
    }
}

impl fmt::Display for Steering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Script => f.write_str("its script decides"),
            Self::Paused { by } => write!(f, "paused by {by}"),
            Self::Pinned { order, turns_left, by } => {
                write!(f, "pinned to {} for {turns_left} turns by {by}", write_order(order))
            }
            Self::Piloted { by, turns_left, order, .. } => {
                write!(f, "piloted by {by}, ")?;
                match order {
                    Some(order) => write!(f, "next {}", write_order(order)),
                    None => write!(f, "{turns_left} turns left without an order"),
                }
            }
        }
    }
}

/// What an operator wants of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Steer {
    /// Send the fallback until further notice.
    Pause,
    /// Do this in each of the agent's next turns.
    Pin {
        /// What.
        order: Said,
        /// For this many turns, 1 to [`PIN_TURNS_MAX`].
        turns: u32,
    },
    /// Wait for orders. An earlier pilot loses the agent.
    Pilot {
        /// This many turns without an order hand the agent back, 1 to [`LEASE_TURNS_MAX`].
        lease: u32,
    },
    /// The pilot's order for the agent's next turn, or for this one while it waits. One that is
    /// still there is replaced.
    Order {
        /// What.
        order: Said,
    },
    /// Its script decides again.
    Release,
}

/// Why an agent is steered differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SteerCause {
    /// Somebody wanted it.
    Operator {
        /// Who.
        by: String,
    },
    /// A pinned order's turns are over.
    TurnsOver,
    /// The pilot gave no order for too long.
    LeaseOver,
}

impl fmt::Display for SteerCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator { by } => f.write_str(by),
            Self::TurnsOver => f.write_str("the pinned order's turns are over"),
            Self::LeaseOver => f.write_str("the pilot gave no order for too long"),
        }
    }
}

/// What stays when a team leaves its referee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// World and board; otherwise what begins next is a new round in an empty world.
    pub world: bool,
    /// What the agents remember.
    pub memory: bool,
}

impl Keep {
    /// Everything stays: the same match goes on.
    pub const ALL: Self = Self { world: true, memory: true };
    /// Nothing stays: another match.
    pub const NOTHING: Self = Self { world: false, memory: false };
}
