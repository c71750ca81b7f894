//! What plays on this machine without a daemon: demos, referees, leagues, the bridge of a referee
//! that starts its agents itself; and what makes and checks settings, strategies and certificates
//! before a match.

pub mod arena;
pub mod args;
pub mod bridge;
pub mod chaos;
pub mod check;
pub mod demo;
pub mod doctor;
mod faults;
mod files;
pub mod game;
pub mod init;
pub mod ladder;
pub mod league;
mod progress;
mod queue;
pub mod script;
pub mod strategy;
pub mod tls;
pub mod tune;
pub mod worker;

/// A line on standard error.
fn say(line: &str) {
    use std::io::Write as _;
    // An error only means that standard error is closed.
    writeln!(std::io::stderr(), "{}", line.trim_end()).unwrap_or_default();
}
