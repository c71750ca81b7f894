//! The torus: terrain, dispensers, task boards, markers, and who is where.
#![allow(
    clippy::indexing_slicing,
    reason = "cells are reduced modulo the size before every access"
)]

/// Cells farther than this (Manhattan) are not seen (spec, section 11).
pub const VISION: i32 = 5;

/// A cell; meaningful modulo the torus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pos {
    /// East.
    pub x: i32,
    /// South.
    pub y: i32,
}

/// Terrain of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terrain {
    /// Nothing special.
    Empty,
    /// Tasks are submitted here.
    Goal,
    /// No agent passes.
    Obstacle,
}

impl Terrain {
    /// The number that replays use.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Goal => 1,
            Self::Obstacle => 2,
        }
    }
}

/// Markers of clear actions and events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearMarker {
    /// Announced.
    Clear,
    /// At most two steps away.
    Imminent,
    /// The perimeter, where obstacles may appear.
    Perimeter,
}

/// Something else than empty terrain is on the cell: lets a percept skip it after one look.
const OCCUPIED: u8 = 1;
const DISPENSER: u8 = 2;
const BOARD: u8 = 4;
const MARKED: u8 = 8;
const GROUND: u8 = 16;

/// No attachable.
pub(crate) const NO_BODY: u32 = u32::MAX;

/// The torus.
#[derive(Clone, Debug)]
pub struct Grid {
    width: i32,
    height: i32,
    terrain: Vec<Terrain>,
    flags: Vec<u8>,
    /// Block type + 1; 0 is none.
    dispensers: Vec<u8>,
    markers: Vec<[u8; 3]>,
    marked: Vec<usize>,
    /// First attachable of the cell's list.
    heads: Vec<u32>,
}

