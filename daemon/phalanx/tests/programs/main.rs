//! The real programs, met from outside: what they print, answer, write and exit with.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod arena;
mod bad_input;
mod bomberland;
mod bomberland_daemon;
mod colosseum;
mod daemon;
mod demo;
mod more_games;
mod reload;
mod strategy;
mod support;
mod web;
