//! What a search finds on small maps, and that it is bounded and repeatable.

use phalanx_bomberland::percept::TickScene;
use phalanx_bomberland::rules::{
    CellEntity, EntityKind, ForwardChance, GameBoard, GameParams, GameState, GeneratedGame, Setup,
    Unit, UnitAction, UnitDirection, UnitName, UnitOrder, generate, step,
};
use phalanx_bomberland::search::{SearchOptions, SearchResult, SearchWeights, search};
use std::sync::Arc;

const NOW: i32 = 10;

fn options() -> SearchOptions {
    SearchOptions { nodes: 4_000, ticks: 14, ..SearchOptions::default() }
}

/// A map drawn by hand, the highest row first: `#` metal, `w` wood, `!` a freeze powerup, `b` an
/// armed bomb of the first enemy, `m` one of our first unit; `C`, `E`, `G` are ours, `D`, `F`, `H`
/// are enemies.
fn drawn(rows: &[&str]) -> TickScene {
    let size = (u16::try_from(rows[0].len()).unwrap(), u16::try_from(rows.len()).unwrap());
    let cells: Vec<(u16, char)> =
        (0..).zip(rows.iter().rev().flat_map(|row| row.chars())).collect();
    let mut bodies: Vec<(char, u16)> = cells
        .iter()
        .filter(|(_, sign)| "CDEFGH".contains(*sign))
        .map(|(at, it)| (*it, *at))
        .collect();
    bodies.sort_unstable();
    let agent = |sign: char| u8::from("DFH".contains(sign));
    let names =
        bodies.iter().map(|(sign, _)| UnitName { name: sign.to_string(), agent: agent(*sign) });
    let agents = vec!["a".to_owned(), "b".to_owned()];
    let board = GameBoard::new(size, GameParams::default(), agents, names.collect());
    let unit = |(sign, cell): &(char, u16)| Unit {
        cell: *cell,
        agent: agent(*sign),
        hp: 3,
        bombs: 9,
        diameter: 3,
        invulnerable: 0,
        stunned: 0.0,
    };
    let units: Vec<Unit> = bodies.iter().map(unit).collect();
    let first = |ours: bool| {
        let found = bodies.iter().position(|(sign, _)| (agent(*sign) == 0) == ours);
        found.and_then(|index| u8::try_from(index).ok())
    };
    let mut state = GameState::new(size.0, size.1, NOW, units);
    for (cell, sign) in cells {
        let bomb = |ours: bool| CellEntity {
            expires: Some(NOW + 20),
            hp: Some(1),
            diameter: Some(3),
            unit: first(ours),
            agent: Some(u8::from(!ours)),
            ..CellEntity::new(EntityKind::Bomb, NOW - 10)
        };
        let thing = match sign {
            '#' => CellEntity::new(EntityKind::Metal, 0),
            'w' => CellEntity { hp: Some(1), ..CellEntity::new(EntityKind::Wood, 0) },
            '!' => CellEntity {
                expires: Some(NOW + 40),
                hp: Some(1),
                ..CellEntity::new(EntityKind::FreezeUp, NOW)
            },
            'b' => bomb(false),
            'm' => bomb(true),
            _ => continue,
        };
        state.put(cell, thing);
    }
    TickScene { board: Arc::new(board), state, events: Vec::new(), agent: 0, tick_rate_hz: 10.0 }
}

/// The order of our first unit.
fn chosen(scene: &TickScene) -> Option<UnitAction> {
    search(scene, &options()).units[0].act
}

/// Whether an order is in the best line.
fn planned(scene: &TickScene, act: UnitAction) -> bool {
    search(scene, &options()).line.iter().any(|(_, order)| order.act == act)
}

fn go(direction: UnitDirection) -> Option<UnitAction> {
    Some(UnitAction::Move(direction))
}

/// The first unit's order on a map where the fire of the ring burns in its cell and has just hurt it.
fn in_the_ring(rows: &[&str]) -> Option<UnitAction> {
    let mut scene = drawn(rows);
    let unit = scene.state.unit_mut(0).unwrap();
    unit.invulnerable = NOW + 3;
    let cell = unit.cell;
    scene.state.put(cell, CellEntity::new(EntityKind::Fire, NOW));
    search(&scene, &options()).units[0].act
}

#[test]
fn a_unit_that_burns_anyway_sets_a_bomb_off_in_the_fire_beside_an_enemy() {
    assert_eq!(in_the_ring(&["CD......"]), Some(UnitAction::Bomb));
    // It spares a mate that the fire has not reached.
    assert_ne!(in_the_ring(&["E.......", "CD......"]), Some(UnitAction::Bomb));
}

