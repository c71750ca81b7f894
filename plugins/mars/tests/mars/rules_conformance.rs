//! Our rules against what the contest's own server did: maps by seed, colours, scores, every
//! recorded action.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

mod colours;
mod golden;
mod maps;
mod percepts;
mod replay;
mod tape;
