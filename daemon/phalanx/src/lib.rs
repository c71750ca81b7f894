//! The two programs: `phalanxd`, the daemon, and `phalanx`, the people's tool.
//!
//! Start reading at `src/bin/phalanxd.rs` and `src/bin/phalanx.rs`; [`cli`] has both command lines.
//! [`wire`] is the only place that knows which games exist.

pub mod access;
pub mod arena;
pub mod bridge;
pub mod check;
pub mod cli;
pub mod daemon;
pub mod demo;
pub mod directory;
pub mod keepers;
pub mod logs;
pub mod paint;
pub mod plans;
pub mod remote;
pub mod repeats;
pub mod script;
pub mod shipped;
pub mod strategy;
pub mod wire;
