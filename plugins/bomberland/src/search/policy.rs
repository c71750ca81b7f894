//! Greedy rules for units whose orders the search does not choose: the enemy's replies, and what
//! our units do after their plans.
//!
//! A unit sets off a bomb that hurts the other side only, leaves danger, puts a bomb that reaches
//! an enemy where it has an exit itself, and otherwise walks to what pulls it most.

use super::heat::{Charge, Fear};
use super::position::Position;
use super::terrain::{destructible, radius};
use crate::rules::{CellIndex, EntityKind, GameBoard, Unit, UnitAction, UnitIndex};

/// How much each cell pulls the units of a side.
pub(super) type Pull = Vec<f64>;

/// What a unit does by the rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner<'a> {
    /// Puts bombs that reach enemies.
    pub(super) attacks: bool,
    /// Sets off bombs that only destroy blocks.
    pub(super) digs: bool,
    /// Puts bombs into the fire that it is in.
    pub(super) bursts: bool,
    /// Walks uphill here; stays otherwise.
    pub(super) pull: Option<&'a [f64]>,
}

/// The order that sets off a bomb in a cell.
pub(super) fn detonation(board: &GameBoard, cell: CellIndex) -> UnitAction {
    let (x, y) = board.place(cell);
    UnitAction::Detonate(x.into(), y.into())
}

/// What our units do after their plans.
pub(super) const OURS: Manner<'static> =
    Manner { attacks: false, digs: true, bursts: true, pull: None };

impl Position<'_> {
    /// The order of a unit by the rules; `None` is to wait.
    pub(super) fn reply(&self, index: UnitIndex, manner: Manner<'_>) -> Option<UnitAction> {
        let unit = *self.state.unit(index)?;
        if !unit.alive() || self.ready(&unit) > 1 {
            return None;
        }
        if let Some(shot) = self.shot(index, &unit, manner.digs) {
            return Some(shot);
        }
        if manner.bursts && self.burst_pays(index, &unit) {
            return Some(UnitAction::Bomb);
        }
        if !self.calm(unit.agent, unit.cell, 1, Fear::Loose) {
            return self.flight(index);
        }
        if manner.attacks && self.attack_pays(index, &unit) {
            return Some(UnitAction::Bomb);
        }
        let to = self.uphill(&unit, manner.pull?)?;
        self.terrain.step(unit.cell, to).map(UnitAction::Move)
    }

    /// The first step out of danger.
    pub(super) fn flight(&self, index: UnitIndex) -> Option<UnitAction> {
        let fears = [Fear::Loose, Fear::Possible, Fear::Hasty, Fear::Certain, Fear::OwnInRing];
        let way = fears.into_iter().find_map(|fear| self.way_out(index, fear))?;
        way.first.map(UnitAction::Move)
    }

    /// A bomb of the unit that hurts the other side now, and only it; with `digs` also one that
    /// hurts no unit and hits a block.
    fn shot(&self, index: UnitIndex, unit: &Unit, digs: bool) -> Option<UnitAction> {
        let now = self.state.tick;
        let own = self.bombs().iter().filter(|bomb| bomb.unit == Some(index));
        for bomb in own.filter(|bomb| bomb.armed <= now + 1) {
            let (mut gain, mut loss) = (0, 0);
            self.terrain.blast(&self.state, bomb.cell, bomb.radius, |cell| {
                gain += i32::from(digs && destructible(&self.state, cell));
                for hit in self.state.units().iter().filter(|hit| hit.cell == cell) {
                    if hit.alive() && self.blast_hurts(hit) {
                        *(if hit.agent == unit.agent { &mut loss } else { &mut gain }) += 1;
                    }
                }
            });
            if gain > 0 && loss == 0 && !self.lit_mate(bomb, unit) {
                return Some(self.detonation(bomb.cell));
            }
        }
        None
    }

    /// Whether a blast that begins in the next tick hurts a unit in its reach: at once, or while the
    /// unit is frozen there and the fire still burns.
    fn blast_hurts(&self, unit: &Unit) -> bool {
        let now = self.state.tick;
        let gone = now.saturating_add(self.board.params.blast_duration);
        let ready = i32::try_from(self.ready(unit)).unwrap_or(i32::MAX);
        unit.invulnerable <= now || unit.invulnerable < gone.min(now.saturating_add(ready - 1))
    }

    /// Whether a bomb, or another one that it sets off, reaches a mate of a unit or the unit.
    pub(super) fn lit_mate(&self, bomb: &Charge, unit: &Unit) -> bool {
        let lit = self.bombs().iter().filter(|other| bomb.reach.contains(&other.cell));
        let mut mates = self
            .state
            .units()
            .iter()
            .filter(|mate| mate.alive() && mate.agent == unit.agent && self.blast_hurts(mate));
        let lit: Vec<&Charge> = lit.collect();
        mates.any(|mate| lit.iter().any(|other| other.reach.contains(&mate.cell)))
    }

    pub(super) fn detonation(&self, cell: CellIndex) -> UnitAction {
        detonation(self.board, cell)
    }

    /// Whether a bomb here reaches an enemy that is frozen or shut in, or any enemy at all while
    /// the unit has an exit itself.
    fn attack_pays(&self, index: UnitIndex, unit: &Unit) -> bool {
        if !self.can_bomb(unit) {
            return false;
        }
        let reach = radius(unit.diameter);
        let mut reached = false;
        self.terrain.blast(&self.state, unit.cell, reach, |cell| {
            reached |= self
                .state
                .units()
                .iter()
                .any(|foe| foe.cell == cell && foe.alive() && foe.agent != unit.agent);
        });
        reached && !self.shut_in(index, unit.cell, reach)
    }

    /// The neighbour without danger that pulls more than the unit's own cell, and most.
    fn uphill(&self, unit: &Unit, pull: &[f64]) -> Option<CellIndex> {
        let value = |cell: CellIndex| pull.get(usize::from(cell)).copied().unwrap_or(0.0);
        let mut best = (value(unit.cell), None);
        for (_, to) in self.terrain.near(unit.cell) {
            let better = value(to) > best.0;
            if better && self.open(to) && self.calm(unit.agent, to, 2, Fear::Loose) {
                best = (value(to), Some(to));
            }
        }
        best.1
    }
}

