//! What is taken out of recordings, from entries made by hand.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod latency;
mod parquet;
mod rows;
mod support;
mod turns;
mod why;
