//! The graph as far as it is known: vertices and edges, what they are worth and what they cost.

use crate::percept::{Percept, SeenVertex};
use crate::rules::Adjacency;
use phalanx_game::sorted::SortedSet;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::collections::VecDeque;

/// Vertices that are remembered at most; contest maps have up to 600.
pub const VERTICES_MAX: usize = 4096;

/// Edges of one vertex that are remembered at most; contest maps have up to 8.
pub const DEGREE_MAX: usize = 256;

/// The number of a vertex, from 0 in the order in which they became known.
pub(super) type VertexId = u32;

/// Who owns a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum KnownOwner {
    /// Not known yet.
    #[default]
    Unknown,
    Nobody,
    Own,
    Enemy,
}

/// What is known of a vertex.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct KnownVertex {
    pub(super) name: SmolStr,
    /// Its value, once probed.
    pub(super) value: Option<i32>,
    pub(super) owner: KnownOwner,
    /// The step in which its owner was seen last.
    pub(super) seen: Option<u32>,
    /// The step in which an agent saw who stood there last.
    pub(super) watched: Option<u32>,
    /// All its edges are known.
    pub(super) complete: bool,
    pub(super) roads: Vec<Road>,
}

/// An edge, from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Road {
    pub(super) to: VertexId,
    /// Energy that it costs, once surveyed.
    pub(super) weight: Option<i32>,
}

impl KnownVertex {
    /// Whether nothing is left to be surveyed from here.
    pub(super) fn surveyed(&self) -> bool {
        self.complete && self.roads.iter().all(|road| road.weight.is_some())
    }

    /// What it is worth in a zone.
    pub(super) fn worth(&self) -> i32 {
        self.value.unwrap_or(1)
    }
}

/// The map. All but the spots follows from them and is not saved.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct KnownGraph {
    spots: Vec<KnownVertex>,
    #[serde(skip)]
    numbers: FxHashMap<SmolStr, VertexId>,
    #[serde(skip)]
    edges: u32,
    #[serde(skip)]
    surveyed: u32,
    #[serde(skip)]
    probed: u32,
}

impl KnownGraph {
    /// Learns all that a percept tells about the map. `team`: the own team's name.
    pub(super) fn learn(&mut self, percept: &Percept, team: &str) {
        for vertex in &percept.vertices {
            self.learn_owner(vertex, team, percept.step);
        }
        for edge in &percept.edges {
            self.learn_edge(&edge.node1, &edge.node2, None);
        }
        for edge in &percept.surveyed {
            self.learn_edge(&edge.node1, &edge.node2, edge.weight);
        }
        for vertex in &percept.probed {
            self.learn_value(&vertex.name, vertex.value);
        }
        if let Some(at) = self.number(&percept.me.position) {
            let range = percept.me.vis_range.unwrap_or(1).clamp(0, 64);
            self.look(at, u32::try_from(range).unwrap_or(0), percept.step);
        }
    }

    fn learn_owner(&mut self, seen: &SeenVertex, team: &str, step: u32) {
        let Some(number) = self.intern(&seen.name) else { return };
        let Some(spot) = self.spots.get_mut(number as usize) else { return };
        if spot.seen.is_some_and(|known| known > step) {
            return;
        }
        spot.seen = Some(step);
        spot.owner = match seen.owner() {
            None => KnownOwner::Nobody,
            Some(owner) if owner == team => KnownOwner::Own,
            Some(_) => KnownOwner::Enemy,
        };
    }

    fn learn_value(&mut self, name: &SmolStr, value: Option<i32>) {
        let Some(number) = self.intern(name) else { return };
        let Some(spot) = self.spots.get_mut(number as usize) else { return };
        if value.is_some() {
            self.probed += u32::from(spot.value.is_none());
            spot.value = value;
        }
    }

    fn learn_edge(&mut self, one: &SmolStr, other: &SmolStr, weight: Option<i32>) {
        let (Some(one), Some(other)) = (self.intern(one), self.intern(other)) else { return };
        if one == other {
            return;
        }
        // A weight of nothing or less would break every search.
        let weight = weight.filter(|weight| *weight > 0);
        let (Some(new), surveyed) = self.learn_road(one, other, weight) else { return };
        self.learn_road(other, one, weight);
        self.edges += u32::from(new);
        self.surveyed += u32::from(surveyed);
    }

