//! The game itself, without connections and without belief: what a world consists of, what an
//! action does to it, and how worlds are made from a class of worlds (spec sections 4.1, 7 and 8).
//!
//! - `params`: the rules of a simulation. `heading`: directions and places. `senses`: percepts.
//! - `map`: tiles. `simulation`: one agent in one world. `ledger`: the client's own bookkeeping.
//! - `class`: classes of worlds. `generate`: a world of a class. `preset`: classes that ship.
//!
//! Places are relative to the agent's start tile: x grows east, y grows **north**, as on the wire.

mod chance;
mod class;
mod generate;
mod heading;
mod ledger;
mod map;
mod params;
mod preset;
mod senses;
mod simulation;

pub use chance::Chance;
pub use class::{
    Announced, ClassError, Exact, Fixed, Shares, Shortage, Start, Template, TemplateKind,
    WorldClass,
};
pub use generate::{GenerateError, Generated, generate};
pub use heading::{Act, Heading, Neighbourhood, Pose};
pub use ledger::Ledger;
pub use map::{Kind, Map, SIDE_MAX, Tile};
pub use params::{Ammunition, Bounds, BoundsMean, Costs, Counts, Rules};
pub use phalanx_grid::Cell;
pub use preset::Preset;
pub use senses::Senses;
pub use simulation::{End, Outcome, ScoreLimitMode, Simulation, Terms};
