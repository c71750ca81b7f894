//! Looking ahead: what the world foresees is what the rules do.

use phalanx_bomberland::percept::{Percept, TickScene};
use phalanx_bomberland::rules::{
    CellEntity, EntityKind, ForwardChance, GameBoard, GameParams, GameState, GeneratedGame,
    OrderQueue, Setup, TickEvent, Unit, UnitAction, UnitDirection, UnitName, UnitOrder, generate,
    step,
};
use phalanx_bomberland::world::{DangerForecast, DangerLevel, HORIZON, World, escape};
use phalanx_game::{AgentId, Roster, RosterEntry, Turn, Value, World as _};
use proptest::prelude::*;
use std::sync::Arc;

/// A game after some ticks of everybody doing this and that.
fn played(seed: u64, ticks: u64) -> Option<GeneratedGame> {
    let setup = Setup { wood: 0.1, ore: 0.1, hp: 30, ..Setup::default() };
    let params = GameParams { game_duration: 90, ..GameParams::default() };
    let mut game = generate(&setup, params, seed, seed).ok()?;
    let mut queue = OrderQueue::default();
    for tick in 0..ticks {
        for unit in 0..6_u8 {
            let dice = (seed * 31 + tick * 7 + u64::from(unit) * 13) % 11;
            let act = match dice {
                0 | 1 => UnitAction::Bomb,
                roll => UnitAction::Move(UnitDirection::ALL[usize::try_from(roll % 4).unwrap()]),
            };
            queue.push(&game.state, UnitOrder { agent: unit % 2, unit, act }).ok();
        }
        let GeneratedGame { board, state, streams } = &mut game;
        step(board, state, streams, &mut queue.take(), &mut ());
    }
    Some(game)
}

fn scene(game: &GeneratedGame) -> TickScene {
    TickScene {
        board: Arc::new(game.board.clone()),
        state: game.state.clone(),
        events: Vec::new(),
        agent: 0,
        tick_rate_hz: 10.0,
    }
}

/// Whether a unit is hurt in a tick, when its invulnerability is put aside.
fn hurt(state: &mut GameState, scene: &TickScene, unit: u8, orders: &mut [UnitOrder]) -> bool {
    state.unit_mut(unit).unwrap().invulnerable = 0;
    let before = state.unit(unit).unwrap().hp;
    step(&scene.board, state, &mut ForwardChance::default(), orders, &mut ());
    state.unit(unit).unwrap().hp < before
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_cell_burns_exactly_when_a_unit_on_it_is_hurt(seed in 0..400u64, ticks in 20..130u64) {
        let Some(game) = played(seed, ticks) else { return Ok(()) };
        let scene = scene(&game);
        let forecast = DangerForecast::new(&scene, None);
        for unit in 0..6_u8 {
            let (mut state, cell) = (scene.state.clone(), scene.state.unit(unit).unwrap().cell);
            for ahead in 1..=HORIZON {
                let burnt = hurt(&mut state, &scene, unit, &mut []);
                let foreseen = forecast.danger(cell, ahead) == DangerLevel::Certain;
                prop_assert_eq!(burnt, foreseen, "unit {} after {} ticks", unit, ahead);
            }
        }
    }

    #[test]
    fn who_follows_the_way_out_is_not_hurt(seed in 0..400u64, ticks in 20..130u64, bomb in any::<bool>()) {
        let Some(game) = played(seed, ticks) else { return Ok(()) };
        let scene = scene(&game);
        for unit in (0..6_u8).step_by(2) {
            let body = *scene.state.unit(unit).unwrap();
            if body.stunned >= f64::from(scene.state.tick) {
                continue;
            }
            let order = |act| UnitOrder { agent: body.agent, unit, act };
            let first = bomb.then(|| order(UnitAction::Bomb));
            let forecast = DangerForecast::new(&scene, first);
            if bomb && !forecast.places_bomb(&scene) {
                continue;
            }
            let Some(way) = escape(&scene, &forecast, unit, DangerLevel::Possible) else { continue };
            let moves = way.steps.iter().map(|step| step.map(|direction| order(UnitAction::Move(direction))));
            let mut orders = first.map(Some).into_iter().chain(moves);
            let mut state = scene.state.clone();
            for ahead in 1..=HORIZON {
                let mut now: Vec<UnitOrder> = orders.next().flatten().into_iter().collect();
                prop_assert!(!hurt(&mut state, &scene, unit, &mut now), "in tick {}", ahead);
            }
            prop_assert_eq!(state.unit(unit).unwrap().cell, way.to);
        }
    }

    #[test]
    fn what_an_enemy_can_light_is_possible(seed in 0..400u64, ticks in 20..130u64) {
        let Some(game) = played(seed, ticks) else { return Ok(()) };
        let scene = scene(&game);
        let forecast = DangerForecast::new(&scene, None);
        let bombs = scene.state.entities().filter(|(_, it)| it.kind == EntityKind::Bomb && it.agent == Some(1));
        for (at, bomb) in bombs {
            let armed = scene.board.params.armed + 1 + bomb.created - scene.state.tick;
            let ahead = u32::try_from(armed.max(1)).unwrap();
            let (x, y) = scene.board.place(at);
            let light = UnitOrder { agent: 1, unit: bomb.unit.unwrap(), act: UnitAction::Detonate(x.into(), y.into()) };
            let mut events: Vec<TickEvent> = Vec::new();
            let alive = scene.state.unit(light.unit).unwrap().alive();
            World::simulate(&scene, &[(ahead, light)], ahead, &mut ForwardChance::default(), &mut events);
            for event in events {
                if let TickEvent::Spawned(cell, fire) = event
                    && alive && fire.kind == EntityKind::Fire && fire.created == scene.state.tick + armed.max(1)
                {
                    prop_assert!(forecast.danger(cell, ahead) >= DangerLevel::Possible);
                }
            }
        }
    }
}

