//! The left half of a map, and its reflection with the bridges between them (spec, section 12,
//! steps 1 to 3, 5 and 6).

use super::cut::{self, GridSegment};
use super::{GRID, MapEdge, MapParams, NODES, Vertex, value};
use phalanx_game::sorted::Order;
use phalanx_massim::JavaRandom;

/// The left half, in the order of its making.
pub(super) struct Half {
    cells: Vec<(i32, i32)>,
    values: Vec<i32>,
    edges: Vec<MapEdge>,
}

/// All vertices, the mirrored ones after the others, and all edges.
pub(super) struct FullMap {
    pub(super) vertices: Vec<Vertex>,
    pub(super) edges: Vec<MapEdge>,
}

/// The size of the left half: vertices, columns and rows.
pub(super) fn size(params: &MapParams) -> (u32, u32, u32) {
    let side = |side: u32| side.clamp(*GRID.start(), *GRID.end());
    let (width, height) = (side(params.grid_width), side(params.grid_height));
    let cells = (width + 1) * (height + 1);
    let nodes = params.nodes.clamp(*NODES.start(), *NODES.end()).min(cells);
    (nodes / 2, width / 2, height)
}

fn weight(params: &MapParams, random: &mut JavaRandom) -> i32 {
    let [low, high] = params.weights;
    i32::try_from(low + random.below(high.saturating_sub(low))).unwrap_or(i32::MAX)
}

impl Half {
    pub(super) fn draw(params: &MapParams, random: &mut JavaRandom) -> Self {
        let (nodes, width, height) = size(params);
        let mut cells = Vec::new();
        let mut taken = phalanx_game::sorted::SortedSet::new();
        while cells.len() < nodes as usize {
            let cell = (random.below(width + 1), random.below(height + 1));
            if taken.insert(cell) {
                cells.push((cell.0.cast_signed(), cell.1.cast_signed()));
            }
        }
        let edges = Self::edges(params, &cells, random);
        let values = value::draw(params, &cells, &edges, random);
        Self { cells, values, edges }
    }

    fn edges(params: &MapParams, cells: &[(i32, i32)], random: &mut JavaRandom) -> Vec<MapEdge> {
        let (nodes, width, height) = size(params);
        let (w, h, n) = (f64::from(width), f64::from(height), f64::from(nodes));
        let (dx, dy) = (100.0 * h / (h / w * n).sqrt(), 100.0 * w / (w / h * n).sqrt());
        let limit = 4.0 * (dx * dx + dy * dy).sqrt();
        let mut kept = Vec::new();
        for (a, from) in (0u32..).zip(cells) {
            for (b, to) in (0u32..).zip(cells).skip(a as usize + 1) {
                let weight = weight(params, random);
                let segment = GridSegment { ends: [a, b], from: *from, to: *to };
                if f64::from(cut::length(&segment, params.cell)) < limit {
                    kept.push((segment, weight));
                }
            }
        }
        // Longest first; the sort is stable.
        kept.order_by_key(|(segment, _)| std::cmp::Reverse(segment.squared()));
        let segments: Vec<GridSegment> = kept.iter().map(|(segment, _)| *segment).collect();
        let survives = |(index, segment): (usize, &GridSegment)| {
            let later = segments.get(index + 1..).unwrap_or_default();
            !later.iter().any(|other| segment.yields_to(other))
        };
        let stay: Vec<bool> = segments.iter().enumerate().map(survives).collect();
        let kept = kept.into_iter().zip(stay).filter(|(_, stays)| *stays);
        let edge = |(segment, weight): (GridSegment, i32)| {
            let [a, b] = segment.ends;
            MapEdge { a, b, weight }
        };
        kept.map(|(kept, _)| edge(kept)).collect()
    }

    pub(super) fn mirrored(self, params: &MapParams, random: &mut JavaRandom) -> FullMap {
        let (nodes, _, _) = size(params);
        let width = params.grid_width.clamp(*GRID.start(), *GRID.end()).cast_signed();
        let image = |(x, y): (i32, i32)| (width - x, y);
        let cells: Vec<(i32, i32)> =
            self.cells.iter().copied().chain(self.cells.iter().copied().map(image)).collect();
        let mut edges = self.edges.clone();
        let mirrored = |edge: &MapEdge| MapEdge { a: edge.a + nodes, b: edge.b + nodes, ..*edge };
        edges.extend(self.edges.iter().map(mirrored));
        let between = |a: u32, b: u32| {
            let cell = |vertex: u32| cells.get(vertex as usize).copied().unwrap_or_default();
            GridSegment { ends: [a, b], from: cell(a), to: cell(b) }
        };
        for inner in self.innermost() {
            let weight = weight(params, random);
            let bridge = between(inner, inner + nodes);
            if !edges.iter().any(|edge| bridge.crosses(&between(edge.a, edge.b))) {
                edges.push(MapEdge { a: inner, b: inner + nodes, weight });
            }
        }
        let side = params.cell.cast_signed();
        let vertex = |((x, y), value): (&(i32, i32), &i32)| Vertex {
            name: String::new(),
            value: *value,
            at: (x * side + side / 2, y * side + side / 2),
        };
        let values = self.values.iter().cycle();
        FullMap { vertices: cells.iter().zip(values).map(vertex).collect(), edges }
    }

    /// The vertex nearest to the mirror in each row, in the order in which the original's hash
    /// table lists rows.
    fn innermost(&self) -> Vec<u32> {
        let mut rows: Vec<(i32, u32, i32)> = Vec::new();
        for (vertex, (x, y)) in (0u32..).zip(&self.cells) {
            match rows.iter_mut().find(|(row, _, _)| row == y) {
                Some((_, best, column)) if x > column => (*best, *column) = (vertex, *x),
                Some(_) => {}
                None => rows.push((*y, vertex, *x)),
            }
        }
        let mut buckets = 16;
        while rows.len() * 4 > buckets * 3 {
            buckets *= 2;
        }
        let buckets = i32::try_from(buckets).unwrap_or(i32::MAX);
        rows.order_by_key(|(row, _, _)| row % buckets);
        rows.into_iter().map(|(_, vertex, _)| vertex).collect()
    }
}
