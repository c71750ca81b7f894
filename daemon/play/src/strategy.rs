//! The verbs of `phalanx strategy` that need no daemon: new, check, test, params.

mod check;
mod first_turns;
mod new;
mod params;

mod test;

pub use check::{check, findings, trial, trial_json, verdict};
pub(crate) use new::fill_folder;
pub use new::{new, new_files};
pub use params::{listed, params};
pub use test::{nothing_matches, spec_json, specs, test};
