//! A map and teams set up by hand.

use phalanx_mars::rules::map::{GraphMap, MapEdge, StartMap, Vertex};
use phalanx_mars::rules::{Act, MarsRules, Outcome, State, StepLuck};

/// A map of vertices with one-letter names and values, and edges such as `ab3`: ends and weight.
pub(crate) fn map(vertices: &[(&str, i32)], edges: &str) -> GraphMap {
    let vertex = |(name, value): &(&str, i32)| Vertex {
        name: (*name).to_owned(),
        value: *value,
        at: (50, 50),
    };
    let number = |name: char| {
        let place = vertices.iter().position(|(known, _)| known.starts_with(name));
        u32::try_from(place.unwrap()).unwrap()
    };
    let edge = |edge: &str| {
        let mut parts = edge.chars();
        let (a, b) = (number(parts.next().unwrap()), number(parts.next().unwrap()));
        let weight = parts.next().map_or(1, |digit| digit.to_digit(10).unwrap());
        MapEdge { a, b, weight: i32::try_from(weight).unwrap() }
    };
    GraphMap::new(vertices.iter().map(vertex).collect(), edges.split(' ').map(edge).collect())
}

/// Ten agents a team, `a1` and so on on the first vertex, `b1` and so on on the last one. By their
/// numbers: 1, 2 explorers, 3, 4 repairers, 5, 6 saboteurs, 7, 8 sentinels, 9, 10 inspectors.
pub(crate) struct Table {
    pub(crate) state: State,
    fails: Vec<String>,
    first: Vec<String>,
}

impl Table {
    pub(crate) fn new(map: GraphMap, rules: MarsRules) -> Self {
        let last = u32::try_from(map.vertices().len()).unwrap() - 1;
        let ground = StartMap { map, starts: [vec![0; 10], vec![last; 10]], seed: 0 };
        let names = |prefix: &str| (1..=10).map(|number| format!("{prefix}{number}")).collect();
        let teams = [("A".to_owned(), names("a")), ("B".to_owned(), names("b"))];
        let state = State::new(ground, teams, rules);
        Self { state, fails: Vec::new(), first: Vec::new() }
    }

    /// A line of four vertices: x-y-z-w with weights 2, 3, 9.
    pub(crate) fn line() -> Self {
        let map = map(&[("x", 5), ("y", 6), ("z", 7), ("w", 8)], "xy2 yz3 zw9");
        Self::new(map, MarsRules::default())
    }

    pub(crate) fn agent(&mut self, name: &str) -> &mut phalanx_mars::rules::state::AgentBody {
        let id = self.state.setting.find(name).unwrap();
        &mut self.state.agents[id]
    }

    /// Where an agent is.
    pub(crate) fn at(&mut self, name: &str) -> String {
        let at = self.agent(name).at;
        self.state.setting.map.name(at).to_owned()
    }

    /// Puts agents on a vertex.
    pub(crate) fn put(&mut self, vertex: &str, agents: &[&str]) {
        let at = self.state.setting.map.find(vertex).unwrap();
        for agent in agents {
            self.agent(agent).at = at;
        }
    }

    /// These fail by bad luck in all further steps.
    pub(crate) fn fail(&mut self, agents: &[&str]) {
        self.fails = agents.iter().map(|agent| (*agent).to_owned()).collect();
    }

    /// These act first, in this order, in all further steps.
    pub(crate) fn order(&mut self, agents: &[&str]) {
        self.first = agents.iter().map(|agent| (*agent).to_owned()).collect();
    }

    /// Plays a step of things such as `a1 goto y`; all others skip. How each of them ended.
    pub(crate) fn step(&mut self, said: &[&str]) -> Vec<Outcome> {
        let setting = self.state.setting.clone();
        let id = |name: &str| setting.find(name).unwrap();
        let mut acts = vec![Act::new("skip", ""); self.state.agents.len()];
        let mut who = Vec::new();
        for line in said {
            let mut words = line.split(' ');
            let agent = id(words.next().unwrap());
            who.push(agent);
            acts[agent] = match words.next().unwrap() {
                "noAction" => Act::nothing(),
                verb => Act::new(verb, words.next().unwrap_or_default()),
            };
        }
        let fails = setting.people.iter().map(|person| self.fails.contains(&person.name));
        let mut order: Vec<usize> = self.first.iter().map(|name| id(name)).collect();
        let first = order.clone();
        order.extend((0..acts.len()).filter(|agent| !first.contains(agent)));
        self.state.advance(acts, &StepLuck { fails: fails.collect(), order });
        who.iter().map(|agent| self.state.agents[*agent].outcome).collect()
    }

    /// Plays a step of one thing.
    pub(crate) fn one(&mut self, said: &str) -> Outcome {
        self.step(&[said])[0]
    }

    pub(crate) fn money(&mut self, money: i64) {
        self.state.teams[0].money = money;
    }
}
