//! Strategies on trial: what is found, where, and within which time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod bad;
mod hostile;
mod stage;
mod view;
