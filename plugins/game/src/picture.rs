//! A world as people see it: layers of cells, nodes and edges, marks and bodies, for dashboards,
//! recordings and terminals.
//!
//! A picture is plain data in a fixed order. [`Area`] and [`Picture::bounded`] limit its size, so
//! that no percept can produce a picture that is too large to send.

mod table;

pub use table::{Column, Row, TABLE_COLUMNS_MAX, TABLE_ROWS_MAX, TABLES_MAX, Table};

use crate::AgentId;
use std::borrow::Cow;

/// Longest side of a layer, in cells.
pub const PICTURE_SIDE_MAX: u32 = 512;
/// Most cells over all layers of a picture.
pub const PICTURE_CELLS_MAX: usize = 1 << 18;
/// Most parts of a picture.
pub const PICTURE_PARTS_MAX: usize = 64;
/// Most things of one kind (layers, spots, nodes, edges, bodies, facts) in a part.
pub const PICTURE_THINGS_MAX: usize = 4_096;
/// Longest text in a picture, in bytes.
pub const PICTURE_TEXT_BYTES_MAX: usize = 120;
/// Most places of a body's path.
pub const PATH_MAX: usize = 128;
/// Most things that a body carries.
const CARRIED_MAX: usize = 64;
/// The value of an unseen cell.
pub const CELL_UNKNOWN: u8 = 0;
/// The last seen turn of an unseen cell.
pub const SEEN_NEVER: u32 = u32::MAX;

/// What a team believes of its world, drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The parts whose places to each other are known: one, or several while maps are not joined.
    pub parts: Vec<Part>,
    /// What the team works on.
    pub tables: Vec<Table>,
    /// Something was left out, since it was too much.
    pub cut: bool,
}

/// Everything that shares one system of coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Its name for people, unique in the picture.
    pub name: String,
    /// What the coordinates mean.
    pub shape: Shape,
    /// Cells, the ground first.
    pub layers: Vec<Layer>,
    /// Marked places.
    pub spots: Vec<Spot>,
    /// The nodes of a graph.
    pub nodes: Vec<PictureNode>,
    /// The edges between them.
    pub edges: Vec<PictureEdge>,
    /// Who is there.
    pub bodies: Vec<Body>,
    /// What concerns the whole part: name and value.
    pub facts: Vec<(Cow<'static, str>, String)>,
}

/// What coordinates mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shape {
    /// There are none.
    #[default]
    None,
    /// Cells; x grows to the east.
    Grid {
        /// Columns after which the world begins again, where it does and that is known.
        width: Option<u32>,
        /// Rows after which the world begins again, where it does and that is known.
        height: Option<u32>,
        /// y grows to the north; otherwise to the south.
        up: bool,
    },
    /// Points on a plane from (0, 0); x grows to the east, y to the south.
    Plane {
        /// Where the plane ends in the east.
        width: f64,
        /// Where the plane ends in the south.
        height: f64,
    },
    /// Nodes and edges.
    Graph,
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// On a cell.
    Cell(i32, i32),
    /// At a point.
    Point(f64, f64),
    /// On a node: its index among the part's nodes.
    Node(u32),
}

/// Whose something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Neutral or unknown.
    #[default]
    Nobody,
    /// Our team's.
    Ours,
    /// Another team's.
    Theirs,
}

/// The meaning of a colour. Each renderer chooses the colour itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Free ground.
    Ground,
    /// In the way.
    Obstacle,
    /// Where one wants to be.
    Goal,
    /// What one wants to have.
    Resource,
    /// What hurts.
    Danger,
    /// Our team's.
    Ours,
    /// Another team's.
    Theirs,
    /// Anything else.
    Other,
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// The first column.
    pub x: i32,
    /// The first row.
    pub y: i32,
    /// Columns, at most [`PICTURE_SIDE_MAX`].
    pub width: u32,
    /// Rows, at most [`PICTURE_SIDE_MAX`].
    pub height: u32,
}

