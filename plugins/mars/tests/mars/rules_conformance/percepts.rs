//! Percepts built from golden states against those that were recorded on the wire.

use super::golden::{self, Golden};
use super::replay::begin;
use phalanx_game::sorted::SortedMap;
use phalanx_mars::arena::percept::PerceptBuilder;
use phalanx_mars::percept::Percept;
use phalanx_mars::rules::achievement::{Achievement, AchievementKind};
use phalanx_mars::rules::{Act, MatchSide, Outcome, State};
use phalanx_mars::wire::{ServerBody, decode_server};
use phalanx_testkit::traces;
use serde_json::Value;

/// The percepts of a recording: simulation from 0, step, agent.
fn recorded(name: &str) -> Option<SortedMap<(usize, u32, String), Percept>> {
    let bytes = traces::bytes(&format!("mars2012/{name}.jsonl.gz"))?;
    let text = String::from_utf8(bytes).expect("UTF-8");
    let mut simulations: SortedMap<String, Vec<String>> = SortedMap::new();
    let mut percepts = SortedMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let (Some(agent), Some(raw)) = (line["agent"].as_str(), line["raw"].as_str()) else {
            continue;
        };
        if line["dir"] != "s2c" {
            continue;
        }
        let message = decode_server(raw.as_bytes()).expect("a message");
        let started = simulations.entry(agent.to_owned()).or_default();
        if let ServerBody::SimStart(briefing) = &message.body {
            // After a reconnect the old message comes once more.
            if !started.contains(&briefing.id.to_string()) {
                started.push(briefing.id.to_string());
            }
        }
        if let ServerBody::RequestAction(request) = message.body {
            let key = (started.len() - 1, request.percept.step, agent.to_owned());
            percepts.insert(key, request.percept);
        }
    }
    Some(percepts)
}

/// Lists come in no order.
fn sorted(mut percept: Percept) -> Percept {
    percept.vertices.sort_by(|a, b| a.name.cmp(&b.name));
    for edge in &mut percept.edges {
        if edge.node2 < edge.node1 {
            std::mem::swap(&mut edge.node1, &mut edge.node2);
        }
    }
    for edge in &mut percept.surveyed {
        if edge.node2 < edge.node1 {
            std::mem::swap(&mut edge.node1, &mut edge.node2);
        }
    }
    percept.edges.sort_by(|a, b| (&a.node1, &a.node2).cmp(&(&b.node1, &b.node2)));
    percept.surveyed.sort_by(|a, b| (&a.node1, &a.node2).cmp(&(&b.node1, &b.node2)));
    percept.entities.sort_by(|a, b| a.name.cmp(&b.name));
    percept.probed.sort_by(|a, b| a.name.cmp(&b.name));
    percept.inspected.sort_by(|a, b| a.name.cmp(&b.name));
    percept.team.achievements.sort();
    percept
}

fn achievement(name: &Value) -> Achievement {
    let name = name.as_str().unwrap();
    let class =
        AchievementKind::ALL.into_iter().find(|class| name.starts_with(class.word())).unwrap();
    Achievement { class, quantity: name[class.word().len()..].parse().unwrap() }
}

