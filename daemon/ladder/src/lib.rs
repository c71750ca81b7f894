//! A ladder: strategies that are submitted at any time, play whom they learn most from, and have a
//! rating with its error at every moment.
//!
//! The problem: a league knows its players before it begins, and everybody plays everybody. On a
//! ladder new versions arrive while others have played for weeks; most pairings would say nothing
//! new, and somebody else's strategy may fail or attack.
//!
//! ```text
//!  submit ──► LadderLog ◄── rounds, results ── LadderStore::play() ──fixtures──► PlayMatch
//!               │  one entry a line                 ▲
//!               └──► Ladder (fold) ──► ratings ──► matchmaking: the pairs that add most bits
//! ```
//!
//! **The log is the state.** [`Ladder`] is the fold over a log of [`LadderEntry`]s: what is played,
//! submissions, rounds, results. An entry holds no time, so the same commands give the same bytes. A
//! log is a file in a folder, or a bucket of a NATS server ([`LadderPlace`]); both append an entry
//! only if the writer has read all entries before it. So a match counts once, whatever is killed, and
//! strategies can be submitted while matches are played.
//!
//! **A round is written down before it is played.** Which matches come next depends on the results so
//! far and on the seed of the ladder alone. A process that was killed in mid-round is followed by
//! one that plays the rest of that round.
//!
//! Absent on purpose: any game, script or clock. How a match is played is the caller's
//! [`PlayMatch`](phalanx_league::PlayMatch).

mod copy;
mod entry;
mod error;
mod folder;
mod follow;
mod ladder;
mod log;
mod matchmaking;
mod report;
mod store;

pub use copy::LadderCopy;
pub use entry::{
    LadderDefinition, LadderEntry, LadderMeeting, LadderResult, LadderRound, SUBMISSION_BYTES_MAX,
    Submission,
};
pub use error::LadderError;
pub use follow::FollowedLadder;
pub use ladder::{ENTRANTS_MAX, Entrant, HeadToHead, Ladder, LadderMatch};
pub use log::{LadderLog, LadderPlace};
pub use matchmaking::{ROUND_MAX, next_round};
pub use report::{LadderRow, RatingPoint, history, json, markdown, rating_series, rows, table};
pub use store::{EnterStrategy, LadderEvent, LadderOptions, LadderStore};
