//! Specifications of this crate from outside, one subject a module; one program, as each takes
//! long to link.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
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
