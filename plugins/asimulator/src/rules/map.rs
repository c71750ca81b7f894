//! A world's tiles.

use super::Cell;
use serde::{Deserialize, Serialize};

/// Most columns or rows inside the border ring (spec section 7.1): places must fit a signed byte.
pub const SIDE_MAX: u16 = 127;

/// What a tile is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TileKind {
    /// Can be entered.
    #[default]
    Clear,
    /// Cannot.
    Wall,
    /// Can, once.
    Danger,
}

/// One tile (spec section 7.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// What it is made of.
    pub kind: TileKind,
    /// A home is here; only on clear tiles.
    pub home: bool,
    /// An item lies here; only on clear tiles.
    pub item: bool,
    /// An enemy is here; never on walls.
    pub enemy: bool,
    /// The opening shows it to the agent.
    pub known: bool,
}

impl Tile {
    /// What lies outside of the map.
    pub const WALL: Self =
        Self { kind: TileKind::Wall, home: false, item: false, enemy: false, known: false };

    /// Entering it is the agent's end.
    #[must_use]
    pub fn deadly(self) -> bool {
        self.kind == TileKind::Danger || self.enemy
    }
}

/// A rectangle of tiles with a ring of walls around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileMap {
    columns: u16,
    rows: u16,
    /// The place of the tile in the south-west corner.
    corner: Cell,
    tiles: Vec<Tile>,
}

impl TileMap {
    /// A map of clear tiles, whose south-west corner has this place.
    #[must_use]
    pub fn new(columns: u16, rows: u16, corner: Cell) -> Self {
        let tiles = vec![Tile::default(); usize::from(columns) * usize::from(rows)];
        Self { columns, rows, corner, tiles }
    }

    /// Columns inside the border.
    #[must_use]
    pub fn columns(&self) -> u16 {
        self.columns
    }

    /// Rows inside the border.
    #[must_use]
    pub fn rows(&self) -> u16 {
        self.rows
    }

    /// The same tiles with places counted from another one.
    #[must_use]
    pub fn centred(mut self, origin: Cell) -> Self {
        self.corner = self.corner - origin;
        self
    }

    /// The places of the corners of the border ring: south-west and north-east.
    #[must_use]
    pub fn border(&self) -> (Cell, Cell) {
        let far = Cell::new(i32::from(self.columns), i32::from(self.rows));
        (self.corner - Cell::new(1, 1), self.corner + far)
    }

    fn index(&self, at: Cell) -> Option<usize> {
        let from = at - self.corner;
        let inside = (0..i32::from(self.columns)).contains(&from.x)
            && (0..i32::from(self.rows)).contains(&from.y);
        let index = from.y * i32::from(self.columns) + from.x;
        inside.then(|| usize::try_from(index).ok()).flatten()
    }

    /// A tile; everything outside is wall.
    #[must_use]
    pub fn tile(&self, at: Cell) -> Tile {
        let tile = self.index(at).and_then(|index| self.tiles.get(index));
        tile.copied().unwrap_or(Tile::WALL)
    }

    /// A tile to be changed; `None` outside.
    pub fn tile_mut(&mut self, at: Cell) -> Option<&mut Tile> {
        let index = self.index(at)?;
        self.tiles.get_mut(index)
    }

    /// All tiles inside the border, row by row from the north-west.
    pub fn iter(&self) -> impl Iterator<Item = (Cell, Tile)> {
        let rows = (0..i32::from(self.rows)).rev();
        rows.flat_map(move |y| {
            (0..i32::from(self.columns)).map(move |x| {
                let at = self.corner + Cell::new(x, y);
                (at, self.tile(at))
            })
        })
    }

    /// How many tiles satisfy a condition, as the wire counts: at most 65,535.
    #[must_use]
    pub fn count(&self, wanted: impl Fn(Tile) -> bool) -> u16 {
        let count = self.tiles.iter().filter(|tile| wanted(**tile)).count();
        u16::try_from(count).unwrap_or(u16::MAX)
    }
}
