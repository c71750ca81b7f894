//! The package of the two programs: `phalanxd`, the daemon, and `phalanx`, the command line tool.
//!
//! Here are only the command line of `phalanx` ([`cli`]) and what is generated from it ([`manual`]).

pub mod cli;
pub mod manual;
