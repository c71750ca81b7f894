//! The control API: gRPC on a Unix socket and on loopback TCP.
//!
//! The problem: people and dashboards want to look into a daemon that must not be disturbed while
//! it plays. So this crate reads what teams publish anyway, snapshots and journal entries, changes
//! strategies through their keepers and teams through their handles alone, and every buffer between
//! a team and a client has a bound: a client that reads too slowly loses its stream, never a team its
//! turn. The author of each change is identified, over the Unix socket by the operating system.
//! Changes are done once however often they are sent, one after the other for each team.
//!
//! Use: implement [`TeamDirectory`] for a list of [`ServedTeam`]s and, if teams can be created
//! and deleted, [`TeamMaker`]. Then call [`build`] (binds, may fail) and [`Control::spawn`] (cannot
//! fail). The daemon serves `phalanx.v1`, the standard health service (one name for each service,
//! and `teams/<name>` for each team) and reflection. [`client`] connects.
//!
//! Over the network callers show tokens ([`Access`]), and beyond loopback there is TLS
//! ([`Certificates`]) or no access. The `.proto` files
//! declare the role that each method needs.
//!
//! Absent on purpose: any change of a team that is not a command to its handle or its keeper, any
//! knowledge of sockets to referees or of games.
#![deny(missing_docs)]

mod access;
mod arena_view;
mod arenas;
mod boards;
mod body;
mod caller;
mod calls;
mod changes;
pub mod client;
mod connection;
mod convert;
mod dashboard;
mod destinations;
mod directory;
mod error;
mod events;
mod feeds;
mod follow;
mod gate;
mod host;
mod idempotency;
mod lab;
mod lab_view;
mod league_view;
mod leagues;
mod listener;
mod maker;
mod matches;
mod methods;
mod page;
mod recording_view;
mod recordings;
mod reflection;
mod refusal;
mod reload;
mod server;
mod shares;
mod side_services;
mod slots;
mod socket;
mod strategies;
mod tail;
mod team;
mod teams;
mod tls;
mod validity;
mod visitors;
mod wait;
mod web;
mod worlds;

pub use arena_view::{
    ArenaAsk, ArenaBegin, ArenaDirectory, ArenaEvent, ArenaRefusal, ArenaSetup, ArenaSide,
    ArenaState, ArenaStatus, ArenaView, Started,
};
pub use destinations::{Destinations, MoveHosts};
pub use directory::TeamDirectory;
pub use gate::Access;
pub use host::{About, Host, LogFilter, LogFilterError};
pub use lab_view::{LabDirectory, LadderMatchAsk};
pub use league_view::{
    Begun, LeagueAsk, LeagueDirectory, LeagueEvent, LeagueRefusal, LeagueState, LeagueStatus,
    LeagueView,
};
pub use maker::{Checked, Made, MakeError, TeamMaker, Wrong};
pub use phalanx_access::{Audit, Denials, Role, TokenStoreError};
pub use phalanx_strategy::Trialled;
pub use recording_view::{Messages, PartFile, RecordingDirectory, RecordingRefusal};
pub use reload::{Reloaded, SettingChange, SettingRefusal};
pub use server::{
    BoundListeners, Control, ControlError, ControlHandle, InheritedListeners, Options, adopt_unix,
    bind, bind_over, bind_unix, build, prepare,
};
pub use shares::StreamLimits;
pub use slots::{CONNECTIONS_MAX, ConnectionLimits};
pub use socket::{SocketGuard, SocketOptions, place_of};
pub use team::{Newcomers, ServedTeam};
pub use tls::{Certificates, TlsError, TlsOptions};
