//! How things look: the one description that these pictures share with the web page.
//!
//! The file names colours, sizes and signs, and which kinds of things have signs of their own. The page
//! reads the same file, so that a picture in a paper and the map in the browser agree.

use crate::palette::{Palette, Rgba, Theme};
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::WorldTone;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How much of the ground an area covers.
pub(crate) const AREA_COVER: f64 = 0.26;

/// Parsed once; a test holds that it can be parsed.
static LOOKS: LazyLock<Looks> =
    LazyLock::new(|| serde_json::from_str(include_str!("looks.json")).unwrap_or_default());

/// The whole description.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Looks {
    light: Palette,
    dark: Palette,
    /// How much paler each further value of a tone is.
    paler: Vec<f64>,
    /// The same for shades of the ground.
    shaded: Vec<f64>,
    /// How pale goals and zones are.
    pub(crate) goal_pale: f64,
    pub(crate) zone_pale: f64,
    /// How much of the ground a number covers at most.
    pub(crate) cover: f64,
    /// Age in steps, and how much a cell of that age fades; the oldest first.
    pub(crate) fading: Vec<(u32, f64)>,
    pub(crate) sizes: SignSizes,
    sides: SideSigns,
    tones: BTreeMap<String, String>,
    kinds: SortedMap<String, KindLook>,
    signs: SortedMap<String, Vec<SignShape>>,
}

/// Half of a sign, in units of the map.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct SignSizes {
    pub(crate) body: f64,
    pub(crate) spot: f64,
    pub(crate) carried: f64,
    pub(crate) node: f64,
}

#[derive(Debug, Default, Deserialize)]
struct SideSigns {
    ours: String,
    others: String,
    gone: String,
}

/// How one kind of thing looks, where its tone does not say all.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct KindLook {
    sign: Option<String>,
    /// A colour of its own, the same on every theme.
    shade: Option<Rgba>,
    /// Adjacent ones are one area.
    #[serde(default)]
    pub(crate) area: bool,
}

/// A shape of a sign; places are relative to its middle, in halves of its size.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SignShape {
    /// Middle and radius.
    pub(crate) disc: Option<(f64, f64, f64)>,
    /// The corners of an area.
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) lines: Vec<Vec<(f64, f64)>>,
    /// Corner, size, and how round its corners are.
    #[serde(rename = "box")]
    pub(crate) area: Option<(f64, f64, f64, f64, f64)>,
    pub(crate) fill: Option<SignInk>,
    pub(crate) stroke: Option<SignInk>,
    /// Width of the stroke.
    pub(crate) wide: f64,
}

/// The colour of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(crate) enum SignInk {
    /// That of the thing.
    Thing,
    /// A darker one.
    Shadow,
    /// Black or white, whichever differs more.
    Contrast,
    /// That of the page.
    Page,
    /// That of what one wants to have.
    Resource,
    /// Always the same.
    Fixed(Rgba),
}

impl From<String> for SignInk {
    fn from(name: String) -> Self {
        match name.as_str() {
            "shadow" => Self::Shadow,
            "contrast" => Self::Contrast,
            "page" => Self::Page,
            "resource" => Self::Resource,
            other => Rgba::parsed(other).map_or(Self::Thing, Self::Fixed),
        }
    }
}

impl SignInk {
    pub(crate) fn color(self, thing: Rgba, colors: &Palette) -> Rgba {
        match self {
            Self::Thing => thing,
            Self::Shadow => thing.mixed(Rgba::hex(0), 0.45),
            Self::Contrast => thing.contrast(),
            Self::Page => colors.page,
            Self::Resource => colors.tone(WorldTone::Resource),
            Self::Fixed(color) => color,
        }
    }
}

impl KindLook {
    /// The colour of such a thing.
    pub(crate) fn color(&self, tone: WorldTone, colors: &Palette) -> Rgba {
        self.shade.unwrap_or_else(|| colors.tone(tone))
    }

    /// The sign that it has besides that of its tone.
    pub(crate) fn own_sign(&self) -> Option<&'static [SignShape]> {
        self.sign.as_deref().map(|name| looks().sign(name))
    }
}

/// The description.
pub(crate) fn looks() -> &'static Looks {
    &LOOKS
}

impl Looks {
    pub(crate) fn palette(&self, theme: Theme) -> &Palette {
        match theme {
            Theme::Light => &self.light,
            Theme::Dark => &self.dark,
        }
    }

    pub(crate) fn paler(&self, nth: usize) -> f64 {
        nth_or_last(&self.paler, nth)
    }

    pub(crate) fn shaded(&self, nth: usize) -> f64 {
        nth_or_last(&self.shaded, nth)
    }

    /// A kind of thing by its name.
    pub(crate) fn kind(&self, name: &str) -> Option<&KindLook> {
        self.kinds.get(name)
    }

    /// Whether marked places of this kind are drawn as one area.
    pub(crate) fn is_area(&self, kind: &str) -> bool {
        self.kind(kind).is_some_and(|look| look.area)
    }

    /// The sign of somebody, and what crosses those who cannot act.
    pub(crate) fn body(&self, ours: bool) -> &[SignShape] {
        self.sign(if ours { &self.sides.ours } else { &self.sides.others })
    }

    pub(crate) fn gone(&self) -> &[SignShape] {
        self.sign(&self.sides.gone)
    }

    /// The sign of a marked place.
    pub(crate) fn spot(&self, kind: &str, tone: WorldTone) -> &[SignShape] {
        let own = self.kind(kind).and_then(|look| look.sign.as_deref());
        let tone = match tone {
            WorldTone::Resource => "resource",
            WorldTone::Goal => "goal",
            WorldTone::Danger => "danger",
            WorldTone::Ours => "ours",
            WorldTone::Theirs => "theirs",
            WorldTone::Obstacle => "obstacle",
            WorldTone::Unspecified | WorldTone::Ground | WorldTone::Other => "other",
        };
        self.sign(own.or_else(|| self.tones.get(tone).map(String::as_str)).unwrap_or_default())
    }

    fn sign(&self, name: &str) -> &[SignShape] {
        self.signs.get(name).map_or(&[], Vec::as_slice)
    }
}

fn nth_or_last(list: &[f64], nth: usize) -> f64 {
    list.get(nth).or(list.last()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_whole_and_every_sign_that_it_names_is_there() {
        let looks: Looks = serde_json::from_str(include_str!("looks.json")).unwrap();
        let sides = [&looks.sides.ours, &looks.sides.others, &looks.sides.gone];
        let kinds = looks.kinds.values().filter_map(|kind| kind.sign.as_ref());
        for name in sides.into_iter().chain(looks.tones.values()).chain(kinds) {
            assert!(!looks.sign(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn colours_of_signs_are_known() {
        let looks: Looks = serde_json::from_str(include_str!("looks.json")).unwrap();
        let raw: serde_json::Value = serde_json::from_str(include_str!("looks.json")).unwrap();
        let known = ["color", "shadow", "contrast", "page", "resource"];
        for (name, shapes) in raw["signs"].as_object().unwrap() {
            assert_eq!(shapes.as_array().unwrap().len(), looks.sign(name).len());
            for ink in shapes.as_array().unwrap().iter().flat_map(|it| [&it["fill"], &it["stroke"]])
            {
                let Some(ink) = ink.as_str() else { continue };
                assert!(known.contains(&ink) || Rgba::parsed(ink).is_some(), "{name}: {ink}");
            }
        }
    }
}
