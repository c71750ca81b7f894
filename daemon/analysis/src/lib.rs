//! What people do with recorded matches: look into their files, take data out of them, play them
//! back in a terminal, decide them again, draw them.

pub mod args;
pub mod extracts;
pub mod files;
pub mod pictures;
mod printed;
pub mod redecide;
pub mod viewer;
