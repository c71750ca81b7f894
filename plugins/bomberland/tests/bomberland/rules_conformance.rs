//! The rules against what the engine did: `PHALANX_TRACES` says where that is recorded.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

mod forward;
mod fuzz;
mod maps;
mod support;
