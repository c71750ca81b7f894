//! The control API: gRPC on a Unix socket and on loopback TCP.
//!
//! The problem: people and dashboards want to look into a daemon that must not be disturbed while
//! it plays. So this crate reads what teams publish anyway, snapshots and journal entries, changes
//! strategies through their keepers alone, and every buffer between a team and a client has a
//! bound: a client that reads too slowly loses its stream, never a team its turn. Whoever changes
//! something is named: over the Unix socket by the system's word.
//!
//! Use: implement [`TeamDirectory`] and [`TeamView`], then [`build`] (binds, may fail) and
//! [`Control::spawn`] (cannot fail). The daemon serves `phalanx.v1`, the standard health service
//! (a service name each, and `teams/<name>` for each team) and reflection. [`client`] connects.
//!
//! Over the network callers show tokens ([`Access`]), and beyond loopback there is TLS
//! ([`Certificates`]) or nothing. One table says what each method needs.
//!
//! Absent on purpose: anything that changes a team behind its keeper's back, any knowledge of sockets to referees or of games.
#![deny(missing_docs)]

mod access;
mod caller;
pub mod client;
mod convert;
mod directory;
mod error;
mod events;
mod follow;
mod gate;
mod listener;
mod matches;
mod methods;
mod page;
mod refusal;
mod server;
mod socket;
mod strategies;
mod teams;
mod tls;

pub use directory::{Feed, TeamDirectory, TeamView};
pub use gate::Access;
pub use phalanx_access::{Audit, Role, StoreError};
pub use server::{
    Bound, Control, ControlError, ControlHandle, Options, SocketOptions, bind, bind_unix, build,
    prepare,
};
pub use socket::SocketGuard;
pub use tls::{Certificates, TlsError, TlsOptions};
