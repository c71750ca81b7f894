//! Checks a changed strategy before it plays: every file is compiled and linted, its specs run, the
//! team's last turns are rehearsed, all on a throw-away VM.
//!
//! [`run`] does it all and reports all mistakes together. It takes the thread that it is called on
//! for at most [`TrialOptions::time`] and touches nothing of a playing team: what the scripts do
//! happens in a copy.

mod findings;
mod lint;
mod rehearse;
mod report;
mod trial;

pub use findings::FINDINGS_MAX;
pub use report::{Candidate, TrialOptions, TrialResult};
pub use trial::{run, staged};
