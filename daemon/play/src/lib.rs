//! What plays on this machine without a daemon: demos, referees, leagues, the bridge of a referee
//! that starts its agents itself; and what makes and checks settings, strategies and certificates
//! before a match.

pub mod arena;
pub mod args;
pub mod bridge;
pub mod check;
pub mod demo;
pub mod doctor;
mod files;
pub mod init;
pub mod league;
pub mod script;
pub mod strategy;
pub mod tls;
