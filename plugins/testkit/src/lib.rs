//! What the tests of all games share.
//!
//! - [`traces`]: recorded traffic of real referees, found through `PHALANX_TRACES`.
//! - [`picture`]: a world's picture as text, for snapshots.
//! - [`saved`]: beliefs that are saved and restored. [`answers`]: all that can be learned from one.
//! - [`mangle`]: deterministic damage to bytes, and every way to cut a stream.
//!
//! Absent on purpose: anything that only one game needs.

pub mod answers;
pub mod mangle;
pub mod picture;
pub mod saved;
pub mod traces;
