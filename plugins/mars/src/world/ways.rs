//! Ways through the known graph: by steps, by energy, by the time that both take together.

use super::chart::{KnownGraph, KnownVertex, VertexId};
use phalanx_game::sorted::Order;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The assumed cost of an edge before a survey: the middle of 1 to 9.
pub(super) const WEIGHT_UNKNOWN: i32 = 5;

/// A step in the unit of costs.
pub(super) const STEP: u64 = 1000;

/// What is saved on the way: the price of an edge is `step + weight * energy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Price {
    step: u64,
    energy: u64,
}

impl Price {
    /// Few steps; among equals little energy.
    pub(super) const STEPS: Self = Self { step: STEP, energy: 1 };

    /// Little energy; among equals few steps.
    pub(super) const ENERGY: Self = Self { step: 1, energy: STEP };

    /// Little time, recharging included: an agent regains this much in a step.
    pub(super) fn time(regain: i32) -> Self {
        let regain = u64::try_from(regain.max(1)).unwrap_or(1);
        Self { step: STEP, energy: STEP.div_ceil(regain) }
    }

    fn of(self, weight: Option<i32>) -> u64 {
        let weight = weight.unwrap_or(WEIGHT_UNKNOWN);
        self.step + self.energy * u64::try_from(weight).unwrap_or(0)
    }
}

/// The cheapest ways from one vertex to all others.
#[derive(Clone, Debug, Default)]
pub(super) struct VertexDistances {
    reached: Vec<Option<Reached>>,
}

/// How a vertex is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    /// The price of the whole way.
    pub(super) price: u64,
    /// Edges of the way.
    pub(super) steps: u32,
    /// Energy of the way, unknown edges guessed.
    pub(super) energy: i32,
    /// The vertex before this one; itself at the start.
    pub(super) before: VertexId,
}

impl VertexDistances {
    /// All ways from a vertex; `closed` vertices are not entered.
    pub(super) fn new(
        chart: &KnownGraph,
        from: VertexId,
        price: Price,
        closed: &[VertexId],
    ) -> Self {
        let mut open = vec![true; chart.len()];
        for vertex in closed {
            open.get_mut(*vertex as usize).into_iter().for_each(|open| *open = false);
        }
        let mut field = Self { reached: vec![None; chart.len()] };
        let start = Reached { price: 0, steps: 0, energy: 0, before: from };
        let mut heap = BinaryHeap::from([(Reverse(0), Reverse(from))]);
        field.set(from, start);
        while let Some((Reverse(cost), Reverse(at))) = heap.pop() {
            let Some(here) = field.to(at).filter(|here| here.price == cost) else { continue };
            for road in chart.roads(at) {
                let next = Reached {
                    price: cost + price.of(road.weight),
                    steps: here.steps + 1,
                    energy: here.energy.saturating_add(road.weight.unwrap_or(WEIGHT_UNKNOWN)),
                    before: at,
                };
                let better = field.to(road.to).is_none_or(|known| next.price < known.price);
                if better && open.get(road.to as usize) == Some(&true) {
                    field.set(road.to, next);
                    heap.push((Reverse(next.price), Reverse(road.to)));
                }
            }
        }
        field
    }

    fn set(&mut self, vertex: VertexId, reached: Reached) {
        if let Some(slot) = self.reached.get_mut(vertex as usize) {
            *slot = Some(reached);
        }
    }

    /// How a vertex is reached; `None` when no way is known.
    pub(super) fn to(&self, vertex: VertexId) -> Option<Reached> {
        self.reached.get(vertex as usize).copied().flatten()
    }

    /// The way to a vertex, without the start.
    pub(super) fn way(&self, to: VertexId) -> Option<Vec<VertexId>> {
        let mut way = Vec::new();
        let mut at = to;
        for _ in 0..=self.reached.len() {
            let before = self.to(at)?.before;
            if before == at {
                way.reverse();
                return Some(way);
            }
            way.push(at);
            at = before;
        }
        None
    }
}

