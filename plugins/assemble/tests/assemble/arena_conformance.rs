//! The arena against what the organisers' server did: `PHALANX_TRACES` says where that is recorded.
#![allow(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

mod configs;
mod golden;
mod own_replays;
mod replays;
mod retrace;
mod scripted;
mod support;
