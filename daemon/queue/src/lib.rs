//! Plays matches on many machines: a coordinator puts them on a work queue of NATS JetStream, and
//! workers play them and publish the results.
//!
//! The problem: a league of ten thousand matches takes a night on one machine, and the other
//! machines in the room are idle. Worker processes die, networks break and servers restart; each
//! match has to count exactly once all the same.
//!
//! ```text
//!  league, tune ──play()──► QueuedMatches ──items──► stream PHALANX_MATCHES ──► run_worker() ──► PlayItem
//!   (PlayMatch)     ▲            │  bundles, by hash ──► object store ──────────────┘               │
//!                   └─ outcome ──┴◄───────── stream PHALANX_RESULTS ◄───── scores, failures, returns ┘
//! ```
//!
//! **A queue is a [`PlayMatch`](phalanx_league::PlayMatch).** Each of the league's threads puts one
//! match on the queue and waits for its result, so the number of threads is the number of matches in
//! flight. Order, early stop, files and resumption are those of a league in one process, and so are
//! the bytes of its results.
//!
//! **Who decides what.** The server redelivers an item that a worker neither finished nor reported
//! on. The coordinator counts the workers that an item ended, by asking each worker whether it is
//! still there, and sets the item aside after the second one. Results count by the number of their
//! match, once, and only if they answer the item that the coordinator asked for. A run that only gets
//! refusals warns, with the reasons, and ends after a while.
//!
//! Absent on purpose: any game and any script. Bundles are bytes with a hash; what a worker does
//! with them is the caller's [`PlayItem`].

mod broker;
mod bundles;
mod coordinator;
mod error;
mod lease;
mod link;
mod log;
mod log_server;
mod open;
mod publish;
mod refusals;
mod results;
mod watch;
mod wire;
mod worker;
mod workers;

pub use bundles::{BUNDLE_BYTES_MAX, BundleBytes};
pub use coordinator::{QueueRun, QueuedMatches, run_id};
pub use error::QueueError;
pub use link::QueueAddress;
pub use log::{LogBucket, process_name};
pub use log_server::{FoundLogs, LogServer};
pub use wire::MatchItem;
pub use worker::{ItemEnd, PlayItem, WorkerOptions, WorkerTotals, run_worker};
pub use workers::{QueueWorker, recent_workers};