impl Grid {
    /// An empty torus. Sizes below 1 count as 1.
    #[must_use]
    pub fn new(width: i32, height: i32) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        let cells = usize::try_from(i64::from(width) * i64::from(height)).unwrap_or(1);
        Self {
            width,
            height,
            terrain: vec![Terrain::Empty; cells],
            flags: vec![0; cells],
            dispensers: vec![0; cells],
            markers: vec![[0; 3]; cells],
            marked: Vec::new(),
            heads: vec![NO_BODY; cells],
        }
    }

    /// Columns.
    #[must_use]
    pub fn width(&self) -> i32 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> i32 {
        self.height
    }

    /// The same cell with both coordinates inside the size.
    #[must_use]
    pub fn wrap(&self, pos: Pos) -> Pos {
        if (0..self.width).contains(&pos.x) && (0..self.height).contains(&pos.y) {
            return pos;
        }
        Pos { x: pos.x.rem_euclid(self.width), y: pos.y.rem_euclid(self.height) }
    }

    /// The cell at an offset.
    #[must_use]
    pub fn at(&self, pos: Pos, dx: i32, dy: i32) -> Pos {
        // Reduced first, so that an absurd offset cannot overflow.
        self.wrap(Pos { x: pos.x + dx % self.width, y: pos.y + dy % self.height })
    }

    /// Position in dense storage, row by row.
    #[must_use]
    pub fn index(&self, pos: Pos) -> usize {
        let pos = self.wrap(pos);
        usize::try_from(pos.y * self.width + pos.x).unwrap_or(0)
    }

    /// The cell of an index.
    #[must_use]
    pub fn pos(&self, index: usize) -> Pos {
        let index = i32::try_from(index).unwrap_or(0);
        Pos { x: index % self.width, y: index / self.width }
    }

    /// The next cell row by row, round the torus.
    #[must_use]
    pub fn next(&self, pos: Pos) -> Pos {
        if pos.x + 1 < self.width {
            Pos { x: pos.x + 1, y: pos.y }
        } else {
            Pos { x: 0, y: (pos.y + 1) % self.height }
        }
    }

    /// All cells, starting with `start`, in that order.
    pub fn scan(&self, start: Pos) -> impl Iterator<Item = Pos> + use<'_> {
        let mut pos = self.wrap(start);
        (0..self.terrain.len()).map(move |_| {
            let here = pos;
            pos = self.next(pos);
            here
        })
    }

    /// The shortest way from one cell to another.
    #[must_use]
    pub fn way(&self, from: Pos, to: Pos) -> (i32, i32) {
        let short = |delta: i32, size: i32| {
            let delta = delta.rem_euclid(size);
            if delta * 2 > size { delta - size } else { delta }
        };
        (short(to.x - from.x, self.width), short(to.y - from.y, self.height))
    }

    /// Manhattan distance round the torus.
    #[must_use]
    pub fn distance(&self, from: Pos, to: Pos) -> i32 {
        let (dx, dy) = self.way(from, to);
        dx.abs() + dy.abs()
    }

    /// The cells within a Manhattan distance, x outer and ascending, each once.
    #[must_use]
    pub fn area(&self, centre: Pos, radius: i32) -> Vec<Pos> {
        let mut cells = Vec::new();
        for dx in -radius..=radius {
            let rest = radius - dx.abs();
            for dy in -rest..=rest {
                cells.push(self.at(centre, dx, dy));
            }
        }
        if radius * 2 >= self.width.min(self.height) {
            let mut seen = vec![false; self.terrain.len()];
            cells.retain(|cell| !std::mem::replace(&mut seen[self.index(*cell)], true));
        }
        cells
    }

    /// Terrain of a cell.
    #[must_use]
    pub fn terrain(&self, pos: Pos) -> Terrain {
        self.terrain[self.index(pos)]
    }

    /// Changes the terrain of a cell.
    pub fn set_terrain(&mut self, pos: Pos, terrain: Terrain) {
        let index = self.index(pos);
        self.terrain[index] = terrain;
        self.flag(index, GROUND, terrain != Terrain::Empty);
    }

    /// The block type of the dispenser on the cell.
    #[must_use]
    pub fn dispenser(&self, pos: Pos) -> Option<u8> {
        self.dispensers[self.index(pos)].checked_sub(1)
    }

    /// Puts a dispenser on the cell.
    pub fn set_dispenser(&mut self, pos: Pos, kind: u8) {
        let index = self.index(pos);
        self.dispensers[index] = kind.saturating_add(1);
        self.flag(index, DISPENSER, true);
    }

    /// Whether the cell has a task board.
    #[must_use]
    pub fn board(&self, pos: Pos) -> bool {
        self.flags[self.index(pos)] & BOARD != 0
    }

    /// Puts a task board on the cell.
    pub fn set_board(&mut self, pos: Pos) {
        let index = self.index(pos);
        self.flag(index, BOARD, true);
    }

    /// Removes all markers.
    pub fn clear_markers(&mut self) {
        while let Some(index) = self.marked.pop() {
            self.markers[index] = [0; 3];
            self.flag(index, MARKED, false);
        }
    }

    /// Adds a marker; a cell may have the same one several times.
    pub fn mark(&mut self, pos: Pos, marker: ClearMarker) {
        let index = self.index(pos);
        if self.flags[index] & MARKED == 0 {
            self.marked.push(index);
        }
        let slot = &mut self.markers[index][marker as usize];
        *slot = slot.saturating_add(1);
        self.flag(index, MARKED, true);
    }

    /// How many markers clear, imminent and perimeter the cell has.
    #[must_use]
    pub fn markers(&self, pos: Pos) -> [u8; 3] {
        self.markers[self.index(pos)]
    }

    /// Whether neither obstacle nor attachable is on the cell.
    #[must_use]
    pub fn open(&self, pos: Pos) -> bool {
        let index = self.index(pos);
        self.heads[index] == NO_BODY && self.terrain[index] != Terrain::Obstacle
    }

    /// Whether the cell is a "random free position": empty terrain, no attachable.
    #[must_use]
    pub fn free(&self, pos: Pos) -> bool {
        let index = self.index(pos);
        self.heads[index] == NO_BODY && self.terrain[index] == Terrain::Empty
    }

    /// Whether a percept has anything to say about the cell.
    pub(crate) fn bare(&self, index: usize) -> bool {
        self.flags[index] == 0
    }

    /// Terrain by index, for rows.
    #[must_use]
    pub fn terrains(&self) -> &[Terrain] {
        &self.terrain
    }

    pub(crate) fn head(&self, pos: Pos) -> u32 {
        self.heads[self.index(pos)]
    }

    pub(crate) fn set_head(&mut self, pos: Pos, head: u32) {
        let index = self.index(pos);
        self.heads[index] = head;
        self.flag(index, OCCUPIED, head != NO_BODY);
    }

    fn flag(&mut self, index: usize, flag: u8, on: bool) {
        if on {
            self.flags[index] |= flag;
        } else {
            self.flags[index] &= !flag;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_go_the_short_way_round() {
        let grid = Grid::new(10, 7);
        let from = Pos { x: 9, y: 0 };
        assert_eq!(grid.way(from, Pos { x: 1, y: 6 }), (2, -1));
        assert_eq!(grid.at(from, 1, -1), Pos { x: 0, y: 6 });
        assert_eq!(grid.at(from, i32::MAX, i32::MIN).x, (9 + i32::MAX % 10) % 10);
    }

    #[test]
    fn an_area_larger_than_the_torus_lists_each_cell_once() {
        let grid = Grid::new(4, 3);
        assert_eq!(grid.area(Pos { x: 0, y: 0 }, 9).len(), 12);
        assert_eq!(Grid::new(30, 30).area(Pos { x: 0, y: 0 }, 5).len(), 61);
    }

    #[test]
    fn a_scan_visits_every_cell_once_row_by_row() {
        let grid = Grid::new(3, 2);
        let seen: Vec<(i32, i32)> = grid.scan(Pos { x: 2, y: 1 }).map(|p| (p.x, p.y)).collect();
        assert_eq!(seen, [(2, 1), (0, 0), (1, 0), (2, 0), (0, 1), (1, 1)]);
    }
}