/// One layer of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Its name, unique in the part.
    pub name: Cow<'static, str>,
    /// Where its cells are.
    pub area: Area,
    /// The cells, row by row from the area's first; [`CELL_UNKNOWN`] is an unseen cell.
    pub cells: Vec<u8>,
    /// What the values mean; those of [`scale`](Self::scale) are not listed.
    pub legend: Vec<Legend>,
    /// The values 1 to 255 are numbers.
    pub scale: Option<Scale>,
    /// The step in which each cell was seen last, [`SEEN_NEVER`] for never; empty where the game
    /// keeps no such record.
    pub seen: Vec<u32>,
}

/// What the values of a layer mean, as a game declares it.
#[derive(Clone, Copy, Debug)]
pub struct LayerDoc {
    /// The layer's name.
    pub name: &'static str,
    /// Each value with its name, how a text shows it, and what its colour is to say.
    pub legend: &'static [(u8, &'static str, char, Tone)],
}

/// What one value of a layer means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legend {
    /// The value.
    pub value: u8,
    /// What it is, for people.
    pub name: Cow<'static, str>,
    /// How a text shows it.
    pub glyph: char,
    /// What its colour is to say.
    pub tone: Tone,
}

/// Values 1 to 255 stand for numbers, evenly from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// What 1 means.
    pub from: f64,
    /// What 255 means.
    pub to: f64,
    /// What is counted: `probability`, `ticks`.
    pub unit: &'static str,
    /// What the colour of large numbers is to say.
    pub tone: Tone,
}

/// A marked place.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Where.
    pub place: Place,
    /// What kind of thing it is, in the game's word.
    pub kind: Cow<'static, str>,
    /// Text beside the place.
    pub label: String,
    /// A number that belongs to it.
    pub value: Option<f64>,
    /// What its colour is to say.
    pub tone: Tone,
}

/// A node of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureNode {
    /// The referee's name for it.
    pub name: String,
    /// What it is worth, once known.
    pub value: Option<i32>,
    /// The owner that the referee reported last.
    pub owner: Side,
    /// The side whose zone it is, based on the believed positions of the agents.
    pub zone: Side,
}

/// An edge of a graph, without direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureEdge {
    /// The index of one of its nodes.
    pub a: u32,
    /// The index of the other.
    pub b: u32,
    /// What it costs to use it, once known.
    pub weight: Option<u32>,
}

/// Somebody who acts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Its index in our roster; `None`: it is not of ours, or not known as such.
    pub agent: Option<AgentId>,
    /// The referee's name for it; empty where that is not known, or for our own the roster's.
    pub name: String,
    /// Whose it is.
    pub side: Side,
    /// Its role in the game's word; empty where the game has none.
    pub kind: Cow<'static, str>,
    /// Where it is; `None`: that is not known.
    pub place: Option<Place>,
    /// What it carries: how far from it, in cells, and what.
    pub carried: Vec<(i32, i32, String)>,
    /// It can act.
    pub alive: bool,
    /// How it is, for people: `energy 12`.
    pub detail: String,
    /// Where it plans to go, the next place first.
    pub path: Vec<Place>,
    /// What it is doing, as a short phrase; empty: that is not known. The engine takes the reason of
    /// the agent's last decision then.
    pub job: String,
    /// What it carries, as a short phrase; empty: nothing, or that is not known.
    pub carrying: String,
    /// How well it is, from 0 to 1; `None`: the game has no such number, or it is not known.
    pub health: Option<f64>,
    /// The referee's name of its team; empty: that is not known, or for our own the roster's.
    pub team: String,
}

impl Area {
    /// From a corner and a size; sides longer than [`PICTURE_SIDE_MAX`] are cut.
    #[must_use]
    pub fn new(x: i32, y: i32, width: u32, height: u32) -> Self {
        Self { x, y, width: width.min(PICTURE_SIDE_MAX), height: height.min(PICTURE_SIDE_MAX) }
    }

