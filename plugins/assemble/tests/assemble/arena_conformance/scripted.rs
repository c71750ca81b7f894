//! The scripted run of all rules: every percept of every agent, with its results, is that of the
//! original. Through the rules alone and once more through the protocol.

use super::support;
use phalanx_assemble::arena::act::Act;
use phalanx_assemble::arena::chance::{Chance, ClearEvent, NewTask};
use phalanx_assemble::arena::config::{EventRules, TaskRules};
use phalanx_assemble::arena::grid::Pos;
use phalanx_assemble::arena::{ArenaOptions, AssembleArena, PerceptWriter, Simulation, State};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{Arena as _, ConnectionId, Origin, Outgoing};
use phalanx_testkit::traces::{self, TraceDirection};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

const CONFIG: &str = "mapc2020/rules/config.json";
const TRAFFIC: &str = "mapc2020/rules/rules_traffic.jsonl.gz";
const FIRST: &str = "agentA13";

/// Nothing happens by chance; one agent comes before the others, as it did in the recording.
#[derive(Debug)]
struct Quiet {
    first: usize,
    opening: bool,
}

impl Chance for Quiet {
    fn task(&mut self, _: i32, _: &TaskRules, _: i32) -> Option<NewTask> {
        None
    }
    fn event(&mut self, _: i32, _: &EventRules, _: (i32, i32)) -> Option<ClearEvent> {
        None
    }
    fn debris(&mut self, _: &ClearEvent, _: &EventRules, _: i32) -> i32 {
        0
    }
    fn spot(&mut self, _: &ClearEvent, _: &EventRules, _: &dyn Fn(Pos) -> bool) -> Option<Pos> {
        None
    }
    fn order(&mut self, entities: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..entities).collect();
        // In the first step it came before its rival, in the second after it.
        if std::mem::take(&mut self.opening) {
            order.sort_by_key(|entity| *entity != self.first);
        }
        order
    }
    fn fails(&mut self, _: usize, _: i32) -> bool {
        false
    }
}

/// What agents said: agent and action id, which is the step here.
fn said() -> SortedMap<(String, i64), (String, Act)> {
    let mut said = SortedMap::new();
    for line in traces::lines(TRAFFIC).unwrap() {
        let Ok(message) = serde_json::from_str::<Value>(line.message.trim_end_matches('\0')) else {
            continue;
        };
        if line.direction == TraceDirection::Out && message["type"] == "action" {
            let content = &message["content"];
            let param =
                |param: &Value| param.as_str().map_or_else(|| param.to_string(), str::to_owned);
            let params = content["p"].as_array().unwrap().iter().map(param).collect();
            let act = Act::new(content["type"].as_str().unwrap(), params);
            said.insert((line.agent, content["id"].as_i64().unwrap()), (line.message, act));
        }
    }
    said
}

