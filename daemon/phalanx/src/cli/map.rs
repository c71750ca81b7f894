//! The command line of `map`.

use super::Remote;
use super::replay::TurnPlace;
use clap::{ArgGroup, Args, ValueEnum};
use phalanx_picture::{Theme, WIDTH_MAX, WIDTH_MIN};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Most frames a second.
const RATE_MAX: i64 = 60;

/// `phalanx map`.
#[derive(Args, Clone, Debug)]
#[command(
    group = ArgGroup::new("picture").args(["png", "svg", "animate"]).required(true).multiple(true),
    after_help = "\
Examples:
  phalanx map A --png map.png               what team A of a running daemon believes of its world
  phalanx map A --svg map.svg --theme dark  the same as shapes, for a page or a paper
  phalanx map --png - | display             to another program
  phalanx map --file match.mcap --turn 2.118 --svg paper.svg
                                            a turn of a recording
  phalanx map --file match.mcap --layer danger --png danger.png
                                            with this layer of numbers over the ground
  phalanx map --file match.mcap --animate match.png --every 2 --fps 8
                                            the match as an animated PNG, every second picture of it

TURN is STEP, or ROUND.STEP. A recording has a picture of the world every ten turns: of a turn without
one the last one before it is drawn, and its title says which. In a film all frames are as large as
each other, and a new file takes the old one's place when it is whole."
)]
pub struct MapArgs {
    /// The team's name [default: the only team].
    #[arg(conflicts_with = "file")]
    pub team: Option<String>,
    /// Draw from this recording instead of asking a daemon; of one in several parts, any of them.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The turn of the recording: STEP or ROUND.STEP [default: the last one].
    #[arg(long, value_name = "TURN", requires = "file", conflicts_with = "animate")]
    pub turn: Option<TurnPlace>,
    /// Write a PNG; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Write an SVG; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write a film of the recording, an animated PNG.
    #[arg(long, value_name = "FILE", requires = "file", conflicts_with_all = ["png", "svg"])]
    pub animate: Option<PathBuf>,
    /// Draw this layer of numbers; may be repeated [default: all, the first one over the ground].
    #[arg(long = "layer", value_name = "NAME")]
    pub layers: Vec<String>,
    /// How wide it is, in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 1200,
        value_parser = clap::value_parser!(u32).range(i64::from(WIDTH_MIN)..=i64::from(WIDTH_MAX)))]
    pub width: u32,
    /// Its colours.
    #[arg(long, value_name = "THEME", value_enum, default_value_t = PictureTheme::Light)]
    pub theme: PictureTheme,
    /// The film begins with this turn [default: the first one].
    #[arg(long, value_name = "TURN", requires = "animate")]
    pub from: Option<TurnPlace>,
    /// The film ends with this turn [default: the last one].
    #[arg(long, value_name = "TURN", requires = "animate")]
    pub to: Option<TurnPlace>,
    /// Take each Nth picture of the recording.
    #[arg(long, value_name = "N", default_value = "1", requires = "animate")]
    pub every: NonZeroUsize,
    /// Frames a second.
    #[arg(long, value_name = "N", default_value_t = 5, requires = "animate",
        value_parser = clap::value_parser!(u16).range(1..=RATE_MAX))]
    pub fps: u16,
    /// Where and how.
    #[command(flatten)]
    pub remote: Remote,
}

/// What a picture is looked at on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureTheme {
    /// Paper and bright pages.
    Light,
    /// Dark pages.
    Dark,
}

impl From<PictureTheme> for Theme {
    fn from(theme: PictureTheme) -> Self {
        match theme {
            PictureTheme::Light => Self::Light,
            PictureTheme::Dark => Self::Dark,
        }
    }
}

impl MapArgs {
    /// How pictures look.
    #[must_use]
    pub fn look(&self) -> phalanx_picture::Look {
        phalanx_picture::Look { width: self.width, theme: self.theme.into() }
    }
}
