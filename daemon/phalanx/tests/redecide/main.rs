//! A recorded match, decided again by its own strategy, comes out as it was: each action byte for
//! byte, and all that the journal tells. Whatever decides by something that a recording does not
//! hold fails here: real time, hash order, addresses, what the machine does besides.
#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests say what they expect and fail loudly"
)]

mod faults;
mod live;
mod support;
mod virtual_time;