#[test]
fn a_unit_that_burns_anyway_dashes_to_a_cell_where_the_fire_is_out() {
    let mut scene = drawn(&["..C....D"]);
    scene.state.tick = 700;
    for cell in (0..8).filter(|cell| *cell != 4) {
        scene.state.put(cell, CellEntity::new(EntityKind::Fire, 300));
    }
    assert_eq!(chosen(&scene), go(UnitDirection::Right));
    scene.state.put(4, CellEntity::new(EntityKind::Fire, 300));
    scene.state.remove(0);
    assert_eq!(chosen(&scene), go(UnitDirection::Left));
}

#[test]
fn now_and_then_a_unit_gives_way_to_an_enemy_that_wants_the_same_cell() {
    let mut scene = drawn(&["C.!.D", "....."]);
    scene.state.unit_mut(0).unwrap().cell = 6;
    scene.state.unit_mut(1).unwrap().cell = 8;
    let mut tries = |tick| {
        scene.state.tick = tick;
        let tried = &search(&scene, &options()).units[0].alternatives;
        tried.iter().any(|tried| tried.act == go(UnitDirection::Right))
    };
    assert!(tries(NOW) && !tries(NOW + 2));
}

#[test]
fn a_unit_leaves_the_reach_of_a_bomb_that_an_enemy_can_set_off() {
    let scene = drawn(&["##..##D", "##..###", "##.Cb##"]);
    assert!(matches!(chosen(&scene), Some(UnitAction::Move(_))));
}

#[test]
fn a_bomb_goes_off_when_it_hits_only_enemies() {
    let scene = drawn(&["..C.....", "........", "........", "....mD..", "........"]);
    assert!(planned(&scene, UnitAction::Detonate(4.0, 1.0)));
}

#[test]
fn a_bomb_beside_a_mate_does_not_go_off() {
    let scene = drawn(&["C......", "#####.#", "...EmD."]);
    assert!(!planned(&scene, UnitAction::Detonate(4.0, 0.0)));
}

#[test]
fn a_freeze_powerup_is_worth_a_walk() {
    let scene = drawn(&[".......", ".C.!...", ".......", "......D"]);
    assert_eq!(chosen(&scene), go(UnitDirection::Right));
}

#[test]
fn no_item_is_worth_a_step_into_a_pocket_that_an_enemy_closes() {
    let scene = drawn(&[".......", ".#####.", ".#!###.", "..CD..."]);
    let chosen = |cornered| {
        let weights = SearchWeights { cornered, ..SearchWeights::default() };
        search(&scene, &SearchOptions { weights, ..options() }).units[0].act
    };
    assert_eq!(chosen(0.0), go(UnitDirection::Up));
    assert_ne!(chosen(SearchWeights::default().cornered), go(UnitDirection::Up));
}

#[test]
fn a_bomb_that_corners_an_enemy_is_worth_its_weight() {
    let scene = drawn(&[".......", ".#####.", ".#D###.", "..C...."]);
    let found = |corners| {
        let weights = SearchWeights { corners, ..SearchWeights::default() };
        search(&scene, &SearchOptions { weights, ..options() })
    };
    let (without, with) = (found(0.0), found(60.0));
    assert_eq!(with.units[0].act, Some(UnitAction::Bomb));
    assert!((with.value - without.value - 60.0).abs() < 1e-6);
}

#[test]
fn a_frozen_enemy_gets_a_bomb() {
    let mut scene = drawn(&["......", ".CD...", "......", "......"]);
    scene.state.unit_mut(1).unwrap().stunned = f64::from(NOW + 15);
    assert!(planned(&scene, UnitAction::Bomb));
}

#[test]
fn no_bomb_is_put_without_a_way_out() {
    let mut scene = drawn(&["####", "#CD#", "####"]);
    scene.state.unit_mut(1).unwrap().stunned = f64::from(NOW + 15);
    assert_ne!(chosen(&scene), Some(UnitAction::Bomb));
}

#[test]
fn a_frozen_or_dead_unit_has_no_order() {
    let mut scene = drawn(&["C.E..D"]);
    scene.state.unit_mut(0).unwrap().hp = 0;
    let stunned = scene.board.find_unit("E").unwrap();
    scene.state.unit_mut(stunned).unwrap().stunned = f64::from(NOW + 5);
    let found = search(&scene, &options());
    let orders: Vec<_> = found.units.iter().map(|choice| (choice.unit, choice.act)).collect();
    assert_eq!(orders, [(stunned, None)]);
}

