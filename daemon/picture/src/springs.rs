//! Where the nodes of a graph are drawn: so that the way between two of them on the page is as long
//! as the way through the graph, as far as paper allows it.
//!
//! Stress is minimised by gradient descent over single pairs (Zheng, Pawar, Goodman 2018), with dice
//! of our own and without functions that machines compute differently: the same graph gives the same
//! picture everywhere.

use std::collections::VecDeque;

/// Nodes of a component up to which all pairs are compared; of more, each with some others.
const PAIRS_ALL: usize = 700;
/// How many others that is.
const PIVOTS: usize = 40;
/// Rounds over all pairs at most.
const ROUNDS_MAX: usize = 48;
/// How much shorter the steps of each round are than those of the one before.
const COOLING: f64 = 0.72;
/// The first steps in a graph that grew: only near nodes make room for each other.
const STEP_GREW: f64 = 4.0;
/// Steps that are too small to be seen.
const STEP_MIN: f64 = 0.05;
/// How far components lie apart, in edges.
const GAP: f64 = 1.5;

/// Places of nodes, in edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodePositions {
    /// The greatest x.
    pub width: f64,
    /// The greatest y.
    pub height: f64,
    /// The place of each node.
    pub at: Vec<(f64, f64)>,
}

/// Positions for `count` nodes; `aspect`: width of the page divided by its height. Edges to nodes
/// that are not there are passed over.
#[must_use]
pub(crate) fn places(count: usize, edges: &[(usize, usize)], aspect: f64) -> NodePositions {
    places_from(edges, aspect, &vec![None; count])
}

/// As `places`, for a graph that grew: nodes with a place stay near it, so that somebody who
/// looks on finds them again.
#[must_use]
pub fn places_from(
    edges: &[(usize, usize)],
    aspect: f64,
    known: &[Option<(f64, f64)>],
) -> NodePositions {
    let count = known.len();
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(a, b) in edges.iter().filter(|(a, b)| a != b && *a < count && *b < count) {
        for (from, to) in [(a, b), (b, a)] {
            if let Some(near) = near.get_mut(from) {
                near.push(to);
            }
        }
    }
    let islands = components(&near).into_iter().map(|nodes| island(&nodes, &near, known));
    let mut islands: Vec<Island> = islands.collect();
    islands.sort_by(|one, other| {
        other.nodes.len().cmp(&one.nodes.len()).then(one.nodes.cmp(&other.nodes))
    });
    packed(count, &islands, aspect)
}

/// Nodes that hang together, with places from (0, 0) on.
struct Island {
    nodes: Vec<usize>,
    at: Vec<(f64, f64)>,
    width: f64,
    height: f64,
}

fn components(near: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut known = vec![false; near.len()];
    let mut all = Vec::new();
    for start in 0..near.len() {
        if known.get(start).copied().unwrap_or(true) {
            continue;
        }
        let ways = distances(near, start);
        let nodes: Vec<usize> = ways
            .iter()
            .enumerate()
            .filter(|(_, way)| way.is_some())
            .map(|(node, _)| node)
            .collect();
        for node in &nodes {
            if let Some(known) = known.get_mut(*node) {
                *known = true;
            }
        }
        all.push(nodes);
    }
    all
}

/// How many edges each node is away.
fn distances(near: &[Vec<usize>], start: usize) -> Vec<Option<u32>> {
    let mut ways = vec![None; near.len()];
    let mut open = VecDeque::from([(start, 0)]);
    while let Some((node, way)) = open.pop_front() {
        match ways.get_mut(node) {
            Some(known) if known.is_none() => *known = Some(way),
            Some(_) | None => continue,
        }
        open.extend(near.get(node).into_iter().flatten().map(|next| (*next, way + 1)));
    }
    ways
}

/// Two nodes of an island and how far they should be apart.
struct Pair {
    a: usize,
    b: usize,
    way: f64,
}

