//! What placements are worth, by the rules' own colouring, and where a group of agents should stand.
//!
//! The search spends an effort, counted in paintings, since a plugin has no clock: the same question
//! has the same answer on every machine.

use super::chart::{Chart, Vertex};
use crate::rules::zone::{Owner, Painter, Standing, total};
use crate::rules::{Links, Side};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Paintings that a search spends unless it is told otherwise.
pub(super) const EFFORT: u32 = 3_000;

/// Paintings that a search may spend at most.
pub(super) const EFFORT_MAX: u32 = 200_000;

/// Agents that a search places at most.
pub(super) const COUNT_MAX: usize = 64;

/// From how many places a search begins to grow.
const SEEDS: usize = 4;

/// Places to begin at are at least this far from each other, in edges.
const SEED_DISTANCE: u32 = 4;

/// What a placement is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// What our zones are worth.
    Own,
    /// By how much they outweigh the enemy's.
    Lead,
}

/// A painter with what it paints on.
#[derive(Clone, Debug, Default)]
pub(super) struct Stage {
    links: Links,
    worth: Vec<i32>,
    standing: Vec<Standing>,
    painter: Painter,
}

impl Stage {
    /// An empty stage. `links` must be those of the chart.
    pub(super) fn new(chart: &Chart, links: Links) -> Self {
        let standing = vec![[0, 0]; links.len()];
        Self { links, worth: chart.worth(), standing, painter: Painter::new() }
    }

    /// Puts enabled agents of a side on vertices.
    pub(super) fn put(&mut self, side: Side, vertices: &[Vertex]) {
        for vertex in vertices {
            if let Some(here) = self.standing.get_mut(*vertex as usize) {
                let count = side.of_mut(here);
                *count = count.saturating_add(1);
            }
        }
    }

    /// Takes an enabled agent of a side away.
    fn take(&mut self, side: Side, vertex: Vertex) {
        if let Some(here) = self.standing.get_mut(vertex as usize) {
            let count = side.of_mut(here);
            *count = count.saturating_sub(1);
        }
    }

    /// What our zones are worth as the stage stands.
    pub(super) fn value(&mut self) -> i64 {
        let owners = self.painter.paint(&self.links, &self.standing);
        total(&self.links, owners, Side::A, &self.worth)
    }

    /// By how much our zones outweigh the enemy's as the stage stands.
    pub(super) fn lead(&mut self) -> i64 {
        let owners = self.painter.paint(&self.links, &self.standing);
        let [own, enemy] = Side::BOTH.map(|side| total(&self.links, owners, side, &self.worth));
        own - enemy
    }

    /// The lead if an enemy did not stand there.
    pub(super) fn lead_without(&mut self, enemy: Vertex) -> i64 {
        self.take(Side::B, enemy);
        let lead = self.lead();
        self.put(Side::B, &[enemy]);
        lead
    }

    /// Who owns what as the stage stands.
    pub(super) fn owners(&mut self) -> &[Owner] {
        self.painter.paint(&self.links, &self.standing)
    }

    fn judge(&mut self, aim: Aim) -> i64 {
        match aim {
            Aim::Own => self.value(),
            Aim::Lead => self.lead(),
        }
    }

    /// What our zones would be worth if one of our own stood elsewhere, or nowhere.
    pub(super) fn value_if(&mut self, from: Option<Vertex>, to: Option<Vertex>) -> i64 {
        self.judge_if(Aim::Own, from, to)
    }

    fn judge_if(&mut self, aim: Aim, from: Option<Vertex>, to: Option<Vertex>) -> i64 {
        from.into_iter().for_each(|from| self.take(Side::A, from));
        self.put(Side::A, to.as_slice());
        let value = self.judge(aim);
        to.into_iter().for_each(|to| self.take(Side::A, to));
        self.put(Side::A, from.as_slice());
        value
    }

    pub(super) fn links(&self) -> &Links {
        &self.links
    }

    pub(super) fn worth(&self) -> &[i32] {
        &self.worth
    }

    fn worth_of(&self, vertex: Vertex) -> i64 {
        i64::from(self.worth.get(vertex as usize).copied().unwrap_or(1))
    }

    /// Vertices up to two edges away, itself included.
    fn about(&self, vertex: Vertex) -> BTreeSet<Vertex> {
        let mut about = BTreeSet::from([vertex]);
        for next in self.links.of(vertex) {
            about.insert(*next);
            about.extend(self.links.of(*next));
        }
        about
    }
}

/// What is looked for.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// Agents to be placed.
    pub(super) count: usize,
    /// Own agents that stand already and will not move.
    pub(super) fixed: Vec<Vertex>,
    /// Where agents may be placed; anywhere when empty.
    pub(super) within: Vec<Vertex>,
    /// Paintings to spend.
    pub(super) effort: u32,
    /// What the placement is judged by.
    pub(super) aim: Aim,
}

/// A placement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Site {
    /// What it was judged by.
    pub(super) value: i64,
    /// Where the placed agents stand, in order of placement.
    pub(super) vertices: Vec<Vertex>,
}