/// A small map drawn by hand: rows from the top, `#` metal, `w` wood, `o` ore, `b` a bomb that
/// explodes in tick 13, `C` our unit, `D` an enemy.
fn drawn(rows: &[&str]) -> TickScene {
    let (width, height) = (rows[0].len(), rows.len());
    let names =
        ["c", "d"].map(|name| UnitName { name: name.to_owned(), agent: u8::from(name == "d") });
    let size = (u16::try_from(width).unwrap(), u16::try_from(height).unwrap());
    let agents = vec!["a".to_owned(), "b".to_owned()];
    let board = GameBoard::new(size, GameParams::default(), agents, names.to_vec());
    let cells = rows.iter().rev().flat_map(|row| row.chars());
    let (mut units, mut things) = (Vec::new(), Vec::new());
    for (cell, letter) in (0..).zip(cells) {
        let mut thing =
            |kind, hp| things.push((cell, CellEntity { hp, ..CellEntity::new(kind, 0) }));
        match letter {
            '#' => thing(EntityKind::Metal, None),
            'w' => thing(EntityKind::Wood, Some(1)),
            'o' => thing(EntityKind::Ore, Some(3)),
            'b' => things.push((
                cell,
                CellEntity {
                    expires: Some(13),
                    hp: Some(1),
                    diameter: Some(5),
                    unit: Some(0),
                    agent: Some(0),
                    ..CellEntity::new(EntityKind::Bomb, 9)
                },
            )),
            'C' | 'D' => units.push((
                letter,
                Unit {
                    cell,
                    agent: u8::from(letter == 'D'),
                    hp: 3,
                    bombs: 3,
                    diameter: 3,
                    invulnerable: 0,
                    stunned: 0.0,
                },
            )),
            _ => {}
        }
    }
    units.sort_by_key(|(letter, _)| *letter);
    let units = units.into_iter().map(|(_, unit)| unit).collect();
    let mut state = GameState::new(size.0, size.1, 10, units);
    things.into_iter().for_each(|(cell, thing)| state.put(cell, thing));
    TickScene { board: Arc::new(board), state, events: Vec::new(), agent: 0, tick_rate_hz: 10.0 }
}

fn world(scene: TickScene) -> World {
    let agents = vec![RosterEntry::new("one", "hunter")];
    let mut world = World::new(&Roster { team: "ours".to_owned(), agents });
    let percept = Percept { scene: Arc::new(scene), unit: Some(0), done: Some(true) };
    let turn = Turn::new(0, 10);
    world.begin(0, AgentId(0), None);
    world.observe(turn, AgentId(0), percept);
    world.settle(turn);
    world
}

fn ask(world: &World, query: &str, args: &[Value]) -> Value {
    world.query(AgentId(0), query, args).unwrap()
}