fn island(nodes: &[usize], near: &[Vec<usize>], known: &[Option<(f64, f64)>]) -> Island {
    let pairs = pairs(nodes, near);
    let mut dice = XorShift(0x9E37_79B9_7F4A_7C15);
    #[expect(clippy::cast_precision_loss, reason = "few nodes")]
    let side = (nodes.len() as f64).sqrt();
    let place = |node: &usize| known.get(*node).copied().flatten();
    let grew = nodes.iter().filter_map(place).count() * 2 > nodes.len();
    let mut begin = |node: &usize| {
        let (x, y) = (dice.share(), dice.share());
        let neighbour = || near.get(*node)?.iter().find_map(place);
        match place(node) {
            Some(place) if grew => place,
            _ => match neighbour().filter(|_| grew) {
                Some(beside) => (beside.0 + x - 0.5, beside.1 + y - 0.5),
                None => (x * side, y * side),
            },
        }
    };
    let mut at: Vec<(f64, f64)> = nodes.iter().map(&mut begin).collect();
    settle(&mut at, pairs, &mut dice, grew);
    let min = |pick: fn(&(f64, f64)) -> f64| at.iter().map(pick).fold(f64::INFINITY, f64::min);
    let max = |pick: fn(&(f64, f64)) -> f64| at.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
    let (left, top) = (min(|it| it.0), min(|it| it.1));
    let (mut width, mut height) = (max(|it| it.0) - left, max(|it| it.1) - top);
    let mut at: Vec<(f64, f64)> = at.iter().map(|(x, y)| (x - left, y - top)).collect();
    if height > width && !grew {
        (width, height) = (height, width);
        at = at.into_iter().map(|(x, y)| (y, x)).collect();
    }
    Island { nodes: nodes.to_vec(), at, width, height }
}

fn pairs(nodes: &[usize], near: &[Vec<usize>]) -> Vec<Pair> {
    let mut index = vec![usize::MAX; near.len()];
    for (place, node) in nodes.iter().enumerate() {
        if let Some(index) = index.get_mut(*node) {
            *index = place;
        }
    }
    let place = |node: usize| index.get(node).copied().unwrap_or(usize::MAX);
    let sparse = nodes.len() > PAIRS_ALL;
    let step = if sparse { nodes.len().div_ceil(PIVOTS) } else { 1 };
    let mut pairs = Vec::new();
    for pivot in nodes.iter().step_by(step) {
        let a = place(*pivot);
        let ways = distances(near, *pivot);
        for (node, way) in ways.iter().enumerate() {
            let b = place(node);
            if let Some(way) = way.filter(|_| if sparse { a != b } else { a < b }) {
                pairs.push(Pair { a, b, way: f64::from(way) });
            }
        }
    }
    if sparse {
        for node in nodes {
            let next = near.get(*node).into_iter().flatten().filter(|next| node < next);
            pairs.extend(next.map(|next| Pair { a: place(*node), b: place(*next), way: 1.0 }));
        }
    }
    pairs
}

/// Moves the two nodes of each pair to or from each other, with ever smaller steps.
fn settle(at: &mut [(f64, f64)], mut pairs: Vec<Pair>, dice: &mut XorShift, grew: bool) {
    let farthest = pairs.iter().map(|pair| pair.way).fold(0.0, f64::max);
    let mut step = if grew { STEP_GREW } else { farthest * farthest };
    for _ in 0..ROUNDS_MAX {
        if step < STEP_MIN {
            return;
        }
        dice.shuffle(&mut pairs);
        for Pair { a, b, way } in &pairs {
            let (Some(&from), Some(&to)) = (at.get(*a), at.get(*b)) else { continue };
            let share = (step / (way * way)).min(1.0);
            let (x, y) = (from.0 - to.0, from.1 - to.1);
            let far = (x * x + y * y).sqrt().max(1e-6);
            let pull = share * (far - way) / 2.0 / far;
            for (node, sign) in [(a, -1.0), (b, 1.0)] {
                if let Some(place) = at.get_mut(*node) {
                    *place = (place.0 + sign * pull * x, place.1 + sign * pull * y);
                }
            }
        }
        step *= COOLING;
    }
}

/// Islands side by side in rows, the largest first.
fn packed(count: usize, islands: &[Island], aspect: f64) -> NodePositions {
    let room: f64 = islands.iter().map(|it| (it.width + GAP) * (it.height + GAP)).sum();
    let widest = islands.iter().map(|it| it.width).fold(0.0, f64::max);
    let wide = (room * aspect).sqrt().max(widest);
    let mut places = NodePositions { at: vec![(0.0, 0.0); count], ..NodePositions::default() };
    let (mut x, mut y, mut row) = (0.0_f64, 0.0_f64, 0.0_f64);
    for island in islands {
        if x > 0.0 && x + island.width > wide {
            (x, y, row) = (0.0, y + row + GAP, 0.0);
        }
        for (node, (dx, dy)) in island.nodes.iter().zip(&island.at) {
            if let Some(place) = places.at.get_mut(*node) {
                *place = (x + dx, y + dy);
            }
        }
        row = row.max(island.height);
        places.width = places.width.max(x + island.width);
        places.height = places.height.max(y + island.height);
        x += island.width + GAP;
    }
    places
}

