//! Everything that stands between a changed strategy and a match: every file is compiled and
//! linted, its specs run, the team's last turns are rehearsed, all on a throw-away VM.
#![deny(missing_docs)]

mod report;

pub use report::{Candidate, Report, TrialOptions};
