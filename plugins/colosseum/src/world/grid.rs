//! Ways and room on the grid of snake.

use crate::rules::snake::{Direction, State};
use std::collections::{BTreeMap, VecDeque};

/// When each cell that a living snake covers becomes free, in ticks from now, if nobody eats.
pub(super) fn leaving(state: &State) -> BTreeMap<[i32; 2], u32> {
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
fn free(state: &State, leaving: &BTreeMap<[i32; 2], u32>, cell: [i32; 2], tick: u32) -> bool {
    state.inside(cell) && leaving.get(&cell).is_none_or(|left| *left <= tick)
}

/// The first tick in which each cell can be reached, and the direction of the last step to it.
pub(super) fn walk(state: &State, from: [i32; 2]) -> BTreeMap<[i32; 2], (u32, Direction)> {
    let leaving = leaving(state);
    let mut reached: BTreeMap<[i32; 2], (u32, Direction)> = BTreeMap::new();
    let mut queue = VecDeque::from([(from, 0_u32)]);
    while let Some((cell, tick)) = queue.pop_front() {
        for direction in Direction::ALL {
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
    walk: &BTreeMap<[i32; 2], (u32, Direction)>,
    from: [i32; 2],
    to: [i32; 2],
) -> Option<Vec<Direction>> {
    let (mut steps, mut at) = (Vec::new(), to);
    while at != from {
        let (_, direction) = walk.get(&at)?;
        steps.push(*direction);
        at = backwards(*direction).from(at);
    }
    steps.reverse();
    Some(steps)
}

fn backwards(direction: Direction) -> Direction {
    match direction {
        Direction::Up => Direction::Down,
        Direction::Right => Direction::Left,
        Direction::Down => Direction::Up,
        Direction::Left => Direction::Right,
    }
}

/// Whether a step is deadly for sure; cells that another head may enter are told apart.
pub(super) fn step(state: &State, from: [i32; 2], direction: Direction, me: &str) -> Danger {
    let to = direction.from(from);
    if !free(state, &leaving(state), to, 1) {
        return Danger::Deadly;
    }
    let heads = state.snakes.iter().filter(|snake| snake.alive && &*snake.agent != me);
    let mut reach = heads
        .filter_map(|snake| snake.head())
        .flat_map(|head| Direction::ALL.map(|direction| direction.from(head)));
    if reach.any(|cell| cell == to) { Danger::Contested } else { Danger::Free }
}

/// What may happen to a head in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Danger {
    Free,
    /// Another head may go there too.
    Contested,
    Deadly,
}

/// How many cells can be reached after a step.
pub(super) fn room(state: &State, from: [i32; 2], direction: Direction) -> usize {
    let to = direction.from(from);
    if !free(state, &leaving(state), to, 1) {
        return 0;
    }
    walk(state, to).len() + 1
}