fn ints(numbers: &[i64]) -> Vec<Value> {
    numbers.iter().map(|int| Value::Int(*int)).collect()
}

#[test]
fn danger_comes_with_the_blast_and_goes_with_it() {
    // The bomb at (1, 0) explodes in tick 13 and burns to tick 17.
    let world = world(drawn(&["#####", "#.C.#", "#b#.D"]));
    let danger = |x, y, tick| ask(&world, "danger", &ints(&[x, y, tick])).as_int().unwrap();
    assert_eq!([12, 13, 17, 18].map(|tick| danger(1, 1, tick)), [0, 2, 2, 0]);
    assert_eq!(danger(2, 1, 13), 0, "round the corner it is safe");
    assert_eq!(ask(&world, "burns", &ints(&[1, 1])), Value::Int(13));
    assert_eq!(ask(&world, "burns", &ints(&[2, 1])), Value::Nil);
    assert_eq!(ask(&world, "escape", &[]).get("dir"), Some(&Value::from("wait")));
}

#[test]
fn nobody_puts_a_bomb_where_no_way_leads_out() {
    let trapped = world(drawn(&["####", "#C.#", "####", "...D"]));
    assert_eq!(ask(&trapped, "escape", &[true.into()]), Value::Nil);
    let free = world(drawn(&["####", "#C.#", "##.#", "...D"]));
    let way = ask(&free, "escape", &[true.into()]);
    assert_eq!(way.get("dir"), Some(&Value::from("right")));
    assert_eq!(way.get("steps").and_then(Value::as_list).map(<[Value]>::len), Some(2));
}

#[test]
fn a_mates_bomb_counts_before_it_lies_there() {
    let world = world(drawn(&["#####", "#C.D#", "#####"]));
    let bomb = Value::map([("unit", "d".into()), ("action", "bomb".into())]);
    let others = |orders: Vec<Value>| [Value::Nil, Value::Nil, Value::List(orders)];
    assert_ne!(ask(&world, "escape", &others(vec![])), Value::Nil);
    assert_ne!(ask(&world, "escape", &others(vec![bomb])), Value::Nil);
    let wider = Value::map([
        ("unit", "d".into()),
        ("action", "move".into()),
        ("args", Value::List(vec!["left".into()])),
    ]);
    let later =
        Value::map([("unit", "d".into()), ("action", "bomb".into()), ("after", Value::Int(2))]);
    assert_eq!(ask(&world, "escape", &others(vec![wider, later])), Value::Nil);
    let error = world.query(AgentId(0), "escape", &others(vec![Value::Int(1)])).unwrap_err();
    assert_eq!(error.reason, "order 1: unit: expected its name");
}

#[test]
fn a_way_out_leaves_mates_their_cells() {
    // Two ways lead out of the blast; the enemy's unit takes the first one.
    let world = world(drawn(&["##.#", "bC##", "#.D.", "####"]));
    let order = |dir: &'static str| {
        Value::map([
            ("unit", "d".into()),
            ("action", "move".into()),
            ("args", Value::List(vec![dir.into()])),
        ])
    };
    let way = |orders| ask(&world, "escape", &[Value::Nil, Value::Nil, Value::List(orders)]);
    assert_eq!(way(vec![]).get("dir"), Some(&Value::from("down")));
    assert_eq!(way(vec![order("right")]).get("dir"), Some(&Value::from("down")));
    assert_eq!(way(vec![order("left")]), Value::Nil);
}

#[test]
fn ways_lead_round_blocks_or_through_them() {
    let world = world(drawn(&["C.o.D", "#.w..", "....."]));
    assert_eq!(ask(&world, "distance", &ints(&[3, 2])), Value::Int(7));
    assert_eq!(ask(&world, "distance", &ints(&[0, 1])), Value::Nil);
    let path = ask(&world, "path", &ints(&[3, 1, 1]));
    assert_eq!((path.get("dir"), path.get("cost")), (Some(&"right".into()), Some(&Value::Int(5))));
    let blocks = path.get("steps").and_then(Value::as_list).unwrap().iter();
    assert_eq!(blocks.filter(|step| step.get("block").is_some()).count(), 1);
    let near = ask(&world, "nearest", &["wood".into()]);
    assert_eq!((near.get("x"), near.get("distance")), (Some(&Value::Int(2)), Some(&Value::Int(2))));
    assert_eq!(ask(&world, "distances", &[]).as_list().map(<[Value]>::len), Some(15));
    assert_eq!(ask(&world, "ring", &ints(&[0, 2])), Value::Num(200.0));
}

