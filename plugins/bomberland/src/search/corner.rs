//! Whether one unit can corner one of the other side: walk so that a bomb of its leaves the other
//! one no exit, whatever that one does. The other units stay where they are.

use super::heat::Fear;
use super::position::Position;
use super::terrain::{closed, radius};
use crate::rules::{CellIndex, Unit, UnitAction, UnitIndex};
use std::collections::BTreeMap;

/// Most ticks that the hunter walks before it puts its bomb.
const WALK: u32 = 5;

/// Cells between two units from which on they are not looked at.
const FAR: i32 = 7;

/// Most positions of two units that are looked at; with more the hunted one counts as free.
const POSITIONS: usize = 4_000;

/// What is left of the worth of a bomb for each tick that the hunter walks before.
const LATER: f64 = 0.85;

impl Position<'_> {
    /// How surely the other side can corner a unit after an order of it: 0 where it cannot, 1 where
    /// it can with a bomb in the same tick, less for each tick that it needs before.
    pub(super) fn cornered(&self, index: UnitIndex, act: Option<UnitAction>) -> f64 {
        let Some(unit) = self.free(index) else { return 0.0 };
        let cell = self.goes(unit, act);
        let hunters = self.living(unit.agent != self.us);
        let surest = hunters.map(|(hunter, _)| match self.free(hunter) {
            Some(hunter) => Hunt::new(self, unit, hunter)
                .surest(|hunt, walk| hunt.lost((cell, hunter.cell), 1, walk)),
            None => 0.0,
        });
        surest.fold(0.0, f64::max)
    }

    /// How surely a unit corners one of the other side with an order: the sum over all of them.
    pub(super) fn corners(&self, index: UnitIndex, act: Option<UnitAction>) -> f64 {
        let Some(unit) = self.free(index) else { return 0.0 };
        let cell = self.goes(unit, act);
        let hunted = self.living(unit.agent != self.us);
        let sure = hunted.map(|(foe, _)| match self.free(foe) {
            Some(foe) if act == Some(UnitAction::Bomb) => {
                let hunt = Hunt::new(self, foe, unit);
                let mut steps = hunt.steps(foe.cell, cell, 1).into_iter();
                let shut = hunt.near() && steps.all(|to| hunt.shut(to, cell, 1));
                f64::from(u8::from(shut))
            }
            Some(foe) => {
                LATER
                    * Hunt::new(self, foe, unit)
                        .surest(|hunt, walk| hunt.cornered((foe.cell, cell), 1, walk))
            }
            None => 0.0,
        });
        sure.sum()
    }

    /// A living unit that can act in the next ticks.
    fn free(&self, index: UnitIndex) -> Option<&Unit> {
        self.state.unit(index).filter(|unit| unit.alive() && self.ready(unit) <= 2)
    }

    /// Where a unit is after an order.
    fn goes(&self, unit: &Unit, act: Option<UnitAction>) -> CellIndex {
        let Some(UnitAction::Move(direction)) = act else { return unit.cell };
        let near = self.terrain.near(unit.cell).find(|(step, _)| *step == direction);
        near.map(|(_, to)| to).filter(|to| self.open(*to)).unwrap_or(unit.cell)
    }
}

/// A hunted unit and its hunter. The hunter knows each step of the other one, as it would guess it.
struct Hunt<'a, 'b> {
    position: &'b Position<'a>,
    hunted: &'b Unit,
    hunter: &'b Unit,
    reach: i32,
    /// Whether the hunted unit is cornered, by its cell, the hunter's, ticks gone and ticks left.
    known: BTreeMap<(CellIndex, CellIndex, u32, u32), bool>,
}

impl<'a, 'b> Hunt<'a, 'b> {
    fn new(position: &'b Position<'a>, hunted: &'b Unit, hunter: &'b Unit) -> Self {
        let reach = radius(hunter.diameter);
        Self { position, hunted, hunter, reach, known: BTreeMap::new() }
    }

    /// Whether the two are close enough and the hunter has a bomb.
    fn near(&self) -> bool {
        let place = |unit: &Unit| self.position.board.place(unit.cell);
        let ((x, y), (other_x, other_y)) = (place(self.hunted), place(self.hunter));
        (x - other_x).abs() + (y - other_y).abs() <= FAR && self.position.has_bomb(self.hunter)
    }

    /// How sure it is that the hunted unit is caught after the least walk that is enough.
    fn surest(&mut self, caught: impl Fn(&mut Self, u32) -> bool) -> f64 {
        if !self.near() {
            return 0.0;
        }
        let walk = (0..=WALK).find(|walk| caught(self, *walk));
        walk.map_or(0.0, |walk| LATER.powi(i32::try_from(walk).unwrap_or(i32::MAX)))
    }

    /// Whether the hunted unit is caught wherever it goes, with `left` ticks to walk.
    fn cornered(&mut self, (cell, hunter): (CellIndex, CellIndex), gone: u32, left: u32) -> bool {
        let key = (cell, hunter, gone, left);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if self.known.len() >= POSITIONS {
            return false;
        }
        let steps = self.steps(cell, hunter, gone);
        let found = steps.into_iter().all(|to| self.lost((to, hunter), gone, left));
        self.known.insert(key, found);
        found
    }

