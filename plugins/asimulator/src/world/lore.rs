//! Estimates how common walls, dangers, enemies and items are, because the protocol does not say
//! it.
//!
//! Counts survive from one simulation of a connection to the next, since one class of worlds makes
//! them all. Tiles that are only inferred count with their probability (expectation maximisation).

use serde::{Deserialize, Serialize};

/// How many tiles' worth the first guess counts.
const GUESS_TILES: f64 = 12.0;

/// Old simulations fade when more tiles than this are counted.
const TILES_MAX: f64 = 100_000.0;

/// Sums over tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TileTally {
    /// Tiles about which something is known.
    pub tiles: f64,
    /// Of these, walls.
    pub walls: f64,
    /// Of these, fatal dangers.
    pub dangers: f64,
    /// Enemies met or inferred.
    pub enemies: f64,
    /// Clear tiles that were looked at for items.
    pub looked: f64,
    /// Items there.
    pub items: f64,
    /// Homes there.
    pub homes: f64,
}

impl TileTally {
    /// Adds another one.
    pub fn add(&mut self, other: &Self) {
        self.tiles += other.tiles;
        self.walls += other.walls;
        self.dangers += other.dangers;
        self.enemies += other.enemies;
        self.looked += other.looked;
        self.items += other.items;
        self.homes += other.homes;
        if self.tiles > TILES_MAX {
            self.scale(0.5);
        }
    }

    fn scale(&mut self, by: f64) {
        let all = [
            &mut self.tiles,
            &mut self.walls,
            &mut self.dangers,
            &mut self.enemies,
            &mut self.looked,
            &mut self.items,
            &mut self.homes,
        ];
        all.into_iter().for_each(|sum| *sum *= by);
    }
}

/// How likely things are on a tile about which nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    pub wall: f64,
    /// It is a fatal danger.
    pub danger: f64,
    /// An enemy is on it, if it is no wall.
    pub enemy: f64,
    /// An item lies on it, if it is clear.
    pub item: f64,
    /// A home is on it, if it is clear.
    pub home: f64,
}

impl Rates {
    /// The first guess (spec section 12.1) corrected by what was counted.
    #[must_use]
    pub fn learned(tally: &TileTally) -> Self {
        let share = |guess: f64, seen: f64, of: f64| {
            ((guess * GUESS_TILES + seen) / (GUESS_TILES + of)).clamp(1e-4, 0.9)
        };
        let wall = share(0.2, tally.walls, tally.tiles);
        let danger = share(0.1, tally.dangers, tally.tiles).min(0.98 - wall);
        Self {
            wall,
            danger,
            enemy: share(0.05, tally.enemies, tally.tiles - tally.walls),
            item: share(0.1, tally.items, tally.looked),
            home: share(0.01, tally.homes, tally.looked),
        }
    }

    #[must_use]
    pub fn clear(&self) -> f64 {
        1.0 - self.wall - self.danger
    }
}