/// A vertex whose loss cuts the known graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) vertex: VertexId,
    /// Vertices in all parts but the largest.
    pub(super) behind: u32,
    /// What those are worth together.
    pub(super) worth: i64,
}

/// All articulation vertices with what lies behind them, most worth first.
pub(super) fn cuts(chart: &KnownGraph) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = articulation(chart).into_iter().map(|at| weigh(chart, at)).collect();
    cuts.order_by_key(|cut| (Reverse(cut.worth), cut.vertex));
    cuts
}

/// A frame of a depth-first search.
struct DfsFrame {
    vertex: VertexId,
    parent: Option<VertexId>,
    next_road: usize,
    children: u32,
    is_cut: bool,
}

/// Tarjan's articulation vertices, without recursion: maps may be long chains.
fn articulation(chart: &KnownGraph) -> Vec<VertexId> {
    let mut order: Vec<Option<u32>> = vec![None; chart.len()];
    let mut low: Vec<u32> = vec![0; chart.len()];
    let (mut found, mut clock) = (Vec::new(), 0);
    for (root, _) in chart.iter() {
        if order.get(root as usize).copied().flatten().is_some() {
            continue;
        }
        let mut stack = vec![visit(root, None, &mut order, &mut low, &mut clock)];
        while let Some(top) = stack.last_mut() {
            let at = top.vertex;
            if let Some(road) = chart.roads(at).get(top.next_road) {
                top.next_road += 1;
                match order.get(road.to as usize).copied().flatten() {
                    Some(_) if top.parent == Some(road.to) => {}
                    Some(seen) => lower(&mut low, at, seen),
                    None => {
                        top.children += 1;
                        let next = visit(road.to, Some(at), &mut order, &mut low, &mut clock);
                        stack.push(next);
                    }
                }
                continue;
            }
            let Some(done) = stack.pop() else { break };
            let done_low = low.get(done.vertex as usize).copied().unwrap_or(0);
            if done.is_cut || (done.parent.is_none() && done.children > 1) {
                found.push(done.vertex);
            }
            if let Some(parent) = stack.last_mut() {
                lower(&mut low, parent.vertex, done_low);
                let parent_order = order.get(parent.vertex as usize).copied().flatten();
                parent.is_cut |= parent.parent.is_some() && Some(done_low) >= parent_order;
            }
        }
    }
    found
}

fn visit(
    vertex: VertexId,
    parent: Option<VertexId>,
    order: &mut [Option<u32>],
    low: &mut [u32],
    clock: &mut u32,
) -> DfsFrame {
    if let (Some(order), Some(low)) = (order.get_mut(vertex as usize), low.get_mut(vertex as usize))
    {
        (*order, *low) = (Some(*clock), *clock);
    }
    *clock += 1;
    DfsFrame { vertex, parent, next_road: 0, children: 0, is_cut: false }
}

fn lower(low: &mut [u32], at: VertexId, to: u32) {
    if let Some(low) = low.get_mut(at as usize) {
        *low = (*low).min(to);
    }
}

/// The parts that are left without a vertex: all but the largest lie behind it.
fn weigh(chart: &KnownGraph, without: VertexId) -> Cut {
    let mut parts: Vec<(u32, i64)> = Vec::new();
    let mut seen = vec![false; chart.len()];
    let mut visit = |vertex: VertexId| {
        seen.get_mut(vertex as usize).is_some_and(|seen| !std::mem::replace(seen, true))
    };
    visit(without);
    for road in chart.roads(without) {
        if !visit(road.to) {
            continue;
        }
        let (mut count, mut worth, mut queue) = (0, 0, vec![road.to]);
        while let Some(at) = queue.pop() {
            count += 1;
            worth += i64::from(chart.spot(at).map_or(1, KnownVertex::worth));
            let next = chart.roads(at).iter().map(|road| road.to);
            queue.extend(next.filter(|next| visit(*next)));
        }
        parts.push((count, worth));
    }
    parts.order();
    parts.pop();
    let (behind, worth) =
        parts.iter().fold((0, 0), |(count, sum), (more, worth)| (count + more, sum + worth));
    Cut { vertex: without, behind, worth }
}
