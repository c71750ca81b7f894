//! MAPC 2020, Agents Assemble II: client and arena.

pub mod arena;
