//! The referee over connections, as its clients meet it.
#![allow(clippy::disallowed_methods, reason = "the origin of a virtual clock is any instant")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

mod faults;
pub(crate) mod host;
mod logins;
mod recorded;
mod samples;
mod steps;
mod tournaments;
