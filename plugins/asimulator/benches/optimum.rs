//! The best mean score that any agent can reach in the handbook's class, `wumpus-4x4`, by dynamic
//! programming over what an agent can know. `cargo bench -p phalanx-asimulator --bench optimum`.
//!
//! What an agent knows is which tiles it has visited, where it felt fear, which tiles the enemy may
//! be on, and whether it has its shot; dangers are independent of each other, the enemy is
//! independent of them, and the item is on any clear tile. Only a visit of a new tile or a shot says
//! something new, so between them the agent takes the cheapest way over visited tiles.
//!
//! Tiles that may be deadly are not entered. That loses nothing: the program computes the least
//! probability of death of all such tiles in all situations, and fails if it is not above 0.1, where
//! the home's reward is lost too often for an item of a tenth of it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark reports to people and may stop at the first surprise"
)]

use phalanx_asimulator::rules::Preset;
use std::collections::HashMap;

const SIDE: usize = 4;
const TILES: usize = SIDE * SIDE;

/// A set of tiles, from the agent's corner row by row.
type Tiles = u16;

/// A place and a direction: tile times 4, then east, north, west, south.
type PoseIndex = usize;

/// What an agent knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Knowledge {
    visited: Tiles,
    feared: Tiles,
    /// Where the enemy may be; empty when it is dead.
    suspects: Tiles,
    loaded: bool,
}

/// One thing to do: from which pose, and what it is worth from there.
#[derive(Clone, Copy, Debug)]
struct Plan {
    from: PoseIndex,
    worth: f64,
}

/// Where dangers may be, and how probable that is.
#[derive(Clone, Copy, Debug)]
struct Layout {
    dangers: Tiles,
    weight: f64,
    clear: f64,
}

#[derive(Debug)]
struct Optimum {
    around: [Tiles; TILES],
    item: f64,
    known: HashMap<Knowledge, Vec<Plan>>,
    least_risk: f64,
}

fn has(tiles: Tiles, tile: usize) -> bool {
    tiles >> tile & 1 == 1
}

fn bit(tile: usize) -> Tiles {
    1 << tile
}

/// The next tile in a direction, if there is one.
fn ahead(pose: PoseIndex) -> Option<usize> {
    let (tile, heading) = (pose / 4, pose % 4);
    let (x, y) = (tile % SIDE, tile / SIDE);
    match heading {
        0 => (x + 1 < SIDE).then_some(tile + 1),
        1 => (y + 1 < SIDE).then_some(tile + SIDE),
        2 => (x > 0).then(|| tile - 1),
        _ => (y > 0).then(|| tile - SIDE),
    }
}

/// All tiles that a shot flies over.
fn ray(pose: PoseIndex) -> Tiles {
    let mut tiles = 0;
    let mut at = pose;
    while let Some(next) = ahead(at) {
        tiles |= bit(next);
        at = next * 4 + pose % 4;
    }
    tiles
}

/// The actions to each pose over tiles that are safe; all cost the same.
fn distances(from: PoseIndex, safe: Tiles) -> [u32; TILES * 4] {
    let mut costs = [u32::MAX; TILES * 4];
    let mut queue = vec![from];
    costs[from] = 0;
    let mut first = 0;
    while let Some(&pose) = queue.get(first) {
        first += 1;
        let tile = pose / 4;
        let moved = ahead(pose).filter(|next| has(safe, *next)).map(|next| next * 4 + pose % 4);
        let turned = [tile * 4 + (pose + 1) % 4, tile * 4 + (pose + 3) % 4];
        for next in moved.into_iter().chain(turned) {
            if costs[next] == u32::MAX {
                costs[next] = costs[pose] + 1;
                queue.push(next);
            }
        }
    }
    costs
}

fn homeward(from: PoseIndex, safe: Tiles) -> f64 {
    f64::from(*distances(from, safe)[..4].iter().min().unwrap())
}

impl Optimum {
    fn new(item: f64) -> Self {
        let around = std::array::from_fn(|tile| {
            let beside = (0..4).filter_map(|heading| ahead(tile * 4 + heading));
            beside.fold(0, |tiles, next| tiles | bit(next))
        });
        Self { around, item, known: HashMap::new(), least_risk: 1.0 }
    }

    /// What an agent that knows this can still expect from a pose, beyond the home's reward.
    fn worth(&mut self, know: Knowledge, pose: PoseIndex, layouts: &[Layout]) -> f64 {
        if !self.known.contains_key(&know) {
            let options = self.options(know, layouts);
            self.known.insert(know, options);
        }
        let costs = distances(pose, know.visited);
        let end = -homeward(pose, know.visited);
        let options = self.known[&know].iter();
        options.map(|option| option.worth - f64::from(costs[option.from])).fold(end, f64::max)
    }

    /// All that may be worth doing before going home.
    fn options(&mut self, know: Knowledge, layouts: &[Layout]) -> Vec<Plan> {
        let mut options = Vec::new();
        let dangers = layouts.iter().fold(0, |tiles, layout| tiles | layout.dangers);
        for from in (0..TILES * 4).filter(|pose| has(know.visited, pose / 4)) {
            let next = ahead(from).filter(|next| !has(know.visited, *next));
            if let Some(next) = next {
                if has(dangers | know.suspects, next) {
                    self.risk(know, next, layouts);
                } else {
                    let worth = self.enter(know, from, next, layouts);
                    options.push(Plan { from, worth });
                }
            }
            if know.loaded && ray(from) & know.suspects != 0 {
                let worth = self.shoot(know, from, layouts);
                options.push(Plan { from, worth });
            }
        }
        options
    }

