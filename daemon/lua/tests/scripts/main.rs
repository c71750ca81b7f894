//! Strategies as their authors write them, played through the engine's `Brain`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod api;
mod asides;
mod bounded;
mod bundles;
mod enrolled;
mod eval;
mod grounds;
mod hostile;
mod memory;
mod profile;
mod sandbox;
mod stage;
mod swap;
