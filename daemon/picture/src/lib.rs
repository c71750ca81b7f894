//! Worlds as pictures, for papers and chats.
//!
//! ```text
//!  World ──► Reach (what all pictures of a film share) ──┐
//!    └───────────────────────────────────────────────────┴─► Scene ──► SVG, PNG, Film
//! ```
//!
//! The problem: what a team believes of its world is seen in a terminal while it plays, and a paper
//! or a chat wants a picture of it: readable in print, for people with any colour vision, and the
//! same bytes on every machine. So a world becomes a [`VectorScene`], plain shapes on a page, the same way
//! for all games: layers of cells, graphs, planes, marked places, bodies and their tones say all
//! there is to draw. A scene is written as [`VectorScene::svg`], [`VectorScene::png`], or as a frame of a
//! [`Film`].
//!
//! Worlds come over sockets and out of files: what is larger than a picture may be is refused with an
//! [`Unfit`], and every name stays a text.
//!
//! Absent on purpose: games by their names, fonts of the machine, clocks, dice, files, anything in an
//! SVG that runs or loads.

mod agents;
mod areas;
mod arrange;
mod cells;
mod check;
mod film;
mod font;
mod frame;
mod graph;
mod layers;
mod legend;
mod looks;
mod marks;
mod palette;
mod raster;
mod reach;
mod scene;
mod sheet;
mod signs;
mod springs;
mod svg;
mod things;

pub use film::Film;
pub use palette::{Rgba, Theme};
pub use reach::Reach;
pub use scene::VectorScene;
pub use sheet::{AgentActivity, PictureStyle, TeamCaption, WIDTH_MAX, WIDTH_MIN, scene};

use png::EncodingError;
use std::io::ErrorKind;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// A layer is too large.
    #[error(
        "the layer {layer:?} of {part:?} has {width} × {height} cells; a picture has at most 512 × 512"
    )]
    Layer {
        /// Of which part.
        part: String,
        /// Which.
        layer: String,
        /// Its columns.
        width: u32,
        /// Its rows.
        height: u32,
    },
    /// A layer does not have the cells that it says.
    #[error("the layer {layer:?} of {part:?} says that it has {declared} cells and has {cells}")]
    Broken {
        /// Of which part.
        part: String,
        /// Which.
        layer: String,
        /// Cells that are there.
        cells: usize,
        /// Cells that there should be.
        declared: usize,
    },
    /// There is too much of something.
    #[error("{place:?} has {count} {what}; a picture has at most {most}")]
    Many {
        /// Of which part or team.
        place: String,
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        count: usize,
        /// How much there may be.
        most: usize,
    },
    /// A plane has no size that can be drawn.
    #[error("the plane {part:?} is {width} × {height}; it cannot be drawn")]
    Plane {
        /// Which part.
        part: String,
        /// How wide it says that it is.
        width: f64,
        /// How high it says that it is.
        height: f64,
    },
    /// There is no layer of that name.
    #[error("there is no layer {missing:?}; there are: {known}")]
    NoLayer {
        /// What was wanted.
        missing: String,
        /// What there is.
        known: String,
    },
    /// The picture would have too many pixels.
    #[error("{width} × {height} pixels are too many; make it narrower")]
    Pixels {
        /// How wide.
        width: u32,
        /// How high.
        height: u32,
    },
    /// A frame is not as large as those before it.
    #[error("a frame of {got:?} pixels does not fit into a film of {expected:?}")]
    Frame {
        /// Its width and height.
        got: (u32, u32),
        /// Those of the film.
        expected: (u32, u32),
    },
    /// The file could not be written.
    #[error("cannot write the picture: {0}")]
    Write(#[from] EncodingError),
}

impl Unfit {
    /// Whether it was written to somebody who does not read any more.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        matches!(self, Self::Write(EncodingError::IoError(error)) if error.kind() == ErrorKind::BrokenPipe)
    }
}
