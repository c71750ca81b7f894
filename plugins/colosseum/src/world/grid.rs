//! Ways and room on the grid of snake.

use crate::rules::snake::{SnakeDirection, SnakeState};
use std::collections::{BTreeMap, VecDeque};

/// When each cell that a living snake covers becomes free, in ticks from now, if no snake eats.
pub(super) fn leaving(state: &SnakeState) -> BTreeMap<[i32; 2], u32> {
    let mut leaving = BTreeMap::new();
    for snake in state.snakes.iter().filter(|snake| snake.alive) {
        for (age, cell) in (1_u32..).zip(snake.body.iter().rev()) {
            let last = leaving.entry(*cell).or_insert(age);
            *last = age.max(*last);
        }
    }
    leaving
}

/// Whether a snake may enter a cell in that tick (from 1).
fn free(state: &SnakeState, leaving: &BTreeMap<[i32; 2], u32>, cell: [i32; 2], tick: u32) -> bool {
    state.inside(cell) && leaving.get(&cell).is_none_or(|left| *left <= tick)
}

/// The first tick in which each cell can be reached, and the direction of the last step to it.
pub(super) fn walk(
    state: &SnakeState,
    from: [i32; 2],
) -> BTreeMap<[i32; 2], (u32, SnakeDirection)> {
    let leaving = leaving(state);
    let mut reached: BTreeMap<[i32; 2], (u32, SnakeDirection)> = BTreeMap::new();
    let mut queue = VecDeque::from([(from, 0_u32)]);
    while let Some((cell, tick)) = queue.pop_front() {
        for direction in SnakeDirection::ALL {
            let (next, tick) = (direction.from(cell), tick + 1);
            if next != from && !reached.contains_key(&next) && free(state, &leaving, next, tick) {
                reached.insert(next, (tick, direction));
                queue.push_back((next, tick));
            }
        }
    }
    reached
}

/// The directions from one cell to another, over a walk from the first one.
pub(super) fn path(
    walk: &BTreeMap<[i32; 2], (u32, SnakeDirection)>,
    from: [i32; 2],
    to: [i32; 2],
) -> Option<Vec<SnakeDirection>> {
    let (mut steps, mut at) = (Vec::new(), to);
    while at != from {
        let (_, direction) = walk.get(&at)?;
        steps.push(*direction);
        at = backwards(*direction).from(at);
    }
    steps.reverse();
    Some(steps)
}

fn backwards(direction: SnakeDirection) -> SnakeDirection {
    match direction {
        SnakeDirection::Up => SnakeDirection::Down,
        SnakeDirection::Right => SnakeDirection::Left,
        SnakeDirection::Down => SnakeDirection::Up,
        SnakeDirection::Left => SnakeDirection::Right,
    }
}

/// Whether a step is certainly deadly. Cells that another head may enter have their own value.
pub(super) fn step(
    state: &SnakeState,
    from: [i32; 2],
    direction: SnakeDirection,
    me: &str,
) -> StepDanger {
    let to = direction.from(from);
    if !free(state, &leaving(state), to, 1) {
        return StepDanger::Deadly;
    }
    let heads = state.snakes.iter().filter(|snake| snake.alive && &*snake.agent != me);
    let mut reach = heads
        .filter_map(|snake| snake.head())
        .flat_map(|head| SnakeDirection::ALL.map(|direction| direction.from(head)));
    if reach.any(|cell| cell == to) { StepDanger::Contested } else { StepDanger::Free }
}

/// What may happen to a head in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepDanger {
    Free,
    /// Another head may go there too.
    Contested,
    Deadly,
}

/// How many cells can be reached after a step.
pub(super) fn room(state: &SnakeState, from: [i32; 2], direction: SnakeDirection) -> usize {
    let to = direction.from(from);
    if !free(state, &leaving(state), to, 1) {
        return 0;
    }
    walk(state, to).len() + 1
}
