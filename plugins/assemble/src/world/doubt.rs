//! Agents that may be at one of several places: each begins a frame of its own, and what the frame
//! learns rules out places until one is left. Then its map is laid over the old one.
//!
//! Frames that were joined meanwhile, by meetings or by other doubts, are looked up by their heads.

use super::World;
use super::chart::{GroupMap, SeenCell};
use super::likeness::{PlaceVerdict, judge};
use phalanx_game::AgentId;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_grid::{Cell, FrameId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// After this many steps a doubt is given up; agents of the two frames may still meet.
const STEPS_MAX: u32 = 60;

/// Doubts at a time; the one between the oldest frames is given up first.
const DOUBTS_MAX: usize = 128;

/// All that is not decided yet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Doubts {
    /// For a frame that began in doubt and the one that its agent had before.
    pub(super) open: SortedMap<(FrameId, FrameId), Doubt>,
}

/// Where the first frame may lie in the second.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Doubt {
    /// The step in which it arose.
    since: u32,
    /// What to add to a cell of the first frame for its name in the second: one of these.
    pub(super) offsets: BTreeSet<Cell>,
}

impl Doubt {
    /// What both leave open.
    fn and(&self, other: &Self) -> Self {
        let both = self.offsets.intersection(&other.offsets);
        Self { since: self.since.max(other.since), offsets: both.copied().collect() }
    }
}

impl World {
    /// The agent is at one of these places of its frame.
    pub(super) fn doubt(&mut self, agent: AgentId, since: u32, offsets: BTreeSet<Cell>) {
        let Some(old) = self.minds.get(&agent).map(|mind| mind.frame) else { return };
        self.counts.doubted += 1;
        let new = self.begin_frame(agent);
        while self.doubts.open.len() >= DOUBTS_MAX {
            self.doubts.open.pop_first();
        }
        self.doubts.open.insert((new, old), Doubt { since, offsets });
    }

    /// A new frame for an agent, which keeps what hangs on it.
    pub(super) fn begin_frame(&mut self, agent: AgentId) -> FrameId {
        let frame = self.frames.add();
        self.charts.insert(frame, GroupMap::new(self.extent));
        if let Some(mind) = self.minds.get_mut(&agent) {
            (mind.frame, mind.at) = (frame, Cell::ZERO);
            mind.carried.clear();
            mind.before = None;
        }
        frame
    }

    /// Decides what can be decided by now.
    pub(super) fn resolve_doubts(&mut self, step: u32) {
        let mut open = std::mem::take(&mut self.doubts.open);
        // Agents that met have a frame in common: what one rules out is ruled out for all.
        while let Some(((new, old), doubt)) = open.pop_first() {
            let Some((heads, doubt)) = self.by_heads(new, old, doubt) else { continue };
            let mut left = match self.doubts.open.remove(&heads) {
                Some(other) => other.and(&doubt),
                None => doubt,
            };
            if heads.0 == heads.1 || step.saturating_sub(left.since) > STEPS_MAX {
                continue;
            }
            match self.decide(heads, &left.offsets) {
                PlaceVerdict::Sure(offset) => {
                    self.lay_doubted(heads, offset);
                    // Heads are others now.
                    open.append(&mut self.doubts.open);
                }
                PlaceVerdict::Unsure(offsets) => {
                    left.offsets = offsets;
                    self.doubts.open.insert(heads, left);
                }
                PlaceVerdict::Nowhere => {}
            }
        }
        self.forget_maps();
    }

    /// The same doubt about the frames that the two belong to by now.
    fn by_heads(
        &self,
        new: FrameId,
        old: FrameId,
        doubt: Doubt,
    ) -> Option<((FrameId, FrameId), Doubt)> {
        let ((new, from_new), (old, from_old)) = (self.frames.head(new)?, self.frames.head(old)?);
        let offsets = doubt.offsets.iter();
        let offsets = offsets.map(|offset| self.extent.wrap(*offset + from_old - from_new));
        Some(((new, old), Doubt { offsets: offsets.collect(), ..doubt }))
    }

    fn decide(&self, (new, old): (FrameId, FrameId), offsets: &BTreeSet<Cell>) -> PlaceVerdict {
        let (Some(mine), Some(theirs)) = (self.charts.get(&new), self.charts.get(&old)) else {
            return PlaceVerdict::Nowhere;
        };
        let (extent, offsets) = (self.extent, offsets.iter().copied());
        let (mine_seen, theirs_seen) = (spots(mine), spots(theirs));
        // The smaller map is laid over the larger one.
        if mine_seen.len() <= theirs_seen.len() {
            return judge(&mine_seen, theirs, extent, offsets);
        }
        match judge(&theirs_seen, mine, extent, offsets.map(|offset| -offset)) {
            PlaceVerdict::Sure(offset) => PlaceVerdict::Sure(extent.wrap(-offset)),
            PlaceVerdict::Unsure(left) => {
                PlaceVerdict::Unsure(left.into_iter().map(|offset| extent.wrap(-offset)).collect())
            }
            PlaceVerdict::Nowhere => PlaceVerdict::Nowhere,
        }
    }

    fn lay_doubted(&mut self, (new, old): (FrameId, FrameId), offset: Cell) {
        let known = |frame| self.charts.get(frame).map_or(0, |chart| chart.seen().count());
        // The larger map keeps its coordinates.
        if known(&old) >= known(&new) {
            self.lay(new, old, offset);
        } else {
            self.lay(old, new, -offset);
        }
    }

    /// The agents that may be on the map of a frame in which no agent is for sure.
    pub(super) fn may_be_on(&self, frame: FrameId) -> Vec<AgentId> {
        let head = |frame: &FrameId| self.frames.head(*frame).map(|(head, _)| head);
        let mut reached = SortedSet::from([frame]);
        for _ in 0..self.doubts.open.len() {
            let to_here = |(_, old): &&(FrameId, FrameId)| {
                head(old).is_some_and(|head| reached.contains(&head))
            };
            let from = self.doubts.open.keys().filter(to_here).filter_map(|(new, _)| head(new));
            let from: Vec<FrameId> = from.collect();
            reached.extend(from);
        }
        let minds = self.minds.iter().filter(|(_, mind)| reached.contains(&mind.frame));
        minds.map(|(agent, _)| *agent).collect()
    }

    /// Drops the maps of frames in which no agent is and to which none may find back, and the
    /// doubts about frames in which no agent is.
    pub(super) fn forget_maps(&mut self) {
        let heads = |(new, old): &(FrameId, FrameId)| {
            Some((self.frames.head(*new)?.0, self.frames.head(*old)?.0))
        };
        let mut kept: SortedSet<FrameId> = self.minds.values().map(|mind| mind.frame).collect();
        let mut open: Vec<_> = self.doubts.open.keys().filter_map(heads).collect();
        let mut found = true;
        while found {
            let (reached, left) = open.into_iter().partition(|(new, _)| kept.contains(new));
            (open, found) = (left, !Vec::is_empty(&reached));
            kept.extend(reached.into_iter().map(|(_, old): (FrameId, FrameId)| old));
        }
        let frames = &self.frames;
        let alive =
            |frame: FrameId| frames.head(frame).is_some_and(|(head, _)| kept.contains(&head));
        self.doubts.open.retain(|(new, _), _| alive(*new));
        self.charts.retain(|frame, _| kept.contains(frame));
    }
}

fn spots(chart: &GroupMap) -> Vec<(Cell, SeenCell)> {
    chart.seen().map(|(cell, spot)| (cell, *spot)).collect()
}
