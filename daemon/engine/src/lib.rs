//! The team core, sans-IO: one [`Team`] gathers the percepts of a turn, settles the world, asks
//! the [`Brain`] for each agent and hands out every action at once.
//!
//! Inputs come through [`Team::handle`], time through its `now`; outputs are polled. The shell that
//! owns a team calls `handle` for every waiting input, then `poll_output` until `None` (each call
//! decides for one agent at most, so that its action can leave at once), then waits until
//! `poll_timeout`.
//!
//! Absent on purpose: clocks, sockets, threads, Lua, any knowledge of a particular game.
#![deny(missing_docs)]

mod alerts;
mod board;
mod brain;
mod checkpoint;
mod command;
mod consensus;
mod enrolment;
mod generation;
mod hindsight;
mod input;
mod journal;
mod memory;
mod params;
mod profile;
mod provenance;
mod rounds;
mod seat_state;
mod shared;
mod snapshot;
mod steering;
mod suspension;
mod tape;
mod team;
mod team_options;
mod team_state;
mod time_reads;
mod turn;
mod view;

pub use alerts::{Alert, AlertKind, AlertOptions};
pub use board::{
    BOARD_PAGE_KEYS_MAX, BOARD_PAGE_WEIGHT_MAX, Board, BoardEntry, BoardError, BoardItem,
    BoardLimits, BoardPage, BoardRead, BoardWrite, BoardWriteError, EXPIRY_TURNS_MAX, weight,
};
pub use brain::{
    Ask, Brain, BrainError, BrainErrorKind, Outcome, Ran, Reason, RoundResult, TeamLink,
};
pub use checkpoint::{
    CHECKPOINT_FORMAT, Checkpoint, CheckpointError, Found, Freezer, Identity, examine, inspect,
};
pub use command::*;
pub use enrolment::{AGENT_NAME_CHARS_MAX, AGENTS_MAX, Enrolled};
pub use generation::{Carry, Fault, Generation, Probation, Staged, StrategyOrigin};
pub use hindsight::{
    Explained, HINDSIGHT_BYTES_MAX, HINDSIGHT_TURNS_MAX, Hindsight, NotExplained, WhichTurn,
};
pub use input::{Input, Output};
pub use journal::{Description, EventSeverity, EventTopic, JournalEntry, JournalEvent, TurnDone};
pub use memory::Memory;
pub use params::{
    PARAM_NAME_BYTES_MAX, PARAM_TEXT_BYTES_MAX, PARAM_VALUES_MAX, PARAMS_MAX, ParamError,
    ParamKind, ParamSpec, Params, Scope,
};
pub use phalanx_game::{
    ORDER_BYTES_MAX, OrderError, Plain, PlainKey, check_order, expectation, read_order, similar,
    write_order,
};
pub use profile::{CallProfile, Profile, StackSample};
pub use provenance::{
    BOARD_LOOKS_MAX, BOARD_LOOKS_WEIGHT_MAX, BoardLook, BoardLooks, LookKind, Provenance,
};
pub use seat_state::SeatState;
pub use shared::{
    DebugMark, INBOX_LETTERS_MAX, INBOX_WEIGHT_MAX, LOG_CHARS_MAX, LOG_LINES_MAX, Letter, LogLevel,
    LogLine, MARKS_MAX, MARKS_WEIGHT_MAX, METRIC_BYTES_MAX, METRICS_MAX, Shared,
};
pub use snapshot::{AgentSnapshot, Counters, InheritedCounts, Snapshot};
pub use steering::{
    Keep, LEASE_TURNS, LEASE_TURNS_MAX, PIN_TURNS_MAX, Steer, SteerCause, Steering,
};
pub use suspension::Suspension;
pub use tape::{CallKind, TapedCall, TapedInput, TeamAct, TeamStep};
pub use team::{LOST_CHANGES, SCENE_EVERY, Team, TeamStart};
pub use team_options::TeamOptions;
pub use team_state::TeamState;
pub use time_reads::{TIME_READ_STEP, TIME_READS_MAX, TimeRead, TimeReads};
pub use view::{Drawing, FinalView, Scene, View};
