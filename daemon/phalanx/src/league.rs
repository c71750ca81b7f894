//! Leagues: many matches between strategies, on virtual time.

mod matches;
mod run;

pub(crate) use matches::{Matches, Wish, prepare};
pub use run::run;
pub(crate) use run::usual_threads;
