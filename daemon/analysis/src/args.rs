//! The command lines of the verbs around recordings, and of `map`.

pub mod map;
pub mod recorded;
pub mod recording;
pub mod replay;
