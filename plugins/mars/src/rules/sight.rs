//! What agents perceive: what they see themselves, and what their zone shares (spec, section 11).

use super::map::GraphMap;
use super::state::State;
use super::words::{MarsVerb, MatchSide, Outcome};

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set(Vec<u64>);

impl Set {
    /// Adds a number.
    pub fn insert(&mut self, number: u32) {
        let (word, bit) = (number as usize / 64, number % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    /// Whether a number is in it.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds everything of another set.
    pub fn unite(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Its numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.0).flat_map(|(place, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(place * 64 + bit)
            })
        })
    }
}

/// The lists of a percept, as numbers of vertices, edges and agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleSet {
    /// Vertices in sight.
    pub vertices: Set,
    /// Edges in sight.
    pub edges: Set,
    /// Agents in sight.
    pub agents: Set,
    /// Vertices probed in the last step.
    pub probed: Set,
    /// Edges surveyed in the last step.
    pub surveyed: Set,
    /// Enemies inspected in the last step.
    pub inspected: Set,
}

impl VisibleSet {
    /// What one agent sees by itself.
    #[must_use]
    pub fn alone(state: &State, agent: usize) -> Self {
        let mut sight = Self::default();
        let Some(body) = state.agents.get(agent) else { return sight };
        let map = &state.setting.map;
        sight.look_around(map, body.at, body.vis_range);
        for (number, other) in (0u32..).zip(&state.agents) {
            if sight.vertices.contains(other.at) {
                sight.agents.insert(number);
            }
        }
        if body.outcome == Outcome::Successful {
            match body.last.verb {
                Some(MarsVerb::Probe) => sight.probed.insert(body.at),
                Some(MarsVerb::Survey) => {
                    map.edges_of(body.at).iter().for_each(|edge| sight.surveyed.insert(*edge));
                }
                Some(MarsVerb::Inspect) => sight.inspect(state, agent, body.at),
                _ => {}
            }
        }
        sight
    }

    /// Breadth first, that many rounds.
    fn look_around(&mut self, map: &GraphMap, from: u32, rounds: i32) {
        self.vertices.insert(from);
        let mut ring = vec![from];
        for _ in 0..rounds {
            let mut next = Vec::new();
            for vertex in ring {
                for (edge, far) in map.edges_of(vertex).iter().zip(map.links().of(vertex)) {
                    self.edges.insert(*edge);
                    if !self.vertices.contains(*far) {
                        self.vertices.insert(*far);
                        next.push(*far);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            ring = next;
        }
    }

    /// Enemies that stand now on the own or a neighbouring vertex.
    fn inspect(&mut self, state: &State, agent: usize, at: u32) {
        let side = state.setting.side(agent);
        let near = state.setting.map.links().of(at);
        for ((number, other), person) in (0u32..).zip(&state.agents).zip(&state.setting.people) {
            if person.side != side && (other.at == at || near.contains(&other.at)) {
                self.inspected.insert(number);
            }
        }
    }

    fn unite(&mut self, other: &Self) {
        self.vertices.unite(&other.vertices);
        self.edges.unite(&other.edges);
        self.agents.unite(&other.agents);
        self.probed.unite(&other.probed);
        self.surveyed.unite(&other.surveyed);
        self.inspected.unite(&other.inspected);
    }
}

/// What all agents perceive; those of one zone the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sights {
    /// The different sights.
    pub sights: Vec<VisibleSet>,
    /// Which of them each agent has.
    pub of: Vec<usize>,
}

impl Sights {
    /// Everybody's sight of a state.
    #[must_use]
    pub fn new(state: &State) -> Self {
        let mut all = Self::default();
        let [a, b] = &state.zones;
        let mut shared = [vec![None::<usize>; a.values.len()], vec![None::<usize>; b.values.len()]];
        for (number, agent) in state.agents.iter().enumerate() {
            let side = state.setting.side(number);
            let own = VisibleSet::alone(state, number);
            let zone = side.of(&state.zones).at(agent.at);
            let zone = zone.and_then(|zone| side.of_mut(&mut shared).get_mut(zone as usize));
            let index = match zone {
                None => all.add(own),
                Some(known) => {
                    if let Some(sight) = known.and_then(|index| all.sights.get_mut(index)) {
                        sight.unite(&own);
                    }
                    *known.get_or_insert_with(|| all.add(own))
                }
            };
            all.of.push(index);
        }
        for side in MatchSide::BOTH {
            for (zone, index) in (0u32..).zip(side.of(&shared)) {
                if let Some(sight) = index.and_then(|index| all.sights.get_mut(index)) {
                    add_zone(sight, state, side, zone);
                }
            }
        }
        all
    }

    fn add(&mut self, sight: VisibleSet) -> usize {
        self.sights.push(sight);
        self.sights.len() - 1
    }

    /// One agent's sight.
    #[must_use]
    pub fn of(&self, agent: usize) -> Option<&VisibleSet> {
        self.of.get(agent).and_then(|index| self.sights.get(*index))
    }
}

/// All vertices of a zone, and all edges inside it.
fn add_zone(sight: &mut VisibleSet, state: &State, side: MatchSide, zone: u32) {
    let zones = side.of(&state.zones);
    for (vertex, of) in (0u32..).zip(&zones.of) {
        if *of == Some(zone) {
            sight.vertices.insert(vertex);
        }
    }
    for (number, edge) in (0u32..).zip(state.setting.map.edges()) {
        if zones.at(edge.a) == Some(zone) && zones.at(edge.b) == Some(zone) {
            sight.edges.insert(number);
        }
    }
}
