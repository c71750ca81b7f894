//! A graph in characters: roads as thin lines, nodes as points, agents with their names.

use super::map::Row;
use crate::paint::Ink;
use crate::remote::map::{Sign, body_sign};
use phalanx_picture::{NodePositions, node_places};
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{WorldNode, WorldPart, WorldSide};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Rows between two neighbours: with fewer, only a part of the graph is shown.
const ROWS: (f64, f64) = (1.2, 4.0);
/// A row is this many times as high as a column is wide.
const LETTER_SHAPE: f64 = 2.0;
/// The width of the page for which nodes are placed, divided by its height.
const ASPECT: f64 = 1.2;
/// From this many columns on, names are written beside the agents.
const NAME_COLUMNS: usize = 60;
/// Dots of a character: columns and rows.
const DOTS: (i64, i64) = (2, 4);
/// The bits of a character's dots, row by row.
const BITS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
/// The character without dots.
const EMPTY: u32 = 0x2800;

/// The last graph with the places of its nodes: finding them takes longer than a frame may, and
/// when the graph grows its nodes should stay where they were.
#[derive(Debug, Default)]
pub struct GraphPlaces(RefCell<LastGraph>);

#[derive(Debug, Default)]
struct LastGraph {
    nodes: Vec<String>,
    roads: Vec<(usize, usize)>,
    places: Rc<NodePositions>,
}

impl GraphPlaces {
    fn of(&self, part: &WorldPart) -> Rc<NodePositions> {
        let index = |node: u32| usize::try_from(node).unwrap_or(usize::MAX);
        let roads: Vec<_> = part.edges.iter().map(|edge| (index(edge.a), index(edge.b))).collect();
        let mut last = self.0.borrow_mut();
        let names = || part.nodes.iter().map(|node| &node.name);
        if !last.nodes.iter().eq(names()) || last.roads != roads {
            let before: BTreeMap<_, _> = last.nodes.iter().zip(&last.places.at).collect();
            let known: Vec<_> = names().map(|name| before.get(name).map(|at| **at)).collect();
            let places = Rc::new(node_places(&roads, ASPECT, &known));
            *last = LastGraph { nodes: names().cloned().collect(), roads, places };
        }
        Rc::clone(&last.places)
    }
}

