//! Shots: from where, at whom, how likely they hit, and what they open.
#![allow(clippy::indexing_slicing, reason = "indices come from the frame of the same beliefs")]

use super::{Choice, Planner, Purpose, Situation};
use crate::rules::{Heading, Pose, TurnAction};
use crate::world::route::FAR;
use std::collections::BTreeMap;

/// Tiles on which an enemy is less likely are not shot at.
const SUSPECT_MIN: f64 = 0.12;

/// From this probability on a hit is as good as certain.
pub(super) const CERTAIN: f64 = 0.95;

/// Most tiles that are aimed at.
const SUSPECTS_MAX: usize = 48;

/// Most tiles that are looked along.
const RAY_MAX: u32 = 40;

/// What is known of other suspects when one of several enemies is hit.
const RELIEF: f64 = 0.4;

/// What a shot may do.
struct ShotEstimate {
    hit: f64,
    kills: f64,
    /// The first tile in its way that is not known to be free.
    target: Option<usize>,
}

impl Planner<'_> {
    /// All shots that are worth looking at, or the way to ammunition for the best of them.
    pub(super) fn shots(&self) -> Vec<Choice> {
        let ammunition = self.situation.ledger.ammunition;
        let rules = self.situation.rules;
        let loaded = ammunition != Some(0);
        let capacity = rules.ammunition.map_or(1, |ammunition| ammunition.capacity);
        if !loaded && (!rules.recharge || capacity == 0) {
            return Vec::new();
        }
        let openings = self.openings();
        let mut best: BTreeMap<Pose, Choice> = BTreeMap::new();
        for pose in self.stands() {
            best.entry(pose).or_insert_with(|| self.shot(pose, &openings));
        }
        let shots = best.into_values();
        if loaded {
            return shots.collect();
        }
        let wanted = shots.max_by(|a, b| a.value.total_cmp(&b.value));
        wanted.and_then(|wanted| self.recharge(&wanted)).into_iter().collect()
    }

    /// Poses from which a suspect is in the line of fire.
    fn stands(&self) -> Vec<Pose> {
        let beliefs = self.situation.beliefs;
        let mut suspects: Vec<(f64, usize)> = beliefs
            .tiles
            .iter()
            .enumerate()
            .filter(|(_, tile)| tile.enemy >= SUSPECT_MIN)
            .map(|(index, tile)| (-tile.enemy, index))
            .collect();
        suspects.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        suspects.truncate(SUSPECTS_MAX);
        let mut stands = Vec::new();
        for (_, suspect) in suspects {
            for heading in Heading::ALL {
                self.stands_before(suspect, heading, &mut stands);
            }
        }
        stands
    }

    fn stands_before(&self, suspect: usize, heading: Heading, stands: &mut Vec<Pose>) {
        let beliefs = self.situation.beliefs;
        let mut at = beliefs.frame.cell(suspect);
        for _ in 0..self.reach() {
            at = at - heading.step();
            let Some(tile) = beliefs.frame.index(at).map(|index| &beliefs.tiles[index]) else {
                return;
            };
            if tile.wall >= 1.0 {
                return;
            }
            let pose = Pose { at, heading };
            if tile.free() && self.route.cost(pose) != FAR {
                stands.push(pose);
            }
        }
    }

    fn reach(&self) -> u32 {
        let range = u32::from(self.situation.rules.range);
        if range == 0 { RAY_MAX } else { range.min(RAY_MAX) }
    }

    /// What a shot from a pose may do.
    fn aim(&self, pose: Pose) -> ShotEstimate {
        let Situation { beliefs, rules, .. } = &self.situation;
        let (mut flies, mut kills, mut missed) = (1.0, 0.0, 1.0);
        let (mut at, mut target) = (pose.at, None);
        for _ in 0..self.reach() {
            at = at + pose.heading.step();
            let Some(index) = beliefs.frame.index(at) else { break };
            let tile = &beliefs.tiles[index];
            if target.is_none() && !tile.free() {
                target = Some(index);
            }
            let here = flies * tile.enemy;
            kills += here;
            missed *= 1.0 - here;
            if rules.stops_at_first {
                flies *= 1.0 - tile.enemy;
            }
            // What a miss says ends at the first tile that may be a wall, so aiming does, too.
            if tile.wall > 0.0 || flies <= 0.0 {
                break;
            }
        }
        let hit = if rules.stops_at_first { kills.min(1.0) } else { 1.0 - missed };
        ShotEstimate { hit, kills, target }
    }

    fn shot(&self, pose: Pose, openings: &[(f64, usize)]) -> Choice {
        let Situation { beliefs, rules, .. } = &self.situation;
        let aim = self.aim(pose);
        let spoils = if rules.becomes_item { f64::from(rules.item_reward) * 0.8 } else { 0.0 };
        let mut gain = aim.kills * (f64::from(rules.neutralize_reward) + spoils);
        if let Some(target) = aim.target {
            let tile = &beliefs.tiles[target];
            if tile.enemy > 0.0 && tile.danger == 0.0 {
                gain += (1.0 - tile.wall) * self.worth(target);
            }
            gain += aim.hit * self.relief(target, openings);
        }
        let way = self.route.cost(pose);
        let cost = way.saturating_add(rules.costs.neutralize.into());
        let allowed = self.situation.budget.is_none_or(|budget| {
            let home = self.back.cost(pose);
            let needed = if home == FAR { cost } else { cost.saturating_add(home) };
            needed <= budget
        });
        let value = if allowed && aim.hit > 0.0 { gain - f64::from(cost) } else { 0.0 };
        let at = aim.target.map_or(pose.at, |target| beliefs.frame.cell(target));
        // Ways are looked up only for what may be chosen.
        let way = if value > 0.0 { self.route.acts(pose) } else { Vec::new() };
        let act = way.first().copied().unwrap_or(TurnAction::Neutralize);
        Choice { purpose: Purpose::Shoot, act, at, cost, death: 0.0, hit: aim.hit, gain, value }
    }

    /// Suspects that are no dangers, with what they would open without their enemy, most first.
    fn openings(&self) -> Vec<(f64, usize)> {
        let tiles = self.situation.beliefs.tiles.iter().enumerate();
        let suspects = tiles.filter(|(_, tile)| tile.enemy >= SUSPECT_MIN && tile.danger == 0.0);
        let mut openings: Vec<(f64, usize)> =
            suspects.map(|(index, tile)| ((1.0 - tile.wall) * self.worth(index), index)).collect();
        openings.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        openings
    }

    /// What a hit opens elsewhere: other suspects may be safe then.
    fn relief(&self, target: usize, openings: &[(f64, usize)]) -> f64 {
        let best = openings.iter().find(|(_, index)| *index != target).map_or(0.0, |best| best.0);
        if self.situation.last_enemy { best } else { best * RELIEF }
    }

    /// Fetching ammunition for a shot.
    fn recharge(&self, wanted: &Choice) -> Option<Choice> {
        let way = self.homeward(Purpose::Recharge)?;
        let both = way.cost.saturating_mul(2).saturating_add(wanted.cost);
        let allowed = self.situation.budget.is_none_or(|budget| both <= budget);
        let value = wanted.gain - f64::from(both);
        allowed.then_some(Choice { gain: wanted.gain, value, ..way })
    }
}
