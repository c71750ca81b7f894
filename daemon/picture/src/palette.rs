//! Colours that people tell apart on paper, on screens, and with any kind of colour vision: those of
//! Okabe and Ito, with what a map needs besides. Colour is never the only sign: teams differ
//! by shape, too, and values of one colour by letters.

use crate::looks::looks;
use phalanx_proto::v1::{WorldSide, WorldTone};
use serde::Deserialize;

/// A colour with how much it covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Rgba {
    /// Share of red, 0 to 255.
    pub red: u8,
    /// Share of green, 0 to 255.
    pub green: u8,
    /// Share of blue, 0 to 255.
    pub blue: u8,
    /// How much it covers: 0 nothing, 255 everything.
    pub alpha: u8,
}

/// What a picture is looked at on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Paper and bright pages.
    #[default]
    Light,
    /// Dark pages.
    Dark,
}

/// The colours of a picture by what they say.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Palette {
    pub(crate) page: Rgba,
    pub(crate) ink: Rgba,
    pub(crate) faint: Rgba,
    pub(crate) rule: Rgba,
    pub(crate) unknown: Rgba,
    pub(crate) hatch: Rgba,
    pub(crate) ground: Rgba,
    obstacle: Rgba,
    goal: Rgba,
    resource: Rgba,
    danger: Rgba,
    ours: Rgba,
    theirs: Rgba,
    pub(crate) other: Rgba,
}

impl Rgba {
    /// From its usual number: `0xRRGGBB`.
    #[must_use]
    pub const fn hex(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self { red, green, blue, alpha: 255 }
    }

    /// From `#rrggbb`.
    pub(crate) fn parsed(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        u32::from_str_radix(digits, 16).ok().map(Self::hex)
    }

    /// Between this one (0) and another one (1).
    pub(crate) fn mixed(self, other: Self, share: f64) -> Self {
        let mix =
            |from: u8, to: u8| byte(f64::from(from) + share * (f64::from(to) - f64::from(from)));
        Self {
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue),
            alpha: self.alpha,
        }
    }

    /// The same, covering less: from 0 to 1.
    pub(crate) fn covering(self, share: f64) -> Self {
        Self { alpha: byte(255.0 * share), ..self }
    }

    /// Black or white, whatever is read better on it.
    pub(crate) fn contrast(self) -> Self {
        let bright =
            299 * u32::from(self.red) + 587 * u32::from(self.green) + 114 * u32::from(self.blue);
        if bright > 140_000 { Self::hex(0) } else { Self::hex(0xFF_FF_FF) }
    }
}

impl TryFrom<String> for Rgba {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parsed(&text).ok_or_else(|| format!("{text:?} is no colour"))
    }
}

/// The nearest of 0 to 255.
fn byte(number: f64) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped; what is no number becomes 0"
    )]
    let byte = number.round().clamp(0.0, 255.0) as u8;
    byte
}

impl Theme {
    pub(crate) fn palette(self) -> &'static Palette {
        looks().palette(self)
    }
}

impl Palette {
    /// The full colour of a tone, for marks.
    pub(crate) fn tone(&self, tone: WorldTone) -> Rgba {
        match tone {
            WorldTone::Unspecified => self.faint,
            WorldTone::Ground => self.ground,
            WorldTone::Obstacle => self.obstacle,
            WorldTone::Goal => self.goal,
            WorldTone::Resource => self.resource,
            WorldTone::Danger => self.danger,
            WorldTone::Ours => self.ours,
            WorldTone::Theirs => self.theirs,
            WorldTone::Other => self.other,
        }
    }

    /// The colour of cells of a tone; several values of one tone get paler one by one.
    pub(crate) fn cell(&self, tone: WorldTone, nth: usize) -> Rgba {
        let paler = looks().paler(nth);
        match tone {
            WorldTone::Ground => self.ground.mixed(self.faint, looks().shaded(nth)),
            WorldTone::Goal => self.goal.mixed(self.ground, looks().goal_pale + paler / 3.0),
            // The colour says whose a piece is: it stays the same, letters tell pieces apart.
            WorldTone::Ours | WorldTone::Theirs => self.tone(tone),
            WorldTone::Unspecified
            | WorldTone::Obstacle
            | WorldTone::Resource
            | WorldTone::Danger
            | WorldTone::Other => self.tone(tone).mixed(self.ground, paler),
        }
    }

    /// The ground of a zone, by whose it is.
    pub(crate) fn zone(&self, side: WorldSide) -> Rgba {
        match side {
            WorldSide::Ours | WorldSide::Theirs => {
                self.side(side).mixed(self.ground, looks().zone_pale)
            }
            WorldSide::Nobody | WorldSide::Unspecified => self.ground,
        }
    }

    /// Whose.
    pub(crate) fn side(&self, side: WorldSide) -> Rgba {
        match side {
            WorldSide::Ours => self.ours,
            WorldSide::Theirs => self.theirs,
            WorldSide::Nobody | WorldSide::Unspecified => self.faint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance after WCAG.
    fn luminance(color: Rgba) -> f64 {
        let part = |byte: u8| {
            let share = f64::from(byte) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(color.red) + 0.7152 * part(color.green) + 0.0722 * part(color.blue)
    }

    fn contrast(one: Rgba, other: Rgba) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_is_read_on_every_theme() {
        for theme in [Theme::Light, Theme::Dark] {
            let colors = theme.palette();
            assert!(contrast(colors.ink, colors.page) > 7.0, "{theme:?}");
            assert!(contrast(colors.faint, colors.page) > 4.5, "{theme:?}");
            for tone in [WorldTone::Ours, WorldTone::Theirs, WorldTone::Danger, WorldTone::Goal] {
                let color = colors.tone(tone);
                assert!(contrast(color, color.contrast()) > 3.4, "{theme:?} {tone:?}");
                assert!(contrast(color, colors.ground) > 3.0, "{theme:?} {tone:?}");
            }
        }
    }

    #[test]
    fn teams_differ_in_grey_or_stand_far_apart() {
        for theme in [Theme::Light, Theme::Dark] {
            let colors = theme.palette();
            let (ours, theirs) = (colors.side(WorldSide::Ours), colors.side(WorldSide::Theirs));
            assert!(ours.blue.abs_diff(theirs.blue) > 100, "{theme:?}");
        }
    }
}
