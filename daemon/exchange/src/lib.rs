//! What people and other programs take out of a recording.
//!
//! ```text
//!                    ┌─► Turns ──► explain() (why), Row (tables), terminals
//! entries of a file ─┤                           └► CSV, JSON lines, Parquet
//!                    └─► Latency (where the time of each turn went)
//! ```
//!
//! The problem: a recording lists events in the order in which they happened, and the answer to an
//! action arrives several turns after it. [`Turns`] puts together what belongs to one turn.
//! Everything here reads a recording once, from its start, and holds a few turns of it.
//!
//! Absent on purpose: any game, files that are written, computing decisions again.

mod board;
mod latency;
mod parquet;
mod rows;
mod turns;
mod why;

pub use board::BoardState;
pub use latency::{Distribution, LATENCY_TURNS_MAX, Latency, TurnStage, TurnTimes};
pub use parquet::{ParquetTable, parquet_notes};
pub use rows::{COLUMNS, Column, ColumnType, DecisionRow, RowValue, rows};
pub use turns::{
    AgentDecision, DeedKind, PlayedAgent, PlayedTurn, Turns, is_of_pictures, is_of_turns,
};
pub use why::{ExplainError, explain};
