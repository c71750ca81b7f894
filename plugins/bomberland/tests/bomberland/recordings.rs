//! Recorded matches of the engine: our referee says the same, our client believes the same.
#![allow(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

mod arena;
mod client;
mod orders;
mod support;
