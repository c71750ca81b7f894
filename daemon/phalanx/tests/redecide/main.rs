//! Decides recorded matches again with their own strategies: each action is the same byte for byte,
//! and so is the journal. Decisions that depend on anything that is not recorded fail here: real
//! time, hash order, addresses, the load of the machine.
//!
//! `beside` compares what teams believe with the truth of their referees.
#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests say what they expect and fail loudly"
)]

mod beside;
mod faults;
mod live;
mod support;
mod virtual_time;
