//! What fits into a picture. Worlds come over sockets and out of files: they may say anything.

use crate::Unfit;
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::{World, WorldLayer, WorldPart};

/// Longest side of a layer, in cells.
pub(crate) const SIDE_MAX: u32 = 512;
/// Most cells of a world.
const CELLS_MAX: usize = 1 << 18;
/// Most parts of a world.
const PARTS_MAX: usize = 64;
/// Most things of one kind in a part, and marks in a world.
const THINGS_MAX: usize = 10_000;

/// Whether a world fits into a picture.
pub(crate) fn fits(world: &World) -> Result<(), Unfit> {
    counted(&world.team, "parts", world.parts.len(), PARTS_MAX)?;
    counted(&world.team, "marks", world.marks.len(), THINGS_MAX)?;
    let mut cells = 0;
    for part in &world.parts {
        part_fits(part)?;
        cells += part.layers.iter().map(|layer| layer.cells.len()).sum::<usize>();
    }
    counted(&world.team, "cells", cells, CELLS_MAX)
}

fn part_fits(part: &WorldPart) -> Result<(), Unfit> {
    let counts = [
        ("layers", part.layers.len()),
        ("marked places", part.spots.len()),
        ("nodes", part.nodes.len()),
        ("edges", part.edges.len()),
        ("bodies", part.bodies.len()),
        ("facts", part.facts.len()),
    ];
    for (what, count) in counts {
        counted(&part.name, what, count, THINGS_MAX)?;
    }
    if let Some(Shape::Plane(plane)) = &part.shape {
        let is_size = |side: f64| side.is_finite() && (1e-6..=1e9).contains(&side);
        if !(is_size(plane.width) && is_size(plane.height)) {
            let (width, height) = (plane.width, plane.height);
            return Err(Unfit::Plane { part: part.name.clone(), width, height });
        }
    }
    part.layers.iter().try_for_each(|layer| layer_fits(part, layer))
}

fn layer_fits(part: &WorldPart, layer: &WorldLayer) -> Result<(), Unfit> {
    let (part, layer_name) = (part.name.clone(), layer.name.clone());
    let (width, height) = (layer.width, layer.height);
    if width > SIDE_MAX || height > SIDE_MAX {
        return Err(Unfit::Layer { part, layer: layer_name, width, height });
    }
    let cells = layer.cells.len();
    let declared = usize::try_from(width * height).unwrap_or(usize::MAX);
    if cells != declared {
        return Err(Unfit::Broken { part, layer: layer_name, cells, declared });
    }
    Ok(())
}

fn counted(place: &str, what: &'static str, count: usize, most: usize) -> Result<(), Unfit> {
    if count > most {
        return Err(Unfit::Many { place: place.to_owned(), what, count, most });
    }
    Ok(())
}