/// The pull of sources with a value each: what is left of the largest after `fade` for each step.
pub(super) fn pull(
    position: &Position<'_>,
    sources: &[(CellIndex, f64)],
    fade: f64,
    dig: Option<u32>,
) -> Pull {
    let mut pull = vec![0.0; position.terrain.cells()];
    // Buckets by steps would need whole numbers; the front is sorted by value instead.
    let mut front: Vec<(f64, CellIndex)> = Vec::new();
    let raise =
        |pull: &mut Pull, front: &mut Vec<(f64, CellIndex)>, cell: CellIndex, value: f64| {
            let Some(slot) = pull.get_mut(usize::from(cell)).filter(|slot| **slot < value) else {
                return;
            };
            *slot = value;
            let at = front.partition_point(|(other, _)| *other < value);
            front.insert(at, (value, cell));
        };
    for (cell, value) in sources {
        raise(&mut pull, &mut front, *cell, *value);
    }
    while let Some((value, cell)) = front.pop() {
        if pull.get(usize::from(cell)).is_none_or(|known| *known > value) {
            continue;
        }
        // Units come the other way: from the neighbour into this cell.
        let Some(steps) = entry_steps(position, cell, dig) else { continue };
        for (_, to) in position.terrain.near(cell) {
            raise(&mut pull, &mut front, to, value * fade.powi(steps));
        }
    }
    pull
}

/// What it takes to get into a cell: a step, and the hits on a block; `None` where there is no way.
pub(super) fn entry_steps(
    position: &Position<'_>,
    cell: CellIndex,
    dig: Option<u32>,
) -> Option<i32> {
    if position.state.body_in(cell) {
        return None;
    }
    let Some(entity) = position.state.entity(cell) else { return Some(1) };
    match entity.kind {
        EntityKind::Wood | EntityKind::Ore => {
            let hits = entity.hp.unwrap_or(1).clamp(1, 8);
            Some(1 + hits * i32::try_from(dig?.min(100)).unwrap_or(0))
        }
        EntityKind::Metal | EntityKind::Treasure => None,
        EntityKind::Bomb => Some(4),
        EntityKind::Fire if entity.permanent() => None,
        EntityKind::Fire | EntityKind::Ammo | EntityKind::BlastUp | EntityKind::FreezeUp => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, GameParams, UnitDirection};
    use crate::search::drawn::{NOW, armed, map};
    use crate::search::terrain::Terrain;

    #[test]
    fn a_unit_puts_a_bomb_into_its_fire_only_where_it_gets_out_afterwards() {
        let pays = |rows: &[&str], diameter| {
            let (board, mut state) = map(rows, GameParams::default());
            let fire =
                CellEntity { expires: Some(NOW + 4), ..CellEntity::new(EntityKind::Fire, 9) };
            state.put(2, fire);
            let ours = state.unit_mut(0).unwrap();
            (ours.invulnerable, ours.diameter) = (NOW + 4, diameter);
            let unit = *ours;
            Position::new(&board, &Terrain::new(&board), 0, &state).burst_pays(0, &unit)
        };
        let near = |row: &str| pays(&[row], 3);
        assert!(near("..CD....."));
        assert!(!near(".#CD....."));
        assert!(!near("F.CD....."), "an enemy closes the exit");
        assert!(!near("..C.D...."), "nothing is hit");
        // The exit is at the left, in the second row.
        let far = |row: &str| pays(&[row, ".##......", "..C.D...."], 5);
        assert!(far("....F...."));
        assert!(!far("...F....."), "an enemy walks there from the tick of the bomb on");
    }

    #[test]
    fn a_bomb_stays_while_a_frozen_mate_would_be_in_its_fire_longer_than_it_cannot_be_hurt() {
        let shoots = |whole: i32| {
            let (board, mut state) = map(&["C.E.D...."], GameParams::default());
            state.put(3, armed(0, 0, 3));
            let mate = state.unit_mut(2).unwrap();
            (mate.stunned, mate.invulnerable) = (f64::from(NOW + 9), NOW + whole);
            let reply = Position::new(&board, &Terrain::new(&board), 0, &state).reply(0, OURS);
            matches!(reply, Some(UnitAction::Detonate(..)))
        };
        assert!(!shoots(3));
        assert!(shoots(9));
    }

    #[test]
    fn a_unit_that_a_bomb_can_hit_in_each_tick_runs_and_does_not_wait_for_the_end_of_the_fuse() {
        let (board, mut state) = map(&[".....C.....D"], GameParams::default());
        state.put(6, armed(1, 1, 7));
        let flight = Position::new(&board, &Terrain::new(&board), 0, &state).flight(0);
        assert_eq!(flight, Some(UnitAction::Move(UnitDirection::Left)));
    }
}
