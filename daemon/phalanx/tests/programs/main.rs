//! The real programs, met from outside: what they print, answer, write and exit with.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod acceptance;
mod arena;
mod arenas;
mod bad_input;
mod board;
mod bomberland;
mod bomberland_daemon;
mod colosseum;
mod command_line;
mod daemon;
mod demo;
mod doctor;
mod every_method;
mod foxglove;
mod league;
mod manager;
mod more_games;
mod pictures;
mod planted;
mod process;
mod recorded;
mod recordings;
mod redecide;
mod reload;
mod settings;
mod steered;
mod strategy;
mod support;
mod teams;
mod traces;
mod warm;
mod watching;
mod web;
mod why;
