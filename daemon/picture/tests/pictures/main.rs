//! Pictures of worlds: how each kind looks, what is refused, and what files hold.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic, and looks only for what it is about"
)]

mod files;
mod hostile;
mod looks;
mod worlds;
