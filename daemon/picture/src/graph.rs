//! Graphs: roads, nodes with what they are worth, and zones.

use crate::frame::MapFrame;
use crate::looks::looks;
use crate::palette::Palette;
use crate::scene::{PagePoint, ShapePaint, TextLine, VectorScene};
use phalanx_proto::v1::{WorldNode, WorldPart, WorldSide};

/// Smallest unit in which nodes show what they are worth.
const VALUES_MIN: f64 = 16.0;
/// Smallest unit in which roads show what they cost, and nodes their names.
const NAMES_MIN: f64 = 44.0;

pub(crate) fn draw(
    scene: &mut VectorScene,
    part: &WorldPart,
    frame: &MapFrame<'_>,
    colors: &Palette,
) {
    roads(scene, part, frame, colors);
    for node in &part.nodes {
        let Some(at) = frame.node(&node.name) else { continue };
        draw_node(scene, node, at, frame, colors);
    }
}

fn roads(scene: &mut VectorScene, part: &WorldPart, frame: &MapFrame<'_>, colors: &Palette) {
    let node = |index: u32| part.nodes.get(usize::try_from(index).ok()?);
    let mut plain = Vec::new();
    let mut zones: Vec<(WorldSide, Vec<PagePoint>)> = Vec::new();
    let mut costs = Vec::new();
    for edge in &part.edges {
        let (Some(a), Some(b)) = (node(edge.a), node(edge.b)) else { continue };
        let (Some(from), Some(to)) = (frame.node(&a.name), frame.node(&b.name)) else { continue };
        let both = a.zone() == b.zone() && a.zone() != WorldSide::Nobody;
        if both {
            zones.push((a.zone(), vec![from, to]));
        }
        plain.push(vec![from, to]);
        if let Some(weight) = edge.weight {
            costs.push((((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0), weight));
        }
    }
    for side in [WorldSide::Theirs, WorldSide::Ours] {
        let runs = zones.iter().filter(|(of, _)| *of == side).map(|(_, run)| run.clone());
        scene.lines(runs.collect(), ShapePaint::stroke(colors.zone(side), frame.unit * 0.36));
    }
    scene
        .lines(plain, ShapePaint::stroke(colors.faint.covering(0.5), (frame.unit * 0.04).max(0.6)));
    if frame.unit >= NAMES_MIN {
        for (at, weight) in costs {
            let text = TextLine::new(at, 9.0, colors.faint, weight.to_string());
            scene.text(text.centred().with_halo(colors.page));
        }
    }
}

fn draw_node(
    scene: &mut VectorScene,
    node: &WorldNode,
    at: PagePoint,
    frame: &MapFrame<'_>,
    colors: &Palette,
) {
    let half = (frame.unit * looks().sizes.node).max(2.0);
    let fill = match node.zone() {
        WorldSide::Ours | WorldSide::Theirs => colors.zone(node.zone()),
        WorldSide::Nobody | WorldSide::Unspecified if node.value.is_none() => colors.unknown,
        WorldSide::Nobody | WorldSide::Unspecified => colors.ground,
    };
    let (edge, wide) = match node.owner() {
        WorldSide::Nobody | WorldSide::Unspecified => (colors.faint, 0.8),
        WorldSide::Ours | WorldSide::Theirs => (colors.side(node.owner()), 2.0),
    };
    scene.disc(at, half, ShapePaint::fill(fill).with_stroke(edge, wide));
    if let Some(value) = node.value.filter(|_| frame.unit >= VALUES_MIN) {
        let ink = fill.contrast();
        scene.text(TextLine::new(at, half * 1.25, ink, value.to_string()).centred());
    }
    if frame.unit >= NAMES_MIN {
        let below = (at.0, at.1 + half + 8.0);
        let name: String = node.name.chars().take(12).collect();
        let text = TextLine::new(below, 9.0, colors.faint, name);
        scene.text(text.centred().with_halo(colors.page));
    }
}
