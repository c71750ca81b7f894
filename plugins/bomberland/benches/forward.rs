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

/// Orders that keep everybody busy: mostly moves, now and then a bomb.
fn orders(state: &GameState, salt: u32) -> Vec<UnitOrder> {
    (0..)
        .zip(state.units())
        .map(|(index, unit)| {
            let dice =
                salt.wrapping_mul(2_654_435_761).wrapping_add(u32::from(index) * 40_503) >> 7;
            let act = match dice % 9 {
                0 => UnitAction::Bomb,
                roll => UnitAction::Move(UnitDirection::ALL[roll as usize % 4]),
            };
            UnitOrder { agent: unit.agent, unit: index, act }
        })
        .collect()
}

/// A game in its middle, with bombs, blasts and items about.
fn middle() -> GeneratedGame {
    let mut game = generate(&Setup::default(), GameParams::default(), 1234, 1234).unwrap();
    for tick in 0..120 {
        let mut orders = orders(&game.state, tick);
        step(&game.board, &mut game.state, &mut game.streams, &mut orders, &mut ());
    }
    game
}

fn benches(criterion: &mut Criterion) {
    let game = middle();
    let mut group = criterion.benchmark_group("forward");
    group.bench_function("clone", |bench| bench.iter(|| game.state.clone()));
    let units = u64::try_from(game.state.units().len()).unwrap();
    group.throughput(Throughput::Elements(units * u64::from(TICKS)));
    group.bench_function("unit-steps", |bench| {
        bench.iter_batched(
            || game.state.clone(),
            |mut state| {
                for tick in 0..TICKS {
                    let mut orders = orders(&state, tick);
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
    let scene = TickScene {
        board: Arc::new(game.board.clone()),
        state: game.state.clone(),
        events: Vec::new(),
        agent: 0,
        tick_rate_hz: 10.0,
    };
    group.bench_function("forecast", |bench| bench.iter(|| DangerForecast::new(&scene, None)));
    let forecast = DangerForecast::new(&scene, None);
    group.bench_function("escape", |bench| {
        bench.iter(|| escape(&scene, &forecast, 0, DangerLevel::Possible));
    });
    let weights = SearchWeights::default();
    let options = SearchOptions { nodes: 3_000, ticks: 14, weights, ..SearchOptions::default() };
    group.throughput(Throughput::Elements(search(&scene, &options).nodes));
    group.bench_function("search-nodes", |bench| bench.iter(|| search(&scene, &options)));
    group.finish();
}

criterion_group!(forward, benches);
criterion_main!(forward);
