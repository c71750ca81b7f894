//! Strategies as their authors write them, played through the engine's `Brain`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod api;
mod bundles;
mod hostile;
mod memory;
mod sandbox;
mod stage;