/// Makes a state be what a golden state says.
pub(crate) fn become_golden(state: &mut State, golden: &Value) {
    let setting = state.setting.clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for (person, agent) in setting.people.iter().zip(&mut state.agents) {
        let told = &golden["agents"][&person.name];
        let number = |index: usize| i32::try_from(told[index].as_i64().unwrap()).unwrap();
        agent.at = setting.map.find(told[0].as_str().unwrap()).unwrap();
        (agent.health, agent.max_health, agent.energy) = (number(1), number(2), number(3));
        (agent.max_energy, agent.max_energy_disabled) = (number(4), number(5));
        (agent.strength, agent.vis_range) = (number(6), number(7));
        agent.last = Act::new(&text(&told[8]), &text(&told[9]));
        agent.last.said = text(&told[8]);
        agent.outcome = Outcome::parse(told[10].as_str().unwrap()).unwrap();
    }
    for (team, name) in state.teams.iter_mut().zip(&setting.teams) {
        let told = &golden["teams"][name];
        let number = |key: &str| told[key].as_i64().unwrap();
        (team.score, team.step_score) = (number("score"), number("stepScore"));
        (team.zones_score, team.money) = (number("zonesScore"), number("money"));
        let all: Vec<Achievement> =
            told["achievements"].as_array().unwrap().iter().map(achievement).collect();
        let (old, new): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| team.achievements.contains(one));
        team.achieved_before = old.len();
        team.achievements = old.into_iter().chain(new).collect();
        for vertex in told["probed"].as_array().unwrap() {
            let vertex = setting.map.find(vertex.as_str().unwrap()).unwrap();
            team.probed[vertex as usize] = true;
        }
    }
    state.step = u32::try_from(golden["step"].as_u64().unwrap()).unwrap();
    state.colour();
}

/// Compares all percepts of a simulation; says how many there were.
fn compare(
    recorded: &SortedMap<(usize, u32, String), Percept>,
    simulation: usize,
    mut state: State,
    golden: &Golden,
) -> usize {
    let mut count = 0;
    for (step, told) in (0u32..).zip(&golden.states) {
        if step > 0 {
            become_golden(&mut state, told);
        }
        let percepts = PerceptBuilder::new(&state);
        for (id, person) in state.setting.people.iter().enumerate() {
            let key = (simulation, step, person.name.clone());
            let Some(theirs) = recorded.get(&key) else { continue };
            let (ours, theirs) = (sorted(percepts.of(id)), sorted(theirs.clone()));
            assert_eq!(ours, theirs, "{key:?}");
            count += 1;
        }
    }
    count
}

#[test]
fn percepts_of_a_known_state_are_the_recorded_ones() {
    let mut count = 0;
    for (recording, world, seed, nodes) in [
        ("two100_pydtu_teamA", "world_two100_sim1", 77, 150),
        ("edge_teamA", "world_edge", 5, 100),
        ("full_pydtu_a1_a5", "world_full", 2012, 200),
    ] {
        let (Some(recorded), Some(golden)) = (recorded(recording), golden::read(world)) else {
            return;
        };
        count += compare(&recorded, 0, begin(seed, nodes), &golden);
    }
    assert!(count > 4000, "{count}");
}

#[test]
fn the_second_recorded_map_is_the_one_of_its_seed() {
    let Some(recorded) = recorded("two100_pydtu_teamA") else { return };
    let state = begin(78, 120);
    let map = &state.setting.map;
    let weight = |a: &str, b: &str| map.weight(map.find(a).unwrap(), map.find(b).unwrap());
    let (mut edges, mut weights, mut values) = (0, 0, 0);
    for ((simulation, step, agent), percept) in &recorded {
        if *simulation != 1 {
            continue;
        }
        if *step == 0 {
            let ours = PerceptBuilder::new(&state).of(state.setting.find(agent).unwrap());
            assert_eq!(sorted(ours), sorted(percept.clone()), "{agent}");
        }
        for edge in &percept.edges {
            assert!(weight(&edge.node1, &edge.node2).is_some(), "{edge:?}");
            edges += 1;
        }
        for edge in &percept.surveyed {
            assert_eq!(edge.weight, weight(&edge.node1, &edge.node2), "{edge:?}");
            weights += 1;
        }
        for probed in &percept.probed {
            let vertex = map.find(&probed.name).unwrap();
            assert_eq!(probed.value, Some(map.vertices()[vertex as usize].value), "{probed:?}");
            values += 1;
        }
    }
    assert!(edges > 10_000 && weights > 500 && values > 100, "{edges} {weights} {values}");
    assert_eq!(state.owners.iter().filter(|owner| **owner == Some(MatchSide::A)).count(), 0);
}
