//! The world in characters, cut to the room that there is.

use super::graph::{GraphPage, GraphPlaces};
use super::{around, dim, plain, signs};
use crate::remote::map::{Sign, cell, cell_of, index, legend_of, overlay, point_signs};
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{World, WorldLayer, WorldPart, WorldSide};
use std::ops::Range;

/// From this many rows on there is room for a legend, and its rows at most.
const LEGEND_ROOM: usize = 14;
const LEGEND_ROWS: usize = 3;

pub type Row = Vec<Sign>;

/// A map with its title.
#[derive(Debug, Default, PartialEq)]
pub struct Picture {
    /// The part's name.
    pub part: String,
    /// The layer's name; empty: there is none.
    pub layer: String,
    pub rows: Vec<Row>,
}

/// The lines of a pane: the map in its middle, and below it what the signs mean.
#[derive(Debug)]
pub struct MapPage {
    pub picture: Picture,
    pub lines: Vec<ratatui::text::Line<'static>>,
    /// Columns and rows for the map itself.
    pub room: (usize, usize),
}

/// The part of a world to show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look<'a> {
    /// Show the part with this agent, or the one with most of our agents.
    pub agent: &'a str,
    /// Show this many parts further.
    pub part: usize,
    /// The layer's number; beyond the last one it starts again.
    pub layer: usize,
    /// The centre, if the map does not fit; absent: the agent, or the middle of our agents.
    pub around: Option<(i64, i64)>,
}

fn part_of<'a>(world: &'a World, look: Look<'_>) -> Option<&'a WorldPart> {
    let ours = |part: &WorldPart| {
        let all = part.bodies.iter().filter(|body| body.side() == WorldSide::Ours);
        (part.bodies.iter().any(|body| body.name == look.agent), all.count())
    };
    let best = (0..world.parts.len())
        .max_by_key(|index| (world.parts.get(*index).map(ours), std::cmp::Reverse(*index)))?;
    world.parts.get((best + look.part) % world.parts.len())
}

fn layer_of<'a>(part: &'a WorldPart, look: Look<'_>) -> Option<&'a WorldLayer> {
    part.layers.get(look.layer.checked_rem(part.layers.len())?)
}

/// Columns or rows, of which some are shown.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// The number of the first one.
    first: i64,
    /// Their number.
    all: usize,
    /// The one in the centre.
    at: i64,
}

impl Line {
    /// The shown ones if there is room for `room`, counted from the first one.
    fn shown(self, room: usize) -> Range<usize> {
        let at = usize::try_from(self.at.saturating_sub(self.first)).unwrap_or_default();
        around(at, self.all, room)
    }

