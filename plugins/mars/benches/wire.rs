//! How fast recorded traffic is read and believed: typed percepts beside a reader that only looks at
//! every element and attribute, beside serde, and beside a plain copy of the same bytes. Needs
//! `PHALANX_TRACES`; prints that it skips otherwise.
#![allow(clippy::unwrap_used, reason = "a benchmark may die of bad traces")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Roster, RosterEntry, Turn, Value, World as _};
use phalanx_mars::percept::Percept;
use phalanx_mars::wire::{ServerBody, decode_server, encode_server};
use phalanx_mars::world::World;
use phalanx_testkit::traces;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::BufRead as _;

/// Percepts of usual size, and percepts of a team that owns the whole map.
const FILES: [(&str, &str); 2] = [
    ("contested", "mars2012/two100_pydtu_teamA.jsonl.gz"),
    ("whole map", "mars2012/full_pydtu_a1_a5.jsonl.gz"),
];

/// Agent and text of every request of the referee.
fn requests(name: &str) -> Option<Vec<(String, String)>> {
    let bytes = traces::bytes(name)?;
    let request = |line: std::io::Result<String>| {
        let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let raw = line.get("raw")?.as_str()?.to_owned();
        let agent = line.get("agent")?.as_str()?.to_owned();
        (raw.contains("request-action") && line.get("dir")? == "s2c").then_some((agent, raw))
    };
    Some(bytes.lines().filter_map(request).collect())
}

/// Looks at every element and every attribute, and keeps nothing.
fn bare(text: &str) -> usize {
    let mut reader = Reader::from_str(text);
    let mut attributes = 0;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                let mut all = tag.attributes();
                attributes += all.with_checks(false).filter(|attribute| attribute.is_ok()).count();
            }
            Event::Eof => return attributes,
            Event::End(_)
            | Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
    }
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is read is only dropped")]
struct Message {
    #[serde(rename = "@timestamp")]
    timestamp: i64,
    perception: Perception,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "what is read is only dropped")]
struct Perception {
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "self")]
    me: BTreeMap<String, String>,
    visible_vertices: Vertices,
    visible_edges: Edges,
    #[serde(default)]
    visible_entities: Entities,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Vertices {
    visible_vertex: Vec<Vertex>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is read is only dropped")]
struct Vertex {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@team")]
    team: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Edges {
    visible_edge: Vec<Edge>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is read is only dropped")]
struct Edge {
    #[serde(rename = "@node1")]
    node1: String,
    #[serde(rename = "@node2")]
    node2: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Entities {
    visible_entity: Vec<Entity>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is read is only dropped")]
struct Entity {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@node")]
    node: String,
    #[serde(rename = "@status")]
    status: String,
    #[serde(rename = "@team")]
    team: String,
}

fn parse(c: &mut Criterion) {
    for (label, name) in FILES {
        let Some(requests) = requests(name) else { return };
        let texts: Vec<String> = requests.into_iter().map(|(_, raw)| raw).step_by(4).collect();
        let mut group = c.benchmark_group(format!("{label}, read"));
        group.sample_size(10).throughput(Throughput::Elements(texts.len() as u64));
        group.bench_function("typed percepts", |b| {
            let read = |text: &&String| decode_server(text.as_bytes()).is_ok();
            b.iter(|| texts.iter().filter(read).count());
        });
        group.bench_function("bare event reader", |b| {
            b.iter(|| texts.iter().map(|text| bare(text)).sum::<usize>());
        });
        group.bench_function("serde, half of the fields", |b| {
            let read = |text: &&String| quick_xml::de::from_str::<Message>(text).is_ok();
            b.iter(|| texts.iter().filter(read).count());
        });
        group.bench_function("memcpy", |b| {
            let mut to = Vec::with_capacity(1 << 20);
            b.iter(|| {
                for text in &texts {
                    to.clear();
                    to.extend_from_slice(black_box(text.as_bytes()));
                    black_box(&to);
                }
            });
        });
        group.finish();
        let messages: Vec<_> =
            texts.iter().map(|text| decode_server(text.as_bytes()).unwrap()).collect();
        let mut group = c.benchmark_group(format!("{label}, written"));
        group.sample_size(10).throughput(Throughput::Elements(texts.len() as u64));
        group.bench_function("percepts", |b| {
            b.iter(|| messages.iter().map(|message| encode_server(message).len()).sum::<usize>());
        });
        group.finish();
    }
}

type Steps = SortedMap<u32, Vec<(AgentId, Percept)>>;

/// The first simulation of the recording with all twenty agents.
fn recorded() -> Option<Steps> {
    let (mut steps, mut last) = (Steps::new(), [0; 20]);
    for (agent, raw) in requests(FILES[0].1)? {
        let index = agent.strip_prefix('a').and_then(|number| number.parse::<usize>().ok());
        let (Some(index), Ok(message)) = (index, decode_server(raw.as_bytes())) else { continue };
        let ServerBody::RequestAction(request) = message.body else { continue };
        let known = last.get_mut(index - 1).unwrap();
        if request.percept.step >= *known {
            *known = request.percept.step;
            let agent = AgentId(u16::try_from(index - 1).unwrap());
            steps.entry(request.percept.step).or_default().push((agent, request.percept));
        }
    }
    Some(steps)
}

fn feed(steps: Steps) -> World {
    let agents = (1..=20).map(|n| RosterEntry::new(format!("a{n}"), "any"));
    let mut world = World::new(&Roster { team: "A".into(), agents: agents.collect() });
    for (step, percepts) in steps {
        for (agent, percept) in percepts {
            world.observe(Turn::new(0, step), agent, percept);
        }
        world.settle(Turn::new(0, step));
    }
    world
}

fn believe(c: &mut Criterion) {
    let Some(steps) = recorded() else { return };
    let mut group = c.benchmark_group("world of 20 agents");
    group.sample_size(10).throughput(Throughput::Elements(steps.len() as u64));
    group.bench_function("100 steps settled", |b| {
        b.iter_batched(|| steps.clone(), feed, BatchSize::LargeInput);
    });
    group.finish();
    let world = feed(steps);
    let mut group = c.benchmark_group("queries on a known map of 150 vertices");
    group.sample_size(10);
    let to: Vec<Value> = vec!["vertex100".into()];
    for (name, args) in [
        ("path", to),
        ("find", vec!["unprobed".into()]),
        ("zones", vec![]),
        ("moves", vec![]),
        ("holding", vec![]),
        ("cuts", vec![]),
        ("best_zone", vec![Value::Int(14)]),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| world.query(AgentId(0), name, black_box(&args)).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, parse, believe);
criterion_main!(benches);
