//! Directions, poses and actions.

use super::Cell;
use serde::{Deserialize, Serialize};

/// Where the agent looks (spec section 4.1): the number on the wire, counter-clockwise from east.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Heading {
    /// Growing x.
    #[default]
    East,
    /// Growing y.
    North,
    /// Falling x.
    West,
    /// Falling y.
    South,
}

impl Heading {
    /// All of them, by their number on the wire.
    pub const ALL: [Self; 4] = [Self::East, Self::North, Self::West, Self::South];

    /// The direction of a number, of which only the two lowest bits count.
    #[must_use]
    pub fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::East,
            1 => Self::North,
            2 => Self::West,
            _ => Self::South,
        }
    }

    /// Its number, 0 to 3.
    #[must_use]
    pub fn bits(self) -> u8 {
        match self {
            Self::East => 0,
            Self::North => 1,
            Self::West => 2,
            Self::South => 3,
        }
    }

    /// Its index in a list of four.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.bits())
    }

    /// After a quarter turn counter-clockwise.
    #[must_use]
    pub fn left(self) -> Self {
        Self::from_bits(self.bits() + 1)
    }

    /// After a quarter turn clockwise.
    #[must_use]
    pub fn right(self) -> Self {
        Self::from_bits(self.bits() + 3)
    }

    /// One step this way.
    #[must_use]
    pub fn step(self) -> Cell {
        match self {
            Self::East => Cell::new(1, 0),
            Self::North => Cell::new(0, 1),
            Self::West => Cell::new(-1, 0),
            Self::South => Cell::new(0, -1),
        }
    }

    /// Its name in scripts and settings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::East => "east",
            Self::North => "north",
            Self::West => "west",
            Self::South => "south",
        }
    }

    /// The direction of that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|heading| heading.word() == word)
    }
}

/// Position and heading of the agent.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Pose {
    /// The tile.
    pub at: Cell,
    /// The direction.
    pub heading: Heading,
}

impl Pose {
    /// The tile in front.
    #[must_use]
    pub fn ahead(self) -> Cell {
        self.at + self.heading.step()
    }
}

/// What the agent can do in a turn, by its code on the wire (spec section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TurnAction {
    /// Ends the simulation.
    ShutOff,
    /// One tile forward.
    Move,
    /// A quarter turn counter-clockwise.
    TurnLeft,
    /// A quarter turn clockwise.
    TurnRight,
    /// Takes the item on the tile.
    Grab,
    /// Fires forward.
    Neutralize,
}

impl TurnAction {
    /// All of them, by their code.
    pub const ALL: [Self; 6] =
        [Self::ShutOff, Self::Move, Self::TurnLeft, Self::TurnRight, Self::Grab, Self::Neutralize];

    /// Its name in scripts.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ShutOff => "shut_off",
            Self::Move => "move",
            Self::TurnLeft => "turn_left",
            Self::TurnRight => "turn_right",
            Self::Grab => "grab",
            Self::Neutralize => "neutralize",
        }
    }

    /// The action of that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|act| act.word() == word)
    }
}

/// How far Hostility and Fear reach (spec section 7.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Neighbourhood {
    /// The four tiles that share an edge.
    #[default]
    Four,
    /// Those that share a corner, too.
    Eight,
}

impl Neighbourhood {
    const STEPS: [Cell; 8] = [
        Cell::new(1, 0),
        Cell::new(0, 1),
        Cell::new(-1, 0),
        Cell::new(0, -1),
        Cell::new(1, 1),
        Cell::new(-1, 1),
        Cell::new(-1, -1),
        Cell::new(1, -1),
    ];

    /// The neighbours of a tile.
    pub fn around(self, at: Cell) -> impl Iterator<Item = Cell> {
        let count = match self {
            Self::Four => 4,
            Self::Eight => 8,
        };
        Self::STEPS.into_iter().take(count).map(move |step| at + step)
    }
}
