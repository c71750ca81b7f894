//! Recordings: what happened in a team, in one MCAP file that common tools open.
//!
//! ```text
//!  seats, team's thread ──put──► queue ──► thread ──► chunks, zstd, CRC ──► NAME.mcap, NAME.2.mcap …
//!                                  │ full: pictures go first, bytes and steps last
//!                                  └─────► a gap in the recording tells what is missing
//! ```
//!
//! The problem: the run that fails cannot be repeated, and the file that should explain a crash is
//! lost with it. A [`Recording`] keeps all that went into a team, exactly, so that its decisions can
//! be computed again; what is on the disk is readable up to the last chunk, whatever happens to the
//! daemon. Playing never waits for it. A [`FlightRecorder`] keeps the last minutes in memory alone and
//! writes them when somebody asks. [`RecordingFile`] reads either again, damaged or not;
//! [`recover()`] makes a whole file of what is left; [`prune()`] makes room. A [`LiveFeed`] makes the
//! same messages for those who look on while it happens, as long as there are some.
//!
//! Messages are those of `phalanx/v1/recording.proto` and of the control API. Times are counted from
//! the begin by a clock that never goes back.
//!
//! Absent on purpose: any game, any Lua (the caller tells what the files of a strategy are, and makes
//! code of them again), computing decisions again (`phalanx_net` does).
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
pub use disk::{Disk, DiskFile, RealDisk};
pub use flight::{FLIGHT_BYTES, FlightRecorder};
pub use live::{Audience, LiveFeed, LiveMessage};
pub use names::EXTENSION;
pub use prune::{PrunedRecording, RetentionPolicy, prune};
pub use queue::QueueLimits;
pub use read::{
    Attachment, ChannelTally, Damage, Entries, Entry, RawMessage, RawMessages, Recorded,
    RecordingError, RecordingFile, Summary, Wrong,
};
pub use recording::{Recording, RecordingInfo, RecordingOptions, RecordingStatus};
pub use recover::{RecoverError, Recovered, recover};
pub use taped::Loader;

/// The version of the layout of channels and messages.
pub const FORMAT: u32 = 1;
