//! Orders for units, and which of them are accepted (spec sections 7.1 and 7.6).

use super::{AgentIndex, CellIndex, GameState, UnitIndex};

/// One of the four ways to go; y grows upwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitDirection {
    /// y + 1.
    Up,
    /// y - 1.
    Down,
    /// x - 1.
    Left,
    /// x + 1.
    Right,
}

impl UnitDirection {
    /// All four, in the order in which blasts spread.
    pub const ALL: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// The word on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// The direction of that word; case matters.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.word() == word)
    }

    /// One step this way.
    #[must_use]
    pub fn vector(self) -> (i32, i32) {
        match self {
            Self::Up => (0, 1),
            Self::Down => (0, -1),
            Self::Left => (-1, 0),
            Self::Right => (1, 0),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UnitAction {
    /// Goes one cell.
    Move(UnitDirection),
    /// Puts a bomb into the unit's own cell.
    Bomb,
    /// Sets off its bomb there. The wire allows any two numbers.
    Detonate(f64, f64),
}

/// What an agent tells a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitOrder {
    /// Who says it.
    pub agent: AgentIndex,
    /// To whom.
    pub unit: UnitIndex,
    /// What.
    pub act: UnitAction,
}

impl UnitOrder {
    /// The phase in which the order is executed: bombs, detonations, moves.
    pub(super) fn phase(&self) -> u8 {
        match self.act {
            UnitAction::Bomb => 0,
            UnitAction::Detonate(..) => 1,
            UnitAction::Move(_) => 2,
        }
    }

    /// The number of the cell that a move aims at, without any test for the map's edge: a step
    /// over the right edge has the number of a cell in the next row.
    #[must_use]
    pub fn aim(&self, state: &GameState) -> Option<i32> {
        let UnitAction::Move(direction) = self.act else { return None };
        let (dx, dy) = direction.vector();
        let from = i32::from(state.unit(self.unit)?.cell);
        Some(from + dx + dy * i32::from(state.width()))
    }

    /// The cell where a move ends; `None` outside the map and for other orders.
    #[must_use]
    pub fn destination(&self, state: &GameState) -> Option<CellIndex> {
        let UnitAction::Move(direction) = self.act else { return None };
        let from = state.unit(self.unit)?.cell;
        let column = from.checked_rem(state.width())?;
        match direction {
            UnitDirection::Left if column == 0 => return None,
            UnitDirection::Right if column + 1 == state.width() => return None,
            UnitDirection::Up
            | UnitDirection::Down
            | UnitDirection::Left
            | UnitDirection::Right => {}
        }
        let target = CellIndex::try_from(self.aim(state)?).ok()?;
        (usize::from(target) < state.len()).then_some(target)
    }
}

/// Why an order was dropped before the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderRefusal {
    /// The unit is not the sender's, or does not exist.
    NotYours,
    /// The unit is dead.
    Dead,
    /// The unit has an order for this tick.
    Second,
    /// The unit is stunned; at tick 0 all are.
    Stunned,
}

/// The orders that wait for the next tick, in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub struct OrderQueue {
    orders: Vec<UnitOrder>,
    /// The tick counter at which each unit's last order was accepted.
    last: Vec<Option<i32>>,
}

impl OrderQueue {
    /// Accepts an order.
    ///
    /// # Errors
    /// When this agent cannot give the unit this order now.
    pub fn push(&mut self, state: &GameState, order: UnitOrder) -> Result<(), OrderRefusal> {
        let unit = state.unit(order.unit).filter(|unit| unit.agent == order.agent);
        let unit = unit.ok_or(OrderRefusal::NotYours)?;
        if !unit.alive() {
            return Err(OrderRefusal::Dead);
        }
        let index = usize::from(order.unit);
        if self.last.len() <= index {
            self.last.resize(index + 1, None);
        }
        let last = self.last.get_mut(index).ok_or(OrderRefusal::NotYours)?;
        if *last == Some(state.tick) {
            return Err(OrderRefusal::Second);
        }
        if unit.frozen(state.tick) {
            return Err(OrderRefusal::Stunned);
        }
        *last = Some(state.tick);
        self.orders.push(order);
        Ok(())
    }

    /// The orders that wait, to be executed.
    #[must_use]
    pub fn take(&mut self) -> Vec<UnitOrder> {
        std::mem::take(&mut self.orders)
    }
}
