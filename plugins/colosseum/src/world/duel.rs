//! A snake and its nearest rival, some moves ahead: what each turn is worth if the rival plays
//! against us. Both move at once, so each of our moves meets every answer. At the end of the look
//! ahead counts how many cells we reach before the rival.

use crate::rules::snake::{Snake, SnakeDirection, SnakeState};

/// Moves of both that are looked ahead at most.
pub(super) const AHEAD_MAX: u32 = 10;

/// Cells of all positions that are counted in one query: 16,000 positions of the game's own grid. A
/// search that needs more is not completed.
const COUNTED_MAX: usize = 1_600_000;

/// Grids with more cells than this are not searched.
const CELLS_MAX: usize = 1 << 12;

/// A move that leads to certain death; a later death is better.
const DEAD: i32 = -1_000;

/// Both heads in one cell.
const CLASH: i32 = -500;

/// The rival has no way out.
const ALONE: i32 = 200;

/// Not reached.
const NEVER: u32 = u32::MAX;

/// One side: its head, and how long a cell stays covered that it enters.
#[derive(Clone, Copy, Debug)]
struct Side {
    head: usize,
    stays: u32,
}

/// The grid and the moves from which on cells can be entered.
#[derive(Debug)]
struct Duel {
    beside: Vec<[Option<usize>; 4]>,
    free: Vec<u32>,
    /// Positions whose cells can still be counted.
    leaves: usize,
    reach: [Vec<u32>; 2],
    queue: Vec<usize>,
}

/// What each turn of a player's snake is worth, for the deepest search of at most `ahead` moves that
/// the budget allows; turns into what is covered are left out. `None` without a living snake or a
/// rival.
pub(super) fn worths(
    state: &SnakeState,
    me: &str,
    ahead: u32,
) -> Option<Vec<(SnakeDirection, i32)>> {
    let own = state.snakes.iter().find(|snake| &*snake.agent == me && snake.alive)?;
    let head = own.head()?;
    let rivals = state.snakes.iter().filter(|snake| &*snake.agent != me && snake.alive);
    let rival = rivals.min_by_key(|snake| snake.head().map(|other| apart(head, other)))?;
    let mut duel = Duel::new(state)?;
    let sides = [side(state, own)?, side(state, rival)?];
    let mut found = duel.turns(sides, 1)?;
    for depth in 2..=ahead.min(AHEAD_MAX) {
        let Some(deeper) = duel.turns(sides, depth) else { break };
        found = deeper;
    }
    Some(found)
}

fn apart([ax, ay]: [i32; 2], [bx, by]: [i32; 2]) -> u32 {
    ax.abs_diff(bx).saturating_add(ay.abs_diff(by))
}

fn index(state: &SnakeState, [x, y]: [i32; 2]) -> Option<usize> {
    let width = usize::try_from(*state.size.first()?).ok()?;
    let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
    y.checked_mul(width)?.checked_add(x)
}

/// How long a snake is after its next move.
fn length(snake: &Snake) -> u32 {
    let eaten = usize::try_from(snake.eaten).unwrap_or_default();
    let grows = usize::from(eaten.saturating_add(2) > snake.body.len());
    u32::try_from(snake.body.len().saturating_add(grows)).unwrap_or(NEVER)
}

/// Whether food is beside a head: a snake that eats it grows with the move after the next one.
fn eats(state: &SnakeState, snake: &Snake) -> bool {
    let Some(head) = snake.head() else { return false };
    SnakeDirection::ALL.into_iter().any(|turn| state.foods.contains(&turn.from(head)))
}

fn side(state: &SnakeState, snake: &Snake) -> Option<Side> {
    Some(Side { head: index(state, snake.head()?)?, stays: length(snake) })
}

impl Duel {
    fn new(state: &SnakeState) -> Option<Self> {
        let [width, height] = state.size;
        let cells = usize::try_from(width).ok()?.checked_mul(usize::try_from(height).ok()?)?;
        if cells == 0 || cells > CELLS_MAX {
            return None;
        }
        let all = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        let beside = all.map(|cell| {
            SnakeDirection::ALL.map(|direction| {
                let next = direction.from(cell);
                state.inside(next).then(|| index(state, next)).flatten()
            })
        });
        let mut free = vec![0; cells];
        for snake in state.snakes.iter().filter(|snake| snake.alive) {
            let (last, later) = (length(snake), u32::from(eats(state, snake)));
            for (age, cell) in (0..).zip(&snake.body) {
                let left: u32 = last.saturating_sub(age);
                let left = if left > 1 { left.saturating_add(later) } else { left };
                if let Some(place) = index(state, *cell).and_then(|at| free.get_mut(at)) {
                    *place = left.max(*place);
                }
            }
        }
        Some(Self {
            beside: beside.collect(),
            free,
            leaves: COUNTED_MAX / cells,
            reach: [vec![NEVER; cells], vec![NEVER; cells]],
            queue: Vec::with_capacity(cells),
        })
    }

