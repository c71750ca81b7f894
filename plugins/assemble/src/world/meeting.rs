//! Agents that see each other: frames joined and the torus measured (spec sections 14.2, 14.3).
//!
//! Percepts do not name agents. All percepts of a step describe one state, so when the percepts of
//! the whole team are there, the agent at `v` from P is among the agents that see somebody at
//! `-v` and whose view agrees with P's wherever both look. If that leaves one agent, it is proven.
//! If percepts are missing, a dozen things must agree, or three sightings in different positions
//! must name the same offset. A sighting counts only if each of the two can be the only one that the
//! other sees: neither a percept of this step nor the map offers a third agent.

use super::World;
use super::missed::Missed;
use phalanx_game::AgentId;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_grid::{Cell, FrameId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A torus is at least this wide and high; a smaller surplus is an error of ours.
pub(super) const SIDE_MIN: i32 = 20;

/// Sightings that agree before an unproven one is believed.
const SIGHTINGS_MIN: usize = 3;

/// This many cells with something on them, all alike in both views, are as good as a proof.
const AGREED_ENOUGH: u32 = 12;

/// Unproven sightings that are remembered.
const SIGHTINGS_MAX: usize = 1024;

/// Unproven sightings: two agents with the frames they had, the offset between the frames, and
/// the differences at which they saw each other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Sightings {
    seen: BTreeMap<(AgentId, AgentId, FrameId, FrameId, Cell), BTreeSet<Cell>>,
}

/// Agent `one` sees agent `other` at `v`.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    one: AgentId,
    other: AgentId,
    v: Cell,
    /// Cells with something on them that both see alike.
    agreed: u32,
}

/// A step, the agents that perceived it, and what agents did unseen before it.
type Heard<'a> = (u32, &'a SortedSet<AgentId>, &'a SortedMap<AgentId, Missed>);

impl World {
    pub(super) fn meet(
        &mut self,
        step: u32,
        fresh: &SortedSet<AgentId>,
        missed: &SortedMap<AgentId, Missed>,
    ) {
        let size = self.briefing.as_ref().map_or(0, |briefing| briefing.team_size);
        let size = usize::try_from(size).unwrap_or(0);
        let complete = if size > 0 {
            fresh.len() >= size
        } else {
            // Removed agents count too: they still stand somewhere and may be the one seen.
            step > 0 && fresh.len() >= self.roster.agents.len()
        };
        let mut meetings = Vec::new();
        for one in fresh {
            let mates = self.glance_mates(*one);
            for v in mates {
                meetings.extend(self.only_candidate(*one, v, fresh));
            }
        }
        let mut lost = SortedSet::new();
        for meeting in meetings {
            if complete || self.seen_often(meeting, (step, fresh, missed)) {
                self.believe(meeting, &mut lost);
            }
        }
        for agent in lost {
            self.lose(agent);
        }
    }

    fn glance_mates(&self, agent: AgentId) -> Vec<Cell> {
        let seen = self.minds.get(&agent).and_then(|mind| mind.seen.as_ref());
        seen.map(|seen| seen.glance.mates.clone()).unwrap_or_default()
    }

    /// The one agent that can be the one seen at `v`; `None` when there are several or none.
    fn only_candidate(&self, one: AgentId, v: Cell, fresh: &SortedSet<AgentId>) -> Option<Meeting> {
        let mine = &self.minds.get(&one)?.seen.as_ref()?.glance;
        let mut candidates = fresh.iter().filter(|other| **other != one).filter_map(|other| {
            let theirs = &self.minds.get(other)?.seen.as_ref()?.glance;
            theirs.mates.binary_search(&-v).ok()?;
            let agreed = mine.same_step(theirs, v)?;
            Some(Meeting { one, other: *other, v, agreed })
        });
        let only = candidates.next()?;
        candidates.next().is_none().then_some(only)
    }

    fn seen_often(&mut self, meeting: Meeting, heard: Heard<'_>) -> bool {
        let Meeting { one, other, v, agreed } = meeting;
        let (Some(mine), Some(theirs)) = (self.minds.get(&one), self.minds.get(&other)) else {
            return false;
        };
        let offset = self.extent.wrap(mine.at + v - theirs.at);
        if agreed >= AGREED_ENOUGH || (mine.frame == theirs.frame && offset == Cell::ZERO) {
            return true;
        }
        let back = Meeting { one: other, other: one, v: -v, agreed };
        if [meeting, back].into_iter().any(|sight| self.may_be_another(sight, heard)) {
            return false;
        }
        while self.sightings.seen.len() >= SIGHTINGS_MAX {
            self.sightings.seen.pop_first();
        }
        let key = (one, other, mine.frame, theirs.frame, offset);
        let places = self.sightings.seen.entry(key).or_default();
        places.insert(v);
        places.len() >= SIGHTINGS_MIN
    }

