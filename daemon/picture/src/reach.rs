//! How far worlds reach: what all pictures of one film have in common, so that nothing jumps from one
//! to the next.

use crate::layers::{LayerRole, has_glyph, numbered, role};
use crate::legend::{LegendLine, LegendLines};
use crate::springs::{NodePositions, places};
use crate::{Unfit, arrange, check};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{World, WorldLayer, WorldPart, WorldPlace, WorldSide, WorldTone};
use std::sync::OnceLock;

/// Most parts that are drawn at once; the others are only mentioned.
pub(crate) const PARTS_MAX: usize = 12;
/// Most ways in which parts stand together in one film.
const GROUPS_MAX: usize = 1_000;
/// Most nodes of all graphs of one film.
const NODES_MAX: usize = 8_192;
/// How much wider than high a page is for a graph.
const GRAPH_ASPECT: f64 = 1.25;
/// The longer side of a plane, in lengths of a body.
const PLANE_UNITS: f64 = 28.0;
/// Unseen cells that are drawn around the seen ones.
const AROUND: i64 = 2;
/// Room around a graph, in edges.
pub(crate) const GRAPH_MARGIN: f64 = 0.8;

/// What the worlds of one picture, or of all pictures of a film, reach.
#[derive(Debug, Default)]
pub struct Reach {
    /// The layers that are wanted; none: those that games put first.
    pub(crate) wanted: Vec<String>,
    /// Worlds of the same parts; where parts join, another stage begins.
    stages: SortedMap<StageKey, usize>,
    /// How far each part of each stage reaches.
    parts: SortedMap<usize, SortedMap<String, Span>>,
    /// The maps that there are at the same time.
    groups: SortedSet<Vec<Panel>>,
    pub(crate) legend: LegendLines,
    nodes: SortedMap<String, usize>,
    edges: SortedSet<(usize, usize)>,
    places: OnceLock<NodePositions>,
    /// How high the highest group of maps is, in the room for which somebody asked first.
    highest: OnceLock<((f64, f64), f64)>,
    /// Most agents that are listed at the same time.
    pub(crate) listed: usize,
}

/// The names of parts, and after how many columns and rows each begins again.
type StageKey = Vec<(String, Option<u32>, Option<u32>)>;

/// How far a part reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Span {
    Cells(Cells),
    Plane { width: f64, height: f64 },
    Graph,
}

/// Cells from a corner on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) width: i64,
    pub(crate) height: i64,
}

impl Cells {
    /// All of them, row by row.
    pub(crate) fn each(self) -> impl Iterator<Item = (i64, i64)> {
        (self.y..self.y + self.height)
            .flat_map(move |y| (self.x..self.x + self.width).map(move |x| (x, y)))
    }
}

/// One map of a part: its ground, and numbers over it where there are some.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Panel {
    stage: usize,
    pub(crate) part: String,
    /// The layer of numbers.
    pub(crate) numbers: Option<String>,
    /// It only shows numbers; the agents are on the part's first map.
    pub(crate) further: bool,
}

impl Reach {
    /// Of nothing yet; `layers`: draw these, by their names, instead of those that games put first.
    #[must_use]
    pub fn new(layers: Vec<String>) -> Self {
        Self { wanted: layers, ..Self::default() }
    }

    /// Of one world.
    ///
    /// # Errors
    /// As [`see`](Self::see).
    pub fn of(world: &World, layers: Vec<String>) -> Result<Self, Unfit> {
        let mut reach = Self::new(layers);
        reach.see(world)?;
        Ok(reach)
    }

    /// Takes in another world.
    ///
    /// # Errors
    /// When the world is larger than a picture may be, is not whole, or lacks a layer that is wanted.
    pub fn see(&mut self, world: &World) -> Result<(), Unfit> {
        check::fits(world)?;
        self.has_wanted(world)?;
        let next = self.stages.len().min(GROUPS_MAX);
        let stage = *self.stages.entry(stage_key(world)).or_insert(next);
        for part in world.parts.iter().take(PARTS_MAX) {
            let Some(span) = self.span(stage, part) else { continue };
            self.parts.entry(stage).or_default().insert(part.name.clone(), span);
            self.explain(part);
        }
        let group = self.panels(world);
        if !world.marks.is_empty() {
            self.legend.add(LegendLine::Mark);
        }
        let listed = world.parts.iter().flat_map(|part| &part.bodies);
        self.listed = self.listed.max(listed.filter(|body| !body.name.is_empty()).count());
        if self.groups.len() < GROUPS_MAX {
            self.groups.insert(group);
        }
        (self.places, self.highest) = (OnceLock::new(), OnceLock::new());
        Ok(())
    }