    /// What our turns are worth, `depth` moves ahead; `None` if the budget does not allow it.
    fn turns(&mut self, sides: [Side; 2], depth: u32) -> Option<Vec<(SnakeDirection, i32)>> {
        let mut found = Vec::with_capacity(4);
        let beside = self.beside.get(sides[0].head).copied()?;
        for (direction, to) in SnakeDirection::ALL.into_iter().zip(beside) {
            if let Some(to) = to.filter(|to| self.open(*to, 1)) {
                found.push((direction, self.against(to, sides, 1, depth, i32::MIN)?));
            }
        }
        Some(found)
    }

    fn open(&self, cell: usize, tick: u32) -> bool {
        self.free.get(cell).is_some_and(|free| *free <= tick)
    }

    fn ways(&self, head: usize, tick: u32) -> impl Iterator<Item = usize> + use<> {
        let beside = self.beside.get(head).copied().unwrap_or_default();
        let open = beside.map(|cell| cell.filter(|cell| self.open(*cell, tick)));
        open.into_iter().flatten()
    }

    /// What a move of ours is worth against the best answer. Answers that make it no better than
    /// `least` end the search.
    fn against(
        &mut self,
        to: usize,
        sides: [Side; 2],
        tick: u32,
        depth: u32,
        least: i32,
    ) -> Option<i32> {
        let mut worst = None;
        for reply in self.ways(sides[1].head, tick) {
            let worth = if reply == to { CLASH } else { self.both(to, reply, sides, tick, depth)? };
            worst = Some(worst.map_or(worth, |worst: i32| worst.min(worth)));
            if worth <= least {
                break;
            }
        }
        Some(worst.unwrap_or(ALONE))
    }

    /// Both enter their cells, and the search goes on from there.
    fn both(
        &mut self,
        to: usize,
        reply: usize,
        sides: [Side; 2],
        tick: u32,
        depth: u32,
    ) -> Option<i32> {
        let after = [Side { head: to, ..sides[0] }, Side { head: reply, ..sides[1] }];
        let before = after.map(|side| self.free.get(side.head).copied().unwrap_or_default());
        for side in after {
            self.cover(side.head, tick.saturating_add(side.stays));
        }
        let worth = self.look(after, tick + 1, depth);
        for (side, free) in after.into_iter().zip(before) {
            self.cover(side.head, free);
        }
        worth
    }

    fn cover(&mut self, cell: usize, until: u32) {
        if let Some(place) = self.free.get_mut(cell) {
            *place = until;
        }
    }

    fn look(&mut self, sides: [Side; 2], tick: u32, depth: u32) -> Option<i32> {
        if tick > depth {
            self.leaves = self.leaves.checked_sub(1)?;
            return Some(self.territory(sides, depth));
        }
        let mut best = DEAD + i32::try_from(tick).unwrap_or_default();
        for to in self.ways(sides[0].head, tick) {
            best = best.max(self.against(to, sides, tick, depth, best)?);
        }
        Some(best)
    }

    /// How many cells we reach before the rival.
    fn territory(&mut self, sides: [Side; 2], tick: u32) -> i32 {
        let [mut mine, mut theirs] = std::mem::take(&mut self.reach);
        self.flood(sides[0].head, tick, &mut mine);
        self.flood(sides[1].head, tick, &mut theirs);
        let count = mine.iter().zip(&theirs).filter(|(mine, theirs)| mine < theirs).count();
        self.reach = [mine, theirs];
        i32::try_from(count).unwrap_or(i32::MAX)
    }

