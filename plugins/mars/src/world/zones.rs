//! What placements are worth, by the rules' own colouring, and where a group of agents should stand.
//!
//! The search spends an effort, counted in paintings, since a plugin has no clock: the same question
//! has the same answer on every machine.

use super::chart::{KnownGraph, VertexId};
use crate::rules::zone::{AgentCounts, Painter, ZoneOwner, total};
use crate::rules::{Adjacency, MatchSide};
use phalanx_game::sorted::SortedSet;
use std::cmp::Reverse;

/// Paintings that a search spends unless the query says otherwise.
pub(super) const EFFORT: u32 = 3_000;

/// Paintings that a search may spend at most.
pub(super) const EFFORT_MAX: u32 = 200_000;

/// Agents that a search places at most.
pub(super) const COUNT_MAX: usize = 64;

/// From how many places a search begins to grow at most.
const SEEDS: usize = 4;

/// Placements that each agent should have tried from one beginning; with less effort a search begins
/// from fewer places.
const TRIES: u32 = 60;

/// Places to begin at are at least this far from each other, in edges.
const SEED_DISTANCE: u32 = 4;

/// What a placement is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlacementGoal {
    /// What our zones are worth.
    Own,
    /// By how much they outweigh the enemy's.
    Lead,
}

/// A painter with what it paints on.
#[derive(Clone, Debug, Default)]
pub(super) struct ZoneStage {
    links: Adjacency,
    worth: Vec<i32>,
    standing: Vec<AgentCounts>,
    painter: Painter,
}

impl ZoneStage {
    /// An empty stage. `links` must be those of the chart.
    pub(super) fn new(chart: &KnownGraph, links: Adjacency) -> Self {
        let standing = vec![[0, 0]; links.len()];
        Self { links, worth: chart.worth(), standing, painter: Painter::new() }
    }

    /// Puts enabled agents of a side on vertices.
    pub(super) fn put(&mut self, side: MatchSide, vertices: &[VertexId]) {
        for vertex in vertices {
            if let Some(here) = self.standing.get_mut(*vertex as usize) {
                let count = side.of_mut(here);
                *count = count.saturating_add(1);
            }
        }
    }

    /// Takes an enabled agent of a side away.
    fn take(&mut self, side: MatchSide, vertex: VertexId) {
        if let Some(here) = self.standing.get_mut(vertex as usize) {
            let count = side.of_mut(here);
            *count = count.saturating_sub(1);
        }
    }

    /// What our zones are worth with the agents on the stage.
    pub(super) fn value(&mut self) -> i64 {
        let owners = self.painter.paint(&self.links, &self.standing);
        total(&self.links, owners, MatchSide::A, &self.worth)
    }

    /// By how much our zones outweigh the enemy's with the agents on the stage.
    pub(super) fn lead(&mut self) -> i64 {
        let owners = self.painter.paint(&self.links, &self.standing);
        let [own, enemy] =
            MatchSide::BOTH.map(|side| total(&self.links, owners, side, &self.worth));
        own - enemy
    }

    /// The lead if an enemy did not stand there.
    pub(super) fn lead_without(&mut self, enemy: VertexId) -> i64 {
        self.take(MatchSide::B, enemy);
        let lead = self.lead();
        self.put(MatchSide::B, &[enemy]);
        lead
    }

    /// Who owns what with the agents on the stage.
    pub(super) fn owners(&mut self) -> &[ZoneOwner] {
        self.painter.paint(&self.links, &self.standing)
    }

    fn judge(&mut self, aim: PlacementGoal) -> i64 {
        match aim {
            PlacementGoal::Own => self.value(),
            PlacementGoal::Lead => self.lead(),
        }
    }

    /// What our zones would be worth if one of our own stood elsewhere, or nowhere.
    pub(super) fn value_if(&mut self, from: Option<VertexId>, to: Option<VertexId>) -> i64 {
        self.judge_if(PlacementGoal::Own, from, to)
    }

    fn judge_if(
        &mut self,
        aim: PlacementGoal,
        from: Option<VertexId>,
        to: Option<VertexId>,
    ) -> i64 {
        from.into_iter().for_each(|from| self.take(MatchSide::A, from));
        self.put(MatchSide::A, to.as_slice());
        let value = self.judge(aim);
        to.into_iter().for_each(|to| self.take(MatchSide::A, to));
        self.put(MatchSide::A, from.as_slice());
        value
    }

    pub(super) fn links(&self) -> &Adjacency {
        &self.links
    }

    pub(super) fn worth(&self) -> &[i32] {
        &self.worth
    }

    fn worth_of(&self, vertex: VertexId) -> i64 {
        i64::from(self.worth.get(vertex as usize).copied().unwrap_or(1))
    }

    /// Vertices up to two edges away, itself included.
    fn about(&self, vertex: VertexId) -> SortedSet<VertexId> {
        let mut about = SortedSet::from([vertex]);
        for next in self.links.of(vertex) {
            about.insert(*next);
            about.extend(self.links.of(*next));
        }
        about
    }
}

/// What is looked for.
#[derive(Clone, Debug)]
pub(super) struct PlacementQuery {
    /// Agents to be placed.
    pub(super) count: usize,
    /// Own agents that stand already and will not move.
    pub(super) fixed: Vec<VertexId>,
    /// Where agents may be placed; anywhere when empty.
    pub(super) within: Vec<VertexId>,
    /// Paintings to spend.
    pub(super) effort: u32,
    /// What the placement is judged by.
    pub(super) aim: PlacementGoal,
}

