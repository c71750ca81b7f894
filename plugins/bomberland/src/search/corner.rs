//! Whether one unit can corner one of the other side: walk so that a bomb of its leaves the other
//! one no exit, whatever that one does. The other units stay where they are.

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

/// As many ticks as never.
const NEVER: u32 = u32::MAX;

/// What is left of the worth of a bomb for each tick that the hunter walks before.
const LATER: f64 = 0.85;

/// All pairs of a hunted unit and a hunter of the other side that are close to each other.
pub(super) struct Hunts<'a, 'b> {
    position: &'b Position<'a>,
    hunts: Vec<Hunt<'a, 'b>>,
}

impl<'a, 'b> Hunts<'a, 'b> {
    pub(super) fn new(position: &'b Position<'a>) -> Self {
        let free = |index| position.state.unit(index).filter(|unit| position.ready(unit) <= 2);
        let units = |ours| position.living(ours).map(|(index, _)| index);
        let sides = [(true, false), (false, true)];
        let pairs = sides.into_iter().flat_map(|(hunted, hunter)| {
            units(hunted).flat_map(move |one| units(hunter).map(move |other| (one, other)))
        });
        let pairs = pairs.filter_map(|(hunted, hunter)| {
            Some(Hunt::new(position, (hunted, free(hunted)?), (hunter, free(hunter)?)))
        });
        Self { position, hunts: pairs.filter(Hunt::near).collect() }
    }

    /// How surely the other side can corner a unit after an order of it: 0 where it cannot, 1 where
    /// it can with a bomb in the same tick, less for each tick that it needs before.
    pub(super) fn cornered(&mut self, index: UnitIndex, act: Option<UnitAction>) -> f64 {
        let hunts = self.hunts.iter_mut().filter(|hunt| hunt.indices.0 == index);
        let surest = hunts.map(|hunt| {
            let cell = goes(self.position, hunt.hunted, act);
            sure(hunt.caught((cell, hunt.hunter.cell), 1))
        });
        surest.fold(0.0, f64::max)
    }

    /// How surely a unit corners units of the other side with an order: the sum over all of them.
    pub(super) fn corners(&mut self, index: UnitIndex, act: Option<UnitAction>) -> f64 {
        let hunts = self.hunts.iter_mut().filter(|hunt| hunt.indices.1 == index);
        let sums = hunts.map(|hunt| {
            let cell = goes(self.position, hunt.hunter, act);
            let hunted = hunt.hunted.cell;
            if act == Some(UnitAction::Bomb) {
                let mut steps = hunt.steps(hunted, cell, 1).into_iter();
                return sure(if steps.all(|to| hunt.shut(to, cell, 1)) { 0 } else { NEVER });
            }
            LATER * sure(hunt.cornered((hunted, cell), 1))
        });
        sums.sum()
    }
}

/// Where a unit is after an order.
fn goes(position: &Position<'_>, unit: &Unit, act: Option<UnitAction>) -> CellIndex {
    let Some(UnitAction::Move(direction)) = act else { return unit.cell };
    let to = position.terrain.toward(unit.cell, direction);
    to.filter(|to| position.open(*to)).unwrap_or(unit.cell)
}

/// What it is worth to catch a unit after that number of ticks.
fn sure(ticks: u32) -> f64 {
    if ticks == NEVER { 0.0 } else { LATER.powi(i32::try_from(ticks).unwrap_or(i32::MAX)) }
}

/// A hunted unit and its hunter. The hunter knows each step of the other one, as if it guessed it.
struct Hunt<'a, 'b> {
    position: &'b Position<'a>,
    indices: (UnitIndex, UnitIndex),
    hunted: &'b Unit,
    hunter: &'b Unit,
    reach: i32,
    /// Ticks until the hunted unit is caught, by its cell, the hunter's, and ticks gone.
    known: BTreeMap<(CellIndex, CellIndex, u32), u32>,
}

impl<'a, 'b> Hunt<'a, 'b> {
    fn new(
        position: &'b Position<'a>,
        (index, hunted): (UnitIndex, &'b Unit),
        (other, hunter): (UnitIndex, &'b Unit),
    ) -> Self {
        let reach = radius(hunter.diameter);
        Self { position, indices: (index, other), hunted, hunter, reach, known: BTreeMap::new() }
    }

    /// Whether the two are close enough and the hunter has a bomb.
    fn near(&self) -> bool {
        let (x, y) = self.away(self.hunted.cell, self.hunter.cell);
        x + y <= FAR && self.position.has_bomb(self.hunter)
    }

    /// Columns and rows between two cells.
    fn away(&self, one: CellIndex, other: CellIndex) -> (i32, i32) {
        let ((x, y), (other_x, other_y)) =
            (self.position.board.place(one), self.position.board.place(other));
        ((x - other_x).abs(), (y - other_y).abs())
    }

    /// In how many ticks the hunted unit is caught wherever it goes, or [`NEVER`].
    fn cornered(&mut self, (cell, hunter): (CellIndex, CellIndex), gone: u32) -> u32 {
        let key = (cell, hunter, gone);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if self.known.len() >= POSITIONS {
            return NEVER;
        }
        let mut last = 0;
        for to in self.steps(cell, hunter, gone) {
            last = last.max(self.caught((to, hunter), gone));
            if last == NEVER {
                break;
            }
        }
        self.known.insert(key, last);
        last
    }

    /// In how many ticks the hunted unit is caught that has just gone to a cell, or [`NEVER`].
    fn caught(&mut self, (cell, hunter): (CellIndex, CellIndex), gone: u32) -> u32 {
        if self.shut(cell, hunter, gone) {
            return 0;
        }
        if gone > WALK {
            return NEVER;
        }
        let near = self.position.terrain.near(hunter).map(|(_, to)| to);
        let steps: Vec<CellIndex> = near.filter(|to| *to != cell && self.passes(*to)).collect();
        let ticks = steps.into_iter().chain([hunter]).map(|to| self.cornered((cell, to), gone + 1));
        ticks.min().map_or(NEVER, |ticks| ticks.saturating_add(1))
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
        let (x, y) = self.away(cell, bomb);
        let place = position.state.kind(bomb);
        if x + y == 0 || x.min(y) > 0 || x.max(y) > self.reach || place.is_some_and(|it| !it.item())
        {
            return false;
        }
        let moves = u32::try_from(position.board.params.armed).unwrap_or(0);
        let ticks = gone + 1..=gone.saturating_add(moves);
        let hunted = (self.hunted.agent, cell);
        position.no_exit(hunted, (bomb, self.reach), ticks, |cell| self.passes(cell))
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
        Hunts::new(position).cornered(0, act)
    }

    fn corners(position: &Position<'_>, act: Option<UnitAction>) -> f64 {
        Hunts::new(position).corners(0, act)
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
    fn bombs_that_go_off_as_late_as_can_be_are_looked_at_for_a_while_only() {
        let params = GameParams { armed: i32::MAX, ..GameParams::default() };
        let (board, state) = map(&[".......", ".#####.", ".#.###.", "..CD..."], params);
        let terrain = Terrain::new(&board);
        let position = Position::new(&board, &terrain, 0, &state);
        assert!(cornered(&position, UP) > 0.0);
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
