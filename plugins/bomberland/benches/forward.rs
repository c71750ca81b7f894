//! The forward model: cloning a state, steps of all units, danger and escape, and the search.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop at the first surprise"
)]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use phalanx_bomberland::percept::TickScene;
use phalanx_bomberland::rules::{
    ForwardChance, GameParams, GameState, GeneratedGame, Setup, UnitAction, UnitDirection,
    UnitOrder, generate, step,
};
use phalanx_bomberland::search::{SearchOptions, SearchWeights, search};
use phalanx_bomberland::world::{DangerForecast, DangerLevel, escape};
use std::sync::Arc;

/// How many ticks a rollout has.
const TICKS: u32 = 100;

/// Orders that keep everybody busy: mostly moves; of nine orders, `bombs` at most are bombs.
fn orders(state: &GameState, salt: u32, bombs: u32) -> Vec<UnitOrder> {
    (0..)
        .zip(state.units())
        .map(|(index, unit)| {
            let dice =
                salt.wrapping_mul(2_654_435_761).wrapping_add(u32::from(index) * 40_503) >> 7;
            let roll = dice % 9;
            let act = if roll < bombs {
                UnitAction::Bomb
            } else {
                UnitAction::Move(UnitDirection::ALL[roll as usize % 4])
            };
            UnitOrder { agent: unit.agent, unit: index, act }
        })
        .collect()
}

/// A game after some ticks in which `bombs` of nine orders are bombs.
fn played(ticks: u32, bombs: u32) -> GeneratedGame {
    let mut game = generate(&Setup::default(), GameParams::default(), 1234, 1234).unwrap();
    for tick in 0..ticks {
        let mut orders = orders(&game.state, tick, bombs);
        step(&game.board, &mut game.state, &mut game.streams, &mut orders, &mut ());
    }
    game
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

fn benches(criterion: &mut Criterion) {
    // In its middle, with bombs, blasts and items about.
    let game = played(120, 1);
    let mut group = criterion.benchmark_group("forward");
    group.bench_function("clone", |bench| bench.iter(|| game.state.clone()));
    let units = u64::try_from(game.state.units().len()).unwrap();
    group.throughput(Throughput::Elements(units * u64::from(TICKS)));
    group.bench_function("unit-steps", |bench| {
        bench.iter_batched(
            || game.state.clone(),
            |mut state| {
                for tick in 0..TICKS {
                    let mut orders = orders(&state, tick, 1);
                    step(
                        &game.board,
                        &mut state,
                        &mut ForwardChance::default(),
                        &mut orders,
                        &mut (),
                    );
                }
                state
            },
            BatchSize::SmallInput,
        );
    });
    group.throughput(Throughput::Elements(1));
    let middle = scene(&game);
    group.bench_function("forecast", |bench| bench.iter(|| DangerForecast::new(&middle, None)));
    let forecast = DangerForecast::new(&middle, None);
    group.bench_function("escape", |bench| {
        bench.iter(|| escape(&middle, &forecast, 0, DangerLevel::Possible));
    });
    // All six units live: there is much to choose from.
    let scenes: Vec<_> = (20..60).step_by(5).map(|ticks| scene(&played(ticks, 0))).collect();
    let weights = SearchWeights::default();
    let options = SearchOptions { nodes: 3_000, ticks: 14, weights, ..SearchOptions::default() };
    let searches = || scenes.iter().map(|scene| search(scene, &options).nodes).sum::<u64>();
    let nodes = searches();
    assert!(nodes > 1_000, "searches of {nodes} nodes say little about the time of a node");
    group.throughput(Throughput::Elements(nodes));
    group.bench_function("search-nodes", |bench| bench.iter(searches));
    group.finish();
}

criterion_group!(forward, benches);
criterion_main!(forward);
