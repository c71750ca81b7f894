//! Whatever agents do, the rules keep what they keep; whatever bytes come, the referee goes on.

use crate::common::stage;
use phalanx_bomberland::arena::ArenaConfig;
use phalanx_bomberland::rules::{
    EntityKind, ForwardChance, GameParams, GameState, GeneratedGame, OrderQueue, Setup, TickEvent,
    UnitAction, UnitDirection, UnitOrder, generate, step,
};
use phalanx_game::{Arena as _, ConnectionId};
use phalanx_testkit::mangle::Mangler;
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn act() -> impl Strategy<Value = UnitAction> {
    let direction = prop::sample::select(UnitDirection::ALL.to_vec());
    prop_oneof![
        4 => direction.prop_map(UnitAction::Move),
        2 => Just(UnitAction::Bomb),
        1 => (-1..10i32, -1..10i32).prop_map(|(x, y)| UnitAction::Detonate(x.into(), y.into())),
        1 => (-1e9..1e9, -1e9..1e9).prop_map(|(x, y)| UnitAction::Detonate(x, y)),
    ]
}

fn count(state: &GameState, passes: impl Fn(EntityKind) -> bool) -> usize {
    state.entities().filter(|(_, entity)| passes(entity.kind)).count()
}

/// What no tick may change for the worse.
fn check(before: &GameState, after: &GameState, params: &GameParams) {
    assert_eq!(after.tick, before.tick + 1);
    for (old, new) in before.units().iter().zip(after.units()) {
        assert!(new.hp <= old.hp && new.hp >= old.hp - 1, "at most one life a tick");
        assert!(new.hp == old.hp || old.invulnerable < after.tick, "the invulnerable stay whole");
        assert!(new.diameter >= old.diameter);
        assert!(usize::from(new.cell) < after.len());
    }
    let units = after.units();
    for (index, unit) in units.iter().enumerate() {
        assert!(units[..index].iter().all(|other| other.cell != unit.cell), "one unit a cell");
    }
    for agent in 0..2 {
        assert!(after.bombs_of(agent) <= usize::try_from(params.bombs_max).unwrap());
    }
    let solid = |kind: EntityKind| matches!(kind, EntityKind::Wood | EntityKind::Ore);
    assert!(count(after, solid) <= count(before, solid), "no block appears");
    let metal = |state: &GameState| count(state, |kind| kind == EntityKind::Metal);
    assert!(metal(after) == metal(before) || after.tick >= params.game_duration);
    let overdue = |state: &GameState| {
        state.entities().any(|(_, entity)| entity.expires.is_some_and(|at| at <= state.tick))
    };
    assert!(!overdue(after), "nothing outlives its time");
    let permanent = |state: &GameState| state.entities().filter(|(_, it)| it.permanent()).count();
    assert!(permanent(after) >= permanent(before), "the ring of fire never goes out");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_rules_keep_what_they_keep(
        seed in 0..1000u64,
        (width, height) in (5..12u16, 5..12u16),
        spawn in prop::sample::select(vec![0.0, 0.3]),
        orders in prop::collection::vec(prop::collection::vec(prop::option::of(act()), 6), 1..150),
    ) {
        let setup = Setup { width, height, hp: 9, ..Setup::default() };
        let params = GameParams {
            game_duration: 60,
            bombs_max: 5,
            spawn_probability: spawn,
            ammo_weight: 0.2,
            freeze_weight: 0.3,
            ..GameParams::default()
        };
        let Ok(mut game) = generate(&setup, params, seed, seed) else { return Ok(()) };
        let (mut mirror, mut queue) = (game.state.clone(), OrderQueue::default());
        for acts in orders {
            for (unit, act) in (0..).zip(acts) {
                let agent = game.state.unit(unit).unwrap().agent;
                if let Some(act) = act {
                    queue.push(&game.state, UnitOrder { agent, unit, act }).ok();
                }
            }
            let before = game.state.clone();
            let mut events = Vec::new();
            let GeneratedGame { board, state, streams } = &mut game;
            step(board, state, streams, &mut queue.take(), &mut events);
            check(&before, state, &params);
            // Somebody who only hears the events knows the whole state.
            mirror.tick = state.tick;
            events.iter().for_each(|event: &TickEvent| event.apply(&mut mirror));
            prop_assert!(mirror.entities().eq(state.entities()));
            prop_assert_eq!(mirror.units(), state.units());
        }
    }

    #[test]
    fn without_dice_the_forward_model_is_the_referee_in_both_presets(
        seed in 0..1000u64,
        classic in any::<bool>(),
        orders in prop::collection::vec(prop::collection::vec(prop::option::of(act()), 6), 1..200),
    ) {
        let config = if classic { ArenaConfig::classic() } else { ArenaConfig::default() };
        let setup = Setup { hp: 9, ..config.setup };
        let params = GameParams {
            game_duration: 60,
            spawn_probability: 0.0,
            drop_probability: 0.0,
            ..config.params
        };
        let Ok(mut game) = generate(&setup, params, seed, seed) else { return Ok(()) };
        let (mut model, mut queue) = (game.state.clone(), OrderQueue::default());
        for acts in orders {
            for (unit, act) in (0..).zip(acts) {
                let agent = game.state.unit(unit).unwrap().agent;
                if let Some(act) = act {
                    queue.push(&game.state, UnitOrder { agent, unit, act }).ok();
                }
            }
            let mut accepted = queue.take();
            let GeneratedGame { board, state, streams } = &mut game;
            step(board, &mut model, &mut ForwardChance::default(), &mut accepted.clone(), &mut ());
            step(board, state, streams, &mut accepted, &mut ());
            prop_assert!(model.entities().eq(state.entities()));
            prop_assert_eq!(model.units(), state.units());
        }
    }

    #[test]
    fn the_same_seeds_and_orders_make_the_same_game(seed in 0..500u64) {
        let play = || {
            let mut game = generate(&Setup::default(), GameParams::default(), seed, seed).ok()?;
            let mut events = Vec::new();
            for tick in 0..60 {
                let mut orders: Vec<UnitOrder> = (0..6)
                    .map(|unit| {
                        let turn = usize::try_from(seed + tick + u64::from(unit)).unwrap();
                        let act = if turn % 7 == 0 { UnitAction::Bomb } else { UnitAction::Move(UnitDirection::ALL[turn % 4]) };
                        UnitOrder { agent: unit % 2, unit, act }
                    })
                    .collect();
                step(&game.board, &mut game.state, &mut game.streams, &mut orders, &mut events);
            }
            Some((game.state.units().to_vec(), events))
        };
        prop_assert_eq!(play(), play());
    }

    #[test]
    fn no_bytes_stop_the_referee(seed in any::<u64>()) {
        let now = Instant::now();
        let mut arena = stage::arena("TRAINING_MODE_ENABLED=1", 1234, now);
        for (id, target) in ["/?role=agent&agentId=agentA", "/?role=admin", "/?role=spectator", "/?role=agent&agentId=agentB"].iter().enumerate() {
            arena.handle_request(ConnectionId(u64::try_from(id).unwrap()), target, now);
        }
        let mut mangler = Mangler::new(seed);
        let frames = [
            r#"{"type":"move","move":"up","unit_id":"c"}"#,
            r#"{"type":"request_tick"}"#,
            r#"{"type":"detonate","coordinates":[1e300,-3],"unit_id":"c"}"#,
            r#"{"type":"request_game_reset","world_seed":3,"prng_seed":-1.5e40}"#,
            r#"{"type":"evaluate_next_state","sequence_id":1,"state":{"game_id":"x","agents":{},"unit_state":{},"entities":[],"world":{"width":3,"height":1e9},"tick":4,"config":{"tick_rate_hz":10,"game_duration_ticks":200,"fire_spawn_interval_ticks":0}},"actions":[]}"#,
        ];
        for _ in 0..40 {
            let frame = frames[mangler.below(frames.len())].as_bytes();
            let frame = if mangler.below(2) == 0 { frame.to_vec() } else { mangler.mangle(frame) };
            let id = ConnectionId(u64::try_from(mangler.below(5)).unwrap());
            arena.handle_input(id, &frame, now);
            arena.handle_timeout(now + Duration::from_secs(1));
            while arena.poll_transmit().is_some() {}
        }
        arena.handle_input(ConnectionId(1), br#"{"type":"request_tick"}"#, now);
        prop_assert!(arena.poll_transmit().is_some(), "it still answers");
    }
}
