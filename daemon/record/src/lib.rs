//! Recordings: the events of a team, in one MCAP file that common tools open.
//!
//! ```text
//!  seats, team's thread ──put──► queue ──► thread ──► chunks, zstd, CRC ──► NAME.mcap, NAME.2.mcap …
//!                                  │ full: pictures go first, bytes and steps last
//!                                  └─────► a gap in the recording counts what is missing
//! ```
//!
//! The problem: the run that fails cannot be repeated, and the file that should explain a crash is
//! lost with it. A [`Recording`] keeps all inputs of a team exactly, so that its decisions can be
//! computed again. The file is readable up to the last chunk on the disk, whatever happens to the
//! daemon, and play never waits for it. A [`FlightRecorder`] keeps the last minutes in memory only
//! and writes them on request. [`RecordingFile`] reads both, damaged or not; [`recover()`] makes a
//! whole file from the readable rest; [`prune()`] frees space. A [`LiveFeed`] makes the same
//! messages for live viewers, while there are some.
//!
//! Messages are those of `phalanx/v1/recording.proto` and of the control API. Times are counted
//! from the begin by a monotonic clock.
//!
//! Absent on purpose: any game, any Lua (the caller provides the files of a strategy, and loads
//! them again), computing decisions again (`phalanx_net` does that).
#![deny(missing_docs)]

mod book;
mod channel;
mod disk;
mod encode;
mod flight;
mod live;
mod names;
mod part;
mod prune;
mod queue;
mod read;
mod recording;
mod recover;
mod schema;
mod taped;
mod weight;

pub use book::Bundler;
pub use channel::{Channel, ENCODING};
pub use disk::{DiskFile, RealDisk, RecordingDisk};
pub use flight::{FLIGHT_BYTES, FlightRecorder};
pub use live::{Audience, LiveFeed, LiveMessage};
pub use names::EXTENSION;
pub use prune::{PrunedRecording, RetentionPolicy, prune};
pub use queue::QueueLimits;
pub use read::{
    Attachment, ChannelTally, DamageCause, Entries, Entry, RawMessage, RawMessages, Recorded,
    RecordingDamage, RecordingError, RecordingFile, Summary,
};
pub use recording::{Recording, RecordingInfo, RecordingOptions, RecordingStatus};
pub use recover::{RecoverError, Recovered, recover};
pub use taped::Loader;

/// The version of the layout of channels and messages.
pub const FORMAT: u32 = 1;
