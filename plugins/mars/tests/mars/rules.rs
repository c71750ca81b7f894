//! The rules, one by one, on a small map: the worked example of the specification (section 9), and
//! every way in which an action can end (section 8).
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

mod deeds;
mod table;
mod zones;
