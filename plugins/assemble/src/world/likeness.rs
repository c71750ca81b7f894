//! Which of several places a view is of: what an agent sees now against what its group knows.
//!
//! Goals, dispensers and task boards never move: one that differs rules a place out. Obstacles come
//! and go, so places are compared by them only where the map knows both: nothing speaks for the
//! unknown.

use super::chart::{GroupMap, KnownTerrain, SeenCell, Types};
use crate::percept::Percept;
use phalanx_game::sorted::SortedMap;
use phalanx_grid::{Cell, Extent};
use std::collections::BTreeSet;

/// What was seen twice within this many steps has hardly ever changed between: it counts twice.
const FRESH_STEPS: u32 = 40;

/// So much must speak against every other place, more than twice what speaks against the best: two
/// obstacles that were seen lately, or four that were not.
const MARGIN: u32 = 4;

/// This many obstacles may have changed unseen where none agrees; one more for each four that do.
const CHANGED_FREE: u32 = 4;

/// What a view says about the places of which it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlaceVerdict {
    /// It is this one.
    Sure(Cell),
    /// It can be any of these.
    Unsure(BTreeSet<Cell>),
    /// It can be none of them.
    Nowhere,
}

/// How a view agrees with the map around a place where nothing differs that never moves.
#[derive(Clone, Copy, Debug, Default)]
struct Likeness {
    /// Cells with something on them that agree.
    agreed: u32,
    /// Cells where the obstacle differs.
    changed: u32,
    /// How much these speak against the place.
    weight: u32,
}

/// What an agent sees, as a map around it.
pub(super) fn view(
    percept: &Percept,
    (vision, team): (i32, &str),
    types: &mut Types,
) -> Vec<(Cell, SeenCell)> {
    let mut chart = GroupMap::new(Extent::default());
    chart.paint(Cell::ZERO, percept, (vision, team), types);
    chart.seen().map(|(cell, spot)| (cell, *spot)).collect()
}

/// Which of several places a view is of. It must be one of them: if all others are ruled out by
/// what never moves, the last is it.
pub(super) fn judge(
    view: &[(Cell, SeenCell)],
    chart: &GroupMap,
    extent: Extent,
    places: impl IntoIterator<Item = Cell>,
) -> PlaceVerdict {
    let places: BTreeSet<Cell> = places.into_iter().map(|place| extent.wrap(place)).collect();
    let possible = |place: &Cell| Some((*place, compare(view, chart, *place, None)?));
    let left: SortedMap<Cell, Likeness> = places.iter().filter_map(possible).collect();
    let Some((best, known)) = left.iter().min_by_key(|(place, known)| (known.weight, **place))
    else {
        return PlaceVerdict::Nowhere;
    };
    let against = |place: &Cell, other: &Cell| {
        compare(view, chart, *place, Some(*other)).map_or(u32::MAX, |likeness| likeness.weight)
    };
    let beaten = |(place, known): (&Cell, &Likeness)| {
        let enough = || against(place, best) >= against(best, place).saturating_mul(2) + MARGIN;
        place == best || (known.weight >= MARGIN && enough())
    };
    let known_again = known.changed <= CHANGED_FREE + known.agreed / 4;
    if left.len() == 1 || (known_again && left.iter().all(beaten)) {
        PlaceVerdict::Sure(*best)
    } else {
        PlaceVerdict::Unsure(left.into_keys().collect())
    }
}

/// Compares a view with the map around a place; if there is another place, obstacles only where the
/// map is known around that, too. `None`: something differs that never moves.
fn compare(
    view: &[(Cell, SeenCell)],
    chart: &GroupMap,
    place: Cell,
    other: Option<Cell>,
) -> Option<Likeness> {
    let mut likeness = Likeness::default();
    for (cell, spot) in view {
        let Some(known) = chart.spot(place + *cell) else { continue };
        let (goal, was_goal) =
            (spot.ground == KnownTerrain::Goal, known.ground == KnownTerrain::Goal);
        let (wall, was_wall) =
            (spot.ground == KnownTerrain::Obstacle, known.ground == KnownTerrain::Obstacle);
        if goal != was_goal || spot.dispenser != known.dispenser || spot.board != known.board {
            return None;
        }
        // Where a clear was announced anything may have happened to the obstacles since.
        let told = |place| chart.spot(place + *cell).is_some_and(|known| known.announced() == 0);
        if wall == was_wall {
            let something = goal || wall || spot.board || spot.dispenser.is_some();
            likeness.agreed += u32::from(something);
        } else if spot.announced() == 0 && known.announced() == 0 && other.is_none_or(told) {
            likeness.changed += 1;
            let between = spot.seen().unwrap_or(0).abs_diff(known.seen().unwrap_or(0));
            likeness.weight += if between <= FRESH_STEPS { 2 } else { 1 };
        }
    }
    Some(likeness)
}
