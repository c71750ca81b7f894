//! Bomberland
pub mod rules;
pub mod wire;
pub mod arena;
