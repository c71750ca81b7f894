//! Specs in Luau, as authors of strategies write them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod fakes;
mod matchers;
mod runs;
mod stage;