/// A placement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Site {
    /// What it was judged by.
    pub(super) value: i64,
    /// Where the placed agents stand, in order of placement.
    pub(super) vertices: Vec<VertexId>,
    /// Agents that were asked for but not placed: the effort or the vertices were too few.
    pub(super) missing: usize,
    /// Paintings that were spent.
    pub(super) spent: u32,
}

/// The best placement that the effort finds. Enemies stand on the stage already.
pub(super) fn best_site(stage: &mut ZoneStage, wish: &PlacementQuery) -> Site {
    stage.put(MatchSide::A, &wish.fixed);
    let aim = wish.aim;
    let mut search = PlacementSearch { stage, left: wish.effort, allowed: Vec::new(), aim };
    search.allow(&wish.within);
    let count = wish.count.min(COUNT_MAX);
    let agents = u32::try_from(count.max(1)).unwrap_or(u32::MAX);
    let most = usize::try_from(wish.effort / agents.saturating_mul(TRIES)).unwrap_or(SEEDS);
    let mut seeds = search.seeds(&wish.fixed);
    seeds.truncate(most.max(1));
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
    let missing = count.saturating_sub(best.vertices.len());
    Site { missing, spent: wish.effort.saturating_sub(search.left), ..best }
}

struct PlacementSearch<'a> {
    stage: &'a mut ZoneStage,
    left: u32,
    allowed: Vec<bool>,
    aim: PlacementGoal,
}

impl PlacementSearch<'_> {
    fn allow(&mut self, within: &[VertexId]) {
        self.allowed = vec![within.is_empty(); self.stage.links.len()];
        for vertex in within {
            self.allowed.get_mut(*vertex as usize).into_iter().for_each(|slot| *slot = true);
        }
    }

    fn may(&self, vertex: VertexId) -> bool {
        self.allowed.get(vertex as usize) == Some(&true)
    }

    /// Where to begin: rich surroundings far from each other; anywhere beside those who stand.
    fn seeds(&self, fixed: &[VertexId]) -> Vec<Option<VertexId>> {
        if !fixed.is_empty() {
            return vec![None];
        }
        let vertices = (0..).take(self.stage.links.len()).filter(|vertex| self.may(*vertex));
        let rich = |vertex: VertexId| -> i64 {
            self.stage.about(vertex).into_iter().map(|near| self.stage.worth_of(near)).sum()
        };
        let mut ranked: Vec<_> = vertices.map(|vertex| (Reverse(rich(vertex)), vertex)).collect();
        ranked.sort_unstable();
        let mut seeds: Vec<Option<VertexId>> = Vec::new();
        let mut near = SortedSet::new();
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

    fn within(&self, vertex: VertexId, steps: u32) -> SortedSet<VertexId> {
        let mut all = SortedSet::from([vertex]);
        let mut ring = vec![vertex];
        for _ in 0..steps {
            let next = ring.iter().flat_map(|at| self.stage.links.of(*at)).copied();
            ring = next.filter(|vertex| all.insert(*vertex)).collect();
        }
        all
    }

    /// Places agents one by one where they add most, then moves single ones while that helps, or
    /// until only `rest` of the effort is left. Each agent gets an equal part of the effort, so that
    /// it lasts for all.
    fn grow(
        &mut self,
        seed: Option<VertexId>,
        fixed: &[VertexId],
        count: usize,
        rest: u32,
    ) -> Site {
        let mut placed: Vec<VertexId> = seed.into_iter().take(count).collect();
        self.stage.put(MatchSide::A, &placed);
        while placed.len() < count {
            let waiting = u32::try_from(count - placed.len()).unwrap_or(u32::MAX).max(1);
            let most = self.left.saturating_sub(rest) / waiting;
            let Some((_, vertex)) = self.best_place(&placed, fixed, most) else { break };
            self.stage.put(MatchSide::A, &[vertex]);
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
            self.stage.take(MatchSide::A, slot);
            let most = self.left - rest;
            let better = self.best_place(&others, fixed, most).filter(|(new, _)| *new > value);
            let vertex = better.map_or(slot, |(_, vertex)| vertex);
            self.stage.put(MatchSide::A, &[vertex]);
            if let (Some((new, _)), Some(place)) = (better, placed.get_mut(index)) {
                (value, *place, calm) = (new, vertex, 0);
            }
        }
        placed.iter().for_each(|vertex| self.stage.take(MatchSide::A, *vertex));
        Site { value, vertices: placed, ..Site::default() }
    }

    /// Where one more agent adds most: near those who stand, or in the enemy's way. Among equals the
    /// richer vertex. At most `most` vertices are tried; of more, ones that are spread among them.
    fn best_place(
        &mut self,
        placed: &[VertexId],
        fixed: &[VertexId],
        most: u32,
    ) -> Option<(i64, VertexId)> {
        let near: SortedSet<VertexId> = match self.aim {
            PlacementGoal::Own => {
                placed.iter().chain(fixed).flat_map(|at| self.stage.about(*at)).collect()
            }
            // An agent that disturbs the enemy may be anywhere.
            PlacementGoal::Lead => (0..).take(self.stage.links.len()).collect(),
        };
        let mut best: Option<(i64, i64, Reverse<VertexId>)> = None;
        let free = |vertex: &VertexId| {
            !placed.contains(vertex) && !fixed.contains(vertex) && self.may(*vertex)
        };
        let places: Vec<VertexId> = near.into_iter().filter(free).collect();
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(places.len());
        for number in 0..most {
            let Some(vertex) = places.get(number * places.len() / most).copied() else { break };
            self.left = self.left.saturating_sub(1);
            let value = self.stage.judge_if(self.aim, None, Some(vertex));
            best = best.max(Some((value, self.stage.worth_of(vertex), Reverse(vertex))));
        }
        best.map(|(value, _, Reverse(vertex))| (value, vertex))
    }
}
