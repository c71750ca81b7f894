//! What a unit can try in the last ticks.

use super::super::heat::Fear;
use super::super::position::Position;
use super::super::terrain::radius;
use crate::rules::{CellIndex, Unit, UnitIndex};

/// What a plan does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Stays for a tick.
    Hold,
    /// Walks to a neighbour.
    Go(CellIndex),
    /// Puts a bomb; in fire it goes off at once.
    Bomb,
    /// Sets off a bomb of its own.
    Detonate(CellIndex),
}

/// A plan, and whether the unit stays in its cell at its end; otherwise it also walks by the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) stays: bool,
}

/// Which plan of a living unit is to stay where it is, whatever comes.
pub(super) const STAYS: usize = 1;

/// Steps to a cell that a plan goes to.
const STEPS: usize = 5;

/// Ticks that a plan waits before it goes somewhere, and before it does something where it is.
const PAUSES: [usize; 4] = [0, 1, 2, 4];
const STILL: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 8];

/// Most ticks until the ring of fire comes, for which a plan waits.
const RING: i32 = 20;

/// All plans of a unit that are worth a try, those without a pause first; the first one of all is to
/// play by the rules, and the second one to stay.
pub(super) fn plans(root: &Position<'_>, index: UnitIndex) -> Vec<Plan> {
    let mut list = vec![(0, Plan::default())];
    let Some(unit) = root.state.unit(index).filter(|unit| unit.alive()) else {
        return vec![Plan::default()];
    };
    list.push((0, Plan { steps: Vec::new(), stays: true }));
    let mut add = |pause: usize, way: &[Step], last: Option<Step>| {
        let steps = std::iter::repeat_n(Step::Hold, pause).chain(way.iter().copied()).chain(last);
        let plan = Plan { steps: steps.collect(), stays: true };
        if last.is_some() || pause == 0 {
            list.push((pause, Plan { stays: false, ..plan.clone() }));
        }
        list.push((pause, plan));
    };
    for bomb in root.bombs().iter().filter(|bomb| bomb.unit == Some(index)) {
        let wait = bomb.armed.saturating_sub(root.state.tick).saturating_sub(1).clamp(0, RING);
        let wait = usize::try_from(wait).unwrap_or(0);
        for pause in PAUSES {
            add(wait + pause, &[], Some(Step::Detonate(bomb.cell)));
        }
    }
    let own = |cell| root.heat(unit.agent).of(cell, Fear::Own) != 0;
    for (cell, way) in ways(root, unit) {
        let before = way.iter().rev().nth(1).copied().unwrap_or(unit.cell);
        let leaves = !way.is_empty() && own(before) && !own(cell);
        let aims = unit.bombs > 0 && aims(root, unit, cell);
        let burns = root.burns(cell).saturating_sub(root.state.tick);
        let way: Vec<Step> = way.into_iter().map(Step::Go).collect();
        if way.is_empty() && aims {
            let ring = usize::try_from(burns.saturating_sub(1)).ok().filter(|_| burns <= RING);
            let ring = ring.filter(|ring| !STILL.contains(ring));
            for pause in STILL.into_iter().chain(ring) {
                add(pause, &way, Some(Step::Bomb));
            }
        }
        if !way.is_empty() && (aims || way.len() == 1 || burns > 0 || leaves) {
            for pause in PAUSES {
                add(pause, &way, None);
                if aims {
                    add(pause, &way, Some(Step::Bomb));
                }
            }
        }
    }
    list.sort_by_key(|(pause, _)| *pause);
    list.into_iter().map(|(_, plan)| plan).collect()
}

/// Whether a bomb in a cell reaches an enemy or a cell beside one.
fn aims(root: &Position<'_>, unit: &Unit, cell: CellIndex) -> bool {
    let mut aims = false;
    root.terrain.blast(&root.state, cell, radius(unit.diameter), |cell| {
        let mut foes = root.living(unit.agent != root.us);
        aims |= foes.any(|(_, foe)| root.apart(foe.cell, cell) <= 1);
    });
    aims
}

/// The cells that a unit can walk to, whether they burn or not, with the ways there.
fn ways(root: &Position<'_>, unit: &Unit) -> Vec<(CellIndex, Vec<CellIndex>)> {
    let mut ways = vec![(unit.cell, Vec::new())];
    let mut head = 0;
    while let Some((cell, way)) = ways.get(head).cloned() {
        head += 1;
        if way.len() >= STEPS {
            continue;
        }
        for (_, to) in root.terrain.near(cell) {
            if root.open(to) && ways.iter().all(|(known, _)| *known != to) {
                ways.push((to, way.iter().copied().chain([to]).collect()));
            }
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::super::super::drawn::{NOW, armed, map};
    use super::super::super::terrain::Terrain;
    use super::*;
    use crate::rules::{CellEntity, EntityKind, GameParams, GameState};

    #[test]
    fn a_unit_may_walk_through_the_fire_out_of_the_reach_of_its_bomb() {
        let params = GameParams { game_duration: NOW - 60, ..GameParams::default() };
        let (board, mut state) = map(&["#C....D", "#######"], params);
        for cell in 9..12 {
            state.put(cell, CellEntity::new(EntityKind::Fire, NOW));
        }
        let ways = |state: &GameState| {
            let terrain = Terrain::new(&board);
            let plans = plans(&Position::new(&board, &terrain, 0, state), 0);
            plans.iter().any(|plan| plan.steps == [Step::Go(9), Step::Go(10)])
        };
        let without = ways(&state);
        state.put(8, armed(0, 0, 3));
        assert_eq!([without, ways(&state)], [false, true]);
    }
}
