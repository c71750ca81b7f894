//! What a state at the end of a plan is worth.

use super::ending::lead;
use super::heat::Fear;
use super::position::{Position, Rivals};
use super::reach::Reach;
use super::rollout::Pulls;
use super::terrain::radius;
use super::weights::SearchWeights;
use crate::rules::{EntityKind, Unit, UnitIndex};

/// Ticks within which a ring of fire that comes to a unit's cell counts.
const RING_NEAR: i32 = 40;

/// Steps within which an enemy can put its next bomb.
const NEXT_BOMB: u16 = 4;

/// Steps from which on an enemy is far from a unit.
const EXPOSED: u16 = 7;

/// Free cells near a unit that are counted.
const ROOM: u16 = 12;

/// Steps that free cells near a unit are counted in.
const ROOM_STEPS: u16 = 4;

/// Buffers for values.
#[derive(Debug, Default)]
pub(super) struct Valuation {
    ours: Reach,
    theirs: Reach,
}

impl Valuation {
    /// The value of a position for us; what pulls our units is in `pulls`.
    pub(super) fn value(
        &mut self,
        position: &Position<'_>,
        weights: &SearchWeights,
        pulls: &Pulls,
    ) -> f64 {
        self.ours.read(position, true);
        self.theirs.read(position, false);
        let mut value = self.land(position, weights);
        if weights.ending * pulls.ending != 0.0 {
            value += weights.ending * pulls.ending * lead(position, &self.ours, &self.theirs);
        }
        let hold = weights.hold * pulls.ending;
        let last = position.last_cells().next().filter(|_| hold != 0.0);
        let holder = position.units().find(|(_, unit)| unit.alive() && Some(unit.cell) == last);
        if let Some((_, holder)) = holder {
            value += if holder.agent == position.us { hold } else { -hold };
        }
        for (index, unit) in position.units().filter(|(_, unit)| unit.alive()) {
            let worth = self.unit(position, weights, index, &unit);
            if unit.agent == position.us {
                let pulled = pulls.ours.get(usize::from(unit.cell)).copied().unwrap_or(0.0);
                let far = pulls.centre.steps(unit.cell) * pulls.centre.urgency;
                let near = self.theirs.steps(unit.cell);
                let exposed = f64::from(EXPOSED.saturating_sub(near)) * weights.exposed;
                value += worth * weights.own_share + pulled - weights.centre * far - exposed;
            } else {
                value -= worth;
            }
        }
        value
    }

    /// Items and cells by who is there first.
    fn land(&self, position: &Position<'_>, weights: &SearchWeights) -> f64 {
        let (mut cells, mut items) = (0_i32, 0.0);
        for (cell, (ours, theirs)) in (0..).zip(self.ours.all().iter().zip(self.theirs.all())) {
            if ours == theirs {
                continue;
            }
            cells += if ours < theirs { 1 } else { -1 };
            if position.item(cell).is_none() {
                continue;
            }
            let Some(entity) = position.state.entity(cell) else { continue };
            let left = entity.expires.map_or(i32::MAX, |expires| expires - position.state.tick);
            let steps = *ours.min(theirs);
            if i32::from(steps) < left {
                let kind = match entity.kind {
                    EntityKind::FreezeUp => weights.freeze,
                    EntityKind::BlastUp => weights.blast,
                    EntityKind::Ammo => weights.ammo,
                    EntityKind::Metal
                    | EntityKind::Wood
                    | EntityKind::Ore
                    | EntityKind::Bomb
                    | EntityKind::Fire
                    | EntityKind::Treasure => 0.0,
                };
                let worth = kind * weights.item / 20.0 * 0.9_f64.powi(i32::from(steps));
                items += if ours < theirs { worth } else { -worth };
            }
        }
        weights.territory * f64::from(cells) + items
    }