fn compare(
    state: &State,
    expected: &SortedMap<(String, i32), Value>,
    percept: impl Fn(usize) -> Value,
) -> usize {
    let mut compared = 0;
    for (index, entity) in state.entities.iter().enumerate() {
        if let Some(expected) = expected.get(&(entity.name.clone(), state.step)) {
            let got = support::normal(percept(index));
            support::assert_same(
                &got,
                expected,
                &format!("{} before step {}", entity.name, state.step),
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_rules_give_every_recorded_result_and_percept() {
    let Some(config) = support::config(CONFIG) else { return };
    let (expected, said) = (support::percepts(TRAFFIC).unwrap(), said());
    let names = |team: usize| (1..=22).map(|number| config.teams[team].account(number)).collect();
    let teams = [0, 1].map(|team| (config.teams[team].name.clone(), names(team)));
    let sim = Simulation::new(&Arc::new(config.sims[0].clone()), &teams, 11);
    assert_eq!(sim.skipped_setup, []);
    let mut state = sim.state;
    let mut chance = Quiet { first: state.find(FIRST).unwrap(), opening: true };
    let mut compared = 0;
    for step in 0..32 {
        state.begin_step(&mut chance);
        let percepts = PerceptWriter::new(&state);
        compared += compare(&state, &expected, |index| {
            serde_json::from_slice(&percepts.json(index)).unwrap()
        });
        let act = |name: &String| {
            said.get(&(name.clone(), step)).map_or_else(Act::nothing, |(_, act)| act.clone())
        };
        let acts = state.entities.iter().map(|entity| act(&entity.name)).collect();
        state.execute(acts, &mut chance);
    }
    assert_eq!(compared, 32 * 44);
}

#[test]
fn the_table_of_results_holds_too() {
    let Some(table) = traces::bytes("mapc2020/rules/rules_results.jsonl") else { return };
    let expected = support::percepts(TRAFFIC).unwrap();
    let mut rows = 0;
    for line in String::from_utf8(table).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let step = i32::try_from(row["step"].as_i64().unwrap()).unwrap();
        let agent = row["agent"].as_str().unwrap().to_owned();
        let Some(percept) = expected.get(&(agent, step + 1)) else { continue };
        assert_eq!(percept["lastActionResult"], row["result"], "{line}");
        assert_eq!(percept["energy"], row["energy_after"], "{line}");
        rows += 1;
    }
    assert!(rows > 100);
}

/// Plays the script over the protocol; returns agents and steps whose percepts differ.
fn play(
    seed: i64,
    expected: &SortedMap<(String, i32), Value>,
    said: &SortedMap<(String, i64), (String, Act)>,
) -> SortedSet<String> {
    let config = support::config(CONFIG).unwrap();
    let now = Instant::now();
    let options = ArenaOptions { seed: Some(seed), replays: false, ..ArenaOptions::default() };
    let mut arena = AssembleArena::new(config, options, Origin { instant: now, unix_ms: 0 });
    let names: SortedSet<&String> = expected.keys().map(|(name, _)| name).collect();
    let mut agents = SortedMap::new();
    for (number, name) in (0..).zip(names) {
        let id = ConnectionId(number);
        agents.insert(id, name.clone());
        arena.handle_join(id, now);
        let login = format!(
            "{{\"type\":\"auth-request\",\"content\":{{\"user\":\"{name}\",\"pw\":\"1\"}}}}\0"
        );
        arena.handle_input(id, login.as_bytes(), now);
    }
    arena.start(now);
    let mut different = SortedSet::new();
    while !arena.verdict().over {
        let Some(out) = arena.poll_transmit() else {
            let due = arena.poll_timeout().unwrap();
            arena.handle_timeout(due);
            continue;
        };
        let Outgoing::Bytes(id, bytes) = out else { continue };
        let message: Value = serde_json::from_slice(bytes.strip_suffix(b"\0").unwrap()).unwrap();
        if message["type"] != "request-action" {
            continue;
        }
        let content = &message["content"];
        let (name, step) = (&agents[&id], content["step"].as_i64().unwrap());
        let key = (name.clone(), i32::try_from(step).unwrap());
        if support::normal(content["percept"].clone()) != expected[&key] {
            different.insert(format!("{name} before step {step}"));
        }
        let (text, _) = &said[&(name.clone(), step)];
        arena.handle_input(id, format!("{}\0", text.trim_end_matches('\0')).as_bytes(), now);
    }
    different
}

/// Seed 11 makes the recorded start cells; the generator's order of actions decides the one
/// contested cell as the recording did, or the two contestants differ for a while.
#[test]
fn the_protocol_gives_every_recorded_percept() {
    let Some(expected) = support::percepts(TRAFFIC) else { return };
    let different = play(11, &expected, &said());
    let contested = |line: &String| line.starts_with("agentA12 ") || line.starts_with("agentA13 ");
    let others: Vec<&String> = different.iter().filter(|line| !contested(line)).collect();
    assert!(others.is_empty(), "{others:?}");
}
