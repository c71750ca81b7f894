//! The command line of `map`.

use super::replay::TurnPlace;
use clap::{ArgGroup, Args, ValueEnum};
use phalanx_cli::args::Remote;
use phalanx_picture::{Theme, WIDTH_MAX, WIDTH_MIN};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Frames per second, at most.
const RATE_MAX: i64 = 60;

/// `phalanx map`.
#[derive(Args, Clone, Debug)]
#[command(
    group = ArgGroup::new("picture").args(["png", "svg", "animate"]).required(true).multiple(true),
    after_help = "\
Examples:
  phalanx map A --png map.png               the world as team A of a running daemon sees it
  phalanx map A --svg map.svg --theme dark  the same as vector graphics, for a page or a paper
  phalanx map --png - | display             pipe it to another program
  phalanx map --file match.mcap --turn 2:118 --svg paper.svg
                                            a turn of a recording
  phalanx map --file match.mcap --layer danger --png danger.png
                                            with this layer of numbers over the ground
  phalanx map --file match.mcap --animate match.png --every 20 --fps 8
                                            the match as an animated PNG, one frame for every 20 turns

TURN is STEP, or ROUND:STEP with rounds from 0. A recording holds the world every ten turns: for a turn in between, the
command draws the last one before it, and the title names that turn. All frames of a film have the
same size. A new file replaces an old one only when it is complete."
)]
pub struct MapArgs {
    /// The team's name [default: the only team].
    #[arg(conflicts_with = "file")]
    pub team: Option<String>,
    /// Draw from this recording instead of a running daemon; any file of a recording in several
    /// parts.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The turn of the recording: STEP or ROUND:STEP [default: the last one].
    #[arg(long, value_name = "TURN", requires = "file", conflicts_with = "animate")]
    pub turn: Option<TurnPlace>,
    /// Write a PNG to this file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Write an SVG to this file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write a film of the recording to this file, an animated PNG.
    #[arg(long, value_name = "FILE", requires = "file", conflicts_with_all = ["png", "svg"])]
    pub animate: Option<PathBuf>,
    /// Draw this layer of numbers; may be repeated [default: all, the first one over the ground].
    #[arg(long = "layer", value_name = "NAME")]
    pub layers: Vec<String>,
    /// Width in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 1200,
        value_parser = clap::value_parser!(u32).range(i64::from(WIDTH_MIN)..=i64::from(WIDTH_MAX)))]
    pub width: u32,
    /// Colours.
    #[arg(long, value_name = "THEME", value_enum, default_value_t = PictureTheme::Light)]
    pub theme: PictureTheme,
    /// First turn of the film [default: the first one of the recording].
    #[arg(long, value_name = "TURN", requires = "animate")]
    pub from: Option<TurnPlace>,
    /// Last turn of the film [default: the last one of the recording].
    #[arg(long, value_name = "TURN", requires = "animate")]
    pub to: Option<TurnPlace>,
    /// One frame for every N turns, from the turns whose world the recording holds.
    #[arg(long, value_name = "N", default_value = "1", requires = "animate")]
    pub every: NonZeroUsize,
    /// Frames per second, 1 to 60.
    #[arg(long, value_name = "N", default_value_t = 5, requires = "animate",
        value_parser = clap::value_parser!(u16).range(1..=RATE_MAX))]
    pub fps: u16,
    #[command(flatten)]
    pub remote: Remote,
}

/// The background that a picture is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureTheme {
    /// Bright pages and paper.
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
    /// The picture's size and theme.
    #[must_use]
    pub fn look(&self) -> phalanx_picture::PictureStyle {
        phalanx_picture::PictureStyle { width: self.width, theme: self.theme.into() }
    }
}
