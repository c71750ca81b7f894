//! What may lie behind a tile: the expected worth of the unknown region that it opens.
#![allow(clippy::indexing_slicing, reason = "indices come from the frame of the same beliefs")]

use super::infer::Beliefs;
use crate::rules::{Neighbourhood, OpeningRules};
use phalanx_game::sorted::SortedSet;

/// Most tiles that are looked at behind one tile.
const TILES_MAX: usize = 60;

/// Regions that are reached with less than this probability are not looked at.
const REACH_MIN: f64 = 0.05;

/// How much of the unknown is worth what it seems, tile by tile: safe ways are not always found.
const TRUST: f64 = 0.9;

/// Moves that a tile of the unknown costs, turns included.
const MOVES_A_TILE: f64 = 1.6;

/// How the unknown is valued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hope {
    item: f64,
    home: f64,
    step: f64,
}

impl Hope {
    /// `home`: what finding a home would be worth; 0 when one is known.
    pub(super) fn new(rules: &OpeningRules, home: f64) -> Self {
        let item = f64::from(rules.item_reward) - f64::from(rules.costs.grab);
        let step = f64::from(rules.costs.advance) * MOVES_A_TILE;
        Self { item: item.max(0.0), home, step }
    }

    /// The worth of a tile that is not looked at yet, by itself, if it can be entered.
    fn own(&self, beliefs: &Beliefs, index: usize) -> f64 {
        let tile = &beliefs.tiles[index];
        let clear = 1.0 - tile.wall - tile.danger;
        if clear <= 0.0 { 0.0 } else { (tile.item * self.item + tile.home * self.home) / clear }
    }

    /// The expected worth of everything that entering this tile alive may open, its own included.
    /// Each tile counts by the likeliest way to it.
    pub(super) fn behind(&self, beliefs: &Beliefs, first: usize) -> f64 {
        let mut worth = self.own(beliefs, first);
        let mut seen = SortedSet::from([first]);
        // Ways by their probability, the likeliest last; tiles by number where that is equal.
        let mut ways: Vec<(f64, usize)> = vec![(1.0, first)];
        while let Some((reach, index)) = ways.pop() {
            for next in beliefs.frame.around(index, Neighbourhood::Four) {
                let tile = &beliefs.tiles[next];
                if tile.visited || tile.wall >= 1.0 || tile.death >= 1.0 || seen.len() >= TILES_MAX
                {
                    continue;
                }
                let on = reach * (1.0 - tile.wall - tile.death).max(0.0) * TRUST;
                if on < REACH_MIN || !seen.insert(next) {
                    continue;
                }
                worth += on * (self.own(beliefs, next) - self.step).max(0.0);
                let place = ways.partition_point(|(other, _)| *other <= on);
                ways.insert(place, (on, next));
            }
        }
        worth
    }
}
