//! arena
pub mod config;
pub mod forward;

pub use config::ArenaConfig;
pub use forward::{Evaluator, ForwardMode};
