//! Which of our orders our session sends, and in which sequence.

use crate::rules::{GameState, UnitOrder};

/// Has only those of our orders that are sent: no step into a cell that a mate walks into, and first
/// the step of a mate who makes way. The engine would drop both steps into the same cell.
pub(super) fn sent(state: &GameState, orders: &mut Vec<UnitOrder>) {
    let mut taken = Vec::new();
    orders.retain(|order| {
        let Some(to) = order.destination(state) else { return true };
        let free = !taken.contains(&to);
        taken.push(to);
        free
    });
    for _ in 1..orders.len() {
        for at in 1..orders.len() {
            let follows = |first: &UnitOrder, second: &UnitOrder| {
                let from = state.unit(second.unit).map(|unit| unit.cell);
                second.destination(state).is_some() && first.destination(state) == from
            };
            if let Some([first, second]) = orders.get(at - 1..=at)
                && follows(first, second)
            {
                orders.swap(at - 1, at);
            }
        }
    }
}
