//! The game without its protocol: everything that the referee decides, as pure functions of state,
//! actions and seed (spec, sections 6 to 12).
//!
//! - [`words`]: roles, verbs, items and results by their names on the wire.
//! - [`graph`]: who is next to whom. [`zone`]: who owns what, fast, on any placement.

pub mod graph;
pub mod words;
pub mod zone;

pub use graph::Links;
pub use words::{Item, Outcome, Role, Side, Verb};