    /// Notes how deadly a tile is.
    fn risk(&mut self, know: Knowledge, tile: usize, layouts: &[Layout]) {
        let unfound = f64::from(know.visited.count_ones());
        let weight = |layout: &Layout| layout.weight * (layout.clear - unfound) / layout.clear;
        let all: f64 = layouts.iter().map(weight).sum();
        let deadly = layouts.iter().filter(|layout| has(layout.dangers, tile));
        let danger = deadly.map(weight).sum::<f64>() / all;
        let suspects = f64::from(know.suspects.count_ones());
        let enemy = if has(know.suspects, tile) { 1.0 / suspects } else { 0.0 };
        self.least_risk = self.least_risk.min(1.0 - (1.0 - danger) * (1.0 - enemy));
    }

    /// Entering a safe tile: an item there is grabbed and brought home, else what is perceived counts.
    fn enter(&mut self, know: Knowledge, from: PoseIndex, tile: usize, layouts: &[Layout]) -> f64 {
        let pose = tile * 4 + from % 4;
        let visited = know.visited | bit(tile);
        let seen = f64::from(know.visited.count_ones());
        let all: f64 = layouts.iter().map(|one| one.weight * (one.clear - seen) / one.clear).sum();
        let mut worth = -1.0;
        for fear in [false, true] {
            let felt = |one: &&Layout| (one.dangers & self.around[tile] != 0) == fear;
            let left: Vec<Layout> = layouts.iter().filter(felt).copied().collect();
            if left.is_empty() {
                continue;
            }
            let here: f64 = left.iter().map(|one| one.weight / one.clear).sum();
            let dangers = left.iter().fold(0, |tiles, layout| tiles | layout.dangers);
            // Where all clear tiles are visited, the item would have been found.
            let hidden: Vec<Layout> =
                left.iter().filter(|one| one.clear > seen + 1.0).copied().collect();
            let elsewhere: f64 =
                hidden.iter().map(|one| one.weight * (one.clear - seen - 1.0) / one.clear).sum();
            let feared = know.feared | if fear { bit(tile) } else { 0 };
            for (chance, suspects) in self.scent(know.suspects, tile) {
                let safe = !(dangers | suspects);
                let found = self.item - 1.0 - homeward(pose, safe | visited);
                worth += chance * here / all * found;
                if !hidden.is_empty() {
                    let after = Knowledge { visited, feared, suspects, ..know };
                    worth += chance * elsewhere / all * self.worth(after, pose, &hidden);
                }
            }
        }
        worth
    }

    /// What hostility or its absence at a tile says of the enemy, and how probable each is.
    fn scent(&self, suspects: Tiles, tile: usize) -> Vec<(f64, Tiles)> {
        if suspects == 0 {
            return vec![(1.0, 0)];
        }
        let all = f64::from(suspects.count_ones());
        let parts = [suspects & self.around[tile], suspects & !self.around[tile]];
        let parts = parts.into_iter().filter(|part| *part != 0);
        parts.map(|part| (f64::from(part.count_ones()) / all, part)).collect()
    }

    fn shoot(&mut self, know: Knowledge, pose: PoseIndex, layouts: &[Layout]) -> f64 {
        let missed = know.suspects & !ray(pose);
        let all = f64::from(know.suspects.count_ones());
        let miss = f64::from(missed.count_ones()) / all;
        let hit = Knowledge { suspects: 0, loaded: false, ..know };
        let mut worth = -1.0 + (1.0 - miss) * self.worth(hit, pose, layouts);
        if missed != 0 {
            let after = Knowledge { suspects: missed, loaded: false, ..know };
            worth += miss * self.worth(after, pose, layouts);
        }
        worth
    }
}

/// All layouts of dangers on the tiles without the agent's.
fn layouts(share: f64) -> Vec<Layout> {
    let all = (0..1_u32 << (TILES - 1)).map(|dangers| {
        let dangers = Tiles::try_from(dangers << 1).unwrap();
        let count = i32::try_from(dangers.count_ones()).unwrap();
        let rest = i32::try_from(TILES).unwrap() - 1 - count;
        let weight = share.powi(count) * (1.0 - share).powi(rest);
        Layout { dangers, weight, clear: f64::from(rest + 1) }
    });
    all.collect()
}

fn main() {
    let class = Preset::Wumpus4x4.class();
    let mut optimum = Optimum::new(f64::from(class.rules.item_reward));
    // The agent begins as if it entered its own tile from outside, which costs nothing.
    let nothing = Knowledge { visited: 0, feared: 0, suspects: !bit(0), loaded: true };
    let mean = optimum.enter(nothing, 0, 0, &layouts(class.shares.danger)) + 1.0;
    println!("wumpus-4x4: no agent has a mean score above {mean:.2}");
    println!(
        "{} states of knowledge; tiles that may be deadly are so with at least {:.3}",
        optimum.known.len(),
        optimum.least_risk
    );
    assert!(optimum.least_risk > 0.1, "a risk may be worth it: the bound does not hold");
}
