//! The rules of a simulation, as the opening tells them (spec sections 4.1 to 4.3).

use super::{Cell, Heading, TurnAction};
use serde::{Deserialize, Serialize};

/// What an announced bound means (spec section 7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoundsMean {
    /// The border ring itself.
    #[default]
    Border,
    /// The outermost tiles inside of it.
    Interior,
}

/// The announced bounds of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// In the west.
    pub lower_x: Option<i8>,
    /// In the east.
    pub upper_x: Option<i8>,
    /// In the south.
    pub lower_y: Option<i8>,
    /// In the north.
    pub upper_y: Option<i8>,
}

impl Bounds {
    /// Whether a place lies strictly outside.
    #[must_use]
    pub fn excludes(&self, at: Cell) -> bool {
        let below = |value: i32, bound: Option<i8>| bound.is_some_and(|bound| value < bound.into());
        let above = |value: i32, bound: Option<i8>| bound.is_some_and(|bound| value > bound.into());
        below(at.x, self.lower_x)
            || above(at.x, self.upper_x)
            || below(at.y, self.lower_y)
            || above(at.y, self.upper_y)
    }

    /// Whether a place lies exactly on a bound.
    #[must_use]
    pub fn touches(&self, at: Cell) -> bool {
        let on =
            |value: i32, bound: Option<i8>| bound.is_some_and(|bound| value == i32::from(bound));
        on(at.x, self.lower_x)
            || on(at.x, self.upper_x)
            || on(at.y, self.lower_y)
            || on(at.y, self.upper_y)
    }
}

/// The announced numbers of things in the world, the start tile included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnouncedCounts {
    pub homes: Option<u16>,
    /// Items, without those that enemies become.
    pub items: Option<u16>,
    pub enemies: Option<u16>,
    /// Fatal dangers.
    pub dangers: Option<u16>,
}

/// What actions cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// A move, also one that a wall stops.
    pub advance: u16,
    /// A turn counter-clockwise.
    pub left: u16,
    /// A turn clockwise; the second handbook revision has one cost for both.
    pub right: u16,
    /// A grab, also where nothing lies.
    pub grab: u16,
    /// A shot, also without ammunition.
    pub neutralize: u16,
}

impl Costs {
    /// The cost of an action.
    #[must_use]
    pub fn of(&self, act: TurnAction) -> u16 {
        match act {
            TurnAction::ShutOff => 0,
            TurnAction::Move => self.advance,
            TurnAction::TurnLeft => self.left,
            TurnAction::TurnRight => self.right,
            TurnAction::Grab => self.grab,
            TurnAction::Neutralize => self.neutralize,
        }
    }
}

/// Limited ammunition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ammunition {
    /// What a recharge sets it to.
    pub capacity: u16,
    /// What the agent begins with.
    pub initial: u16,
}

/// The rules that the opening contains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningRules {
    /// The map's bounds.
    pub bounds: Bounds,
    /// Numbers of things.
    pub counts: AnnouncedCounts,
    /// Where the agent looks at first.
    pub heading: Heading,
    /// How far a shot reaches; 0 is without limit.
    pub range: u8,
    pub costs: Costs,
    /// For each item grabbed.
    pub item_reward: u16,
    /// For each enemy neutralized.
    pub neutralize_reward: u16,
    /// Once, when the simulation ends while the agent is at a home, alive.
    pub home_reward: u16,
    /// What counts as spent already.
    pub initial_cost: u32,
    /// Where the score begins.
    pub initial_score: i32,
    /// `None`: shots are not limited.
    pub ammunition: Option<Ammunition>,
    /// The simulation ends when the cost reaches this.
    pub cost_limit: Option<u32>,
    /// The simulation ends when the score reaches this.
    pub score_limit: Option<i32>,
    /// Ammunition is set to its capacity at homes.
    pub recharge: bool,
    /// A neutralized enemy becomes an item.
    pub becomes_item: bool,
    /// A shot neutralizes only the first enemy.
    pub stops_at_first: bool,
}

impl OpeningRules {
    /// Whether both can be of one class of worlds: all is equal but what each world has of its own.
    #[must_use]
    pub fn same_class(&self, other: &Self) -> bool {
        let Self { bounds, counts, heading, .. } = other.clone();
        Self { bounds, counts, heading, ..self.clone() } == *other
    }
}
