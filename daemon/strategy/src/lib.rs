//! A team's strategy over time: generations and their history, the watched folder, trials, and
//! live looks inside.
#![deny(missing_docs)]