    fn has_wanted(&self, world: &World) -> Result<(), Unfit> {
        let layers = || world.parts.iter().flat_map(|part| &part.layers);
        let missing = self.wanted.iter().find(|name| !layers().any(|layer| layer.name == **name));
        match missing {
            Some(missing) if layers().next().is_some() => {
                let names: SortedSet<&str> = layers().map(|layer| layer.name.as_str()).collect();
                let known = names.into_iter().collect::<Vec<_>>().join(", ");
                Err(Unfit::NoLayer { missing: missing.clone(), known })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Grown by what the part has.
    fn span(&mut self, stage: usize, part: &WorldPart) -> Option<Span> {
        match &part.shape {
            Some(Shape::Plane(plane)) => {
                Some(Span::Plane { width: plane.width, height: plane.height })
            }
            Some(Shape::Graph(_)) => {
                self.grow_graph(part);
                Some(Span::Graph)
            }
            Some(Shape::Grid(_)) | None => {
                let known = match self.known(stage, &part.name) {
                    Some(Span::Cells(cells)) => Some(cells),
                    Some(Span::Plane { .. } | Span::Graph) | None => None,
                };
                let plain = part.layers.iter().any(|layer| layer.scale.is_none());
                let layers = part.layers.iter().filter(|layer| !plain || layer.scale.is_none());
                let layers = layers.filter_map(Cells::of_layer);
                let known = layers.fold(known, |all, more| Some(Cells::joined(all, more)));
                let places = part.spots.iter().map(|spot| spot.place.as_ref());
                let places = places.chain(part.bodies.iter().map(|body| body.place.as_ref()));
                let cells =
                    places.filter_map(cell_of).map(|(x, y)| Cells { x, y, width: 1, height: 1 });
                cells.fold(known, |all, more| Some(Cells::joined(all, more))).map(Span::Cells)
            }
        }
    }

    fn grow_graph(&mut self, part: &WorldPart) {
        for node in &part.nodes {
            let next = self.nodes.len();
            if next < NODES_MAX {
                self.nodes.entry(node.name.clone()).or_insert(next);
            }
        }
        let node = |index: u32| {
            let node = part.nodes.get(usize::try_from(index).ok()?)?;
            self.nodes.get(&node.name).copied()
        };
        let edges = part.edges.iter().filter_map(|edge| Some((node(edge.a)?, node(edge.b)?)));
        self.edges.extend(edges.map(|(a, b)| (a.min(b), a.max(b))));
    }

    /// The maps of a world, as far as it has been seen: of each part one with the first layer of
    /// numbers, and one for each further layer.
    pub(crate) fn panels(&self, world: &World) -> Vec<Panel> {
        let Some(stage) = self.stages.get(&stage_key(world)).copied() else { return Vec::new() };
        let parts = world.parts.iter().take(PARTS_MAX);
        let parts = parts.filter(|part| self.known(stage, &part.name).is_some());
        let panel = |part: &WorldPart, numbers: Option<String>, further: bool| Panel {
            stage,
            part: part.name.clone(),
            numbers,
            further,
        };
        let mut panels = Vec::new();
        for part in parts {
            let mut layers = self.numbers(part).map(|layer| layer.name.clone());
            panels.push(panel(part, layers.next(), false));
            panels.extend(layers.map(|name| panel(part, Some(name), true)));
        }
        panels
    }

    /// The layers of numbers that are drawn.
    fn numbers<'a>(&self, part: &'a WorldPart) -> impl Iterator<Item = &'a WorldLayer> {
        let wanted = |name: &String| self.wanted.is_empty() || self.wanted.contains(name);
        let layers = part.layers.iter().filter(|layer| role(part, layer) == LayerRole::Numbers);
        layers.filter(|layer| wanted(&layer.name)).collect::<Vec<_>>().into_iter()
    }

    fn explain(&mut self, part: &WorldPart) {
        for layer in &part.layers {
            if layer.cells.contains(&0) && role(part, layer) == LayerRole::Ground {
                self.legend.add(LegendLine::Unknown);
            }
            for (nth, legend) in numbered(part, layer) {
                let value = u8::try_from(legend.value).unwrap_or_default();
                let ground = legend.tone() == WorldTone::Ground;
                let shown = !ground || role(part, layer) == LayerRole::Ground;
                if value > 0 && shown && layer.cells.contains(&value) {
                    let glyph = has_glyph(part, layer, legend).then(|| legend.glyph.clone());
                    self.legend.add(LegendLine::Value {
                        tone: legend.tone().into(),
                        nth,
                        glyph,
                        name: legend.name.clone(),
                    });
                }
            }
        }
        let scales: Vec<LegendLine> = self.numbers(part).filter_map(LegendLine::scale).collect();
        self.legend.extend(scales);
        let spots = part.spots.iter();
        self.legend.extend(
            spots
                .map(|spot| LegendLine::Spot { tone: spot.tone().into(), kind: spot.kind.clone() }),
        );
        for body in part.bodies.iter().filter(|body| body.place.is_some()) {
            let ours = body.side() == WorldSide::Ours;
            self.legend.add(if ours { LegendLine::Ours } else { LegendLine::Theirs });
            if !body.alive {
                self.legend.add(LegendLine::Down);
            }
        }
        if part.nodes.iter().any(|node| node.zone() != WorldSide::Nobody) {
            self.legend.add(LegendLine::Zone);
        }
    }

    pub(crate) fn span_of(&self, panel: &Panel) -> Option<Span> {
        self.known(panel.stage, &panel.part)
    }

    fn known(&self, stage: usize, part: &str) -> Option<Span> {
        self.parts.get(&stage)?.get(part).copied()
    }

    /// How high the highest group of maps is in so much room; a film has the same for all its frames.
    pub(crate) fn highest(&self, room: (f64, f64)) -> f64 {
        let high = || arrange::highest(self, &self.groups, room);
        let (first, height) = *self.highest.get_or_init(|| (room, high()));
        if first == room { height } else { high() }
    }

    /// Where the nodes of all graphs are drawn.
    pub(crate) fn places(&self) -> &NodePositions {
        let edges = || self.edges.iter().copied().collect::<Vec<_>>();
        self.places.get_or_init(|| places(self.nodes.len(), &edges(), GRAPH_ASPECT))
    }

    pub(crate) fn node(&self, name: &str) -> Option<(f64, f64)> {
        self.places().at.get(*self.nodes.get(name)?).copied()
    }

    /// How many units a map is wide and high; a unit is a cell, an edge, or the size of a body.
    pub(crate) fn units(&self, panel: &Panel) -> (f64, f64) {
        match self.span_of(panel) {
            Some(Span::Cells(cells)) => (float(cells.width), float(cells.height)),
            Some(Span::Plane { width, height }) => {
                let unit = width.max(height) / PLANE_UNITS;
                (width / unit, height / unit)
            }
            Some(Span::Graph) => {
                let places = self.places();
                let margin = 2.0 * GRAPH_MARGIN;
                ((places.width + margin).max(4.0), (places.height + margin).max(3.0))
            }
            None => (1.0, 1.0),
        }
    }
}

fn stage_key(world: &World) -> StageKey {
    let again = |part: &WorldPart| match &part.shape {
        Some(Shape::Grid(grid)) => (grid.width, grid.height),
        Some(Shape::Plane(_) | Shape::Graph(_)) | None => (None, None),
    };
    let parts = world.parts.iter().take(PARTS_MAX);
    parts.map(|part| (part.name.clone(), again(part).0, again(part).1)).collect()
}

impl Cells {
    /// What was seen of a layer, with [`AROUND`] it as far as there are cells; `None`: nothing was.
    fn of_layer(layer: &WorldLayer) -> Option<Self> {
        let (width, height) = (i64::from(layer.width), i64::from(layer.height));
        let seen = (0_i64..).zip(&layer.cells).filter(|(_, value)| **value != 0);
        let seen =
            seen.filter_map(|(at, _)| Some((at.checked_rem(width)?, at.checked_div(width)?)));
        let one = |(x, y)| Self { x, y, width: 1, height: 1 };
        let all = seen.map(one).reduce(|all, more| Self::joined(Some(all), more))?;
        let (left, top) = ((all.x - AROUND).max(0), (all.y - AROUND).max(0));
        let right = (all.x + all.width + AROUND).min(width);
        let below = (all.y + all.height + AROUND).min(height);
        let (x, y) = (i64::from(layer.x) + left, i64::from(layer.y) + top);
        Some(Self { x, y, width: right - left, height: below - top })
    }

    /// Both, or the first one alone where both would be too large.
    fn joined(all: Option<Self>, more: Self) -> Self {
        let Some(all) = all.filter(|all| all.width > 0 && all.height > 0) else { return more };
        let (x, y) = (all.x.min(more.x), all.y.min(more.y));
        let right = (all.x + all.width).max(more.x + more.width);
        let below = (all.y + all.height).max(more.y + more.height);
        let (width, height) = (right - x, below - y);
        let max = i64::from(check::SIDE_MAX);
        if width > max || height > max { all } else { Self { x, y, width, height } }
    }
}

pub(crate) fn cell_of(place: Option<&WorldPlace>) -> Option<(i64, i64)> {
    match place?.place.as_ref()? {
        Place::Cell(cell) => Some((cell.x.into(), cell.y.into())),
        Place::Point(_) | Place::Node(_) => None,
    }
}

pub(crate) fn float(number: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "cells of a picture are few")]
    let float = number as f64;
    float
}
