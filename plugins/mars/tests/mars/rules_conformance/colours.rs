//! Every golden state coloured anew, from where its agents stand.

use super::golden::{self, Golden};
use phalanx_game::sorted::SortedMap;
use phalanx_mars::rules::zone::{AgentCounts, Painter, ZoneOwner, Zones, total};
use phalanx_mars::rules::{Adjacency, MatchSide};
use serde_json::Value;

/// A game of the 2014 rules: other agents, other items, the same zones.
const LATER_EDITION: &str = "world_2014_testmatch";

struct Graph {
    names: Vec<String>,
    values: Vec<i32>,
    links: Adjacency,
    /// Names of the teams, in alphabetical order.
    teams: Vec<String>,
}

impl Graph {
    fn new(head: &Value) -> Self {
        let vertices = head["vertices"].as_object().expect("vertices");
        let names: Vec<String> = vertices.keys().cloned().collect();
        let number = |value: &Value| i32::try_from(value.as_i64().unwrap()).unwrap();
        let values = vertices.values().map(|vertex| number(&vertex[0])).collect();
        let numbers: SortedMap<&str, u32> = names.iter().map(String::as_str).zip(0u32..).collect();
        let end = |end: &Value| numbers[end.as_str().unwrap()];
        let edges: Vec<(u32, u32)> =
            head["edges"].as_array().unwrap().iter().map(|e| (end(&e[0]), end(&e[1]))).collect();
        let links = Adjacency::new(names.len(), edges.into_iter());
        let agents = head["agents"].as_object().expect("agents").values();
        let mut teams: Vec<String> =
            agents.map(|agent| agent[0].as_str().unwrap().to_owned()).collect();
        teams.sort_unstable();
        teams.dedup();
        Self { names, values, links, teams }
    }

    fn standing(&self, golden: &Golden, state: &Value) -> Vec<AgentCounts> {
        let mut standing = vec![[0; 2]; self.names.len()];
        for (name, agent) in state["agents"].as_object().expect("agents") {
            let team = &golden.head["agents"][name][0];
            let side = self.teams.iter().position(|known| team == known.as_str()).unwrap();
            let at = self.names.iter().position(|name| agent[0] == name.as_str()).unwrap();
            standing[at][side] += u16::from(agent[1].as_i64().unwrap() > 0);
        }
        standing
    }

    fn owned(&self, owners: &[ZoneOwner], side: MatchSide) -> Vec<&str> {
        let own = self.names.iter().zip(owners).filter(|(_, owner)| **owner == Some(side));
        let mut own: Vec<&str> = own.map(|(name, _)| name.as_str()).collect();
        own.sort_unstable();
        own
    }
}

fn texts(list: &Value) -> Vec<&str> {
    let mut texts: Vec<&str> =
        list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap()).collect();
    texts.sort_unstable();
    texts
}

/// Compares all states of a file; says how many there were.
fn recolour(name: &str, golden: &Golden) -> usize {
    let graph = Graph::new(&golden.head);
    let mut painter = Painter::new();
    let mut scores = [0, 0];
    for state in &golden.states {
        let place = format!("{name}, step {}", state["step"]);
        // Nothing is coloured before the first step.
        if state["step"] == 0 {
            continue;
        }
        let owners = painter.paint(&graph.links, &graph.standing(golden, state)).to_vec();
        for (side, team) in MatchSide::BOTH.into_iter().zip(&graph.teams) {
            assert_eq!(graph.owned(&owners, side), texts(&state["dom"][team]), "{place}");
            let theirs = &state["teams"][team];
            let probed = texts(&theirs["probed"]);
            let worth = |(name, value): (&String, &i32)| {
                if probed.contains(&name.as_str()) { *value } else { 1 }
            };
            let worth: Vec<i32> = graph.names.iter().zip(&graph.values).map(worth).collect();
            let zones = Zones::new(&graph.links, &owners, side, &worth);
            assert_eq!(theirs["zonesScore"], zones.total(), "{place}");
            assert_eq!(zones.total(), total(&graph.links, &owners, side, &worth), "{place}");
            let step_score = zones.total() + theirs["money"].as_i64().unwrap();
            assert_eq!(theirs["stepScore"], step_score, "{place}");
            *side.of_mut(&mut scores) += step_score;
            assert_eq!(theirs["score"], *side.of(&scores), "{place}");
        }
    }
    golden.states.len() - 1
}

#[test]
fn recorded_states_are_coloured_as_recorded() {
    let mut count = 0;
    for name in golden::GAMES.map(|(name, _, _)| name).into_iter().chain([LATER_EDITION]) {
        let Some(golden) = golden::read(name) else { return };
        count += recolour(name, &golden);
    }
    assert!(count > 2500, "{count}");
}
