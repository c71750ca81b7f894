//! Shared parts of full-screen verbs: take the terminal over and restore it, react to signals, draw
//! widgets, draw the world in characters.

pub mod ending;
pub mod map;

mod graph;
mod hold;
mod keyboard;
mod pieces;
mod presses;

pub use graph::GraphPlaces;
pub use hold::Held;
pub use keyboard::Keyboard;
pub use pieces::{
    around, bold, dim, fit, framed, help, inner, plain, popup, signs, style, too_small, trouble,
};
pub use presses::KeyPresses;

/// Whether input and output are a terminal.
pub fn is_there() -> bool {
    use std::io::IsTerminal;
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}