    /// In which move each cell is reached.
    fn flood(&mut self, head: usize, tick: u32, reached: &mut [u32]) {
        reached.fill(NEVER);
        self.queue.clear();
        self.queue.push(head);
        if let Some(place) = reached.get_mut(head) {
            *place = tick;
        }
        let mut first = 0;
        while let Some(at) = self.queue.get(first).copied() {
            first += 1;
            let next = reached.get(at).map_or(NEVER, |tick| tick.saturating_add(1));
            for to in self.ways(at, next) {
                if let Some(place) = reached.get_mut(to).filter(|place| **place == NEVER) {
                    *place = next;
                    self.queue.push(to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snake(agent: &str, body: &[[i32; 2]]) -> Snake {
        let mut snake = Snake::new(agent.into(), body.to_vec());
        snake.eaten = i64::try_from(body.len()).unwrap() - 2;
        snake
    }

    fn state(size: [i32; 2], bodies: [&[[i32; 2]]; 2]) -> SnakeState {
        let snakes = vec![snake("me", bodies[0]), snake("it", bodies[1])];
        SnakeState { snakes, size, ..SnakeState::default() }
    }

    fn worth(found: &[(SnakeDirection, i32)], direction: SnakeDirection) -> Option<i32> {
        found.iter().find(|(turn, _)| *turn == direction).map(|(_, worth)| *worth)
    }

    #[test]
    fn a_turn_into_a_body_has_no_worth() {
        let state = state([5, 5], [&[[2, 1], [1, 1], [0, 1]], &[[3, 4], [4, 4]]]);
        assert_eq!(worth(&worths(&state, "me", 3).unwrap(), SnakeDirection::Left), None);
    }

    #[test]
    fn a_cell_that_the_other_head_may_enter_is_dangerous() {
        let bodies: [&[[i32; 2]]; 2] = [&[[2, 2], [1, 2], [0, 2]], &[[4, 2], [5, 2], [6, 2]]];
        let found = worths(&state([7, 5], bodies), "me", 4).unwrap();
        let at = |direction| worth(&found, direction).unwrap();
        assert_eq!(at(SnakeDirection::Right), CLASH);
        assert!(at(SnakeDirection::Up) > 0, "{found:?}");
    }

    /// ```text
    /// ..a......
    /// ..b......
    /// edc....x.
    /// fghijk.y.
    /// .........
    /// ```
    #[test]
    fn a_pocket_is_seen_before_it_is_entered() {
        let mine: &[[i32; 2]] = &[
            [2, 0],
            [2, 1],
            [2, 2],
            [1, 2],
            [0, 2],
            [0, 3],
            [1, 3],
            [2, 3],
            [3, 3],
            [4, 3],
            [5, 3],
        ];
        let found = worths(&state([9, 5], [mine, &[[7, 2], [7, 3]]]), "me", 8).unwrap();
        let at = |direction| worth(&found, direction).unwrap();
        assert!(at(SnakeDirection::Left) < 5, "{found:?}");
        assert!(at(SnakeDirection::Right) > 10, "{found:?}");
    }

    /// ```text
    /// ..zab..
    /// wxy....
    /// *......
    /// ```
    /// The rival's tail `z` makes way, and the cell before it (`y`) only if the rival does not eat.
    #[test]
    fn the_tail_of_a_rival_that_can_eat_may_stay() {
        let mine: &[[i32; 2]] = &[[3, 0], [4, 0]];
        let rival: &[[i32; 2]] = &[[0, 1], [1, 1], [2, 1], [2, 0]];
        let after = |foods: &[[i32; 2]]| {
            let state = SnakeState { foods: foods.to_vec(), ..state([7, 3], [mine, rival]) };
            let duel = Duel::new(&state).unwrap();
            [[2, 0], [2, 1]].map(|cell| duel.free[index(&state, cell).unwrap()])
        };
        assert_eq!(after(&[]), [1, 2]);
        assert_eq!(after(&[[0, 2]]), [1, 3]);
    }

    #[test]
    fn cells_count_for_the_head_that_reaches_them_first() {
        let state = state([9, 1], [&[[2, 0], [1, 0]], &[[6, 0], [7, 0]]]);
        let mut duel = Duel::new(&state).unwrap();
        duel.free.fill(0);
        let sides = [Side { head: 2, stays: 2 }, Side { head: 6, stays: 2 }];
        assert_eq!(duel.territory(sides, 0), 4);
    }

    #[test]
    fn there_is_no_duel_without_a_rival_or_with_a_grid_that_is_too_large() {
        let mut alone = state([5, 5], [&[[2, 1], [1, 1]], &[[3, 4], [4, 4]]]);
        assert_eq!(worths(&SnakeState { size: [10_000, 10_000], ..alone.clone() }, "me", 3), None);
        alone.snakes[1].alive = false;
        assert_eq!(worths(&alone, "me", 3), None);
        assert_eq!(worths(&SnakeState::default(), "me", 3), None);
    }
}
