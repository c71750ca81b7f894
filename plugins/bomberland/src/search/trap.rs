//! How badly first orders of a choice trap our units between their own bombs.

use super::exits::{EXITS, Exit, SHUT, TRAPS};
use super::heat::{Charge, Fear};
use super::position::Position;
use crate::rules::{CellIndex, UnitAction, UnitIndex};

/// How much of a trap a unit is in that loses a life in a blast of its own side in the next tick, or
/// cannot leave one in time: worse than the ring of fire, which takes a life, too.
const BURNT: f64 = 3.0;

/// By how much less of a trap it is to be without an exit when a bomb is set off near one of our units
/// in the reach of our bombs: that bomb can be in the way of a mate that could make room.
const EASE: f64 = 0.2;

/// How many steps from the unit that bomb is at most.
const EASE_STEPS: i32 = 6;

/// Orders of our units that are carried out together.
type Acts = Vec<(UnitIndex, Option<UnitAction>)>;

/// What [`Position::trapped`] says of orders; many choices begin alike.
pub(super) struct Traps<'a, 'b> {
    root: &'a Position<'b>,
    known: Vec<(Acts, f64)>,
}

impl<'a, 'b> Traps<'a, 'b> {
    pub(super) fn new(root: &'a Position<'b>) -> Self {
        Self { root, known: Vec::new() }
    }

    /// The same of the first orders of plans that are chosen, one for each unit.
    pub(super) fn of<P>(
        &mut self,
        units: &[(UnitIndex, Vec<P>)],
        firsts: &[Vec<Option<UnitAction>>],
        choice: &[usize],
    ) -> f64 {
        let acts = units.iter().zip(firsts).zip(choice);
        let acts = acts.filter_map(|(((index, _), firsts), at)| Some((*index, *firsts.get(*at)?)));
        let acts: Acts = acts.collect();
        if let Some((_, trapped)) = self.known.iter().find(|(known, _)| *known == acts) {
            return *trapped;
        }
        let trapped = self.root.trapped(&acts);
        self.known.push((acts, trapped));
        trapped
    }
}

