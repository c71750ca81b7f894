//! The state machine of `phalanx bridge`, the agent executable for the only game whose referee
//! starts its agents itself.

pub use phalanx_colosseum::bridge::{Bridge, Write};
pub use phalanx_colosseum::wire::LINE_BYTES_MAX;
