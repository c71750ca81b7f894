//! The rules against what the engine did: `PHALANX_TRACES` says where that is recorded.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

#[path = "rules_conformance/forward.rs"]
mod forward;
#[path = "rules_conformance/fuzz.rs"]
mod fuzz;
#[path = "rules_conformance/maps.rs"]
mod maps;
#[path = "rules_conformance/support.rs"]
mod support;
