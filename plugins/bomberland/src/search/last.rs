//! The last ticks of the ring of fire: choices are played to the end of the game, and only which side
//! lasts longer counts.
//!
//! Few units are left then and few cells, and a life more or less decides by a tick or two. Plans of
//! any kind are tried, also ones that cost a life; danger is not looked at, only what comes of it.

mod plans;
mod play;

use super::ending::{interval, left};
use super::position::Position;
use super::trap::Traps;
use super::{SearchOptions, SearchResult, result};
use crate::rules::{UnitAction, UnitIndex};
use phalanx_grid::descend;
use plans::{Plan, STAYS, plans};
use play::{BLOCKS, BOMBS, Game, HARD, IDLE, Outcome, Rules};

/// Most ticks that a choice is played out.
const TICKS: i32 = 80;

/// What a tick counts by which one side lasts longer, and that it lasts longer at all.
const TICK: f64 = 20.0;
const LONGER: f64 = 200.0;

/// What a life in each tick counts by which one side has more.
const LIFE_TICK: f64 = 0.1;

/// What the usual enemies count beside the worst one: of choices that end alike against that one, the
/// one is best that wins against an enemy that does less.
const USUAL: f64 = 0.3;

/// What it costs that a unit of ours loses a life in a blast of our own in the next tick, and that it
/// would lose it if the enemy blocked each of its steps. Later blasts cost less.
const OWN_BLAST: f64 = 2000.0;
const BLOCKED: f64 = 700.0;

/// What it costs that an order leaves a unit of ours no exit from our bombs, whatever the enemy does.
const TRAPPED: f64 = 2000.0;

/// Ticks until the game is over, if the last cell burns within `from` ticks.
pub(super) fn ticks(root: &Position<'_>, from: u32) -> Option<u32> {
    let left = left(root);
    let params = &root.board.params;
    let ring = root.state.tick >= params.game_duration && params.fire_interval > 0.0;
    if from == 0 || !ring || u32::try_from(left.max(0)).is_ok_and(|left| left > from) {
        return None;
    }
    let lives = root.state.units().iter().map(|unit| unit.hp).max().unwrap_or(1).max(1);
    let ticks = left.max(0).saturating_add(interval(root.board).saturating_mul(lives));
    u32::try_from(ticks.saturating_add(2).clamp(1, TICKS)).ok()
}

/// Searches for the orders with which our side lasts longest.
pub(super) fn search(root: &Position<'_>, options: &SearchOptions, ticks: u32) -> SearchResult {
    let units: Vec<(UnitIndex, Vec<Plan>)> =
        root.living(true).map(|(index, _)| (index, plans(root, index))).collect();
    let counts: Vec<usize> = units.iter().map(|(_, plans)| plans.len()).collect();
    let mut game = Game::new(root, ticks);
    let firsts = units.iter().map(|(index, plans)| {
        let first = |plan: &Plan| game.first(*index, plan);
        plans.iter().map(first).collect::<Vec<Option<UnitAction>>>()
    });
    let firsts: Vec<_> = firsts.collect();
    let mut traps = Traps::new(root);
    let mut best = f64::NEG_INFINITY;
    // Two units that walk into harm by the rules, each in the other one's place, are stopped only together.
    let all_stay = vec![STAYS; counts.len()];
    let found = descend(&counts, &[all_stay], options.last_nodes, |choice| {
        let chosen: Vec<(UnitIndex, &Plan)> = chosen(&units, choice);
        let mut nodes = 0;
        let mut against = |foe: Rules| {
            let outcome = game.play(&chosen, foe);
            nodes += outcome.ticks;
            (value(&outcome), outcome.own_blasts)
        };
        let [(hard, own), (idle, other)] = [HARD, IDLE].map(&mut against);
        let usual = USUAL * (hard + idle) / 2.0;
        let (mut end, mut own) = (hard.min(idle), own.max(other));
        let total = |end: f64, own: f64| end + usual - OWN_BLAST * own;
        // The other enemies can only make it worse.
        if total(end, own) >= best {
            let (bombs, other) = against(BOMBS);
            (end, own) = (end.min(bombs), own.max(other));
        }
        let mut worst = total(end, own);
        if worst >= best {
            worst -= TRAPPED * traps.of(&units, &firsts, choice);
        }
        if worst >= best {
            let (_, blocked) = against(BLOCKS);
            worst -= BLOCKED * (blocked - own).max(0.0);
        }
        best = best.max(worst);
        (worst, nodes)
    });
    let line = game.play(&chosen(&units, &found.choice), HARD).line;
    result(units.iter().map(|(index, _)| (*index, Vec::new())), &firsts, &found, line)
}

fn chosen<'a>(units: &'a [(UnitIndex, Vec<Plan>)], choice: &[usize]) -> Vec<(UnitIndex, &'a Plan)> {
    let chosen = units.iter().zip(choice);
    chosen.filter_map(|((index, plans), at)| Some((*index, plans.get(*at)?))).collect()
}

/// What an outcome is worth for us.
fn value(outcome: &Outcome) -> f64 {
    let margin = f64::from(outcome.margin);
    let sign = f64::from(outcome.margin.signum());
    #[expect(clippy::cast_precision_loss, reason = "a sum of lives over some ticks")]
    let lives = outcome.life_ticks as f64;
    TICK * margin + LONGER * sign + LIFE_TICK * lives
}

#[cfg(test)]
mod tests {
    use super::super::{TickScene, drawn, search as search_scene};
    use super::*;
    use crate::rules::{CellEntity, EntityKind, GameParams, UnitDirection};
    use std::sync::Arc;

