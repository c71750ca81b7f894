//! The rules against what the engine did: `PHALANX_TRACES` says where that is recorded.

mod forward;
mod fuzz;
mod maps;
mod support;
