//! The graph that is played on, and where agents start: made from a seed exactly as the original
//! makes them (spec, section 12).

mod cut;
mod half;
mod value;

use super::graph::Adjacency;
use half::{FullMap, Half};
use phalanx_game::sorted::SortedMap;
use phalanx_massim::JavaRandom;

/// Bounds of [`MapParams::nodes`]: fewer have no zone, more take too long to make.
pub const NODES: std::ops::RangeInclusive<u32> = 2..=1000;
/// Bounds of the sides of the grid, which are odd so that no vertex is its own mirror image.
pub const GRID: std::ops::RangeInclusive<u32> = 3..=99;
/// Maps that are tried with further seeds until one is connected.
const REDRAWS_MAX: i64 = 100;

/// How maps are made. [`MapParams::default`] is the final package's sample with 200 vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapParams {
    /// Vertices; an odd number gives one fewer, more than cells are cut.
    pub nodes: u32,
    /// Columns of the grid, minus one.
    pub grid_width: u32,
    /// Rows of the grid, minus one.
    pub grid_height: u32,
    /// Length of a cell's side.
    pub cell: u32,
    /// Least and greatest value of a vertex.
    pub values: [u32; 2],
    /// Least weight of an edge and the first that is too great.
    pub weights: [u32; 2],
    /// Share of chance in the values.
    pub random_weight: u32,
    /// Share of the distance to the centre in the values.
    pub gradient_weight: u32,
    /// Share of hills around a few best vertices in the values.
    pub optima_weight: u32,
    /// How often the hills are levelled.
    pub blur_iterations: u32,
    /// How many vertices of a hundred are best ones.
    pub optima_percentage: u32,
}

impl Default for MapParams {
    fn default() -> Self {
        Self {
            nodes: 200,
            grid_width: 21,
            grid_height: 21,
            cell: 100,
            values: [1, 10],
            weights: [1, 10],
            random_weight: 0,
            gradient_weight: 0,
            optima_weight: 100,
            blur_iterations: 8,
            optima_percentage: 5,
        }
    }
}

/// A vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vertex {
    /// Its name on the wire.
    pub name: String,
    /// What it is worth to those who probed it.
    pub value: i32,
    /// Where it is drawn.
    pub at: (i32, i32),
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapEdge {
    /// One end.
    pub a: u32,
    /// The other end.
    pub b: u32,
    /// What it costs to walk along it.
    pub weight: i32,
}

impl MapEdge {
    /// The end that is not `vertex`.
    #[must_use]
    pub fn from(&self, vertex: u32) -> u32 {
        if self.a == vertex { self.b } else { self.a }
    }
}

/// A graph with everything that the referee knows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphMap {
    vertices: Vec<Vertex>,
    edges: Vec<MapEdge>,
    links: Adjacency,
    /// The edges of each vertex, beside its links.
    incident: Vec<Vec<u32>>,
    names: SortedMap<String, u32>,
}

impl GraphMap {
    /// A map of these vertices and edges. Edges to vertices that do not exist and loops are
    /// dropped; of vertices with the same name the last is found by it.
    #[must_use]
    pub fn new(vertices: Vec<Vertex>, mut edges: Vec<MapEdge>) -> Self {
        let count = vertices.len();
        edges.retain(|edge| {
            edge.a != edge.b && (edge.a as usize) < count && (edge.b as usize) < count
        });
        let links = Adjacency::new(count, edges.iter().map(|edge| (edge.a, edge.b)));
        let mut incident = vec![Vec::new(); count];
        for (number, edge) in (0u32..).zip(&edges) {
            for end in [edge.a, edge.b] {
                if let Some(list) = incident.get_mut(end as usize) {
                    list.push(number);
                }
            }
        }
        let names = (0u32..).zip(&vertices).map(|(id, vertex)| (vertex.name.clone(), id)).collect();
        Self { vertices, edges, links, incident, names }
    }

