//! What the team believes while it hears recorded percepts, beside what was true. Needs recordings.

use crate::common::frames::{Way, frames};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Met, Roster, RosterEntry, Turn, Value, World as _};
use phalanx_mars::percept::Percept;
use phalanx_mars::wire::{ServerBody, decode_server};
use phalanx_mars::world::World;
use phalanx_testkit::traces;
use serde_json::Value as Json;
use std::io::BufRead as _;

/// The first simulation of the recording with all twenty agents.
fn first_simulation() -> Option<SortedMap<u32, Vec<(AgentId, Percept)>>> {
    let mut steps: SortedMap<u32, Vec<(AgentId, Percept)>> = SortedMap::new();
    let mut over = [false; 20];
    for frame in frames("mars2012/two100_pydtu_teamA.jsonl.gz")? {
        let Some(number) = frame.agent.strip_prefix('a').filter(|_| frame.way == Way::In) else {
            continue;
        };
        let index = number.parse::<u16>().unwrap() - 1;
        match decode_server(frame.raw.as_bytes()).unwrap().body {
            ServerBody::SimEnd { .. } => over[usize::from(index)] = true,
            ServerBody::RequestAction(request) if !over[usize::from(index)] => {
                let percept = request.percept;
                steps.entry(percept.step).or_default().push((AgentId(index), percept));
            }
            ServerBody::RequestAction(_)
            | ServerBody::AuthResponse { .. }
            | ServerBody::SimStart(_)
            | ServerBody::Bye
            | ServerBody::Unknown { .. } => {}
        }
    }
    Some(steps)
}

#[test]
fn belief_is_true_in_every_step_and_zones_are_those_of_the_referee() {
    let Some(steps) = first_simulation() else { return };
    let golden = traces::bytes("mars2012/world_two100_sim1.jsonl.gz").unwrap();
    let mut golden =
        golden.lines().map(|line| serde_json::from_str::<Json>(&line.unwrap()).unwrap());
    let map = golden.next().unwrap();
    let agents = (1..=20).map(|n| RosterEntry::new(format!("a{n}"), "any"));
    let mut world = World::new(&Roster { team: "?".into(), agents: agents.collect() });
    let (mut sighted, mut checked) = (0, 0);
    for ((step, percepts), truth) in steps.into_iter().zip(golden) {
        assert_eq!(percepts.len(), 20, "step {step}");
        for (agent, percept) in percepts {
            let met = Met::Turn(Turn::new(0, step), &percept);
            assert_eq!(world.recognize(agent, met), Ok(()), "step {step}");
            world.observe(Turn::new(0, step), agent, percept);
        }
        world.settle(Turn::new(0, step));
        sighted += enemies_are_where_they_are_seen(&world, &truth, step);
        checked += usize::from(zones_are_the_referee_s(&world, &truth));
    }
    assert!(checked > 50, "{checked}");
    assert!(sighted > 1000, "{sighted}");
    the_map_is_true(&world, &map);
}

fn ask(world: &World, name: &str, args: &[Value]) -> Value {
    world.query(AgentId(0), name, args).unwrap()
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap()
}

/// Mates and enemies that somebody sees now; how many enemies those are.
fn enemies_are_where_they_are_seen(world: &World, truth: &Json, step: u32) -> usize {
    for mate in ask(world, "agents", &[]).as_list().unwrap() {
        let now = &truth["agents"][text(mate, "name")];
        assert_eq!(text(mate, "vertex"), now[0].as_str().unwrap());
    }
    let fresh = Value::map([("fresh", Value::Int(0)), ("known", true.into())]);
    let enemies = ask(world, "enemies", &[fresh]);
    for enemy in enemies.as_list().unwrap() {
        let now = &truth["agents"][text(enemy, "name")];
        assert_eq!(text(enemy, "vertex"), now[0].as_str().unwrap(), "step {step}: {enemy:?}");
        assert_eq!(enemy.get("disabled"), Some(&Value::Bool(now[1] == 0)), "step {step}");
    }
    enemies.as_list().unwrap().len()
}

/// With the enemies where they really are the colouring gives what the referee paid.
/// `false` when too little is known yet.
fn zones_are_the_referee_s(world: &World, truth: &Json) -> bool {
    let agents = truth["agents"].as_object().unwrap().iter();
    let enemies = agents.filter(|(name, now)| name.starts_with('b') && now[1] != 0);
    let enemies = enemies.map(|(_, now)| now[0].as_str().unwrap().to_owned().into()).collect();
    let options = Value::map([("enemies", Value::List(enemies))]);
    let zones = ask(world, "zones", &[Value::Nil, options]);
    let sim = ask(world, "sim", &[]);
    let known = |key: &str| sim.get(key).and_then(Value::as_int).unwrap();
    // Until the whole map is known the colouring may stop where knowledge does.
    let whole = (known("known_vertices"), known("known_edges")) == (150, 402);
    if whole {
        let paid = truth["teams"]["A"]["zonesScore"].as_i64().unwrap();
        assert_eq!(zones.get("value").unwrap().as_int(), Some(paid), "step {}", truth["step"]);
    }
    whole
}

fn the_map_is_true(world: &World, map: &Json) {
    let vertices = map["vertices"].as_object().unwrap();
    let mut probed = 0;
    for (name, truth) in vertices {
        let vertex = ask(world, "vertex", &[name.clone().into()]);
        if let Some(value) = vertex.get("value").and_then(Value::as_int) {
            assert_eq!(Some(value), truth[0].as_i64(), "{name}");
            probed += 1;
        }
    }
    assert!(probed > 100, "{probed}");
    let mut surveyed = 0;
    for edge in map["edges"].as_array().unwrap() {
        let (one, other) = (edge[0].as_str().unwrap(), edge[1].as_str().unwrap());
        let roads = ask(world, "neighbours", &[one.to_owned().into()]);
        let road = roads.as_list().unwrap().iter().find(|road| text(road, "name") == other);
        if let Some(weight) = road.and_then(|road| road.get("weight")?.as_int()) {
            assert_eq!(Some(weight), edge[2].as_i64(), "{one} {other}");
            surveyed += 1;
        }
    }
    assert!(surveyed > 300, "{surveyed}");
}
