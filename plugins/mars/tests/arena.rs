//! The referee over connections, as its clients meet it.
#![allow(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

#[path = "arena/faults.rs"]
mod faults;
#[path = "arena/host.rs"]
mod host;
#[path = "arena/logins.rs"]
mod logins;
#[path = "arena/recorded.rs"]
mod recorded;
#[path = "arena/samples.rs"]
mod samples;
#[path = "arena/steps.rs"]
mod steps;
#[path = "arena/tournaments.rs"]
mod tournaments;