    /// The smallest one that holds all these cells. A cell that would make it too large is left
    /// out: what comes first stays. `None` when there is no cell.
    pub fn around(cells: impl IntoIterator<Item = (i32, i32)>) -> Option<Self> {
        let mut cells = cells.into_iter();
        let (x, y) = cells.next()?;
        let (mut xs, mut ys) = ((x, x), (y, y));
        for (x, y) in cells {
            let (wide, high) = ((xs.0.min(x), xs.1.max(x)), (ys.0.min(y), ys.1.max(y)));
            if side(wide).is_some() && side(high).is_some() {
                (xs, ys) = (wide, high);
            }
        }
        Some(Self { x: xs.0, y: ys.0, width: side(xs)?, height: side(ys)? })
    }

    /// How many cells it has.
    #[must_use]
    pub fn cells(self) -> usize {
        // Both are at most `PICTURE_SIDE_MAX`.
        (self.width * self.height) as usize
    }

    /// The index of a cell in a layer over this area; `None` outside.
    #[must_use]
    pub fn index(self, x: i32, y: i32) -> Option<usize> {
        let column = u32::try_from(i64::from(x) - i64::from(self.x)).ok()?;
        let row = u32::try_from(i64::from(y) - i64::from(self.y)).ok()?;
        let inside = column < self.width && row < self.height;
        inside.then(|| (row * self.width + column) as usize)
    }

    /// All its cells, row by row.
    pub fn each(self) -> impl Iterator<Item = (i32, i32)> {
        let from =
            |start: i32, count: u32| (0..count).map(move |n| start.saturating_add_unsigned(n));
        from(self.y, self.height).flat_map(move |y| from(self.x, self.width).map(move |x| (x, y)))
    }
}

/// The length from one number to another, both included, if a layer may be so long.
fn side((from, to): (i32, i32)) -> Option<u32> {
    let length = u32::try_from(i64::from(to) - i64::from(from) + 1).ok()?;
    (length <= PICTURE_SIDE_MAX).then_some(length)
}

impl Layer {
    /// A layer of which nothing is known.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>, area: Area) -> Self {
        let cells = vec![CELL_UNKNOWN; area.cells()];
        Self { name: name.into(), area, cells, ..Self::default() }
    }

    /// A layer of which nothing is known, as its game declares it.
    #[must_use]
    pub fn declared(doc: &LayerDoc, area: Area) -> Self {
        Self::new(doc.name, area).with_legend(doc.legend)
    }

    /// With what its values mean.
    #[must_use]
    pub fn with_legend(mut self, legend: &[(u8, &'static str, char, Tone)]) -> Self {
        let each = legend.iter().map(|&(value, name, glyph, tone)| Legend {
            value,
            name: Cow::Borrowed(name),
            glyph,
            tone,
        });
        self.legend.extend(each);
        self
    }

    /// With numbers as its values.
    #[must_use]
    pub fn with_scale(mut self, scale: Scale) -> Self {
        self.scale = Some(scale);
        self
    }

    /// With a record of when each cell was seen last.
    #[must_use]
    pub fn with_seen(mut self) -> Self {
        self.seen = vec![SEEN_NEVER; self.cells.len()];
        self
    }

    /// Sets a cell; one outside is left out.
    pub fn set(&mut self, x: i32, y: i32, value: u8) {
        let cell = self.area.index(x, y).and_then(|index| self.cells.get_mut(index));
        if let Some(cell) = cell {
            *cell = value;
        }
    }

    /// Notes when a cell was seen last; one outside is left out.
    pub fn saw(&mut self, x: i32, y: i32, step: u32) {
        let cell = self.area.index(x, y).and_then(|index| self.seen.get_mut(index));
        if let Some(cell) = cell {
            *cell = step;
        }
    }
}

impl Scale {
    /// The index of a number on the scale. Numbers outside become the nearest end.
    #[must_use]
    pub fn value(self, number: f64) -> u8 {
        let span = self.to - self.from;
        let share = if span == 0.0 { 0.0 } else { ((number - self.from) / span).clamp(0.0, 1.0) };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 1 to 255; what is no number becomes 0"
        )]
        let value = (1.0 + share * 254.0).round() as u8;
        value.max(1)
    }
}