    /// Whether the hunted unit is caught that has just gone to a cell.
    fn lost(&mut self, (cell, hunter): (CellIndex, CellIndex), gone: u32, left: u32) -> bool {
        if self.shut(cell, hunter, gone) {
            return true;
        }
        if left == 0 {
            return false;
        }
        let near = self.position.terrain.near(hunter).map(|(_, to)| to);
        let steps: Vec<CellIndex> = near.filter(|to| *to != cell && self.passes(*to)).collect();
        let mut steps = steps.into_iter().chain([hunter]);
        steps.any(|to| self.cornered((cell, to), gone + 1, left - 1))
    }

    /// Where the hunted unit can be after a tick; to stay is the last of it.
    fn steps(&self, cell: CellIndex, hunter: CellIndex, gone: u32) -> Vec<CellIndex> {
        let heat = self.position.heat(self.hunted.agent);
        let cool = |to: &CellIndex| heat.possible(*to) & (2_u64 << gone) == 0;
        let near = self.position.terrain.near(cell).map(|(_, to)| to);
        near.filter(|to| *to != hunter && self.passes(*to)).filter(cool).chain([cell]).collect()
    }

    /// Whether the two can walk through a cell.
    fn passes(&self, cell: CellIndex) -> bool {
        let left = cell == self.hunted.cell || cell == self.hunter.cell;
        self.position.open(cell) || left && !closed(&self.position.state, cell)
    }

    /// Whether a bomb that the hunter puts where it is leaves the hunted unit no exit. Both have
    /// acted in this tick.
    fn shut(&self, cell: CellIndex, bomb: CellIndex, gone: u32) -> bool {
        let position = self.position;
        let place = position.state.kind(bomb);
        if cell == bomb || place.is_some_and(|kind| !kind.item()) {
            return false;
        }
        let mut blast = Vec::with_capacity(9);
        position.terrain.blast(&position.state, bomb, self.reach, |cell| blast.push(cell));
        if !blast.contains(&cell) {
            return false;
        }
        let (mut front, mut seen) = (vec![cell], vec![cell]);
        let moves = u32::try_from(position.board.params.armed).unwrap_or(0);
        for step in 1..=moves {
            let mut next = Vec::new();
            for from in front {
                for (_, to) in position.terrain.near(from) {
                    if to == bomb || seen.contains(&to) || !self.passes(to) {
                        continue;
                    }
                    let calm = position.calm(self.hunted.agent, to, gone + step, Fear::Possible);
                    if !blast.contains(&to) && calm {
                        return false;
                    }
                    seen.push(to);
                    next.push(to);
                }
            }
            front = next;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{GameParams, UnitDirection};
    use crate::search::drawn::map;
    use crate::search::terrain::Terrain;

    const UP: Option<UnitAction> = Some(UnitAction::Move(UnitDirection::Up));
    const LEFT: Option<UnitAction> = Some(UnitAction::Move(UnitDirection::Left));
    const RIGHT: Option<UnitAction> = Some(UnitAction::Move(UnitDirection::Right));

    /// What each order of our unit is worth by one of the two questions.
    fn sure<const N: usize>(
        rows: &[&str],
        acts: [Option<UnitAction>; N],
        ask: impl Fn(&Position<'_>, Option<UnitAction>) -> f64,
    ) -> [f64; N] {
        let (board, state) = map(rows, GameParams::default());
        let terrain = Terrain::new(&board);
        let position = Position::new(&board, &terrain, 0, &state);
        acts.map(|act| ask(&position, act))
    }

    fn cornered(position: &Position<'_>, act: Option<UnitAction>) -> f64 {
        position.cornered(0, act)
    }

    fn corners(position: &Position<'_>, act: Option<UnitAction>) -> f64 {
        position.corners(0, act)
    }

    #[test]
    fn a_unit_is_cornered_in_a_pocket_that_an_enemy_closes_before_it_is_out_again() {
        let near = [".......", ".#####.", ".#.###.", "..CD..."];
        let [up, left] = sure(&near, [UP, LEFT], cornered);
        assert!(up > 0.0 && left == 0.0, "{up} {left}");
        let far = [".......", ".#####.", ".#.###.", "..C..D."];
        assert_eq!(sure(&far, [UP], cornered), [0.0]);
    }

    #[test]
    fn a_pocket_that_is_deeper_than_a_blast_is_an_exit_as_long_as_the_unit_is_at_its_mouth() {
        let deep = [".......", ".#####.", ".#.###.", ".#.###.", "..C..D."];
        assert_eq!(sure(&deep, [UP], cornered), [0.0]);
        let inside = [".......", ".#####.", ".#.###.", ".#C###.", "..D...."];
        let [stays, up] = sure(&inside, [None, UP], cornered);
        assert!(stays == 0.0 && up > 0.0, "{stays} {up}");
    }

    #[test]
    fn a_unit_corners_an_enemy_with_a_bomb_or_with_steps_towards_it() {
        let near = [".......", ".#####.", ".#D###.", "..C...."];
        assert_eq!(sure(&near, [Some(UnitAction::Bomb), LEFT], corners), [1.0, 0.0]);
        let far = [".......", ".#####.", ".#D###.", "...C..."];
        let [left, right] = sure(&far, [LEFT, RIGHT], corners);
        assert!(left > 0.0 && right == 0.0, "{left} {right}");
    }
}