    /// The centre after `steps`; `None`: all of them are shown.
    fn moved(self, steps: i64, room: usize) -> Option<i64> {
        let last = self.all.checked_sub(room).filter(|last| *last > 0)?;
        let start = number(self.shown(room).start).saturating_add(steps).clamp(0, number(last));
        Some(self.first.saturating_add(start).saturating_add(number(room / 2)))
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn is_up(part: &WorldPart) -> bool {
    matches!(&part.shape, Some(Shape::Grid(grid)) if grid.y_up)
}

/// The columns and rows of a layer or a graph in a room; `None`: there are none.
fn lines(
    part: &WorldPart,
    look: Look<'_>,
    graphs: &GraphPlaces,
    room: (usize, usize),
) -> Option<(Line, Line)> {
    match (&part.shape, layer_of(part, look)) {
        (Some(Shape::Graph(_)), _) => {
            let page = GraphPage::new(part, graphs, room);
            let at = || middle_of_graph(part, &page, look.agent);
            let (x, y) = look.around.unwrap_or_else(at);
            let line = |all, at| Line { first: 0, all, at };
            Some((line(page.columns, x), line(page.rows, y)))
        }
        (Some(Shape::Plane(_)), _) | (_, None) => None,
        (Some(Shape::Grid(_)) | None, Some(layer)) => {
            let (x, y) = look.around.unwrap_or_else(|| middle(part, look.agent));
            let width = width(layer);
            let height = layer.cells.len().div_ceil(width);
            let across = Line { first: layer.x.into(), all: width, at: x };
            Some((across, Line { first: layer.y.into(), all: height, at: y }))
        }
    }
}

/// The centre after this many steps to the right and down on the screen; it stays on known cells.
/// `None`: everything is shown already.
pub fn moved(
    world: &World,
    look: Look<'_>,
    graphs: &GraphPlaces,
    (right, down): (i64, i64),
    (columns, rows): (usize, usize),
) -> Option<(i64, i64)> {
    let part = part_of(world, look)?;
    let (across, along) = lines(part, look, graphs, (columns, rows))?;
    let columns = columns / letters(&part.shape, across.all, columns);
    let x = across.moved(right, columns);
    let y = along.moved(if is_up(part) { -down } else { down }, rows);
    let goes = right != 0 && x.is_some() || down != 0 && y.is_some();
    goes.then(|| (x.unwrap_or(across.at), y.unwrap_or(along.at)))
}

/// A pane of this many columns and rows.
pub fn page(
    world: &World,
    look: Look<'_>,
    graphs: &GraphPlaces,
    (columns, rows): (usize, usize),
) -> MapPage {
    let legend = part_of(world, look).map(|part| legend_of(part, layer_of(part, look)));
    let legend = folded(&plain(&legend.unwrap_or_default()), columns);
    let legend = if rows >= LEGEND_ROOM { legend } else { Vec::new() };
    let room = (columns, rows - legend.len());
    let mut picture = picture(world, look, graphs, room);
    let map = signs(std::mem::take(&mut picture.rows));
    let widest = map.iter().map(ratatui::text::Line::width).max().unwrap_or_default();
    let left = " ".repeat(columns.saturating_sub(widest) / 2);
    let above = room.1.saturating_sub(map.len()) / 2;
    let mut lines = vec![ratatui::text::Line::default(); above];
    lines.extend(map.into_iter().map(|mut line| {
        line.spans.insert(0, left.clone().into());
        line
    }));
    lines.resize(room.1, ratatui::text::Line::default());
    lines.extend(legend.into_iter().map(|line| ratatui::text::Line::styled(line, dim())));
    MapPage { picture, lines, room }
}

/// A legend in lines of this width, its entries in one piece; at most [`LEGEND_ROWS`].
fn folded(legend: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for entry in legend.split("  ").filter(|entry| !entry.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + entry.chars().count() + 2 <= columns => {
                line.push_str("  ");
                line.push_str(entry);
            }
            _ => lines.push(entry.to_owned()),
        }
    }
    lines.truncate(LEGEND_ROWS);
    lines
}

/// The map that fits into this many columns and rows.
fn picture(
    world: &World,
    look: Look<'_>,
    graphs: &GraphPlaces,
    (columns, rows): (usize, usize),
) -> Picture {
    let Some(part) = part_of(world, look) else { return Picture::default() };
    let layer = layer_of(part, look);
    let name = layer.map(|layer| plain(&layer.name)).unwrap_or_default();
    let rows = match (&part.shape, layer) {
        (Some(Shape::Plane(plane)), _) => {
            plane_rows(part, (plane.width, plane.height), (columns, rows))
        }
        (Some(Shape::Graph(_)), _) => graph_rows(part, look, graphs, (columns, rows)),
        (Some(Shape::Grid(_)) | None, Some(layer)) => {
            grid_rows(part, layer, look, graphs, (columns, rows))
        }
        (Some(Shape::Grid(_)) | None, None) => Vec::new(),
    };
    Picture { part: plain(&part.name), layer: name, rows }
}

fn width(layer: &WorldLayer) -> usize {
    usize::try_from(layer.width).unwrap_or(usize::MAX).max(1)
}

/// Letters for each cell: two where there is room, since a letter is twice as high as wide.
fn letters(shape: &Option<Shape>, cells: usize, columns: usize) -> usize {
    let is_graph = matches!(shape, Some(Shape::Graph(_)));
    if !is_graph && cells * 2 <= columns { 2 } else { 1 }
}

fn grid_rows(
    part: &WorldPart,
    layer: &WorldLayer,
    look: Look<'_>,
    graphs: &GraphPlaces,
    (columns, rows): (usize, usize),
) -> Vec<Row> {
    let Some((across, down)) = lines(part, look, graphs, (columns, rows)) else {
        return Vec::new();
    };
    let letters = letters(&part.shape, across.all, columns);
    let (across, down) = (across.shown(columns / letters), down.shown(rows));
    let overlay = overlay(part);
    let first = i64::from(layer.y);
    let lines = (first..).zip(layer.cells.chunks(width(layer))).skip(down.start).take(down.len());
    let mut shown: Vec<Row> = lines
        .map(|(y, line)| {
            let cells = line.iter().enumerate().skip(across.start).take(across.len());
            let sign = |(column, value): (usize, &u8)| {
                let x = i64::from(layer.x) + i64::try_from(column).unwrap_or_default();
                let sign = overlay.get(&(x, y)).copied().unwrap_or_else(|| cell(layer, *value));
                std::iter::once(sign).chain(std::iter::repeat_n((' ', None), letters - 1))
            };
            cells.flat_map(sign).collect()
        })
        .collect();
    if is_up(part) {
        shown.reverse();
    }
    shown
}

/// The agent's position, or the middle of our agents.
fn middle(part: &WorldPart, agent: &str) -> (i64, i64) {
    let at = |body: &&phalanx_proto::v1::WorldBody| cell_of(body.place.as_ref());
    let own = part.bodies.iter().find(|body| body.name == agent);
    if let Some(place) = own.as_ref().and_then(at) {
        return place;
    }
    let ours = part.bodies.iter().filter(|body| body.side() == WorldSide::Ours);
    let places: Vec<_> = ours.filter_map(|body| at(&body)).collect();
    let count = i64::try_from(places.len()).unwrap_or(i64::MAX);
    let sum = |pick: fn(&(i64, i64)) -> i64| places.iter().map(pick).sum::<i64>();
    let mean = |sum: i64| sum.checked_div(count).unwrap_or_default();
    (mean(sum(|place| place.0)), mean(sum(|place| place.1)))
}

fn plane_rows(
    part: &WorldPart,
    (width, height): (f64, f64),
    (columns, rows): (usize, usize),
) -> Vec<Row> {
    if !(width > 0.0 && height > 0.0 && width.is_finite() && height.is_finite()) {
        return Vec::new();
    }
    let mut shown = vec![vec![(' ', None); columns]; rows];
    for (place, sign) in point_signs(part) {
        let Some(Place::Point(at)) = place.and_then(|place| place.place.as_ref()) else { continue };
        let (column, row) = (index(columns, at.x / width), index(rows, at.y / height));
        if let Some(cell) = shown.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = sign;
        }
    }
    shown
}

/// The character of the agent, or of the middle of the page.
fn middle_of_graph(part: &WorldPart, page: &GraphPage, agent: &str) -> (i64, i64) {
    let own = part.bodies.iter().find(|body| body.name == agent);
    let place = own.and_then(|body| match body.place.as_ref()?.place? {
        Place::Node(node) => page.at(usize::try_from(node).ok()?),
        Place::Cell(_) | Place::Point(_) => None,
    });
    let (x, y) = place.unwrap_or((page.columns / 2, page.rows / 2));
    (number(x), number(y))
}

fn graph_rows(
    part: &WorldPart,
    look: Look<'_>,
    graphs: &GraphPlaces,
    (columns, rows): (usize, usize),
) -> Vec<Row> {
    let Some((across, down)) = lines(part, look, graphs, (columns, rows)) else {
        return Vec::new();
    };
    let page = GraphPage::new(part, graphs, (columns, rows));
    page.draw(part, &(across.shown(columns), down.shown(rows)))
}
