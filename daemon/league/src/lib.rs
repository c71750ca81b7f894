//! Many matches between strategies, and what they tell: who is better, by how much, how sure that is.
//!
//! The problem: one match says little, and whoever changes a strategy wants to know overnight
//! whether the change is worth anything. So a [`Plan`] says who meets whom on which seeds, [`run()`]
//! plays it on a bounded number of threads, each result is appended to a [`Store`], and a
//! [`Standing`] says what follows from the results so far.
//!
//! ```text
//!  Plan ──fixtures──► worker threads ──Play──► results, sorted ──► Store (results.jsonl)
//!                                                   │
//!                                                   └──► Tally ──► Sprt: stop early?
//!                                                             └──► ratings ──► Standing, reports
//! ```
//!
//! Results count in the order of the schedule, however the threads overtake each other. So the same
//! plan with matches that depend on their seed alone gives the same results, byte for byte, on any
//! number of threads; and a league that was stopped goes on where its results end.
//!
//! Absent on purpose: any game, script, clock or network. How a match is played is the caller's
//! [`Play`]; what its settings mean is the caller's, too.
#![deny(missing_docs)]

mod matrix;
mod outcome;
mod plan;
mod rating;
mod report;
mod run;
mod sprt;
mod standing;
mod store;
mod tally;

pub use outcome::{Outcome, TROUBLE_CHARS_MAX};
pub use plan::{Fixture, MATCHES_MAX, NAME_CHARS_MAX, PLAYERS_MAX, Pairing, Plan, Player, Seeds};
pub use rating::{Rating, rate};
pub use report::{json, markdown, table};
pub use run::{End, Event, Play, PlayError, RunOptions, run};
pub use sprt::{Sprt, SprtOptions, SprtState, SprtVerdict};
pub use standing::{Row, Standing};
pub use store::{Store, StoreError};
pub use tally::Tally;
