//! What the referee costs on 600 vertices with 2 × 20 agents: colouring, and whole steps.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop at the first surprise"
)]
#![allow(clippy::disallowed_methods, reason = "a benchmark has no other clock")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use phalanx_game::{Arena as _, ConnectionId, Origin, Outgoing};
use phalanx_mars::arena::percept::PerceptBuilder;
use phalanx_mars::arena::{ArenaConfig, ArenaOptions, MarsArena};
use phalanx_mars::rules::map::{MapParams, StartMap};
use phalanx_mars::rules::zone::{AgentCounts, Painter, Zones, total};
use phalanx_mars::rules::{Act, MarsRules, MatchSide, State, StepLuck};
use phalanx_massim::JavaRandom;
use std::hint::black_box;
use std::time::Instant;

const AGENTS: u32 = 20;
const CONFIG: &str = "lockstep = true\nsteps = 100000\nseed = 1\n\
                      [map]\nnodes = 600\ngrid_width = 31\ngrid_height = 31\n[[simulations]]";

fn params() -> MapParams {
    MapParams { nodes: 600, grid_width: 31, grid_height: 31, ..MapParams::default() }
}

/// Agents on every other vertex around a middle, as teams stand when they hold a zone.
fn placements(ground: &StartMap) -> Vec<Vec<AgentCounts>> {
    let mut random = JavaRandom::new(1);
    let count = u32::try_from(ground.map.vertices().len()).unwrap();
    let placement = |_| {
        let mut standing = vec![[0u16; 2]; count as usize];
        for agent in 0..2 * AGENTS {
            standing[random.below(count) as usize][(agent % 2) as usize] += 1;
        }
        standing
    };
    (0..64).map(placement).collect()
}

fn colouring(criterion: &mut Criterion) {
    let ground = StartMap::draw(&params(), 1, AGENTS);
    let links = ground.map.links();
    let placements = placements(&ground);
    let worth: Vec<i32> = ground.map.vertices().iter().map(|vertex| vertex.value).collect();
    let mut painter = Painter::new();
    let mut group = criterion.benchmark_group("zone, 600 vertices");
    group.throughput(Throughput::Elements(1));
    let mut each = placements.iter().cycle();
    group.bench_function("paint", |bench| {
        bench.iter(|| painter.paint(links, black_box(each.next().unwrap())).len());
    });
    group.bench_function("paint and total", |bench| {
        bench.iter(|| {
            let owners = painter.paint(links, black_box(each.next().unwrap()));
            total(links, owners, MatchSide::A, &worth)
        });
    });
    group.bench_function("paint and zones of both", |bench| {
        bench.iter(|| {
            let owners = painter.paint(links, black_box(each.next().unwrap()));
            MatchSide::BOTH.map(|side| Zones::new(links, owners, side, &worth).total())
        });
    });
    group.finish();
}

/// What agents do that walk and look around by turns.
fn say(state: &State, agent: usize) -> (&'static str, &str) {
    let body = &state.agents[agent];
    let near = state.setting.map.links().of(body.at);
    match (state.step as usize + agent) % 3 {
        0 => ("recharge", ""),
        1 => ("survey", ""),
        _ => ("goto", state.setting.map.name(near[agent % near.len()])),
    }
}

fn protocol(criterion: &mut Criterion) {
    let now = Instant::now();
    let options = ArenaOptions { replays: false, ..ArenaOptions::default() };
    let origin = Origin { instant: now, unix_ms: 0 };
    let mut arena = MarsArena::new(ArenaConfig::read(CONFIG).unwrap(), options, origin);
    for index in 0..2 * AGENTS {
        let id = ConnectionId(index.into());
        let (team, number) = (["a", "b"][(index / AGENTS) as usize], index % AGENTS + 1);
        arena.handle_join(id, now);
        let login = format!(
            "<message type=\"auth-request\"><authentication username=\"{team}{number}\" \
             password=\"1\"/></message>\0"
        );
        arena.handle_input(id, login.as_bytes(), now);
    }
    let (mut number, mut bytes) = (0, 0);
    let mut group = criterion.benchmark_group("arena, 600 vertices, 2 x 20");
    group.throughput(Throughput::Elements(1));
    group.bench_function("step over the protocol", |bench| {
        bench.iter(|| {
            number += 1;
            for index in 0..2 * AGENTS {
                let (kind, param) = say(arena.state().unwrap(), index as usize);
                let action = format!(
                    "<message type=\"action\"><action id=\"{number}\" type=\"{kind}\" \
                     param=\"{param}\"/></message>\0"
                );
                arena.handle_input(ConnectionId(index.into()), action.as_bytes(), now);
            }
            while let Some(out) = arena.poll_transmit() {
                if let Outgoing::Bytes(_, frame) = out {
                    bytes += frame.len();
                }
            }
            assert_eq!(arena.verdict().step, number);
            bytes
        });
    });
    group.finish();
}

fn rules(criterion: &mut Criterion) {
    let names = |prefix: &str| (1..=AGENTS).map(|number| format!("{prefix}{number}")).collect();
    let teams = [("A".to_owned(), names("a")), ("B".to_owned(), names("b"))];
    let mut state = State::new(StartMap::draw(&params(), 1, AGENTS), teams, MarsRules::default());
    let mut random = JavaRandom::new(1);
    let mut step = |state: &mut State| {
        let acts = (0..state.agents.len()).map(|agent| {
            let (kind, param) = say(state, agent);
            Act::new(kind, param)
        });
        let (acts, luck) = (acts.collect(), StepLuck::draw(&mut random, state.agents.len(), 1));
        state.advance(acts, &luck);
    };
    let mut group = criterion.benchmark_group("rules, 600 vertices, 2 x 20");
    group.throughput(Throughput::Elements(1));
    group.bench_function("step", |bench| bench.iter(|| step(&mut state)));
    group.bench_function("percepts", |bench| {
        bench.iter(|| {
            let percepts = PerceptBuilder::new(&state);
            (0..state.agents.len()).map(|agent| percepts.of(agent).vertices.len()).sum::<usize>()
        });
    });
    group.bench_function("map", |bench| bench.iter(|| StartMap::draw(&params(), 1, AGENTS)));
    group.finish();
}

criterion_group!(arena, colouring, rules, protocol);
criterion_main!(arena);
