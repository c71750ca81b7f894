//! snake (spec section 8): a grid, columns to the right, rows downwards.

mod picture;
mod read;

use super::{GameRng, Id};
use phalanx_game::sorted::SortedMap;
use serde::{Deserialize, Serialize};

/// How many cells are tried for food when none is left.
pub const FOOD_TRIES: usize = 5;

/// Columns and rows.
pub const SIZE: i32 = 10;

/// Where a head goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SnakeDirection {
    /// A row less.
    Up,
    /// A column more.
    Right,
    /// A row more.
    Down,
    /// A column less.
    Left,
}

impl SnakeDirection {
    /// All of them, in the order of the clock.
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// Its name on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Up => "UP",
            Self::Right => "RIGHT",
            Self::Down => "DOWN",
            Self::Left => "LEFT",
        }
    }

    /// The direction of that name, in letters of any case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.word().eq_ignore_ascii_case(word))
    }

    /// The cell beside one.
    #[must_use]
    pub fn from(self, [x, y]: [i32; 2]) -> [i32; 2] {
        match self {
            Self::Up => [x, y.saturating_sub(1)],
            Self::Right => [x.saturating_add(1), y],
            Self::Down => [x, y.saturating_add(1)],
            Self::Left => [x.saturating_sub(1), y],
        }
    }
}

/// What a snake does in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// No move was given: the snake stays in place.
    Stay,
    /// Goes.
    Go(SnakeDirection),
    /// Said something that is no direction: the body is pulled up, and it dies.
    Nonsense,
}

impl Move {
    /// The move that a word says.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        if word.is_empty() {
            return Self::Stay;
        }
        SnakeDirection::parse(word).map_or(Self::Nonsense, Self::Go)
    }
}

/// One snake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snake {
    /// Whose.
    pub agent: Id,
    /// Dead snakes stay in the list with the cells of their death.
    pub alive: bool,
    /// Its cells, head first.
    pub body: Vec<[i32; 2]>,
    /// Food eaten.
    pub eaten: i64,
    /// Whether its next move makes it longer.
    pub growing: bool,
    /// Its last move, which is how its body is drawn.
    pub heading: Option<SnakeDirection>,
    /// The tail came in its last move.
    pub new_tail: bool,
}

impl Snake {
    /// A snake in its first position.
    #[must_use]
    pub fn new(agent: Id, body: Vec<[i32; 2]>) -> Self {
        Self { agent, alive: true, body, eaten: 0, growing: false, heading: None, new_tail: false }
    }

    /// Food eaten, minus 1 when dead.
    #[must_use]
    pub fn score(&self) -> i64 {
        self.eaten - i64::from(!self.alive)
    }

    #[must_use]
    pub fn head(&self) -> Option<[i32; 2]> {
        self.body.first().copied()
    }

    /// The body follows the head into a cell.
    fn advance(&mut self, to: [i32; 2]) {
        let old_tail = self.body.last().copied();
        self.body.insert(0, to);
        self.body.pop();
        if self.growing {
            self.body.extend(old_tail);
        }
        self.new_tail = std::mem::take(&mut self.growing);
    }
}

/// The world of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnakeState {
    /// The snakes, in the order of their agents.
    pub snakes: Vec<Snake>,
    /// Cells with food.
    pub foods: Vec<[i32; 2]>,
    /// Columns and rows.
    pub size: [i32; 2],
}

impl SnakeState {
    /// A world for agents in their order.
    #[must_use]
    pub fn new(agents: &[Id], chance: &mut GameRng) -> Self {
        let mut state = Self { size: [SIZE; 2], ..Self::default() };
        // The food is there before the snakes are.
        state.foods = (0..FOOD_TRIES).map(|_| state.any_cell(chance)).collect();
        for agent in agents {
            let [x, y] = state.any_cell(chance);
            state.snakes.push(Snake::new(agent.clone(), vec![[x, y], [x - 1, y]]));
        }
        state
    }

    fn any_cell(&self, chance: &mut GameRng) -> [i32; 2] {
        self.size.map(|size| {
            let drawn = chance.below(usize::try_from(size).unwrap_or_default());
            i32::try_from(drawn).unwrap_or_default()
        })
    }

    /// Whether a cell is on the grid.
    #[must_use]
    pub fn inside(&self, cell: [i32; 2]) -> bool {
        cell.iter().zip(self.size).all(|(place, size)| (0..size).contains(place))
    }

    /// Whether all snakes are dead.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.snakes.iter().all(|snake| !snake.alive)
    }

    /// Plays one tick. An agent without a move stays in place.
    pub fn step(&mut self, moves: &SortedMap<Id, Move>, chance: &mut GameRng) {
        self.advance(moves);
        if self.foods.is_empty() {
            for _ in 0..FOOD_TRIES {
                let cell = self.any_cell(chance);
                if self.segments(cell) == 0 && !self.foods.contains(&cell) {
                    self.foods.push(cell);
                }
            }
        }
    }

    /// The part of a tick that is not by chance: moves, deaths, meals.
    pub fn advance(&mut self, moves: &SortedMap<Id, Move>) {
        for snake in self.snakes.iter_mut().filter(|snake| snake.alive) {
            let Some(head) = snake.head() else { continue };
            match moves.get(&snake.agent).copied().unwrap_or(Move::Stay) {
                Move::Stay => {}
                Move::Go(direction) => {
                    snake.heading = Some(direction);
                    snake.advance(direction.from(head));
                }
                Move::Nonsense => snake.advance(head),
            }
        }
        self.kill(moves);
        self.feed();
    }

    /// How many segments of living snakes are in a cell; column -1 counts as the last one.
    fn segments(&self, cell: [i32; 2]) -> usize {
        let bodies = self.snakes.iter().filter(|snake| snake.alive).flat_map(|snake| &snake.body);
        bodies.filter(|segment| self.wrapped(**segment) == cell).count()
    }

    /// Negative places count from the end, as the original's lists do.
    fn wrapped(&self, cell: [i32; 2]) -> [i32; 2] {
        let [x, y] = cell;
        let [width, height] = self.size;
        [if x < 0 { x + width } else { x }, if y < 0 { y + height } else { y }]
    }

    fn kill(&mut self, moves: &SortedMap<Id, Move>) {
        let mut lost = Vec::new();
        for snake in &self.snakes {
            let nonsense = moves.get(&snake.agent) == Some(&Move::Nonsense);
            let outside = snake.head().is_none_or(|head| !self.inside(head));
            lost.push(snake.alive && (nonsense || outside));
        }
        self.bury(&lost);
        let mut crashed = Vec::new();
        for snake in &self.snakes {
            let crowded = snake.head().is_some_and(|head| self.segments(head) > 1);
            crashed.push(snake.alive && crowded);
        }
        self.bury(&crashed);
    }

    fn bury(&mut self, lost: &[bool]) {
        for (snake, lost) in self.snakes.iter_mut().zip(lost) {
            snake.alive &= !lost;
        }
    }

    fn feed(&mut self) {
        for snake in self.snakes.iter_mut().filter(|snake| snake.alive) {
            for segment in &snake.body {
                let before = self.foods.len();
                self.foods.retain(|food| food != segment);
                if self.foods.len() < before {
                    snake.eaten += 1;
                    snake.growing = true;
                }
            }
        }
    }
}
