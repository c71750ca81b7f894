//! The contract between the daemon and a game.
//!
//! A game is a plugin: a [`Session`] that speaks the referee's protocol for one connection, a
//! [`World`] that holds the team's joined belief, and an [`Arena`] that is a referee of our own.
//! All three are sans-IO: bytes and time are arguments, outputs are polled. After any `handle_*`
//! call the caller drains `poll_transmit` and `poll_event` until they return `None`, then asks
//! `poll_timeout` when to call `handle_timeout` at the latest.
//!
//! Absent on purpose: sockets, clocks, tasks, threads, files, environment, randomness that is not
//! a parameter. Types stay typed along the path of a turn; they are erased once, in
//! `daemon/games/src/plugin.rs`. Scripts meet a game only through [`Value`], [`Said`] and the [`Api`] declaration.
#![deny(missing_docs)]

mod api;
mod arena;
mod deadline;
pub mod declare;
mod error;
mod event;
mod fit;
mod frames;
mod frozen;
mod gate;
mod ids;
mod margin;
mod order;
mod picture;
mod plain;
mod resume_frames;
mod session;
pub mod sorted;
mod tokens;
mod value;
mod words;
mod world;

pub use api::{ActionDoc, Api, Declaration, FieldDoc, KeyDoc, Kind, ParamDoc, QueryDoc};
pub use arena::{
    Arena, Artifact, ConnectionId, Origin, Outgoing, Score, Tally, Verdict, points_text,
};
pub use deadline::{DeadlineClock, REQUESTS_MAX, WINDOW_MAX};
pub use error::{ActionError, Late, ProtocolError, QueryError, excerpt};
pub use event::{DefaultCause, Event, Notice};
pub use fit::misfit;
pub use frames::NulFrames;
pub use frozen::{RestoreError, freeze, thaw};
pub use gate::{Expired, TurnGate};
pub use ids::{AgentId, SeatId, Turn};
pub use margin::{Margin, MarginLimits};
pub use order::{
    ORDER_BYTES_MAX, OrderError, check_order, did_you_mean, read_order, write_order, write_value,
};
pub use picture::{
    Area, Body, CELL_UNKNOWN, Column, Layer, LayerDoc, Legend, PATH_MAX, PICTURE_CELLS_MAX,
    PICTURE_PARTS_MAX, PICTURE_SIDE_MAX, PICTURE_TEXT_BYTES_MAX, PICTURE_THINGS_MAX, Part, Picture,
    PictureEdge, PictureNode, Place, Row, SEEN_NEVER, Scale, Shape, Side, Spot, TABLE_COLUMNS_MAX,
    TABLE_ROWS_MAX, TABLES_MAX, Table, Tone,
};
pub use plain::{Plain, PlainKey};
pub use resume_frames::{ResumeFrame, ResumeFrames};
pub use session::{Framing, Seat, Session};
pub use tokens::Tokens;
pub use value::{Said, Value, argument, is_of_word, quoted};
pub use words::{expectation, similar};
pub use world::{AgentState, Game, Met, Oracle, Roster, RosterEntry, World};