impl Picture {
    /// A picture that has one part.
    #[must_use]
    pub fn of(part: Part) -> Self {
        Self { parts: vec![part], ..Self::default() }
    }

    /// With these tables.
    #[must_use]
    pub fn with_tables(mut self, tables: impl IntoIterator<Item = Table>) -> Self {
        self.tables.extend(tables);
        self
    }

    /// Leaves out what is too much: whole parts and layers, the last things of a list, the ends of
    /// texts. Says so in [`cut`](Self::cut).
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let mut cut =
            shorten(&mut self.parts, PICTURE_PARTS_MAX) | shorten(&mut self.tables, TABLES_MAX);
        let mut room = PICTURE_CELLS_MAX;
        for part in &mut self.parts {
            cut |= part.bound(&mut room);
        }
        let parts = &self.parts;
        let there = |name: &str, place| {
            parts.iter().any(|part| part.name == name && place_is_there(place, part.nodes.len()))
        };
        for table in &mut self.tables {
            cut |= table.bound(there);
        }
        self.cut |= cut;
        self
    }
}

/// Whether a part with this many nodes can have the place.
fn place_is_there(place: Place, nodes: usize) -> bool {
    match place {
        Place::Node(node) => (node as usize) < nodes,
        Place::Point(x, y) => x.is_finite() && y.is_finite(),
        Place::Cell(..) => true,
    }
}

impl Part {
    /// True when something was left out.
    fn bound(&mut self, room: &mut usize) -> bool {
        let mut cut = trim(&mut self.name)
            | shorten(&mut self.layers, PICTURE_THINGS_MAX)
            | shorten(&mut self.spots, PICTURE_THINGS_MAX)
            | shorten(&mut self.nodes, PICTURE_THINGS_MAX)
            | shorten(&mut self.edges, PICTURE_THINGS_MAX)
            | shorten(&mut self.bodies, PICTURE_THINGS_MAX)
            | shorten(&mut self.facts, PICTURE_THINGS_MAX);
        let nodes = self.nodes.len();
        let known = |index: u32| (index as usize) < nodes;
        self.edges.retain(|edge| known(edge.a) && known(edge.b));
        self.spots.retain(|spot| place_is_there(spot.place, nodes));
        self.layers.retain(|layer| {
            let fits = layer.cells.len() <= *room;
            if fits {
                *room -= layer.cells.len();
            }
            cut |= !fits;
            fits
        });
        let labels = self.spots.iter_mut().map(|spot| &mut spot.label);
        let names = self.nodes.iter_mut().map(|node| &mut node.name);
        let facts = self.facts.iter_mut().map(|(_, fact)| fact);
        for text in labels.chain(names).chain(facts) {
            cut |= trim(text);
        }
        for body in &mut self.bodies {
            cut |= body.bound(nodes);
        }
        cut
    }
}

impl Body {
    /// True when something was left out. The body's part has this many nodes.
    fn bound(&mut self, nodes: usize) -> bool {
        self.place = self.place.filter(|place| place_is_there(*place, nodes));
        // A way with a gap would lead somewhere else.
        let whole = self.path.iter().take_while(|place| place_is_there(**place, nodes)).count();
        self.path.truncate(whole);
        self.health = self.health.filter(|health| !health.is_nan());
        self.health = self.health.map(|health| health.clamp(0.0, 1.0));
        let mut cut = shorten(&mut self.carried, CARRIED_MAX) | shorten(&mut self.path, PATH_MAX);
        let carried = self.carried.iter_mut().map(|(_, _, what)| what);
        let words = [&mut self.name, &mut self.detail, &mut self.job, &mut self.carrying];
        for text in carried.chain(words).chain([&mut self.team]) {
            cut |= trim(text);
        }
        cut
    }
}