impl Position<'_> {
    /// How badly orders that our units carry out together leave them without exits from their own
    /// bombs: for each unit 0 with the best kind of exit, 1 without any, 3 in a blast of ours; at least 1
    /// if they have no exit each, and [`EASE`] less if a bomb near them is set off. A step that a rival
    /// contests may come about or not; the worse counts.
    pub(super) fn trapped(&self, acts: &[(UnitIndex, Option<UnitAction>)]) -> f64 {
        let bombs = |act: &Option<UnitAction>| *act == Some(UnitAction::Bomb);
        let mut hot = self.state.hot();
        if !acts.iter().any(|(_, act)| bombs(act)) && !hot.any(|(_, it)| it.agent == Some(self.us))
        {
            return 0.0;
        }
        let mut worst = self.trapped_after(acts);
        for at in 0..acts.len() {
            let mut fewer = acts.to_vec();
            let Some((index, act)) = fewer.get_mut(at) else { continue };
            if self.state.unit(*index).is_some_and(|unit| self.contested(unit, *act)) {
                *act = None;
                worst = worst.max(self.trapped_after(&fewer));
            }
        }
        worst
    }

    fn trapped_after(&self, acts: &[(UnitIndex, Option<UnitAction>)]) -> f64 {
        let after = self.after_all(acts);
        let free = self.free_for(false);
        // Where the bombs that are set off reach, also past blocks that other bombs may destroy.
        let shot = |cell| acts.iter().any(|(_, act)| *act == Some(self.detonation(cell)));
        let shots = self.bombs().iter().filter(|bomb| shot(bomb.cell));
        let lit: Vec<CellIndex> =
            shots.clone().flat_map(|bomb| bomb.reach.iter().copied()).collect();
        let trap = |(index, _): &(UnitIndex, Option<UnitAction>)| {
            let Some(unit) = self.state.unit(*index).filter(|unit| unit.alive()) else {
                return 0.0;
            };
            let Some(body) = after.state.unit(*index) else { return 0.0 };
            let fire = after.own_fire(unit.cell) || self.went_off(unit.cell, &after.state);
            let hit = body.hp < unit.hp && fire;
            let next = after.state.tick + 1;
            let fire = after.own_fire(body.cell) && after.burns_after(body.cell, next);
            let fire = fire || lit.contains(&body.cell);
            let burns = body.invulnerable <= after.state.tick && fire;
            // A unit that cannot be hurt yet may be in its side's fire, if it gets out in time.
            let shut = || !after.leaves(*index, unit.cell, Fear::OwnKept, u32::MAX);
            if hit || burns || fire && shut() {
                return BURNT;
            }
            if after.heat(unit.agent).of(body.cell, Fear::Own) == 0 {
                return 0.0;
            }
            let leaves = |exit: Exit| {
                let ticks = if exit.before_freeze { free } else { u32::MAX };
                !after.burns_next(*index, exit.fear)
                    && after.leaves(*index, unit.cell, exit.fear, ticks)
            };
            let kind = EXITS.into_iter().position(leaves);
            kind.and_then(|kind| TRAPS.get(kind)).copied().unwrap_or(1.0)
        };
        let alone: f64 = acts.iter().map(trap).sum();
        // Units that each have an exit may have the same one.
        let traps = if after.all_leave(true) { alone } else { alone.max(1.0) };
        let near = |bomb: &Charge| {
            after.caught(true).any(|(_, unit)| after.apart(unit.cell, bomb.cell) <= EASE_STEPS)
        };
        let eases = (SHUT..BURNT).contains(&traps) && shots.clone().any(near);
        if eases { traps - EASE } else { traps }
    }

    /// Whether a blast of ours burns in a cell.
    fn own_fire(&self, cell: CellIndex) -> bool {
        self.blazes(cell) && self.state.entity(cell).is_some_and(|it| it.agent == Some(self.us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, EntityKind, GameParams, UnitDirection};
    use crate::search::drawn::{NOW, armed, map};
    use crate::search::terrain::Terrain;

    #[test]
    fn a_blast_of_ours_counts_where_the_ring_of_fire_hides_it() {
        let params = GameParams { game_duration: NOW + 1, ..GameParams::default() };
        let (board, mut state) = map(&["C.......D"], params);
        state.put(0, armed(0, 0, 3));
        let terrain = Terrain::new(&board);
        assert!(Position::new(&board, &terrain, 0, &state).trapped(&[(0, None)]) > 0.5);
    }

    /// How badly orders together trap our units `C` (0) and `E` (2).
    fn trapped(rows: &[&str], acts: &[(UnitIndex, UnitAction)]) -> f64 {
        let (board, state) = map(rows, GameParams::default());
        let acts: Vec<_> = acts.iter().map(|(unit, act)| (*unit, Some(*act))).collect();
        Position::new(&board, &Terrain::new(&board), 0, &state).trapped(&acts)
    }

    #[test]
    fn a_unit_steps_into_a_blast_of_its_side_in_the_tick_before_it_ends() {
        let steps = |end: i32| {
            let (board, mut state) = map(&["C.......D"], GameParams::default());
            let blast =
                CellEntity { expires: Some(NOW + end), ..CellEntity::new(EntityKind::Fire, 0) };
            state.put(1, CellEntity { agent: Some(0), ..blast });
            let terrain = Terrain::new(&board);
            let step = Some(UnitAction::Move(UnitDirection::Right));
            Position::new(&board, &terrain, 0, &state).trapped(&[(0, step)])
        };
        assert_eq!([2, 3].map(steps), [0.0, BURNT]);
    }

    #[test]
    fn a_bomb_is_worse_when_a_mate_steps_into_the_only_exit() {
        let rows = ["#E#######", "C.......D"];
        let down = UnitAction::Move(UnitDirection::Down);
        let alone = trapped(&rows, &[(0, UnitAction::Bomb)]);
        assert!(trapped(&rows, &[(0, UnitAction::Bomb), (2, down)]) > alone);
    }

    #[test]
    fn a_unit_sets_its_bomb_off_rather_than_step_into_its_reach_to_make_room_for_a_mate() {
        // The mate's bomb is at the right, and the only exit of both is where the unit is.
        let trapped = |act| {
            let (board, mut state) = map(&["#..CE.###", "########D"], GameParams::default());
            state.put(10, armed(0, 0, 3));
            state.put(14, armed(2, 0, 3));
            Position::new(&board, &Terrain::new(&board), 0, &state).trapped(&[(0, act), (2, None)])
        };
        let (shot, left) = (UnitAction::Detonate(1.0, 1.0), UnitAction::Move(UnitDirection::Left));
        assert!(trapped(Some(shot)) < trapped(Some(left)));
        assert!(trapped(Some(shot)) < trapped(None), "that is a step towards an exit");
    }

    #[test]
    fn two_bombs_of_the_same_tick_that_leave_their_units_the_same_exit_are_a_trap() {
        let trapped = |rows: &[&str], units: &[UnitIndex]| {
            let acts: Vec<_> = units.iter().map(|unit| (*unit, UnitAction::Bomb)).collect();
            trapped(rows, &acts)
        };
        let rows = ["#C...E###", "########D"];
        assert_eq!(
            [&[0][..], &[2], &[0, 2]].map(|units| trapped(&rows, units) >= 1.0),
            [false, false, true]
        );
        assert!(trapped(&["#C....E##", "########D"], &[0, 2]) < 1.0);
    }

    #[test]
    fn a_step_into_the_blast_that_a_mate_sets_off_is_a_trap() {
        let rows = ["E#######", ".B...C.D"];
        let down = UnitAction::Move(UnitDirection::Down);
        let shot = UnitAction::Detonate(1.0, 0.0);
        assert!(trapped(&rows, &[(0, shot)]) < 0.5);
        assert!(trapped(&rows, &[(0, shot), (2, down)]) >= BURNT, "worse than no exit");
    }

    #[test]
    fn so_is_a_step_into_fire_of_its_own_side_that_the_unit_cannot_leave_before_it_can_be_hurt() {
        let trapped = |row: &str| {
            let (board, mut state) = map(&[row], GameParams::default());
            let fire = CellEntity::new(EntityKind::Fire, NOW - 1);
            for cell in [1, 2] {
                state.put(cell, CellEntity { expires: Some(NOW + 8), agent: Some(0), ..fire });
            }
            state.unit_mut(0).unwrap().invulnerable = NOW + 3;
            let right = Some(UnitAction::Move(UnitDirection::Right));
            Position::new(&board, &Terrain::new(&board), 0, &state).trapped(&[(0, right)])
        };
        assert!(trapped("#C......D") < 0.5);
        assert!(trapped("#C.D.....") > 0.5, "an enemy closes the exit");
    }

    #[test]
    fn so_is_one_that_a_mate_seems_to_prevent_since_only_one_of_two_steps_into_a_cell_is_sent() {
        let trapped = |steps: &[(UnitIndex, UnitDirection)]| {
            let rows = ["E......C", ".B.....D", "F......."];
            let (board, mut state) = map(&rows, GameParams::default());
            state.unit_mut(3).unwrap().agent = 0;
            let steps = steps.iter().map(|(unit, step)| (*unit, Some(UnitAction::Move(*step))));
            let shot = (0, Some(UnitAction::Detonate(1.0, 1.0)));
            let acts: Vec<_> = std::iter::once(shot).chain(steps).collect();
            Position::new(&board, &Terrain::new(&board), 0, &state).trapped(&acts)
        };
        assert!(trapped(&[]) < 0.5);
        assert!(trapped(&[(2, UnitDirection::Down), (3, UnitDirection::Up)]) > 0.5);
    }

    #[test]
    fn so_is_a_step_to_where_the_blast_comes_if_another_bomb_destroys_the_block_between() {
        let left = UnitAction::Move(UnitDirection::Left);
        let trapped = |acts: &[(UnitIndex, UnitAction)]| {
            let (board, mut state) = map(&["...E.....", ".....C..D"], GameParams::default());
            state.put(10, CellEntity { hp: Some(1), ..CellEntity::new(EntityKind::Wood, 0) });
            state.put(9, armed(0, 0, 5));
            state.put(1, armed(1, 1, 3));
            let acts: Vec<_> = acts.iter().map(|(unit, act)| (*unit, Some(*act))).collect();
            Position::new(&board, &Terrain::new(&board), 0, &state).trapped(&acts)
        };
        let shot = UnitAction::Detonate(0.0, 1.0);
        assert!(trapped(&[(0, shot)]) < 0.5);
        assert!(trapped(&[(0, shot), (2, left)]) > 0.5);
    }
}
