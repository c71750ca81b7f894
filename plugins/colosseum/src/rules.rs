//! The games, as pure step functions: no connection, no clock, no chance but what is handed in.
//!
//! - [`catcher`]: food_catcher and cherry_picker. [`snake`]. [`chess`].
//! - `num`: numbers that remember how they print. `chance`: seeded randomness.

pub mod catcher;
mod chance;
pub mod chess;
mod num;
pub mod snake;

pub use chance::GameRng;
pub use num::PyNumber;

use std::sync::Arc;

/// The name of an agent or of a thing.
pub type Id = Arc<str>;

/// The referee cannot carry out a payload: the original would die of it (spec section 6.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fatal(pub String);

impl std::fmt::Display for Fatal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
