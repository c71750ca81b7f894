//! The world in as many letters as there are.

use crate::paint::Ink;
use crate::remote::map::{Sign, cell, cell_of, index, overlay, point_signs};
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{World, WorldLayer, WorldPart, WorldSide};
use std::collections::BTreeMap;
use std::ops::Range;

/// A picture, and what it is called.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) rows: Vec<Vec<Sign>>,
}

/// The part that has this agent, or most of our own; `skip`: so many parts further.
fn part_of<'a>(world: &'a World, agent: &str, skip: usize) -> Option<&'a WorldPart> {
    let ours = |part: &WorldPart| {
        let all = part.bodies.iter().filter(|body| body.side() == WorldSide::Ours);
        (part.bodies.iter().any(|body| body.name == agent), all.count())
    };
    let best = (0..world.parts.len())
        .max_by_key(|index| (world.parts.get(*index).map(ours), std::cmp::Reverse(*index)))?;
    world.parts.get((best + skip) % world.parts.len())
}

/// What fits into so many columns and rows, around that agent where it is not all.
pub(super) fn picture(
    world: &World,
    agent: &str,
    (skip, layer): (usize, usize),
    (columns, rows): (usize, usize),
) -> Picture {
    let Some(part) = part_of(world, agent, skip) else { return Picture::default() };
    let layer = match part.layers.len() {
        0 => None,
        count => part.layers.get(layer % count),
    };
    let name = layer.map(|layer| format!(" {}", layer.name)).unwrap_or_default();
    let title = format!("{}{name}", part.name);
    let rows = match (&part.shape, layer) {
        (Some(Shape::Plane(plane)), _) => {
            plane_rows(part, (plane.width, plane.height), (columns, rows))
        }
        (Some(Shape::Graph(_)), _) => graph_rows(part, (columns, rows)),
        (Some(Shape::Grid(_)) | None, Some(layer)) => {
            grid_rows(part, layer, agent, (columns, rows))
        }
        (Some(Shape::Grid(_)) | None, None) => Vec::new(),
    };
    Picture { title, rows }
}

fn grid_rows(
    part: &WorldPart,
    layer: &WorldLayer,
    agent: &str,
    (columns, rows): (usize, usize),
) -> Vec<Vec<Sign>> {
    let overlay = overlay(part);
    let up = matches!(&part.shape, Some(Shape::Grid(grid)) if grid.y_up);
    let width = usize::try_from(layer.width).unwrap_or(usize::MAX).max(1);
    let height = layer.cells.len().div_ceil(width);
    let (x, y) = middle(part, agent);
    let across = window(x - i64::from(layer.x), width, columns);
    let down = window(y - i64::from(layer.y), height, rows);
    let first = i64::from(layer.y);
    let lines = (first..).zip(layer.cells.chunks(width)).skip(down.start).take(down.len());
    let mut shown: Vec<Vec<Sign>> = lines
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
) -> Vec<Vec<Sign>> {
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
fn graph_rows(part: &WorldPart, (columns, rows): (usize, usize)) -> Vec<Vec<Sign>> {
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
        let text = format!("{name} ({value}) {}", names.join(" "));
        let ink = ours.then_some(Ink::Green);
        text.chars().take(columns).map(|letter| (letter, ink)).collect()
    };
    there.into_iter().take(rows).map(line).collect()
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
