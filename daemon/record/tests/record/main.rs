//! Recordings of whole matches, written, broken and read again.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic, and looks only for what it is about"
)]

mod damage;
mod disks;
mod files;
mod flight;
mod game;
mod live;
mod matches;
mod tools;