    /// How well off a unit is, for its own side.
    fn unit(
        &self,
        position: &Position<'_>,
        weights: &SearchWeights,
        index: UnitIndex,
        unit: &Unit,
    ) -> f64 {
        let mut worth = 0.0;
        let margin = position.burns(unit.cell).saturating_sub(position.state.tick);
        if margin < RING_NEAR {
            worth -= weights.ring * f64::from(RING_NEAR - margin) / f64::from(RING_NEAR);
        }
        let whole = unit.invulnerable > position.state.tick;
        if !whole && !position.calm(unit.agent, unit.cell, 1, Fear::Possible) {
            if position.way_out(index, Fear::Certain).is_none() {
                worth -= weights.doomed;
            } else if position.way_out(index, Fear::Possible).is_none() {
                worth -= weights.doomed * 0.6;
            }
        }
        if unit.agent == position.us && self.held_in(position, index, unit) {
            worth -= weights.held;
        }
        if self.can_be_shut(position, index, unit) {
            worth -= weights.shut;
        }
        if position.ready(unit) > 2 {
            worth -= weights.near * self.hunters(position, unit);
        }
        worth + weights.room * f64::from(room(position, unit))
    }

    /// Whether a unit of ours is in the reach of a bomb of ours and the enemy can close its exits.
    fn held_in(&self, position: &Position<'_>, index: UnitIndex, unit: &Unit) -> bool {
        let loose = !position.calm(unit.agent, unit.cell, 1, Fear::Loose);
        let rivals = Rivals { steps: self.theirs.all(), ahead: 0 };
        loose && position.way_past(index, Fear::Loose, &rivals).is_none()
    }

    /// Whether one bomb that the other side can put soon leaves the unit no exit.
    fn can_be_shut(&self, position: &Position<'_>, index: UnitIndex, unit: &Unit) -> bool {
        let ours = unit.agent == position.us;
        let steps = if ours { &self.theirs } else { &self.ours };
        let widest = position.living(!ours).map(|(_, foe)| foe.diameter).max().unwrap_or(0);
        let reach = radius(widest);
        let mut shut = false;
        position.terrain.blast(&position.state, unit.cell, reach, |cell| {
            let soon = steps.steps(cell) <= NEXT_BOMB;
            if soon && !shut && cell != unit.cell {
                shut = position.shut_in(index, cell, reach);
            }
        });
        shut
    }

    /// How close the other side is to a frozen unit: a sum over its units.
    fn hunters(&self, position: &Position<'_>, unit: &Unit) -> f64 {
        let left = unit.stunned - f64::from(position.state.tick);
        let foes = position.living(unit.agent != position.us);
        foes.map(|(_, foe)| (left - f64::from(position.apart(unit.cell, foe.cell))).max(0.0)).sum()
    }
}

/// Free cells near a unit, up to a dozen.
fn room(position: &Position<'_>, unit: &Unit) -> u16 {
    let (mut cells, mut head) = (vec![(unit.cell, 0)], 0);
    while let Some(&(cell, steps)) = cells.get(head) {
        head += 1;
        if steps == ROOM_STEPS || cells.len() > usize::from(ROOM) {
            break;
        }
        for (_, to) in position.terrain.near(cell) {
            let fresh = cells.iter().all(|(known, _)| *known != to);
            if fresh && position.open(to) {
                cells.push((to, steps + 1));
            }
        }
    }
    ROOM.min(u16::try_from(cells.len() - 1).unwrap_or(ROOM))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::GameParams;
    use crate::search::drawn::map;
    use crate::search::terrain::Terrain;

    #[test]
    fn who_holds_the_cell_that_burns_last_counts_as_soon_as_places_can_be_held() {
        let held = |row: &[&str], ending| {
            let (board, state) = map(row, GameParams::default());
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            let pulls = Pulls { ending, ..Pulls::default() };
            let value = |hold| {
                let weights = SearchWeights { hold, ..SearchWeights::default() };
                Valuation::default().value(&position, &weights, &pulls)
            };
            value(8.0) - value(0.0)
        };
        let ours = ["...", ".C.", "..D"];
        let theirs = ["...", ".D.", "..C"];
        let free = ["...", "C.D", "..."];
        assert_eq!([&ours, &theirs, &free].map(|rows| held(rows, 0.5)), [4.0, -4.0, 0.0]);
        assert_eq!(held(&ours, 0.0), 0.0);
    }
}
