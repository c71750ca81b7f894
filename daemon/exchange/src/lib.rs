//! What people and other programs take out of a recording.
//!
//! ```text
//!                    ┌─► Turns ──► explain() (why), Row (tables), terminals
//! entries of a file ─┤
//!                    └─► Latency (where the time of each turn went)
//! ```
//!
//! The problem: a recording tells what happened in the order in which it happened, and the answer to
//! an action stands turns behind it. [`Turns`] puts together what belongs to one turn. Everything
//! here reads a recording once, from its begin, and holds a few turns of it.
//!
//! Absent on purpose: any game, files that are written, computing decisions again.
#![deny(missing_docs)]

mod latency;
mod rows;
mod turns;
mod why;

pub use latency::{Distribution, LATENCY_TURNS_MAX, Latency, Stage, TurnTimes};
pub use rows::{COLUMNS, Row, rows};
pub use turns::{Deed, DeedKind, PlayedAgent, PlayedTurn, Turns};
pub use why::{NotTold, explain};
