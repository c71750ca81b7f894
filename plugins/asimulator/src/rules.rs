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

pub use chance::WorldRng;
pub use class::{
    Announced, ClassError, Exact, FeatureRule, Shortage, StartTile, TemplateKind, TileShares,
    TileTemplate, WorldClass,
};
pub use generate::{GenerateError, GeneratedWorld, generate};
pub use heading::{Heading, Neighbourhood, Pose, TurnAction};
pub use ledger::ScoreAccount;
pub use map::{SIDE_MAX, Tile, TileKind, TileMap};
pub use params::{Ammunition, AnnouncedCounts, Bounds, BoundsMean, Costs, OpeningRules};
pub use phalanx_grid::Cell;
pub use preset::Preset;
pub use senses::Senses;
pub use simulation::{ActionOutcome, EndReason, ScoreLimitMode, Simulation, Terms};
