//! The arena against what the organisers' server did: `PHALANX_TRACES` says where that is recorded.
#![allow(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

#[path = "arena_conformance/configs.rs"]
mod configs;
#[path = "arena_conformance/golden.rs"]
mod golden;
#[path = "arena_conformance/own_replays.rs"]
mod own_replays;
#[path = "arena_conformance/replays.rs"]
mod replays;
#[path = "arena_conformance/retrace.rs"]
mod retrace;
#[path = "arena_conformance/scripted.rs"]
mod scripted;
#[path = "arena_conformance/support.rs"]
mod support;
