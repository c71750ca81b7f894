//! How fast recorded traffic is read and believed, beside a generic JSON tree and beside a plain
//! copy of the same bytes. Needs `PHALANX_TRACES`; prints that it skips otherwise.
#![allow(clippy::unwrap_used, reason = "a benchmark may die of bad traces")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use phalanx_assemble::percept::{Briefing, Percept};
use phalanx_assemble::wire::{self, Message};
use phalanx_assemble::world::World;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Roster, RosterEntry, Turn, Value, World as _};
use phalanx_testkit::traces::{self, TraceDirection};
use std::hint::black_box;

const NAME: &str = "mapc2020/team_750steps_seed42.jsonl.gz";

fn parse(c: &mut Criterion) {
    let Some(lines) = traces::lines(NAME) else { return };
    let messages: Vec<Vec<u8>> = lines
        .into_iter()
        .filter(|line| line.direction == TraceDirection::In)
        .map(|line| line.message.into_bytes())
        .collect();
    let bytes: u64 = messages.iter().map(|message| message.len() as u64).sum();
    for (unit, throughput) in [
        ("bytes", Throughput::Bytes(bytes)),
        ("messages", Throughput::Elements(messages.len() as u64)),
    ] {
        let mut group = c.benchmark_group(format!("whole match, {unit}"));
        group.sample_size(20).throughput(throughput);
        group.bench_function("typed percepts", |b| {
            b.iter(|| messages.iter().filter(|message| wire::decode(message).is_ok()).count());
        });
        group.bench_function("serde_json::Value", |b| {
            b.iter(|| {
                let read = |message: &&Vec<u8>| {
                    serde_json::from_slice::<serde_json::Value>(message).is_ok()
                };
                messages.iter().filter(read).count()
            });
        });
        group.bench_function("memcpy", |b| {
            let mut to = Vec::with_capacity(1 << 20);
            b.iter(|| {
                for message in &messages {
                    to.clear();
                    to.extend_from_slice(black_box(message));
                    black_box(&to);
                }
            });
        });
        group.finish();
    }
}

type Steps = SortedMap<u32, SortedMap<AgentId, Percept>>;

fn recorded() -> Option<(Roster, SortedMap<AgentId, Briefing>, Steps)> {
    let (mut names, mut briefings, mut steps) = (Vec::new(), SortedMap::new(), Steps::new());
    for line in traces::lines(NAME)? {
        if line.direction != TraceDirection::In || line.agent == "?" {
            continue;
        }
        let index = names.iter().position(|name| *name == line.agent).unwrap_or_else(|| {
            names.push(line.agent.clone());
            names.len() - 1
        });
        let agent = AgentId(u16::try_from(index).unwrap());
        match wire::decode(line.message.as_bytes()).unwrap() {
            Message::SimStart(briefing) => {
                briefings.insert(agent, briefing);
            }
            Message::RequestAction(request) => {
                let percepts = steps.entry(request.percept.step).or_default();
                percepts.insert(agent, request.percept);
            }
            Message::AuthResponse { .. }
            | Message::SimEnd { .. }
            | Message::Bye
            | Message::StatusResponse(_)
            | Message::Unknown { .. } => {}
        }
    }
    let agents = names.into_iter().map(|name| RosterEntry::new(name, "worker"));
    Some((Roster { team: "B".into(), agents: agents.collect() }, briefings, steps))
}

fn feed(roster: &Roster, briefings: &SortedMap<AgentId, Briefing>, steps: Steps) -> World {
    let mut world = World::new(roster);
    for (agent, briefing) in briefings {
        world.begin(0, *agent, Some(briefing));
    }
    for (step, percepts) in steps {
        for (agent, percept) in percepts {
            world.observe(Turn::new(0, step), agent, percept);
        }
        world.settle(Turn::new(0, step));
    }
    world
}

fn believe(c: &mut Criterion) {
    let Some((roster, briefings, steps)) = recorded() else { return };
    let mut group = c.benchmark_group("world of 15 agents");
    group.sample_size(10).throughput(Throughput::Elements(steps.len() as u64));
    group.bench_function("750 steps settled", |b| {
        let fresh = || steps.clone();
        b.iter_batched(fresh, |steps| feed(&roster, &briefings, steps), BatchSize::LargeInput);
    });
    group.finish();
    let world = feed(&roster, &briefings, steps);
    let goal = world.query(AgentId(0), "find", &["goal".into()]).unwrap();
    let goal = goal.as_list().and_then(<[Value]>::first).and_then(Value::as_cell).unwrap();
    let mut group = c.benchmark_group("queries on a known map of 70 x 70");
    for (name, args) in [
        ("path", vec![goal.0.into(), goal.1.into()]),
        ("explore", vec![]),
        ("nearest", vec!["dispenser".into()]),
        ("sites", vec![]),
        ("here", vec![]),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| world.query(AgentId(0), name, black_box(&args)).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, parse, believe);
criterion_main!(benches);
