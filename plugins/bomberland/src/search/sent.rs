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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{GameParams, UnitAction, UnitDirection};
    use crate::search::drawn::map;

    #[test]
    fn of_two_steps_into_the_same_cell_one_is_sent_and_a_mate_makes_way_first() {
        let units = |row: &str, steps: [UnitDirection; 2]| {
            let (_, state) = map(&[row], GameParams::default());
            let order = |(unit, step)| UnitOrder { agent: 0, unit, act: UnitAction::Move(step) };
            let mut orders: Vec<UnitOrder> = [0, 1].into_iter().zip(steps).map(order).collect();
            sent(&state, &mut orders);
            orders.iter().map(|order| order.unit).collect::<Vec<_>>()
        };
        let (left, right) = (UnitDirection::Left, UnitDirection::Right);
        assert_eq!(units("C.E", [right, left]), [0]);
        assert_eq!(units("CE.", [right, right]), [1, 0]);
        assert_eq!(units(".CE", [left, left]), [0, 1]);
    }
}
