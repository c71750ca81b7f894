//! Runs many matches between strategies and evaluates them: which one is better, by how much, and
//! with what certainty.
//!
//! The problem: one match says little, and the author of a change wants to know overnight
//! whether the change is worth anything. So a [`LeagueDefinition`] says who meets whom on which seeds, [`run()`]
//! plays it on a bounded number of threads, each result is appended to a [`LeagueStore`], and a
//! [`LeagueTable`] says what follows from the results so far.
//!
//! ```text
//!  plan ──fixtures──► worker threads ──────► results, sorted ──► results.jsonl
//!                                                   │
//!                                                   └──► tally ──► SPRT: stop early?
//!                                                             └──► ratings ──► Standing, reports
//! ```
//!
//! Results count in the order of the schedule, however the threads overtake each other. So the same
//! plan with matches that depend on their seed alone gives the same results, byte for byte, on any
//! number of threads; and a league that was stopped goes on where its results end.
//!
//! Absent on purpose: any game, script, clock or network. How a match is played is the caller's
//! [`PlayMatch`]; what its settings mean is the caller's, too.

mod matrix;
mod outcome;
mod plan;
mod rating;
mod report;
mod results;
mod run;
mod sprt;
mod standing;
mod store;
mod tally;

pub use outcome::{MatchOutcome, TROUBLE_CHARS_MAX};
pub use plan::{
    Fixture, LeagueContestant, LeagueDefinition, MATCHES_MAX, NAME_CHARS_MAX, PLAYERS_MAX, Pairing,
    ParamValues, Seeds, TunedValue,
};
pub use rating::{Rating, Strengths, rate};
pub use report::{cell, json, markdown, rounded, table};
pub use results::{LeagueStoreError, ResultsFile, ResultsReader, read_plan, write_plan};
pub use run::{
    KeepResult, LeagueEnd, MatchPlayed, PlayError, PlayMatch, RunOptions, play_guarded,
    play_in_order, run,
};
pub use sprt::{Sprt, SprtOptions, SprtState, SprtVerdict};
pub use standing::{FailureReason, LeagueTable, RankedPlayer};
pub use store::LeagueStore;
pub use tally::LeagueTally;