/// True when something was left out.
fn shorten<T>(list: &mut Vec<T>, max: usize) -> bool {
    let long = list.len() > max;
    list.truncate(max);
    long
}

/// True when the text was longer.
fn trim(text: &mut String) -> bool {
    let long = text.len() > PICTURE_TEXT_BYTES_MAX;
    text.truncate(text.floor_char_boundary(PICTURE_TEXT_BYTES_MAX));
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_holds_all_cells_that_come_first() {
        let far = [(0, 0), (3, -2), (i32::MAX, i32::MIN), (-1, 4)];
        let area = Area::around(far).unwrap();
        assert_eq!(area, Area { x: -1, y: -2, width: 5, height: 7 });
        assert_eq!(area.index(-1, -2), Some(0));
        assert_eq!(area.index(3, 4), Some(34));
        assert_eq!(area.index(i32::MIN, i32::MAX), None);
        let indexes: Vec<_> = area.each().filter_map(|(x, y)| area.index(x, y)).collect();
        assert_eq!(indexes, (0..35).collect::<Vec<_>>());
        assert_eq!(Area::around([]), None);
        assert_eq!(Area::new(0, 0, u32::MAX, 1).width, PICTURE_SIDE_MAX);
    }

    #[test]
    fn a_scale_keeps_its_ends_and_never_says_unknown() {
        let scale = Scale { from: 0.0, to: 1.0, unit: "probability", tone: Tone::Danger };
        let values = [-1.0, 0.0, 0.5, 1.0, 9.0, f64::NAN].map(|number| scale.value(number));
        assert_eq!(values, [1, 1, 128, 255, 255, 1]);
        assert_eq!(Scale { to: 0.0, ..scale }.value(3.0), 1);
    }

    #[test]
    fn a_body_is_where_it_can_be_and_as_well_as_it_can_be() {
        let body = |path: &[u32], health| Body {
            path: path.iter().copied().map(Place::Node).collect(),
            health: Some(health),
            ..Body::default()
        };
        let bodies = vec![body(&[1, 0, 7, 1], 1.5), body(&[0; 200], f64::NAN)];
        let nodes = vec![PictureNode::default(); 2];
        let picture = Picture::of(Part { nodes, bodies, ..Part::default() }).bounded();
        let bodies = picture.parts[0].bodies.iter();
        let bodies: Vec<_> = bodies.map(|body| (body.path.len(), body.health)).collect();
        assert_eq!(bodies, [(2, Some(1.0)), (PATH_MAX, None)]);
        assert!(picture.cut);
    }

    #[test]
    fn what_is_too_much_is_left_out_and_said() {
        let layer = || Layer::new("ground", Area::new(0, 0, 512, 512));
        let edge = |b| PictureEdge { a: 0, b, weight: None };
        let part = Part {
            name: "ä".repeat(100),
            layers: vec![layer(), layer()],
            nodes: vec![PictureNode::default(); PICTURE_THINGS_MAX + 1],
            edges: vec![edge(1), edge(4_096), edge(u32::MAX)],
            ..Part::default()
        };
        let small = Picture::of(Part { name: "all".into(), ..Part::default() });
        assert_eq!(small.clone().bounded(), small);
        let picture = Picture { parts: vec![part; 100], ..Picture::default() }.bounded();
        assert!(picture.cut);
        assert_eq!(picture.parts.len(), PICTURE_PARTS_MAX);
        let layers: usize = picture.parts.iter().map(|part| part.layers.len()).sum();
        assert_eq!(layers, 1, "it fills the picture");
        let first = picture.parts.first().unwrap();
        assert_eq!((first.name.len(), first.nodes.len()), (120, PICTURE_THINGS_MAX));
        assert_eq!(first.edges, [edge(1)], "no edge leads to a node that is not there");
    }
}
