//! A keeper, its folder and its history, with a team that takes over whatever passes. Time is
//! paused: it passes as soon as nothing else happens.
#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic, and looks at what it tests"
)]

mod editors;
mod history;
mod operators;
mod stage;
