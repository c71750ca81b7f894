//! What a tick tells (spec section 2.3).

use super::{Cell, Entity, Order, State, Unit, UnitIndex};

/// One event, with what it leaves behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// An order that succeeded.
    Done(Order),
    /// A unit as it is now.
    Unit(UnitIndex, Unit),
    /// Something was put into a cell, whatever was there.
    Spawned(Cell, Entity),
    /// A cell was emptied.
    Expired(Cell),
    /// The thing in a cell as it is now.
    Changed(Cell, Entity),
}

impl Event {
    /// Applies the event to a mirror of the referee's state, in the order of the tick.
    pub fn apply(&self, state: &mut State) {
        match *self {
            Self::Done(order) => {
                if let Some(target) = order.destination(state)
                    && let Some(unit) = state.unit_mut(order.unit)
                {
                    unit.cell = target;
                }
            }
            Self::Unit(index, data) => {
                if let Some(unit) = state.unit_mut(index) {
                    *unit = data;
                }
            }
            Self::Spawned(cell, entity) | Self::Changed(cell, entity) => state.put(cell, entity),
            Self::Expired(cell) => {
                state.remove(cell);
            }
        }
    }
}

/// Who listens to the events of a tick.
pub trait Sink {
    /// The next event.
    fn push(&mut self, event: Event);
    /// How many events there are.
    fn mark(&self) -> usize;
    /// An order that succeeded and belongs before everything since the mark, after the orders
    /// that were put there before it.
    fn insert(&mut self, mark: usize, event: Event);
}

impl Sink for Vec<Event> {
    fn push(&mut self, event: Event) {
        Vec::push(self, event);
    }

    fn mark(&self) -> usize {
        self.len()
    }

    fn insert(&mut self, mark: usize, event: Event) {
        Vec::insert(self, mark.min(self.len()), event);
    }
}

/// Nobody listens: a forward model that wants only the state.
impl Sink for () {
    fn push(&mut self, _event: Event) {}

    fn mark(&self) -> usize {
        0
    }

    fn insert(&mut self, _mark: usize, _event: Event) {}
}
