//! The daemon: settings become teams and a control API, which run until they are drained.
//!
//! Start reading at [`daemon`]. [`casting`] and [`league_matches`] make matches without a
//! configuration, for leagues here and for demos.

pub mod access;
mod app;
pub mod arenas;
pub mod args;
pub mod bundle_matches;
pub mod casting;
pub mod check;
pub mod checkpoints;
pub mod daemon;
pub mod directory;
pub mod followers;
pub mod handover;
pub mod host;
pub mod keepers;
pub mod lab;
pub mod league_matches;
pub mod leagues;
pub mod listeners;
pub mod live;
pub mod logs;
pub mod maker;
pub mod manager;
pub mod params;
pub mod plans;
pub mod recordings;
pub mod reload;
pub mod repeats;
mod running;
pub mod side_services;
#[cfg(test)]
mod sources;
pub mod state;
pub mod team_recorders;
pub mod tune_matches;

/// The version of programs whose matches are the same: the version number, and a number for the
/// sources that decide how matches go.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("PHALANX_SOURCES"));
