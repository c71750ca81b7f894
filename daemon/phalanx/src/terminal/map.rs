//! The world in as many letters as there are.

use super::plain;
use crate::paint::Ink;
use crate::remote::map::{Sign, cell, cell_of, index, overlay, point_signs};
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{World, WorldLayer, WorldPart, WorldSide};
use std::collections::BTreeMap;
use std::ops::Range;

/// A row of a map.
pub(crate) type Row = Vec<Sign>;

/// A picture, and what it is called.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Picture {
    /// The part's name.
    pub(crate) part: String,
    /// The layer's name; empty: there is none.
    pub(crate) layer: String,
    pub(crate) rows: Vec<Row>,
}

/// What of a world is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Look<'a> {
    /// The part that has this agent, or most of our own.
    pub(crate) agent: &'a str,
    /// So many parts further.
    pub(crate) part: usize,
    /// Which layer; beyond the last one it begins again.
    pub(crate) layer: usize,
    /// Around this place, where it is not all; absent: around the agent, or all of our own.
    pub(crate) around: Option<(i64, i64)>,
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

/// The place around which it is drawn, moved by so many columns and rows as they are seen, and never
/// off what is known; of graphs, whose nodes are listed, the first row. `None`: all is shown anyway.
pub(crate) fn moved(
    world: &World,
    look: Look<'_>,
    (columns, rows): (i64, i64),
) -> Option<(i64, i64)> {
    let part = part_of(world, look)?;
    let last = |first: i64, count: u32| first + i64::from(count.max(1)) - 1;
    match (&part.shape, layer_of(part, look)) {
        (Some(Shape::Graph(_)), _) => {
            let row = look.around.unwrap_or_default().1;
            let count = i64::try_from(part.bodies.len()).unwrap_or_default();
            Some((0, (row + rows).clamp(0, count)))
        }
        (Some(Shape::Plane(_)), _) | (_, None) => None,
        (shape, Some(layer)) => {
            let (x, y) = look.around.unwrap_or_else(|| middle(part, look.agent));
            let up = matches!(shape, Some(Shape::Grid(grid)) if grid.y_up);
            let y = if up { y - rows } else { y + rows };
            let (left, top) = (i64::from(layer.x), i64::from(layer.y));
            let x = (x + columns).clamp(left, last(left, layer.width));
            Some((x, y.clamp(top, last(top, layer.height))))
        }
    }
}

/// What fits into so many columns and rows.
pub(crate) fn picture(world: &World, look: Look<'_>, (columns, rows): (usize, usize)) -> Picture {
    let Some(part) = part_of(world, look) else { return Picture::default() };
    let layer = layer_of(part, look);
    let name = layer.map(|layer| plain(&layer.name)).unwrap_or_default();
    let rows = match (&part.shape, layer) {
        (Some(Shape::Plane(plane)), _) => {
            plane_rows(part, (plane.width, plane.height), (columns, rows))
        }
        (Some(Shape::Graph(_)), _) => graph_rows(part, look, (columns, rows)),
        (Some(Shape::Grid(_)) | None, Some(layer)) => {
            let around = look.around.unwrap_or_else(|| middle(part, look.agent));
            grid_rows(part, layer, around, (columns, rows))
        }
        (Some(Shape::Grid(_)) | None, None) => Vec::new(),
    };
    Picture { part: plain(&part.name), layer: name, rows }
}

fn grid_rows(
    part: &WorldPart,
    layer: &WorldLayer,
    (x, y): (i64, i64),
    (columns, rows): (usize, usize),
) -> Vec<Row> {
    let overlay = overlay(part);
    let up = matches!(&part.shape, Some(Shape::Grid(grid)) if grid.y_up);
    let width = usize::try_from(layer.width).unwrap_or(usize::MAX).max(1);
    let height = layer.cells.len().div_ceil(width);
    let across = window(x - i64::from(layer.x), width, columns);
    let down = window(y - i64::from(layer.y), height, rows);
    let first = i64::from(layer.y);
    let lines = (first..).zip(layer.cells.chunks(width)).skip(down.start).take(down.len());
    let mut shown: Vec<Row> = lines
        .map(|(y, line)| {
            let cells = line.iter().enumerate().skip(across.start).take(across.len());
            let sign = |(column, value): (usize, &u8)| {
                let x = i64::from(layer.x) + i64::try_from(column).unwrap_or_default();
                overlay.get(&(x, y)).copied().unwrap_or_else(|| cell(layer, *value))
            };
            cells.map(sign).collect()
        })
        .collect();
    if up {
        shown.reverse();
    }
    shown
}

/// Where that agent stands, else the middle of our own.
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

/// So many of all, around one.
fn window(around: i64, all: usize, room: usize) -> Range<usize> {
    if all <= room {
        return 0..all;
    }
    let around = usize::try_from(around).unwrap_or_default();
    let start = around.saturating_sub(room / 2).min(all - room);
    start..start + room
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

/// Nodes on which somebody is.
fn graph_rows(part: &WorldPart, look: Look<'_>, (columns, rows): (usize, usize)) -> Vec<Row> {
    let mut there: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for body in &part.bodies {
        if let Some(Place::Node(node)) = body.place.as_ref().and_then(|place| place.place) {
            there.entry(node).or_default().push(&body.name);
        }
    }
    let line = |(node, names): (u32, Vec<&str>)| {
        let node = usize::try_from(node).ok().and_then(|node| part.nodes.get(node));
        let (name, value) = node.map_or(("?", None), |node| (node.name.as_str(), node.value));
        let value = value.map_or("?".to_owned(), |value| value.to_string());
        let ours = node.is_some_and(|node| node.zone() == WorldSide::Ours);
        let text = plain(&format!("{name} ({value}) {}", names.join(" ")));
        let ink = ours.then_some(Ink::Green);
        text.chars().take(columns).map(|letter| (letter, ink)).collect()
    };
    let stands = |names: &Vec<&str>| names.contains(&look.agent);
    let first = match look.around {
        Some((_, row)) => usize::try_from(row).unwrap_or_default(),
        None => there.values().position(stands).unwrap_or_default().saturating_sub(rows / 2),
    };
    let first = first.min(there.len().saturating_sub(rows));
    there.into_iter().skip(first).take(rows).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_inside_and_around_what_is_looked_at() {
        assert_eq!(window(5, 10, 20), 0..10);
        assert_eq!(window(50, 100, 10), 45..55);
        assert_eq!(window(-3, 100, 10), 0..10);
        assert_eq!(window(99, 100, 10), 90..100);
    }
}