/// The best placement that the effort finds. Enemies stand on the stage already.
pub(super) fn best_site(stage: &mut Stage, wish: &Wish) -> Site {
    stage.put(Side::A, &wish.fixed);
    let aim = wish.aim;
    let mut search = Search { stage, left: wish.effort, allowed: Vec::new(), aim };
    search.allow(&wish.within);
    let count = wish.count.min(COUNT_MAX);
    let seeds = search.seeds(&wish.fixed);
    let mut best = Site::default();
    let share = wish.effort / u32::try_from(seeds.len().max(1)).unwrap_or(1);
    for (number, seed) in (1..).zip(&seeds) {
        // Each begins with its share, and with what the ones before it did not need.
        let rest = wish.effort.saturating_sub(share.saturating_mul(number));
        let site = search.grow(*seed, &wish.fixed, count, rest);
        if site.value > best.value || best.vertices.is_empty() {
            best = site;
        }
    }
    best
}

struct Search<'a> {
    stage: &'a mut Stage,
    left: u32,
    allowed: Vec<bool>,
    aim: Aim,
}

impl Search<'_> {
    fn allow(&mut self, within: &[Vertex]) {
        self.allowed = vec![within.is_empty(); self.stage.links.len()];
        for vertex in within {
            self.allowed.get_mut(*vertex as usize).into_iter().for_each(|slot| *slot = true);
        }
    }

    fn may(&self, vertex: Vertex) -> bool {
        self.allowed.get(vertex as usize) == Some(&true)
    }

    /// Where to begin: rich surroundings far from each other; anywhere beside those who stand.
    fn seeds(&self, fixed: &[Vertex]) -> Vec<Option<Vertex>> {
        if !fixed.is_empty() {
            return vec![None];
        }
        let vertices = (0..).take(self.stage.links.len()).filter(|vertex| self.may(*vertex));
        let rich = |vertex: Vertex| -> i64 {
            self.stage.about(vertex).into_iter().map(|near| self.stage.worth_of(near)).sum()
        };
        let mut ranked: Vec<_> = vertices.map(|vertex| (Reverse(rich(vertex)), vertex)).collect();
        ranked.sort_unstable();
        let mut seeds: Vec<Option<Vertex>> = Vec::new();
        let mut near = BTreeSet::new();
        for (_, vertex) in ranked {
            if seeds.len() >= SEEDS {
                break;
            }
            if near.contains(&vertex) {
                continue;
            }
            near.extend(self.within(vertex, SEED_DISTANCE - 1));
            seeds.push(Some(vertex));
        }
        seeds
    }

    fn within(&self, vertex: Vertex, steps: u32) -> BTreeSet<Vertex> {
        let mut all = BTreeSet::from([vertex]);
        let mut ring = vec![vertex];
        for _ in 0..steps {
            let next = ring.iter().flat_map(|at| self.stage.links.of(*at)).copied();
            ring = next.filter(|vertex| all.insert(*vertex)).collect();
        }
        all
    }

    /// Places agents one by one where they add most, then moves single ones while that helps, or
    /// until only `rest` of the effort is left.
    fn grow(&mut self, seed: Option<Vertex>, fixed: &[Vertex], count: usize, rest: u32) -> Site {
        let mut placed: Vec<Vertex> = seed.into_iter().take(count).collect();
        self.stage.put(Side::A, &placed);
        while placed.len() < count {
            let Some((_, vertex)) = self.best_place(&placed, fixed, rest) else { break };
            self.stage.put(Side::A, &[vertex]);
            placed.push(vertex);
        }
        let mut value = self.stage.judge(self.aim);
        let mut calm = 0;
        let mut turn = 0;
        while calm < placed.len() && self.left > rest {
            let Some(slot) = placed.get(turn % placed.len()).copied() else { break };
            let index = turn % placed.len();
            turn += 1;
            calm += 1;
            let mut others = placed.clone();
            others.remove(index);
            self.stage.take(Side::A, slot);
            let better = self.best_place(&others, fixed, rest).filter(|(new, _)| *new > value);
            let vertex = better.map_or(slot, |(_, vertex)| vertex);
            self.stage.put(Side::A, &[vertex]);
            if let (Some((new, _)), Some(place)) = (better, placed.get_mut(index)) {
                (value, *place, calm) = (new, vertex, 0);
            }
        }
        placed.iter().for_each(|vertex| self.stage.take(Side::A, *vertex));
        Site { value, vertices: placed }
    }

    /// Where one more agent adds most: near those who stand, or in the enemy's way. Among equals the
    /// richer vertex.
    fn best_place(
        &mut self,
        placed: &[Vertex],
        fixed: &[Vertex],
        rest: u32,
    ) -> Option<(i64, Vertex)> {
        let near: BTreeSet<Vertex> = match self.aim {
            Aim::Own => placed.iter().chain(fixed).flat_map(|at| self.stage.about(*at)).collect(),
            // Whoever disturbs the enemy may stand anywhere.
            Aim::Lead => (0..).take(self.stage.links.len()).collect(),
        };
        let mut best: Option<(i64, i64, Reverse<Vertex>)> = None;
        let free = |vertex: &Vertex| !placed.contains(vertex) && !fixed.contains(vertex);
        for vertex in near.into_iter().filter(free) {
            if !self.may(vertex) {
                continue;
            }
            if self.left <= rest {
                break;
            }
            self.left -= 1;
            let value = self.stage.judge_if(self.aim, None, Some(vertex));
            best = best.max(Some((value, self.stage.worth_of(vertex), Reverse(vertex))));
        }
        best.map(|(value, _, Reverse(vertex))| (value, vertex))
    }
}
