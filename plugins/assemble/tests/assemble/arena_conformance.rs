//! The arena against what the organisers' server did: `PHALANX_TRACES` says where that is recorded.

mod configs;
mod golden;
mod own_replays;
mod replays;
mod retrace;
mod scripted;
mod support;
