//! Ways over tiles that are free for certain: place and direction together, with the real costs of
//! moves and turns (spec section 12.4).
#![allow(clippy::indexing_slicing, reason = "poses are numbered by Frame::index and direction")]

use super::frame::ChartFrame;
use super::infer::Beliefs;
use crate::rules::{Cell, Costs, Heading, Pose, TurnAction};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What cannot be reached costs this.
pub const FAR: u32 = u32::MAX;

/// Weight of a cost in actions: between equal costs the route with fewer actions wins, so that the
/// agent arrives even where turns and moves cost nothing.
const ACTIONS: u64 = 1 << 20;

/// No pose.
const NONE: usize = usize::MAX;

/// Costs from one pose to all others.
#[derive(Clone, Debug, Default)]
pub struct RouteCosts {
    frame: ChartFrame,
    start: usize,
    /// Costs with actions.
    efforts: Vec<u64>,
    before: Vec<usize>,
}

fn pose_of(frame: &ChartFrame, number: usize) -> Pose {
    let heading = u8::try_from(number % 4).map(Heading::from_bits).unwrap_or_default();
    Pose { at: frame.cell(number / 4), heading }
}

fn number_of(frame: &ChartFrame, pose: Pose) -> Option<usize> {
    Some(frame.index(pose.at)? * 4 + pose.heading.index())
}

impl RouteCosts {
    /// Ways from a pose.
    #[must_use]
    pub fn from(pose: Pose, beliefs: &Beliefs, costs: &Costs) -> Self {
        let frame = beliefs.frame;
        let poses = frame.len() * 4;
        let mut route =
            Self { frame, start: NONE, efforts: vec![u64::MAX; poses], before: vec![NONE; poses] };
        let Some(start) = number_of(&frame, pose) else { return route };
        route.start = start;
        route.efforts[start] = 0;
        let mut heap = BinaryHeap::from([Reverse((0_u64, start))]);
        while let Some(Reverse((effort, number))) = heap.pop() {
            if effort > route.efforts[number] {
                continue;
            }
            let pose = pose_of(&frame, number);
            let ahead = frame.index(pose.ahead()).filter(|next| beliefs.tiles[*next].free());
            let tile = number / 4 * 4;
            let next = [
                ahead.map(|next| (next * 4 + pose.heading.index(), costs.advance)),
                Some((tile + pose.heading.left().index(), costs.left)),
                Some((tile + pose.heading.right().index(), costs.right)),
            ];
            for (next, step) in next.into_iter().flatten() {
                let sum = effort + u64::from(step) * ACTIONS + 1;
                if sum < route.efforts[next] {
                    (route.efforts[next], route.before[next]) = (sum, number);
                    heap.push(Reverse((sum, next)));
                }
            }
        }
        route
    }

    /// The cost to a pose, or [`FAR`].
    #[must_use]
    pub fn cost(&self, pose: Pose) -> u32 {
        let effort = number_of(&self.frame, pose).map(|number| self.efforts[number]);
        let cost = effort.map(|effort| effort / ACTIONS).and_then(|cost| u32::try_from(cost).ok());
        cost.unwrap_or(FAR)
    }

    /// The cost to a tile, in whichever direction is cheapest there, and that pose.
    #[must_use]
    pub fn cost_to(&self, at: Cell) -> (u32, Pose) {
        let poses = Heading::ALL.map(|heading| Pose { at, heading });
        let best = poses.into_iter().min_by_key(|pose| self.cost(*pose));
        best.map_or((FAR, Pose::default()), |pose| (self.cost(pose), pose))
    }

    /// The actions to a pose; empty when it is the start, or cannot be reached.
    #[must_use]
    pub fn acts(&self, to: Pose) -> Vec<TurnAction> {
        let mut acts = Vec::new();
        let Some(mut number) = number_of(&self.frame, to) else { return acts };
        while number != self.start && self.before[number] != NONE {
            let (from, here) =
                (pose_of(&self.frame, self.before[number]), pose_of(&self.frame, number));
            acts.push(if from.at != here.at {
                TurnAction::Move
            } else if from.heading.left() == here.heading {
                TurnAction::TurnLeft
            } else {
                TurnAction::TurnRight
            });
            number = self.before[number];
        }
        acts.reverse();
        acts
    }
}

/// Costs from all poses to the nearest of some tiles.
#[derive(Clone, Debug, Default)]
pub struct Back {
    frame: ChartFrame,
    costs: Vec<u32>,
}

impl Back {
    /// Ways to these tiles.
    #[must_use]
    pub fn to(goals: &[Cell], beliefs: &Beliefs, costs: &Costs) -> Self {
        let frame = beliefs.frame;
        let mut back = Self { frame, costs: vec![FAR; frame.len() * 4] };
        let mut heap = BinaryHeap::new();
        for goal in goals.iter().filter_map(|goal| frame.index(*goal)) {
            for number in goal * 4..goal * 4 + 4 {
                back.costs[number] = 0;
                heap.push(Reverse((0_u32, number)));
            }
        }
        while let Some(Reverse((cost, number))) = heap.pop() {
            if cost > back.costs[number] {
                continue;
            }
            let pose = pose_of(&frame, number);
            let behind = Pose { at: pose.at - pose.heading.step(), heading: pose.heading };
            let behind = frame.index(behind.at).filter(|last| beliefs.tiles[*last].free());
            let tile = number / 4 * 4;
            let last = [
                behind.map(|last| (last * 4 + pose.heading.index(), costs.advance)),
                Some((tile + pose.heading.right().index(), costs.left)),
                Some((tile + pose.heading.left().index(), costs.right)),
            ];
            for (last, step) in last.into_iter().flatten() {
                let sum = cost.saturating_add(step.into());
                if sum < back.costs[last] {
                    back.costs[last] = sum;
                    heap.push(Reverse((sum, last)));
                }
            }
        }
        back
    }

    /// The cost from a pose, or [`FAR`].
    #[must_use]
    pub fn cost(&self, pose: Pose) -> u32 {
        number_of(&self.frame, pose).map_or(FAR, |number| self.costs[number])
    }

    /// The cost from a tile that is about to be entered in this direction: turn round and go back.
    #[must_use]
    pub fn cost_behind(&self, entry: Pose, costs: &Costs) -> u32 {
        let round = u32::from(costs.left.min(costs.right)) * 2;
        let heading = entry.heading.left().left();
        let back = Pose { at: entry.at, heading };
        self.cost(back).saturating_add(round).saturating_add(costs.advance.into())
    }
}
