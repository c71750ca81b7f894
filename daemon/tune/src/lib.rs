//! Searches values for a strategy's parameters with which it plays better, and proves that they are
//! better.
//!
//! The problem: one match says little, a thousand matches cost an hour, and the best of a hundred
//! noisy candidates looks better than it is. So a [`TunePlan`] says which parameters may vary
//! ([`Dimension`]), against whom, on which seeds and with how many matches;
//! [`run()`] asks an optimiser for candidates, lets them race on the same seeds, and tests the best
//! one against the values at the start on seeds that the search has not seen.
//!
//! ```text
//!  plan ──► TPE: ask 8 candidates ──► race: 1/8, 1/4, 1/2, all seeds, half of them go each time
//!            ▲                            │                      │
//!            └──────── leads ◄────────────┘                      └──► best so far
//!                                                                        │
//!            report, tuned.toml ◄── SPRT on fresh seeds: best against start
//! ```
//!
//! **The optimiser** is the tree-structured Parzen estimator of the crate `tpe`. It asks and tells,
//! takes our random numbers, depends on `rand` alone, and knows numbers and choices; whole numbers
//! and steps are places on a grid, logarithmic scales are logarithms. The CMA-ES crates that we
//! looked at (`cmaes`, `optimizer`, `argmin`) call the objective themselves, start in the middle of
//! the ranges or draw choices at random.
//!
//! **A run is a function of its plan and its results.** Each match is a
//! [`Fixture`](phalanx_league::Fixture) with the values that the strategy plays with, as a match of a
//! league is one without. Results count in the order of the schedule, and each one is appended to a
//! file. A run goes on by doing the same again, with the results that are there: so it gives the
//! same bytes on any number of threads, and however often it was interrupted.
//!
//! Absent on purpose: any game, script, clock or network. How a match is played is the caller's
//! [`PlayMatch`](phalanx_league::PlayMatch).

mod driver;
mod influence;
mod plan;
mod progress;
mod race;
mod report;
mod scores;
mod search;
mod space;
mod store;

pub use driver::{TuneEnd, TuneError, TuneEvent, run, show};
pub use influence::{Influence, influences};
pub use plan::{BUDGET_MAX, DIMENSIONS_MAX, Objective, TuneOpponent, TunePlan};
pub use progress::{Fate, FinalTest, Improvement, TuneCandidate, TuneProgress, TuneVerdict};
pub use race::{Racer, survivors};
pub use report::{
    conditions, json, lead_with_error, markdown, range, strength_text, table, unit, verdict_text,
};
pub use scores::{CandidateScores, PairedLead};
pub use search::TpeSearch;
pub use space::{Dimension, DimensionKind, shown};
pub use store::TuneStore;
