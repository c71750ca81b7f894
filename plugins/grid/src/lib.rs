//! Cells on a torus whose size is found out while playing, and what a team does with them.
//!
//! The problem: agents see relative cells, start in frames that do not know each other, and walk a
//! torus of unknown width and height. The parts, each usable alone:
//!
//! - [`Cell`], [`Direction`], [`Rotation`]: arithmetic on cells (x grows east, y grows south).
//! - [`Extent`]: the torus as far as it is known; shortest differences and distances.
//! - [`Region`], [`Plane`]: a growing rectangle of cells that wraps where the size is known.
//! - [`Frames`]: coordinate frames that are joined by known offsets.
//! - [`PriceGrid`], [`CostField`]: what steps cost, and distances from many sources at once;
//!   [`CostSpread`] finds only those that are asked for.
//! - [`route()`]: the cheapest way for a body of several cells, with rotation.
//! - [`assign()`]: who takes which job.
//! - [`descend()`]: the best joint choice of several actors, within a budget.
//!
//! Absent on purpose: games. What a cell means and what it costs to enter comes as a closure.
#![deny(missing_docs)]

mod assign;
mod cell;
mod descent;
mod field;
mod frames;
mod plane;
mod route;
mod torus;

pub use assign::assign;
pub use cell::{Cell, Direction, Rotation};
pub use descent::{Descent, descend};
pub use field::{CostField, CostSpread, PriceGrid};
pub use frames::{FrameId, Frames};
pub use plane::{Plane, Region};
pub use route::{Route, RouteLimits, RouteStep, route};
pub use torus::Extent;
