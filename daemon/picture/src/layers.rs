//! Layers: which ones are ground, things or numbers, and which values need a letter.

use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::{WorldLayer, WorldLegend, WorldPart, WorldTone};

/// What a layer is in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerRole {
    /// The lowest layer.
    Ground,
    /// Things on the ground.
    Things,
    /// Numbers over the ground.
    Numbers,
}

pub(crate) fn role(part: &WorldPart, layer: &WorldLayer) -> LayerRole {
    if layer.scale.is_some() {
        return LayerRole::Numbers;
    }
    let first = part.layers.iter().find(|layer| layer.scale.is_none());
    let is_first =
        first.is_some_and(|first| std::ptr::eq(first, layer) || first.name == layer.name);
    if is_first { LayerRole::Ground } else { LayerRole::Things }
}

/// The values of a layer, each with how many before it have the same tone. Kinds of things may become
/// known one by one and have letters: they are not counted, so that none changes its colour.
pub(crate) fn numbered<'a>(
    part: &WorldPart,
    layer: &'a WorldLayer,
) -> Vec<(usize, &'a WorldLegend)> {
    let things = role(part, layer) == LayerRole::Things;
    let mut tones: SortedMap<i32, usize> = SortedMap::new();
    let nth = |legend: &WorldLegend| {
        let count = tones.entry(legend.tone).or_default();
        *count += 1;
        if things { 0 } else { *count - 1 }
    };
    let counts: Vec<usize> = layer.legend.iter().map(nth).collect();
    counts.into_iter().zip(&layer.legend).collect()
}

/// Whether a value shows its letter: its colour alone would not tell it from others.
pub(crate) fn has_glyph(part: &WorldPart, layer: &WorldLayer, legend: &WorldLegend) -> bool {
    let same = layer.legend.iter().filter(|other| other.tone == legend.tone).count();
    let ground = matches!(legend.tone(), WorldTone::Ground | WorldTone::Unspecified);
    !ground && (same > 1 || role(part, layer) == LayerRole::Things)
}
