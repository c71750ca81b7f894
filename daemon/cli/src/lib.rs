//! The client: the verbs that ask a running daemon, and what all verbs of `phalanx` print with.
//!
//! [`args`] has the command lines, [`remote`] carries them out through the control API, [`top`] is
//! the cockpit.

pub mod args;
pub mod contexts;
pub mod failure;
pub mod paint;
pub mod prompt;
pub mod remote;
pub mod template;
pub mod terminal;
pub mod top;