/// A generated game after some ticks in which all units do this and that.
fn middle(seed: u64) -> Option<TickScene> {
    let setup = Setup { ore: 0.1, ..Setup::default() };
    let mut game = generate(&setup, GameParams::default(), seed, seed).ok()?;
    for tick in 0..60 {
        let mut orders = Vec::new();
        for (index, unit) in (0..).zip(game.state.units()) {
            let dice = (seed * 31 + tick * 7 + u64::from(index) * 13) % 11;
            let act = match dice {
                0 => UnitAction::Bomb,
                roll => UnitAction::Move(UnitDirection::ALL[usize::try_from(roll % 4).unwrap()]),
            };
            orders.push(phalanx_bomberland::rules::UnitOrder {
                agent: unit.agent,
                unit: index,
                act,
            });
        }
        let GeneratedGame { board, state, streams } = &mut game;
        step(board, state, streams, &mut orders, &mut ());
    }
    Some(TickScene {
        board: Arc::new(game.board),
        state: game.state,
        events: Vec::new(),
        agent: 0,
        tick_rate_hz: 10.0,
    })
}

#[test]
fn the_same_question_has_the_same_answer() {
    for scene in (1..8).filter_map(middle) {
        let found: Vec<SearchResult> = (0..2).map(|_| search(&scene, &options())).collect();
        assert_eq!(found[0], found[1]);
    }
}

#[test]
fn the_budget_bounds_the_simulated_ticks() {
    for scene in (1..8).filter_map(middle) {
        for nodes in [0, 1, 100, 1_000] {
            let found = search(&scene, &SearchOptions { nodes, ..options() });
            // A choice in which a unit is frozen is played out for each unit that this can be.
            let most = nodes.max(1) + 3 * 14;
            assert!(found.nodes < most, "{} of {nodes}", found.nodes);
            let living = scene.state.units().iter().filter(|unit| unit.alive() && unit.agent == 0);
            assert_eq!(found.units.len(), living.count(), "a result exists with any budget");
        }
    }
}

#[test]
fn more_nodes_never_give_a_worse_value() {
    for scene in (1..8).filter_map(middle) {
        let value = |nodes| search(&scene, &SearchOptions { nodes, ..options() }).value;
        assert!(value(0) <= value(500) && value(500) <= value(4_000));
    }
}

#[test]
fn the_chosen_order_is_the_best_alternative_and_begins_the_best_line() {
    for scene in (1..8).filter_map(middle) {
        let found = search(&scene, &options());
        for choice in &found.units {
            assert_eq!(choice.alternatives[0].act, choice.act);
            assert!((choice.alternatives[0].value - found.value).abs() < 1e-9);
            let first = found.line.iter().find(|(at, order)| *at == 1 && order.unit == choice.unit);
            assert_eq!(first.map(|(_, order)| order.act), choice.act);
        }
    }
}

#[test]
fn equal_states_have_equal_hashes_whatever_happened_before() {
    let scene = middle(3).unwrap();
    let mut copy = GameState::new(1, 1, 0, Vec::new());
    copy.copy_from(&scene.state);
    assert_eq!(copy, scene.state);
    assert_eq!(copy.position_hash(), scene.state.position_hash());
    step(&scene.board, &mut copy, &mut ForwardChance::default(), &mut [], &mut ());
    assert_ne!(copy.position_hash(), scene.state.position_hash());
}

/// The same map with other rules.
fn with(mut scene: TickScene, change: impl FnOnce(&mut GameParams)) -> TickScene {
    change(&mut Arc::make_mut(&mut scene.board).params);
    scene
}

#[test]
fn a_unit_takes_the_cell_that_burns_last_before_the_enemy_does() {
    let rows = ["D......", ".......", ".......", ".......", ".C.....", ".......", "......."];
    let mut scene = with(drawn(&rows), |params| params.game_duration = 30);
    let last = scene.board.fire(usize::from(scene.board.cells()) - 1).unwrap();
    for tick in 0..12 {
        let walk = if tick % 2 == 0 { UnitDirection::Down } else { UnitDirection::Right };
        let acts = [chosen(&scene), go(walk).filter(|_| tick < 6)];
        let orders = (0..).zip(acts);
        let mut orders: Vec<UnitOrder> = orders
            .filter_map(|(unit, act)| Some(UnitOrder { agent: unit, unit, act: act? }))
            .collect();
        let board = Arc::clone(&scene.board);
        step(&board, &mut scene.state, &mut ForwardChance::default(), &mut orders, &mut ());
    }
    assert_eq!(scene.state.unit(0).unwrap().cell, last);
}

#[test]
fn a_unit_leaves_the_reach_of_its_own_bomb_before_an_enemy_closes_the_exit() {
    let mut scene = drawn(&["#####.###", "Cm.......", "#######.D"]);
    let bomb = scene.board.cell(1, 1).unwrap();
    let fresh =
        CellEntity { created: NOW, expires: Some(NOW + 30), ..*scene.state.entity(bomb).unwrap() };
    scene.state.put(bomb, fresh);
    scene.state.unit_mut(0).unwrap().cell = scene.board.cell(2, 1).unwrap();
    assert_eq!(chosen(&scene), go(UnitDirection::Right));
}
