//! The two programs: `phalanxd`, the daemon, and `phalanx`, the people's tool.
//!
//! Start reading at `src/bin/phalanxd.rs` and `src/bin/phalanx.rs`; [`cli`] has both command lines.
//! [`wire`] is the only place that knows which games exist.

pub mod access;
pub mod arena;
pub mod arenas;
pub mod beside;
pub mod bridge;
pub mod check;
pub mod checkpoints;
pub mod cli;
pub mod contexts;
pub mod controls;
pub mod daemon;
pub mod demo;
pub mod destinations;
pub mod directory;
pub mod doctor;
pub mod failure;
pub mod followers;
pub mod handover;
pub mod host;
pub mod keepers;
pub mod league;
pub mod leagues;
pub mod listeners;
pub mod live;
pub mod logs;
pub mod maker;
pub mod manager;
pub mod manual;
pub mod paint;
pub mod pictured;
pub mod plans;
mod prompt;
pub mod recorded;
pub mod recording;
pub mod recordings;
pub mod redecide;
pub mod reload;
pub mod remote;
pub mod repeats;
pub mod script;
pub mod shipped;
pub mod state;
pub mod strategy;
pub mod template;
mod terminal;
pub mod top;
pub mod viewer;
pub mod wire;
pub mod witnesses;
