//! Our rules against what the contest's own server did: maps by seed, colours, scores, every
//! recorded action.

mod colours;
mod golden;
mod maps;
mod percepts;
mod replay;
mod tape;
