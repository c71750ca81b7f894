//! Specifications of this crate from outside, one subject a module; one program, as each takes
//! long to link.
#![allow(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]
#![allow(unreachable_pub, reason = "helpers are shared by modules")]

mod arena;
mod arena_samples;
mod common {
    pub mod schema;
    pub mod stage;
}
mod forward;
mod matches;
mod picture;
mod properties;
mod recordings;
mod rules_conformance;
mod saved;
mod search;
mod session;
mod wire;
mod world;
