//! The package of the two programs: `phalanxd`, the daemon, and `phalanx`, the command line tool.
//!
//! Here are only the command line of `phalanx` ([`cli`]), what is generated from it ([`manual`]), and
//! what shells complete of it ([`complete`]).

pub mod cli;
pub mod complete;
pub mod manual;