/// xorshift64*: chance enough to begin with.
struct XorShift(u64);

impl XorShift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// From 0 up to 1.
    fn share(&mut self) -> f64 {
        let [a, b, c, d, ..] = self.next().to_be_bytes();
        f64::from(u32::from_be_bytes([a, b, c, d])) / 4_294_967_296.0
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let [a, b, c, d, ..] = self.next().to_be_bytes();
            let chance = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or_default();
            list.swap(last, chance % (last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far(places: &NodePositions, a: usize, b: usize) -> f64 {
        let (from, to) = (places.at[a], places.at[b]);
        ((from.0 - to.0).powi(2) + (from.1 - to.1).powi(2)).sqrt()
    }

    #[test]
    fn ways_on_the_page_are_as_long_as_in_the_graph() {
        let row: Vec<_> = (0..9).map(|node| (node, node + 1)).collect();
        let places = places(10, &row, 1.0);
        assert!((far(&places, 0, 9) - 9.0).abs() < 0.3, "{places:?}");
        assert!((far(&places, 3, 4) - 1.0).abs() < 0.1, "{places:?}");
        assert!(places.width > places.height);
    }

    #[test]
    fn what_does_not_hang_together_lies_apart() {
        let places = places(6, &[(0, 1), (2, 3), (9, 1), (4, 4)], 1.0);
        for (a, b) in [(0, 2), (0, 4), (4, 5), (1, 3), (3, 5)] {
            assert!(far(&places, a, b) > 1.0, "{a} {b} {places:?}");
        }
        let inside = |at: &(f64, f64)| {
            (0.0..=places.width).contains(&at.0) && (0.0..=places.height).contains(&at.1)
        };
        assert!(places.at.iter().all(inside), "{places:?}");
    }

    #[test]
    fn a_large_graph_unfolds_with_few_pairs() {
        let side = 30;
        let node = |x: usize, y: usize| y * side + x;
        let cells = || (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        let across =
            cells().filter(|it| it.0 + 1 < side).map(|(x, y)| (node(x, y), node(x + 1, y)));
        let down = cells().filter(|it| it.1 + 1 < side).map(|(x, y)| (node(x, y), node(x, y + 1)));
        let edges: Vec<_> = across.chain(down).collect();
        let places = places(side * side, &edges, 1.0);
        assert_eq!(places, super::places(side * side, &edges, 1.0), "the same again");
        let corner = far(&places, node(0, 0), node(side - 1, side - 1));
        assert!(corner > 30.0, "{corner}");
        let long = edges.iter().filter(|(a, b)| far(&places, *a, *b) > 2.5).count();
        assert!(long * 50 < edges.len(), "{long} edges are too long");
    }

    #[test]
    fn a_graph_that_grew_stays_where_it_was() {
        let ring: Vec<_> = (0..30).map(|node| (node, (node + 1) % 30)).collect();
        let before = places(30, &ring, 1.5);
        let mut known: Vec<_> = before.at.iter().copied().map(Some).collect();
        known.push(None);
        let after = places_from(&[ring.as_slice(), &[(0, 30)]].concat(), 1.5, &known);
        let moved = |node: usize| {
            let (from, to) = (before.at[node], after.at[node]);
            ((from.0 - to.0).powi(2) + (from.1 - to.1).powi(2)).sqrt()
        };
        let most = (0..30).map(moved).fold(0.0, f64::max);
        assert!(most < 2.0, "{most}");
        assert!((0.3..2.0).contains(&far(&after, 0, 30)), "{}", far(&after, 0, 30));
    }

    #[test]
    fn nothing_has_no_places() {
        assert_eq!(places(0, &[], 1.0), NodePositions::default());
        assert_eq!(places(1, &[], 1.0).at, [(0.0, 0.0)]);
    }
}
