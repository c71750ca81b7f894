//! Our rules against what the contest's own server did: maps by seed, colours, scores, every
//! recorded action.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

#[path = "rules_conformance/colours.rs"]
mod colours;
#[path = "rules_conformance/golden.rs"]
mod golden;
#[path = "rules_conformance/maps.rs"]
mod maps;
#[path = "rules_conformance/percepts.rs"]
mod percepts;
#[path = "rules_conformance/replay.rs"]
mod replay;
#[path = "rules_conformance/tape.rs"]
mod tape;