/// A graph on a page of characters, of which a part may be shown.
#[derive(Debug)]
pub(super) struct GraphPage {
    places: Rc<NodePositions>,
    /// Columns and rows between two neighbours.
    scale: (f64, f64),
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl GraphPage {
    /// The page for a room of this many columns and rows.
    pub(super) fn new(part: &WorldPart, known: &GraphPlaces, room: (usize, usize)) -> Self {
        let places = known.of(part);
        let fits = |room: usize, size: f64| (float(room.saturating_sub(1))) / size.max(1e-9);
        let rows = fits(room.0, places.width * LETTER_SHAPE).min(fits(room.1, places.height));
        let rows = rows.clamp(ROWS.0, ROWS.1);
        let scale = (rows * LETTER_SHAPE, rows);
        let columns = cells(places.width * scale.0) + 1;
        let rows = cells(places.height * scale.1) + 1;
        Self { places, scale, columns, rows }
    }

    /// The character in which a node is.
    pub(super) fn at(&self, node: usize) -> Option<(usize, usize)> {
        let (x, y) = self.places.at.get(node)?;
        Some((cells(x * self.scale.0), cells(y * self.scale.1)))
    }

    /// The dot in which a node is, counted from the first character that is shown.
    fn dot(&self, node: usize, shown: &(Range<usize>, Range<usize>)) -> Option<(i64, i64)> {
        let (column, row) = self.at(node)?;
        let from = |at: usize, first: usize| number(at) - number(first);
        let (column, row) = (from(column, shown.0.start), from(row, shown.1.start));
        Some((column * DOTS.0, row * DOTS.1 + DOTS.1 / 2))
    }

    /// The characters of these columns and rows. The names of agents are written where there is
    /// room.
    pub(super) fn draw(&self, part: &WorldPart, shown: &(Range<usize>, Range<usize>)) -> Vec<Row> {
        let mut rows = self.roads(part, shown);
        let nodes = part.nodes.iter().enumerate();
        let signs = nodes.map(|(node, about)| (node, node_sign(about)));
        let bodies = part.bodies.iter().filter_map(|body| {
            match body.place.as_ref().and_then(|place| place.place) {
                Some(Place::Node(node)) => Some((usize::try_from(node).ok()?, body)),
                _ => None,
            }
        });
        let (ours, others): (Vec<_>, Vec<_>) = bodies.partition(|(_, body)| is_ours(body));
        let mut taken = BTreeMap::new();
        // Ours are in front of the others.
        let agents = others.iter().chain(&ours).map(|(node, body)| (*node, body_sign(body)));
        for (node, sign) in signs.chain(agents) {
            if let Some(at) = self.inside(node, shown) {
                taken.insert(at, sign);
            }
        }
        for ((column, row), sign) in &taken {
            if let Some(cell) = rows.get_mut(*row).and_then(|row| row.get_mut(*column)) {
                *cell = *sign;
            }
        }
        if shown.0.len() >= NAME_COLUMNS {
            for (node, body) in &ours {
                if let Some(at) = self.inside(*node, shown) {
                    name(&mut rows, &mut taken, at, &body.name);
                }
            }
        }
        rows
    }

    fn inside(&self, node: usize, shown: &(Range<usize>, Range<usize>)) -> Option<(usize, usize)> {
        let (column, row) = self.at(node)?;
        let there = shown.0.contains(&column) && shown.1.contains(&row);
        there.then(|| (column - shown.0.start, row - shown.1.start))
    }

    fn roads(&self, part: &WorldPart, shown: &(Range<usize>, Range<usize>)) -> Vec<Row> {
        let (columns, rows) = (shown.0.len(), shown.1.len());
        let mut dots = vec![vec![EMPTY; columns]; rows];
        for edge in &part.edges {
            let index = |node: u32| usize::try_from(node).unwrap_or(usize::MAX);
            let ends = self.dot(index(edge.a), shown).zip(self.dot(index(edge.b), shown));
            let Some((from, to)) = ends else { continue };
            let far = (to.0 - from.0, to.1 - from.1);
            let steps = far.0.abs().max(far.1.abs());
            for step in 0..=steps {
                let along =
                    |from: i64, far: i64| from + (far * step).checked_div(steps).unwrap_or(0);
                let (x, y) = (along(from.0, far.0), along(from.1, far.1));
                let (Ok(column), Ok(row)) =
                    (usize::try_from(x.div_euclid(DOTS.0)), usize::try_from(y.div_euclid(DOTS.1)))
                else {
                    continue;
                };
                let dot =
                    BITS.get(remainder(y, DOTS.1)).and_then(|bits| bits.get(remainder(x, DOTS.0)));
                if let Some(cell) = dots.get_mut(row).and_then(|row| row.get_mut(column)) {
                    *cell |= dot.copied().unwrap_or_default();
                }
            }
        }
        let sign = |dots: u32| match char::from_u32(dots) {
            Some(sign) if dots != EMPTY => (sign, Some(Ink::Dim)),
            _ => (' ', None),
        };
        dots.into_iter().map(|row| row.into_iter().map(sign).collect()).collect()
    }
}

/// A node is larger in a zone, and has the zone's colour.
fn node_sign(node: &WorldNode) -> Sign {
    match node.zone() {
        WorldSide::Ours => ('●', Some(Ink::Green)),
        WorldSide::Theirs => ('●', Some(Ink::Red)),
        WorldSide::Nobody | WorldSide::Unspecified if node.value.is_some() => ('•', None),
        WorldSide::Nobody | WorldSide::Unspecified => ('·', None),
    }
}

/// Writes a name to the right of its place, unless a sign is in its way.
fn name(
    rows: &mut [Row],
    taken: &mut BTreeMap<(usize, usize), Sign>,
    at: (usize, usize),
    name: &str,
) {
    let (column, row) = (at.0 + 1, at.1);
    let letters: Vec<char> = super::plain(name).chars().collect();
    let free = |at: usize| !taken.contains_key(&(at, row));
    let Some(line) = rows.get_mut(row) else { return };
    if column + letters.len() > line.len() || !(column..=column + letters.len()).all(free) {
        return;
    }
    for (cell, letter) in line.iter_mut().skip(column).zip(&letters) {
        *cell = (*letter, Some(Ink::Green));
    }
    taken.extend((column..column + letters.len()).map(|at| ((at, row), (' ', None))));
}

fn is_ours(body: &phalanx_proto::v1::WorldBody) -> bool {
    body.side() == WorldSide::Ours
}

fn remainder(value: i64, by: i64) -> usize {
    usize::try_from(value.rem_euclid(by)).unwrap_or_default()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "sizes of terminals")]
fn float(count: usize) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and places are never negative"
)]
fn cells(length: f64) -> usize {
    length.round() as usize
}
