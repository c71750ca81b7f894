//! What the network crate promises, tested with a small line-based game.
#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests say what they expect and fail loudly"
)]

mod checkpoints;
mod enrolling;
mod growing;
mod handing;
mod hosting;
mod lobbies;
mod lockstep;
mod operated;
mod processes;
mod referee;
mod reload;
mod rerun;
mod seats;
mod stuck;
mod teams;
mod toy;
mod toy_arena;
mod web_sockets;
