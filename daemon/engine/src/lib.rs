//! The team core, sans-IO: one [`Team`] gathers the percepts of a turn, settles the world, asks
//! the [`Brain`] for each agent and hands out every action at once.
//!
//! Inputs come through [`Team::handle`], time through its `now`; outputs are polled. The shell
//! that owns a team runs: `handle` all that waits, `poll_output` until `None` (each call decides
//! for one agent at most, so that its action can leave at once), then wait until `poll_timeout`.
//!
//! Absent on purpose: clocks, sockets, threads, Lua, any knowledge of a particular game.
#![deny(missing_docs)]

mod alerts;
mod board;
mod brain;
mod checkpoint;
mod consensus;
mod enrolment;
mod generation;
mod grounds;
mod hindsight;
mod input;
mod journal;
mod memory;
mod order;
mod params;
mod profile;
mod rounds;
mod shared;
mod snapshot;
mod steering;
mod suspension;
mod tape;
mod team;
mod time_reads;
mod turn;
mod view;
mod words;

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
pub use enrolment::{AGENT_NAME_CHARS_MAX, AGENTS_MAX, Enrolled};
pub use generation::{Carry, Fault, Generation, Probation, Staged, StrategyOrigin};
pub use grounds::{
    BOARD_LOOKS_MAX, BOARD_LOOKS_WEIGHT_MAX, BoardLook, BoardLooks, Grounds, LookKind,
};
pub use hindsight::{
    Explained, HINDSIGHT_BYTES_MAX, HINDSIGHT_TURNS_MAX, Hindsight, NotExplained, WhichTurn,
};
pub use input::{Answer, Input, Output, REPEATED_TICKET, SeatState, Ticket};
pub use journal::{JournalEntry, JournalEvent, TurnDone};
pub use memory::{Memory, Plain, PlainKey};
pub use order::{ORDER_BYTES_MAX, OrderError, check_order, read_order, write_order};
pub use params::{
    PARAM_NAME_BYTES_MAX, PARAM_TEXT_BYTES_MAX, PARAM_VALUES_MAX, PARAMS_MAX, ParamError,
    ParamKind, ParamSpec, Params, Scope,
};
pub use profile::{CallProfile, Profile, StackSample};
pub use shared::{
    INBOX_LETTERS_MAX, INBOX_WEIGHT_MAX, LOG_CHARS_MAX, LOG_LINES_MAX, Letter, LogLevel, LogLine,
    MARKS_MAX, MARKS_WEIGHT_MAX, METRIC_BYTES_MAX, METRICS_MAX, Mark, Shared,
};
pub use snapshot::{AgentSnapshot, Counters, Inherited, Snapshot};
pub use steering::{
    Keep, LEASE_TURNS, LEASE_TURNS_MAX, PIN_TURNS_MAX, Steer, SteerCause, SteerError, Steering,
};
pub use suspension::Suspension;
pub use tape::{
    Beginning, CallKind, TapedCall, TapedInput, TapedInstall, TeamAct, TeamStep, TimeRead, Wish,
};
pub use team::{SCENE_EVERY, Team, TeamOptions, TeamStart};
pub use time_reads::{TIME_READ_STEP, TIME_READS_MAX, TimeReads};
pub use view::{Drawing, Scene, View};
pub use words::{expectation, similar};
