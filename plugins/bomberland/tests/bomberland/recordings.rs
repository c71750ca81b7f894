//! Recorded matches of the engine: our referee says the same, our client believes the same.

mod arena;
mod client;
mod orders;
mod support;
