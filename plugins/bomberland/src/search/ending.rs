//! How long each side lasts when the ring of fire closes.
//!
//! The ring ends every game that has no winner before, and the side whose last unit dies last wins.
//! A unit lasts until its refuge burns, and then one interval of invulnerability for each life but
//! the last. A refuge is a cell that no unit of the other side reaches as early.

use super::position::Position;
use super::reach::Reach;
use super::weights::SearchWeights;
use crate::rules::{GameBoard, Unit};

/// Ticks by which one side lasts longer that count at most.
const MOST: i32 = 40;

/// Ticks before the last cell burns in which who lasts longer counts in full, and from which on it
/// begins to count although there are bombs.
const LATE: i32 = 50;
const SOON: i32 = 150;

/// Bombs of a unit with which a place counts half as much as without any.
const HALF: f64 = 3.0;

/// From how much on it counts who lasts longer so that units mind the worst enemy.
const PLACES_COUNT: f64 = 0.3;

/// Bombs of a unit that do not run out.
const PLENTY: f64 = 100.0;

/// Ticks before the last cell burns from which on fear counts less: a unit that gives up its place
/// because of a bomb that may come loses the game, too.
const BRAVE: i32 = 110;

/// What is left of fear then.
const FEAR: f64 = 0.1;

/// The weights as they count now.
pub(super) fn weights(root: &Position<'_>, given: &SearchWeights) -> SearchWeights {
    if !near(root) {
        return *given;
    }
    SearchWeights {
        risk: given.risk * FEAR,
        held: given.held * FEAR,
        shut: given.shut * FEAR,
        cornered: given.cornered * FEAR,
        corners: given.corners * FEAR,
        exposed: given.exposed * FEAR,
        ..*given
    }
}

/// Whether the ring of fire closes so soon that places count more than lives.
pub(super) fn near(position: &Position<'_>) -> bool {
    left(position) <= BRAVE
}

/// Ticks until the last cell burns.
pub(super) fn left(position: &Position<'_>) -> i32 {
    position.terrain.last_burn().saturating_sub(position.state.tick)
}

/// How much it counts now who lasts longer, 0 to 1. A refuge is held as long as the other side has
/// no bombs to drive its unit away, so it counts early where bombs are few and late otherwise.
pub(super) fn weight(root: &Position<'_>, urgency: f64) -> f64 {
    let late = f64::from(SOON.saturating_sub(left(root))) / f64::from(SOON - LATE);
    let scarcity = HALF / (HALF + bombs(root));
    late.clamp(0.0, 1.0).max(urgency * scarcity)
}

/// Whether choices are played against several kinds of enemies: where bombs run out, or once it
/// counts that much who lasts longer. Elsewhere, units that mind the worst enemy put too few bombs.
pub(super) fn wary(root: &Position<'_>, ending: f64) -> bool {
    ending > PLACES_COUNT || bombs(root) < PLENTY
}

/// Whether the bombs of a unit do not run out.
pub(super) fn plenty(unit: &Unit) -> bool {
    f64::from(unit.bombs) >= PLENTY
}

/// Bombs of a unit on average.
fn bombs(root: &Position<'_>) -> f64 {
    let alive = root.state.units().iter().filter(|unit| unit.alive());
    let (units, bombs) = alive.fold((0.0_f64, 0.0), |(units, bombs), unit| {
        (units + 1.0, bombs + f64::from(unit.bombs.max(0)))
    });
    bombs / units.max(1.0)
}

/// By how many ticks our last unit dies later than the enemy's, as far as the ring decides it.
pub(super) fn lead(position: &Position<'_>, ours: &Reach, theirs: &Reach) -> f64 {
    let safe = |ours: bool| position.living(ours).any(|(_, unit)| position.island(unit.cell));
    match (safe(true), safe(false)) {
        (true, false) => return f64::from(MOST),
        (false, true) => return -f64::from(MOST),
        (true, true) | (false, false) => {}
    }
    let (mut us, mut them) = (at_once(position, true), at_once(position, false));
    let now = position.state.tick;
    for (burns, cell) in position.terrain.latest() {
        let gain = extra(position, ours).max(extra(position, theirs));
        if burns <= now || burns.saturating_add(gain) <= us.min(them) {
            break;
        }
        let (near, far) = (ours.steps(cell), theirs.steps(cell));
        let (side, last, steps) = match near.cmp(&far) {
            std::cmp::Ordering::Less => (ours, &mut us, near),
            std::cmp::Ordering::Greater => (theirs, &mut them, far),
            std::cmp::Ordering::Equal => continue,
        };
        let Some(unit) = side.first(cell).and_then(|index| position.state.unit(index)) else {
            continue;
        };
        if burns > now.saturating_add(steps.into()) {
            *last = (*last).max(burns.saturating_add(spare(position.board, unit)));
        }
    }
    f64::from((us - them).clamp(-MOST, MOST))
}

/// The last tick of a side whose units stay in fire from now on.
fn at_once(position: &Position<'_>, ours: bool) -> i32 {
    let now = position.state.tick;
    let last = |unit: &Unit| now.max(unit.invulnerable).saturating_add(spare(position.board, unit));
    position.living(ours).map(|(_, unit)| last(&unit)).max().unwrap_or(now)
}

/// Ticks from one hit to the next for a unit that stays in fire.
pub(super) fn interval(board: &GameBoard) -> i32 {
    board.params.invulnerability.saturating_add(1).max(1)
}

/// Ticks from the first to the last hit in fire.
pub(super) fn spare(board: &GameBoard, unit: &Unit) -> i32 {
    unit.hp.saturating_sub(1).max(0).saturating_mul(interval(board))
}

/// The most that a unit of a side lasts in fire.
fn extra(position: &Position<'_>, side: &Reach) -> i32 {
    let units = side.units().filter_map(|index| position.state.unit(index));
    units.map(|unit| spare(position.board, unit)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::GameParams;
    use crate::search::drawn::{NOW, map};
    use crate::search::terrain::Terrain;

    #[test]
    fn fear_counts_little_near_the_end_of_the_ring_of_fire() {
        let cornered = |left: i32| {
            let params = GameParams {
                game_duration: NOW + left - 9,
                fire_interval: 1.0,
                ..GameParams::default()
            };
            let (board, state) = map(&["C.......D"], params);
            let terrain = Terrain::new(&board);
            weights(&Position::new(&board, &terrain, 0, &state), &SearchWeights::default()).cornered
        };
        let full = SearchWeights::default().cornered;
        assert!(cornered(130) == full && cornered(100) < full / 5.0);
    }

    #[test]
    fn units_mind_the_worst_enemy_where_bombs_run_out_or_once_places_count() {
        let wary = |bombs: i32, ending: f64| {
            let (board, mut state) = map(&["C.......D"], GameParams::default());
            for unit in 0..2 {
                state.unit_mut(unit).unwrap().bombs = bombs;
            }
            let terrain = Terrain::new(&board);
            super::wary(&Position::new(&board, &terrain, 0, &state), ending)
        };
        let asked = [(9_999, 0.0), (9_999, 0.5), (3, 0.0)];
        assert_eq!(asked.map(|(bombs, ending)| wary(bombs, ending)), [false, true, true]);
    }
}
