//! The referee over connections, as its clients meet it.

mod faults;
pub(crate) mod host;
mod logins;
mod recorded;
mod samples;
mod steps;
mod tournaments;
