//! Specifications of this crate from outside, one subject a module; one program, as each takes
//! long to link.
#![allow(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test may stop at the first surprise"
)]
#![allow(unreachable_pub, reason = "helpers are shared by modules")]

mod arena;
mod arena_samples;
mod chess;
mod picture;
mod recordings;
mod rules_conformance;
mod saved;
mod session;
mod world;
