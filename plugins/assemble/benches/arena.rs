//! Steps per second of the arena: through the protocol with clients that skip, and the rules alone.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop at the first surprise"
)]
#![allow(clippy::disallowed_methods, reason = "a benchmark has no other clock")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use phalanx_assemble::arena::act::Act;
use phalanx_assemble::arena::{
    ArenaConfig, ArenaOptions, AssembleArena, PerceptWriter, Simulation,
};
use phalanx_game::{Arena as _, ConnectionId, Origin, Outgoing};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const STEPS: i32 = 750;

/// The organisers' sample values: 15 agents on 70 x 70 or 50 on 100 x 100.
fn config(agents: usize, side: i32) -> ArenaConfig {
    let text = include_str!("../tests/assemble/arena_conformance/minimal.json")
        .replace("\"instructions\": []", "\"instructions\": [[\"cave\", 0.45, 9, 5, 4]]")
        .replace("\"standard\": 5", &format!("\"standard\": {agents}"))
        .replace("\"steps\": 40", &format!("\"steps\": {STEPS}"))
        .replace("\"probability\": 0.3", "\"probability\": 0.05")
        .replace("\"chance\": 30, \"radius\": [1, 3]", "\"chance\": 15, \"radius\": [3, 5]")
        .replace(
            "\"width\": 30, \"height\": 24",
            &format!("\"width\": {side}, \"height\": {side}"),
        );
    ArenaConfig::load(Path::new("c.json"), &|_: &Path| Ok(text.clone().into_bytes())).unwrap()
}

fn protocol(config: &ArenaConfig) -> u32 {
    let now = Instant::now();
    let options = ArenaOptions { replays: false, results: false, ..ArenaOptions::default() };
    let mut arena =
        AssembleArena::new(config.clone(), options, Origin { instant: now, unix_ms: 0 });
    let mut id = 0;
    for (team, password) in config.teams.iter().zip(["1", "2"]) {
        for number in 1..=config.accounts_per_team() {
            let user = team.account(number);
            arena.handle_join(ConnectionId(id), now);
            let login = format!(
                "{{\"type\":\"auth-request\",\"content\":{{\"user\":\"{user}\",\"pw\":\"{password}\"}}}}\0"
            );
            arena.handle_input(ConnectionId(id), login.as_bytes(), now);
            id += 1;
        }
    }
    arena.start(now);
    let head = b"{\"type\":\"request-action\",\"content\":{\"id\":";
    while !arena.verdict().over {
        while let Some(out) = arena.poll_transmit() {
            let Outgoing::Bytes(id, bytes) = out else { continue };
            let Some(rest) = bytes.strip_prefix(head) else { continue };
            let number =
                std::str::from_utf8(rest.split(|byte| *byte == b',').next().unwrap()).unwrap();
            let skip = format!(
                "{{\"type\":\"action\",\"content\":{{\"id\":{number},\"type\":\"skip\",\"p\":[]}}}}\0"
            );
            arena.handle_input(id, skip.as_bytes(), now);
        }
        arena.handle_timeout(now);
    }
    arena.verdict().step
}

fn rules(config: &ArenaConfig) -> usize {
    let sim = Arc::new(config.sims[0].clone());
    let names =
        |team: usize| (1..=sim.entities).map(|number| config.teams[team].account(number)).collect();
    let teams = [0, 1].map(|team| (config.teams[team].name.clone(), names(team)));
    let mut sim = Simulation::new(&sim, &teams, 17);
    let mut bytes = 0;
    let mut buffer = Vec::new();
    while !sim.over() {
        sim.begin_step();
        let percepts = PerceptWriter::new(&sim.state);
        for entity in 0..sim.state.entities.len() {
            buffer.clear();
            percepts.write(entity, &mut buffer);
            bytes += buffer.len();
        }
        let acts = vec![Act::new("move", vec!["e".to_owned()]); sim.state.entities.len()];
        sim.execute(acts);
    }
    bytes
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("arena");
    group.sample_size(10).throughput(Throughput::Elements(STEPS.unsigned_abs().into()));
    for (name, agents, side) in [("2x15", 15, 70), ("2x50", 50, 100)] {
        let config = config(agents, side);
        group.bench_function(BenchmarkId::new("protocol", name), |bench| {
            bench.iter(|| protocol(&config))
        });
        group.bench_function(BenchmarkId::new("rules and percepts", name), |bench| {
            bench.iter(|| rules(&config))
        });
    }
    group.finish();
}

criterion_group!(arena, benches);
criterion_main!(arena);
