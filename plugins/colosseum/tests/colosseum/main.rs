//! Specifications of this crate from outside, one subject a module; one program, as each takes
//! long to link.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may die of a bad answer")]
#![allow(unreachable_pub, reason = "helpers are shared by modules")]

mod arena;
mod arena_samples;
mod picture;
mod recordings;
mod rules_conformance;
mod saved;
mod session;
mod world;