    /// Whether the road was new (nothing when it found no room), and whether its weight was.
    fn learn_road(
        &mut self,
        from: VertexId,
        to: VertexId,
        weight: Option<i32>,
    ) -> (Option<bool>, bool) {
        let Some(spot) = self.spots.get_mut(from as usize) else { return (None, false) };
        if let Some(road) = spot.roads.iter_mut().find(|road| road.to == to) {
            let surveyed = road.weight.is_none() && weight.is_some();
            road.weight = weight.or(road.weight);
            return (Some(false), surveyed);
        }
        if spot.roads.len() >= DEGREE_MAX {
            return (None, false);
        }
        spot.roads.push(Road { to, weight });
        (Some(true), weight.is_some())
    }

    /// An agent looks about: what is nearer than its range has no unknown edges.
    fn look(&mut self, at: VertexId, range: u32, step: u32) {
        let mut seen = vec![false; self.spots.len()];
        let mut queue = VecDeque::from([(at, range)]);
        while let Some((vertex, left)) = queue.pop_front() {
            match seen.get_mut(vertex as usize) {
                Some(fresh @ false) => *fresh = true,
                Some(true) | None => continue,
            }
            let Some(spot) = self.spots.get_mut(vertex as usize) else { continue };
            spot.watched = spot.watched.max(Some(step));
            if left > 0 {
                spot.complete = true;
                queue.extend(spot.roads.iter().map(|road| (road.to, left - 1)));
            }
        }
    }

    fn intern(&mut self, name: &SmolStr) -> Option<VertexId> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        if name.is_empty() || self.spots.len() >= VERTICES_MAX {
            return None;
        }
        let number = VertexId::try_from(self.spots.len()).ok()?;
        self.spots.push(KnownVertex { name: name.clone(), ..KnownVertex::default() });
        self.numbers.insert(name.clone(), number);
        Some(number)
    }

    /// The number of the vertex of that name.
    pub(super) fn number(&self, name: &str) -> Option<VertexId> {
        self.numbers.get(name).copied()
    }

    pub(super) fn spot(&self, vertex: VertexId) -> Option<&KnownVertex> {
        self.spots.get(vertex as usize)
    }

    /// Its name; empty for a vertex that does not exist.
    pub(super) fn name(&self, vertex: VertexId) -> &SmolStr {
        const NAMELESS: &SmolStr = &SmolStr::new_static("");
        self.spot(vertex).map_or(NAMELESS, |spot| &spot.name)
    }

    /// All vertices with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (VertexId, &KnownVertex)> + Clone {
        (0..).zip(&self.spots)
    }

    pub(super) fn roads(&self, vertex: VertexId) -> &[Road] {
        self.spot(vertex).map_or(&[], |spot| &spot.roads)
    }

    pub(super) fn len(&self) -> usize {
        self.spots.len()
    }

    /// Known edges, and how many of them have a known weight.
    pub(super) fn edges(&self) -> (u32, u32) {
        (self.edges, self.surveyed)
    }

    /// Vertices with a known value.
    pub(super) fn probed(&self) -> u32 {
        self.probed
    }

    /// Who is next to whom, as the rules want it.
    pub(super) fn links(&self) -> Adjacency {
        let edges = self.iter().flat_map(|(from, spot)| {
            spot.roads.iter().map(move |road| (from, road.to)).filter(|(from, to)| from < to)
        });
        Adjacency::new(self.len(), edges)
    }

    /// Finds again what follows from the spots, after they were read. Whether they can be a map.
    pub(super) fn rebuild(&mut self) -> bool {
        self.numbers = self.iter().map(|(at, spot)| (spot.name.clone(), at)).collect();
        let (mut edges, mut surveyed) = (SortedSet::new(), SortedSet::new());
        for (from, spot) in self.iter() {
            for road in &spot.roads {
                let edge = (from.min(road.to), from.max(road.to));
                edges.insert(edge);
                surveyed.extend(road.weight.map(|_| edge));
            }
        }
        let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
        (self.edges, self.surveyed) = (count(edges.len()), count(surveyed.len()));
        self.probed = count(self.spots.iter().filter(|spot| spot.value.is_some()).count());
        let names = self.numbers.len() == self.len() && !self.numbers.contains_key("");
        names && self.len() <= VERTICES_MAX && self.iter().all(|(at, _)| self.is_sound(at))
    }

    /// Whether the roads of a vertex lead to others, each once, and cost something.
    fn is_sound(&self, at: VertexId) -> bool {
        let roads = self.roads(at);
        let sound = |road: &Road| {
            let leads = road.to != at && self.spot(road.to).is_some();
            leads && road.weight.is_none_or(|weight| weight > 0)
        };
        let ends: SortedSet<VertexId> = roads.iter().map(|road| road.to).collect();
        roads.len() <= DEGREE_MAX && ends.len() == roads.len() && roads.iter().all(sound)
    }

    /// What each vertex is worth.
    pub(super) fn worth(&self) -> Vec<i32> {
        self.spots.iter().map(KnownVertex::worth).collect()
    }
}