    /// The vertices, by number.
    #[must_use]
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// The edges, by number.
    #[must_use]
    pub fn edges(&self) -> &[MapEdge] {
        &self.edges
    }

    /// Who is next to whom.
    #[must_use]
    pub fn links(&self) -> &Adjacency {
        &self.links
    }

    /// The numbers of a vertex's edges, in the order of its links.
    #[must_use]
    pub fn edges_of(&self, vertex: u32) -> &[u32] {
        self.incident.get(vertex as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// The edge of that number.
    #[must_use]
    pub fn edge(&self, number: u32) -> Option<MapEdge> {
        self.edges.get(number as usize).copied()
    }

    /// The vertex of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// A vertex's name; empty for one that does not exist.
    #[must_use]
    pub fn name(&self, vertex: u32) -> &str {
        self.vertices.get(vertex as usize).map(|vertex| vertex.name.as_str()).unwrap_or_default()
    }

    /// The weight of the edge between two vertices; the least, should there be several.
    #[must_use]
    pub fn weight(&self, from: u32, to: u32) -> Option<i32> {
        let edges = self.edges_of(from).iter().filter_map(|number| self.edge(*number));
        edges.filter(|edge| edge.from(from) == to).map(|edge| edge.weight).min()
    }

    /// Whether every vertex can be reached from every other.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        let mut seen = vec![false; self.vertices.len()];
        let mut stack = vec![0u32];
        let mut reached = 0;
        while let Some(vertex) = stack.pop() {
            match seen.get_mut(vertex as usize) {
                Some(seen @ false) => *seen = true,
                Some(true) | None => continue,
            }
            reached += 1;
            stack.extend(self.links.of(vertex));
        }
        reached == self.vertices.len()
    }
}

/// A map with the places where agents start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartMap {
    /// The map.
    pub map: GraphMap,
    /// Where the agents of each team start, by their number in the team.
    pub starts: [Vec<u32>; 2],
    /// The seed that it was made from: a later one when the first gave a map in several pieces.
    pub seed: i64,
}

impl StartMap {
    /// The map of a seed, for that many agents a team. Numbers out of [`NODES`] and [`GRID`] are
    /// taken for the nearest bound.
    #[must_use]
    pub fn draw(params: &MapParams, seed: i64, agents: u32) -> Self {
        let mut ground = Self::attempt(params, seed, agents);
        for redraw in 1..REDRAWS_MAX {
            if ground.map.is_connected() {
                break;
            }
            ground = Self::attempt(params, seed.wrapping_add(redraw), agents);
        }
        ground
    }

    fn attempt(params: &MapParams, seed: i64, agents: u32) -> Self {
        let mut random = JavaRandom::new(seed);
        let half = Half::draw(params, &mut random);
        let FullMap { vertices, edges } = half.mirrored(params, &mut random);
        let count = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).collect();
        random.shuffle(&mut order);
        let mut place = vec![0u32; vertices.len()];
        for (number, created) in (0u32..).zip(&order) {
            if let Some(place) = place.get_mut(*created as usize) {
                *place = number;
            }
        }
        let numbered = |created: u32| place.get(created as usize).copied().unwrap_or_default();
        let mut named: Vec<Vertex> =
            order.iter().filter_map(|created| vertices.get(*created as usize).cloned()).collect();
        for (number, vertex) in named.iter_mut().enumerate() {
            vertex.name = format!("vertex{number}");
        }
        let edges = edges.into_iter().map(|edge| MapEdge {
            a: numbered(edge.a),
            b: numbered(edge.b),
            weight: edge.weight,
        });
        let map = GraphMap::new(named, edges.collect());
        let mut starts = [Vec::new(), Vec::new()];
        for _ in 0..agents {
            let red = random.below(count);
            let created = order.get(red as usize).copied().unwrap_or_default();
            let image = if created < count / 2 { created + count / 2 } else { created - count / 2 };
            let [a, b] = &mut starts;
            a.push(red);
            b.push(numbered(image));
        }
        Self { map, starts, seed }
    }
}
