//! Makes the world from the seed, draw by draw as the original (spec, section 8).

use super::attach::AttachableKind;
use super::config::{Instruction, SimConfig};
use super::grid::{Grid, Pos, Terrain};
use super::rules::State;
use phalanx_massim::JavaRandom;

/// Fills an empty state: terrain, goal zones, entities, dispensers, task boards.
pub(super) fn build(state: &mut State, config: &SimConfig, random: &mut JavaRandom) {
    let kinds = random.between(config.block_types);
    state.block_types = (0..kinds).map(|number| format!("b{number}")).collect();
    for (x, y, terrain) in &config.grid.image {
        if *x < state.grid.width() && *y < state.grid.height() {
            state.grid.set_terrain(Pos { x: *x, y: *y }, *terrain);
        }
    }
    for instruction in &config.grid.instructions {
        match instruction {
            Instruction::Cave { share, rounds, birth, survival } => {
                cave(&mut state.grid, random, *share, *rounds, (*birth, *survival));
            }
            Instruction::LineBorder(width) => line_border(&mut state.grid, *width),
            Instruction::RaggedBorder(width) => ragged_border(&mut state.grid, random, *width),
        }
    }
    let closed = goals(state, config, random);
    entities(state, config, random);
    dispensers(state, config, random, kinds);
    boards(state, config, random, &closed);
}

fn draw_cell(grid: &Grid, random: &mut JavaRandom) -> Pos {
    Pos { x: random.below(grid.width()), y: random.below(grid.height()) }
}

fn random_free(grid: &Grid, random: &mut JavaRandom) -> Option<Pos> {
    let start = draw_cell(grid, random);
    grid.scan(start).find(|pos| grid.free(*pos))
}

fn cave(grid: &mut Grid, random: &mut JavaRandom, share: f64, rounds: u32, limits: (i32, i32)) {
    for x in 0..grid.width() {
        for y in 0..grid.height() {
            if random.unit() < share {
                grid.set_terrain(Pos { x, y }, Terrain::Obstacle);
            }
        }
    }
    for _ in 0..rounds {
        let before = grid.clone();
        for pos in before.scan(Pos { x: 0, y: 0 }) {
            let mut count = 0;
            for dx in -1..=1 {
                for dy in -1..=1 {
                    let wall = before.terrain(before.at(pos, dx, dy)) == Terrain::Obstacle;
                    count += i32::from(wall && (dx, dy) != (0, 0));
                }
            }
            match before.terrain(pos) {
                Terrain::Obstacle if count < limits.1 => grid.set_terrain(pos, Terrain::Empty),
                Terrain::Empty if count > limits.0 => grid.set_terrain(pos, Terrain::Obstacle),
                Terrain::Obstacle | Terrain::Empty | Terrain::Goal => {}
            }
        }
    }
}

fn line_border(grid: &mut Grid, width: i32) {
    let (columns, rows) = (grid.width(), grid.height());
    for pos in grid.clone().scan(Pos { x: 0, y: 0 }) {
        let edge = pos.x.min(pos.y).min(columns - 1 - pos.x).min(rows - 1 - pos.y);
        if edge < width {
            grid.set_terrain(pos, Terrain::Obstacle);
        }
    }
}

fn ragged_border(grid: &mut Grid, random: &mut JavaRandom, width: i32) {
    let (columns, rows) = (grid.width(), grid.height());
    for (side, length) in [(0, columns), (1, columns), (2, rows), (3, rows)] {
        let mut current = width;
        for along in 0..length {
            current = (current - 1 + random.below(3)).max(1);
            for deep in 0..current {
                let (x, y) = match side {
                    0 => (along, deep),
                    1 => (along, rows - 1 - deep),
                    2 => (deep, along),
                    _ => (columns - 1 - deep, along),
                };
                grid.set_terrain(Pos { x, y }, Terrain::Obstacle);
            }
        }
    }
}

