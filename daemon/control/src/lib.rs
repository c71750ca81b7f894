//! The control API: gRPC on a Unix socket and on loopback TCP.
//!
//! The problem: people and dashboards want to look into a daemon that must not be disturbed while
//! it plays. So this crate reads what teams publish anyway, snapshots and journal entries, changes
//! strategies through their keepers and teams through their controls alone, and every buffer
//! between a team and a client has a bound: a client that reads too slowly loses its stream, never a
//! team its turn. Whoever changes something is named: over the Unix socket by the system's word.
//! Changes are done once however often they are sent, one after the other for each team.
//!
//! Use: implement [`TeamDirectory`], [`TeamView`], [`TeamControls`] and, where teams come and go,
//! [`TeamMaker`], then [`build`] (binds, may fail) and
//! [`Control::spawn`] (cannot fail). The daemon serves `phalanx.v1`, the standard health service
//! (a service name each, and `teams/<name>` for each team) and reflection. [`client`] connects.
//!
//! Over the network callers show tokens ([`Access`]), and beyond loopback there is TLS
//! ([`Certificates`]) or nothing. One table says what each method needs.
//!
//! Absent on purpose: anything that changes a team behind its keeper's or its controls' back, any
//! knowledge of sockets to referees or of games.
#![deny(missing_docs)]

mod access;
mod arena_view;
mod arenas;
mod boards;
mod caller;
mod calls;
mod changes;
pub mod client;
mod connection;
mod controls;
mod convert;
mod dashboard;
mod directory;
mod error;
mod events;
mod feeds;
mod follow;
mod gate;
mod host;
mod idempotency;
mod league_view;
mod leagues;
mod listener;
mod maker;
mod matches;
mod methods;
mod page;
mod recording_view;
mod recordings;
mod refusal;
mod reload;
mod server;
mod shares;
mod slots;
mod socket;
mod strategies;
mod tail;
mod teams;
mod tls;
mod validity;
mod visitors;
mod wait;
mod web;
mod worlds;

pub use arena_view::{
    ArenaAsk, ArenaBegin, ArenaDirectory, ArenaEvent, ArenaLeave, ArenaRefusal, ArenaSetup,
    ArenaSide, ArenaState, ArenaStatus, ArenaView, Started,
};
pub use controls::{AgentDraft, ControlsError, ControlsFuture, TeamControls, Wrong};
pub use directory::{Asking, Feed, TeamDirectory, TeamEnd, TeamError, TeamThread, TeamView};
pub use gate::Access;
pub use host::{About, Host, LogFilter, LogFilterError};
pub use league_view::{
    Begun, LeagueAsk, LeagueDirectory, LeagueEvent, LeagueRefusal, LeagueState, LeagueStatus,
    LeagueView,
};
pub use maker::{AgentPattern, Checked, Made, MakeError, TeamDraft, TeamMaker};
pub use phalanx_access::{Audit, Denials, Role, StoreError};
pub use phalanx_strategy::Trialled;
pub use recording_view::{Messages, PartFile, RecordingDirectory, RecordingRefusal};
pub use reload::{Reloaded, SettingChange, SettingRefusal};
pub use server::{
    Bound, Control, ControlError, ControlHandle, Inherited, Options, SocketOptions, adopt_unix,
    bind, bind_over, bind_unix, build, prepare,
};
pub use shares::StreamLimits;
pub use slots::{CONNECTIONS_MAX, ConnectionLimits};
pub use socket::{SocketGuard, place_of};
pub use tls::{Certificates, TlsError, TlsOptions};
