//! Tests of this crate's public interface, one module for each subject; one program, since each
//! takes long to link.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test may stop at the first surprise, and looks at what it tests"
)]
#![allow(unreachable_pub, reason = "helpers are shared by modules")]

mod access;
mod api;
mod arenas;
mod boards;
mod crowds;
mod events;
mod floods;
mod reflection;
mod sockets;
mod strategies;
mod support {
    pub mod fake;
    pub mod stage;
    pub mod steered;
}
mod teams;
mod web;
mod why;
mod worlds;