#[test]
fn a_simulation_follows_orders() {
    let world = world(drawn(&["C..", "...", "..D"]));
    let order = |action: &'static str, args: Vec<Value>, after: i64| {
        Value::map([
            ("unit", "c".into()),
            ("action", action.into()),
            ("args", Value::List(args)),
            ("after", Value::Int(after)),
        ])
    };
    let orders =
        Value::List(vec![order("bomb", vec![], 1), order("move", vec!["right".into()], 2)]);
    let future = ask(&world, "simulate", &[orders, Value::Int(3)]);
    assert_eq!(future.get("tick"), Some(&Value::Int(13)));
    let unit = &future.get("units").and_then(Value::as_list).unwrap()[0];
    assert_eq!((unit.get("x"), unit.get("bombs")), (Some(&Value::Int(1)), Some(&Value::Int(2))));
    let things = future.get("things").and_then(Value::as_list).unwrap();
    assert_eq!(things[0].get("type"), Some(&Value::from("bomb")));
    assert_eq!(things[0].get("armed"), Some(&Value::Int(17)));
    let wrong = Value::List(vec![order("fly", vec![], 1)]);
    let error = world.query(AgentId(0), "simulate", &[wrong]).unwrap_err();
    assert_eq!(error.reason, "order 1: Bomberland has no action \"fly\"");
}

#[test]
fn every_declared_query_and_field_is_answered() {
    let world = world(drawn(&["C..", ".w.", "b.D"]));
    for query in phalanx_bomberland::api::API.queries {
        let args: &[Value] = match query.params.first().map(|param| param.name) {
            Some("x") if !query.params[0].optional => &[Value::Int(1), Value::Int(0)],
            Some("kind") => &[Value::Str("bomb".into())],
            _ => &[],
        };
        let answer = world.query(AgentId(0), query.name, args);
        assert!(
            answer.as_ref().is_ok_and(|answer| *answer != Value::Nil),
            "{}: {answer:?}",
            query.name
        );
        assert_eq!(world.query(AgentId(7), query.name, args), Ok(Value::Nil), "{}", query.name);
        if !args.is_empty() {
            assert!(world.query(AgentId(0), query.name, &[]).is_err(), "{}", query.name);
        }
    }
    assert!(world.query(AgentId(0), "weather", &[]).is_err());
    for field in phalanx_bomberland::api::API.percept {
        let value = world.field(AgentId(0), field.name);
        assert!(value.is_some_and(|value| value != Value::Nil), "{}", field.name);
    }
    assert_eq!(world.field(AgentId(0), "weather"), None);
    for action in phalanx_bomberland::api::API.actions {
        let args = match action.params.first().map(|param| param.name) {
            Some("dir") => vec!["up".into()],
            Some(_) => ints(&[1, 2]),
            None => Vec::new(),
        };
        assert!(world.parse(AgentId(0), &phalanx_game::Said::new(action.name, args)).is_ok());
    }
    assert_eq!(world.state(AgentId(0)).summary, "c (0, 2) hp 3");
    assert_eq!(world.score(), Some(0));
}

#[test]
fn a_search_refuses_options_that_are_not_tables() {
    let world = world(drawn(&["C...D"]));
    let refused = |key: &'static str, value: Value| {
        world.query(AgentId(0), "search", &[Value::map([(key, value)])]).unwrap_err().reason
    };
    assert_eq!(refused("weights", Value::Int(3)), "weights: expected a table");
    assert_eq!(refused("goals", "centre".into()), "goals: expected a list");
    let error = world.query(AgentId(0), "search", &[Value::Int(3000)]).unwrap_err();
    assert_eq!(error.reason, "argument 1: expected a table of options, got 3000");
    let empty = || Value::List(Vec::new());
    let options = Value::map([("weights", empty()), ("goals", Value::Map(Vec::new()))]);
    assert!(world.query(AgentId(0), "search", &[options]).is_ok());
    assert!(world.query(AgentId(0), "search", &[empty()]).is_ok());
}
