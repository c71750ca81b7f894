//! What a tick tells (spec section 2.3).

use super::{CellEntity, CellIndex, GameState, Unit, UnitIndex, UnitOrder};

/// One event, with what it leaves behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TickEvent {
    /// An order that succeeded.
    Done(UnitOrder),
    /// A unit as it is now.
    Unit(UnitIndex, Unit),
    /// Something was put into a cell, whatever was there.
    Spawned(CellIndex, CellEntity),
    /// A cell was emptied.
    Expired(CellIndex),
    /// The thing in a cell as it is now.
    Changed(CellIndex, CellEntity),
}

impl TickEvent {
    /// Applies the event to a mirror of the referee's state, in the order of the tick.
    pub fn apply(&self, state: &mut GameState) {
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
pub trait EventSink {
    /// The next event.
    fn push(&mut self, event: TickEvent);
    /// How many events there are.
    fn mark(&self) -> usize;
    /// An order that succeeded and belongs before everything since the mark, after the orders
    /// that were put there before it.
    fn insert(&mut self, mark: usize, event: TickEvent);
}

impl EventSink for Vec<TickEvent> {
    fn push(&mut self, event: TickEvent) {
        Vec::push(self, event);
    }

    fn mark(&self) -> usize {
        self.len()
    }

    fn insert(&mut self, mark: usize, event: TickEvent) {
        Vec::insert(self, mark.min(self.len()), event);
    }
}

/// Discards events, for a forward model that needs only the state.
impl EventSink for () {
    fn push(&mut self, _event: TickEvent) {}

    fn mark(&self) -> usize {
        0
    }

    fn insert(&mut self, _mark: usize, _event: TickEvent) {}
}
