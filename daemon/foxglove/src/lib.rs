//! A socket for Foxglove and whatever else speaks its WebSocket protocol: the channels of
//! recordings, with the same names, schemas and bytes, while teams play.
//!
//! ```text
//!  team ──► LiveFeed's thread ──► Hub: who subscribed? ──► Outbox ──► client's task ──► socket
//!                                                          │ full: the oldest messages go
//! └─────► the client gets the number
//! ```
//!
//! The problem: people have dashboards that know MCAP and Foxglove, and want to see in them what
//! happens now, with the layouts that they use for recordings. So [`Foxglove`] offers the channels
//! of each team, its name before them: `/A/journal`, `/A/seat/0/received`. A client gets what it
//! subscribes to; a channel without a subscriber costs nothing.
//!
//! Nothing that a client does is waited for: each has a bounded outbox, loses the oldest messages
//! when it reads too slowly, and is cut off when it does not read at all. Clients only look:
//! nothing that they send reaches a team. There are no logins in this protocol, so pages of foreign
//! origins are refused, and who may reach the address is the caller's care.
//!
//! Absent on purpose: any game, TLS, services, parameters, messages of clients. Passwords are
//! left out before anything comes here, as for recordings: see `phalanx_net::Taped`.

mod client;
mod door;
mod hub;
mod outbox;
mod wire;

pub use door::{Foxglove, FoxgloveOptions};
pub use hub::FoxgloveStatus;
