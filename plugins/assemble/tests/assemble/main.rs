//! Specifications of this crate from outside, one subject a module; one program, as each takes
//! long to link.
#![allow(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]
#![allow(unreachable_pub, reason = "helpers are shared by modules")]

mod arena_conformance;
mod arena_properties;
mod arena_samples;
mod arena_session;
mod common {
    pub mod played;
    pub mod truth;
}
mod picture;
mod session;
mod wire;
mod world_enrolled;
mod world_missed;
mod world_queries;
mod world_saved;
mod world_truth;