    /// Whether the one that is seen can be a third agent: one that perceived the step, or one of the
    /// same map that did not.
    fn may_be_another(&self, sight: Meeting, (step, fresh, missed): Heard<'_>) -> bool {
        let Meeting { one, other, v, agreed: _ } = sight;
        let Some(mine) = self.minds.get(&one) else { return false };
        let mut mates = self.minds.iter().filter(|(_, mate)| mate.frame == mine.frame);
        self.only_candidate(one, v, fresh).is_none()
            || mates.any(|(agent, mate)| {
                let far = self.extent.distance(mate.at, mine.at + v);
                ![one, other].contains(agent) && far <= self.drift(*agent, step, missed)
            })
    }

    /// How far an agent can be in this step from where it is believed to be: 0 if it perceived the
    /// step.
    fn drift(&self, agent: AgentId, step: u32, missed: &SortedMap<AgentId, Missed>) -> i32 {
        let seen = self.minds.get(&agent).and_then(|mind| mind.seen.as_ref());
        let seen = seen.map_or(0, |seen| seen.percept.step);
        if seen >= step {
            // It perceived a later step already, and has moved since this one.
            return i32::try_from(seen - step).unwrap_or(i32::MAX);
        }
        let crew = self.bodies.crew(agent);
        let moves =
            crew.iter().filter_map(|mate| missed.get(mate)).map(|it| it.moves(seen).count());
        i32::try_from(moves.sum::<usize>()).unwrap_or(i32::MAX)
    }

    fn believe(&mut self, meeting: Meeting, lost: &mut SortedSet<AgentId>) {
        let Meeting { one, other, v, agreed: _ } = meeting;
        if lost.contains(&one) || lost.contains(&other) {
            return;
        }
        let (Some(mine), Some(theirs)) = (self.minds.get(&one), self.minds.get(&other)) else {
            return;
        };
        let surplus = self.extent.delta(theirs.at, mine.at + v);
        if mine.frame != theirs.frame {
            self.join(one, other, surplus);
        } else if surplus != Cell::ZERO {
            let plausible = |part: i32| part == 0 || part.abs() >= SIDE_MIN;
            if plausible(surplus.x) && plausible(surplus.y) {
                self.measure(surplus);
            } else {
                lost.extend([one, other]);
            }
        }
    }

    /// Lays the map of the smaller group over the larger one: a cell of `other`'s frame plus
    /// `offset` is that cell in `one`'s frame.
    fn join(&mut self, one: AgentId, other: AgentId, offset: Cell) {
        let (Some(mine), Some(theirs)) = (self.minds.get(&one), self.minds.get(&other)) else {
            return;
        };
        let members = |frame| self.minds.values().filter(|mind| mind.frame == frame).count();
        let rank = |frame: FrameId| (members(frame), std::cmp::Reverse(frame));
        let (kept, gone, offset) = if rank(mine.frame) >= rank(theirs.frame) {
            (mine.frame, theirs.frame, offset)
        } else {
            (theirs.frame, mine.frame, -offset)
        };
        self.lay(gone, kept, offset);
    }

    /// Lays the map of head frame `gone` over that of head frame `kept`: a cell of the first plus
    /// `offset` is that cell in the second.
    pub(super) fn lay(&mut self, gone: FrameId, kept: FrameId, offset: Cell) {
        if !self.frames.join(gone, kept, offset) {
            return;
        }
        if let (Some(gone), Some(chart)) = (self.charts.remove(&gone), self.charts.get_mut(&kept)) {
            chart.absorb(&gone, offset);
        }
        for mind in self.minds.values_mut().filter(|mind| mind.frame == gone) {
            mind.frame = kept;
            mind.at = self.extent.wrap(mind.at + offset);
            if let Some((_, at)) = &mut mind.before {
                *at = self.extent.wrap(*at + offset);
            }
        }
        self.sightings.seen.clear();
        self.counts.joins += 1;
    }

    /// Two names of one cell differ by this: a multiple of the torus' sides.
    fn measure(&mut self, surplus: Cell) {
        let side = |known: Option<i32>, surplus: i32| match (known, surplus.abs()) {
            (known, 0) => known,
            (None, surplus) => Some(surplus),
            (Some(known), surplus) => Some(gcd(known, surplus)).filter(|side| *side >= SIDE_MIN),
        };
        let (width, height) =
            (side(self.extent.width, surplus.x), side(self.extent.height, surplus.y));
        if (width, height) == (self.extent.width, self.extent.height) {
            return;
        }
        (self.extent.width, self.extent.height) = (width, height);
        for chart in self.charts.values_mut() {
            chart.fold(self.extent);
        }
        for mind in self.minds.values_mut() {
            mind.at = self.extent.wrap(mind.at);
            if let Some((_, at)) = &mut mind.before {
                *at = self.extent.wrap(*at);
            }
        }
        self.sightings.seen.clear();
    }
}

fn gcd(mut a: i32, mut b: i32) -> i32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}