    /// What our units do after that many `nodes`, on a map on which the ring of fire has burnt for
    /// `ring` ticks and fuses of bombs end late, with the `lives` of each of our units and of theirs.
    fn acts(nodes: u64, rows: &[&str], ring: i32, lives: [i32; 2]) -> Vec<Option<UnitAction>> {
        let params = GameParams {
            game_duration: drawn::NOW - ring,
            fire_interval: 1.0,
            ..GameParams::default()
        };
        let (board, mut state) = drawn::map(rows, params);
        for index in 0..=ring {
            let cell = board.fire(usize::try_from(index).unwrap()).unwrap();
            if state.entity(cell).is_none() {
                state.put(cell, CellEntity::new(EntityKind::Fire, drawn::NOW));
            }
        }
        let bombs = state.hot().filter(|(_, it)| it.kind == EntityKind::Bomb);
        let bombs: Vec<_> = bombs.map(|(cell, bomb)| (cell, *bomb)).collect();
        for (cell, bomb) in bombs {
            state.put(cell, CellEntity { expires: Some(drawn::NOW + 24), ..bomb });
        }
        for index in 0..state.units().len() {
            let unit = state.unit_mut(UnitIndex::try_from(index).unwrap()).unwrap();
            unit.hp = lives[usize::from(unit.agent)];
        }
        let board = Arc::new(board);
        let scene = TickScene { board, state, events: Vec::new(), agent: 0, tick_rate_hz: 10.0 };
        let options =
            SearchOptions { last_ticks: 60, last_nodes: nodes, ..SearchOptions::default() };
        search_scene(&scene, &options).units.iter().map(|unit| unit.act).collect()
    }

    /// What the first of them does.
    fn act(nodes: u64, rows: &[&str], ring: i32, lives: [i32; 2]) -> Option<UnitAction> {
        acts(nodes, rows, ring, lives)[0]
    }

    #[test]
    fn games_are_played_to_the_end_from_that_many_ticks_before_the_last_cell_burns() {
        let ticks = |ring, from| {
            let params = GameParams { game_duration: drawn::NOW - ring, ..GameParams::default() };
            let (board, state) = drawn::map(&["C.......D"], params);
            let terrain = super::super::Terrain::new(&board);
            super::ticks(&Position::new(&board, &terrain, 0, &state), from)
        };
        // Nine cells burn, one in two ticks; three lives last for 18 ticks more.
        assert_eq!([ticks(0, 16), ticks(0, 15), ticks(2, 15)], [Some(36), None, Some(34)]);
        assert_eq!(ticks(-1, 60), None, "the ring has not begun");
        assert_eq!([ticks(0, 0), ticks(40, 0), ticks(40, 1)], [None, None, Some(20)]);
    }

    #[test]
    fn by_the_rules_a_unit_puts_its_bomb_in_the_tick_in_which_the_ring_takes_its_cell() {
        // The cells burn in the order 0, 4, 1, 3, 2: the enemy is in the last one and lasts longer,
        // unless a bomb goes off in the fire that comes.
        assert_eq!(act(0, &[".CD.."], 1, [2, 2]), Some(UnitAction::Bomb));
    }

    #[test]
    fn by_the_rules_a_unit_walks_to_the_cell_that_burns_last() {
        let right = UnitAction::Move(UnitDirection::Right);
        assert_eq!(act(0, &[".C..D"], 1, [3, 3]), Some(right));
    }

    #[test]
    fn a_unit_walks_through_fire_to_where_its_bomb_reaches_the_enemy() {
        // The outer cells burn. By the rules our unit stays among them and dies two lives later; the
        // enemy in the last cell has one.
        let map = ["...C.", "...##", "..D..", ".....", ".#..."];
        let acts = [0, 20_000].map(|nodes| act(nodes, &map, 16, [2, 1]));
        let walks = [UnitDirection::Right, UnitDirection::Left];
        assert_eq!(acts, walks.map(|step| Some(UnitAction::Move(step))));
    }

    #[test]
    fn a_unit_does_not_step_beside_its_bomb_where_enemies_can_close_it_in() {
        // To the right the fire comes later.
        let map = ["##..#", "FC...", "#.B.#", "#E.D#", "##.##"];
        assert_eq!(act(20_000, &map, 4, [3, 3]), None);
        let without = ["##..#", "FC...", "#.#.#", "#E.D#", "##.##"];
        let right = UnitAction::Move(UnitDirection::Right);
        assert_eq!(act(20_000, &without, 4, [3, 3]), Some(right));
    }

    #[test]
    fn mates_stay_where_each_of_them_alone_would_still_walk_into_harm_by_the_rules() {
        // Beginning with the rules alone, the search would find that they go down and left.
        let map = [".....", "#C.D.", "..E..", ".B..#"];
        assert_eq!(acts(20_000, &map, 8, [3, 3]), [None, None]);
    }

    #[test]
    fn a_search_ends_with_its_budget() {
        let params = GameParams { game_duration: drawn::NOW - 2, ..GameParams::default() };
        let (board, state) = drawn::map(&["..C....", ".......", "....D.."], params);
        let terrain = super::super::Terrain::new(&board);
        let root = Position::new(&board, &terrain, 0, &state);
        let options = |last_nodes| SearchOptions { last_nodes, ..SearchOptions::default() };
        let spent = [0, 500].map(|nodes| super::search(&root, &options(nodes), 40).nodes);
        // One choice is always played, against up to four enemies.
        assert!(spent[0] <= 160 && (500..660).contains(&spent[1]), "{spent:?}");
    }
}