/// Returns the cells that are closed for task boards.
fn goals(state: &mut State, config: &SimConfig, random: &mut JavaRandom) -> Vec<bool> {
    let grid = &mut state.grid;
    let mut closed = vec![false; grid.terrains().len()];
    for _ in 0..config.grid.goals.number {
        let centre = random_free(grid, random);
        let radius = random.between(config.grid.goals.size);
        let Some(centre) = centre else { continue };
        for pos in grid.area(centre, radius) {
            grid.set_terrain(pos, Terrain::Goal);
        }
        for pos in grid.area(centre, radius + config.tasks.board_distance) {
            if let Some(cell) = closed.get_mut(grid.index(pos)) {
                *cell = true;
            }
        }
    }
    closed
}

fn entities(state: &mut State, config: &SimConfig, random: &mut JavaRandom) {
    let mut left: Vec<usize> = (0..config.entities).collect();
    while !left.is_empty() {
        let all = i32::try_from(left.len()).unwrap_or(i32::MAX);
        let size = random.between(config.cluster).clamp(1, all);
        let start = draw_cell(&state.grid, random);
        let cells = cluster(&state.grid, start, size);
        for pos in cells {
            let index = random.below(i32::try_from(left.len()).unwrap_or(i32::MAX));
            let number = left.remove(usize::try_from(index).unwrap_or(0));
            for team in 0..state.teams.len() {
                state.add_entity(team, number + 1, pos);
            }
        }
    }
}

/// The cells of a cluster of that size, the first found from `start`; at least one cell. On a map
/// too full for it the cluster is smaller, where the original would search for ever.
fn cluster(grid: &Grid, start: Pos, size: i32) -> Vec<Pos> {
    let radius = i32::try_from(size.ilog2()).unwrap_or(0);
    let wanted = usize::try_from(size).unwrap_or(1);
    let ground = |pos: Pos| {
        let mut cells = grid.area(pos, radius);
        cells.retain(|cell| grid.terrain(*cell) == Terrain::Empty);
        cells.truncate(wanted);
        cells
    };
    let mut best = Vec::new();
    for pos in grid.scan(start).filter(|pos| grid.free(*pos)) {
        let cells = ground(pos);
        if cells.len() >= wanted {
            return cells;
        }
        if cells.len() > best.len() {
            best = cells;
        }
    }
    if best.is_empty() { vec![start] } else { best }
}

fn dispensers(state: &mut State, config: &SimConfig, random: &mut JavaRandom, kinds: i32) {
    for kind in 0..kinds {
        for _ in 0..random.between(config.dispensers) {
            if let Some(pos) = random_free(&state.grid, random) {
                state.add_dispenser(pos, u8::try_from(kind).unwrap_or(0));
            }
        }
    }
}

fn boards(state: &mut State, config: &SimConfig, random: &mut JavaRandom, closed: &[bool]) {
    for _ in 0..config.tasks.boards {
        let Some(start) = random_free(&state.grid, random) else { continue };
        let shut = |pos: &Pos| closed.get(state.grid.index(*pos)).copied().unwrap_or(false);
        let Some(pos) = state.grid.scan(start).find(|pos| !shut(pos)) else { continue };
        if state.grid.open(pos) {
            state.add_board(pos);
        }
    }
}

impl State {
    pub(super) fn add_entity(&mut self, team: usize, number: usize, pos: Pos) {
        let Some(entity) = self.entities.iter().position(|e| e.team == team && e.number == number)
        else {
            return;
        };
        let body = self.bodies.place(&mut self.grid, pos, AttachableKind::Entity { entity, team });
        let id = self.next_id();
        if let Some(entity) = self.entities.get_mut(entity) {
            entity.body = body;
            entity.id = id;
        }
    }

    /// Nothing happens where there is one already.
    pub(super) fn add_dispenser(&mut self, pos: Pos, kind: u8) {
        if self.grid.dispenser(pos).is_none() {
            self.grid.set_dispenser(pos, kind);
            let id = self.next_id();
            self.dispensers.push((id, self.grid.wrap(pos), kind));
        }
    }

    /// Nothing happens where there is one already.
    pub(super) fn add_board(&mut self, pos: Pos) {
        if !self.grid.board(pos) {
            self.grid.set_board(pos);
            self.boards.push(self.grid.wrap(pos));
        }
    }
}
